/** Assembles the collectors and the decision pipeline that they feed. */
import { type Collectors, createCollectors } from './collectors.ts';
import type { HintFor } from './hints.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Learning } from '../rulebook/learning.ts';
import type { Models } from './models.ts';
import type { PatternTrust } from '../rulebook/patterns/teaching.ts';
import type { Paging } from './paging.ts';
import type { Recall } from './planner.ts';
import { settingsOf } from './settings.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Configuration } from '../config/load.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { assembleDecisionPath, type DecisionPath } from '../incident/assembly.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';

/** From what is seen to what is done: the collectors, and the pipeline they feed. */
export interface Decisions {
  readonly collectors: Collectors;
  readonly pipeline: DecisionPipeline;
  /** What the process before this one left open, to be appended before anything else is done. */
  readonly recover: DecisionPath['recover'];
  readonly settings: () => Settings;
  /** Has rules compared by vectors, where a model makes them. After the journal is opened; never waits. */
  compareRules(): void;
  /** Swaps in what a reload brought. */
  use(configuration: Configuration): void;
}

/** What the decisions are built on. */
export interface DecisionParts {
  readonly infrastructure: Infrastructure;
  readonly paging: Paging;
  readonly learning: Learning;
  readonly models: Pick<Models, 'model' | 'similarity'>;
  /** What was learned from earlier incidents, for a planner. */
  readonly recall: Recall;
  /** At most one hint, for a planner. */
  readonly hintFor: HintFor;
  /** Hears of each complaint that no pattern fits; its text is redacted. */
  readonly onUnrecognised: (text: string, channel: string | undefined) => void;
  /** How far each pattern is trusted. */
  readonly trustIn: (pattern: string) => PatternTrust;
}

/** Before the journal is opened; nothing runs before `pipeline.start()` and `collectors.start()`. */
export function createDecisions(
  configuration: Configuration,
  host: HostEnvironment,
  {
    infrastructure,
    paging,
    learning,
    models: { model, similarity },
    recall,
    hintFor,
    onUnrecognised,
    trustIn,
  }: DecisionParts,
): Decisions {
  const { clock, ledger, checkpoints, engines, lanes } = infrastructure;
  const { standingOf } = learning;
  const beside = { model, standingOf, likeness: similarity.likeness, recall, hintFor };
  let settings = settingsOf(configuration, beside);
  const settleOnce = oncePerRound(() => pipeline.settle());
  const collectors: Collectors = createCollectors(configuration, {
    clock,
    checkpoints,
    engines,
    log: host.log,
    onSample: (sample) => {
      if (pipeline.take(sample)) settleOnce();
    },
    onPolled: (samples) => {
      for (const sample of samples) pipeline.take(sample);
    },
    onLooked: () => pipeline.settle(),
    onSymptom: (symptom) => {
      // In a storm one read finds many lines: each by itself would be judged against all that is in trouble.
      pipeline.takeSymptom(symptom);
      settleOnce();
    },
    onUnrecognised,
    trustIn,
    onBlind: (text) => paging.fail(text),
  });
  const { pipeline, recover } = assembleDecisionPath({
    ...{ ledger, lanes, paging, ids: host.ids, settings: () => settings, detectStops: true },
    observations: {
      ...{ engines, channels: collectors.channelSetups, engineSetups: collectors.engineSetups },
      lookCloser: (channels, forMs) => collectors.lookCloser(channels, forMs),
      lookNow: (channel, wants) => collectors.lookNow(channel, wants),
      readLog: (channel) => collectors.readLog(channel),
    },
    unjournaled: paging.unjournaled,
    seenDead: host.seenDead,
    onFailure: (text) => paging.fail(text),
  });
  return {
    collectors,
    pipeline,
    recover,
    settings: () => settings,
    compareRules: () => similarity.sync(settings.rulebook.rules),
    use(next) {
      settings = settingsOf(next, beside);
      similarity.sync(settings.rulebook.rules);
      collectors.recompile(next);
    },
  };
}

/** Samples that come in one round of the event loop are judged together, after the last of them. */
function oncePerRound(task: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
      task();
    });
  };
}
