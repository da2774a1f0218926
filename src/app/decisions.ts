import { type Collectors, createCollectors } from './collectors.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Paging } from './paging.ts';
import { settingsOf } from './settings.ts';
import type { HostEnvironment } from './host_environment.ts';
import { safeText } from '../collect/clean.ts';
import type { Configuration } from '../config/load.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';

/** From what is seen to what is done: the collectors, and the spine they feed. */
export interface Decisions {
  readonly collectors: Collectors;
  readonly pipeline: DecisionPipeline;
  readonly settings: () => Settings;
  /** Swaps in what a reload brought. */
  use(configuration: Configuration): void;
}

const EXCERPT_MAX = 400;

/** Before the journal is opened; nothing runs before `spine.start()` and `collectors.start()`. */
export function createDecisions(
  configuration: Configuration,
  host: HostEnvironment,
  { infrastructure, paging }: { readonly infrastructure: Infrastructure; readonly paging: Paging },
): Decisions {
  const { clock, ledger, checkpoints, engines, lanes } = infrastructure;
  let settings = settingsOf(configuration);
  const collectors = createCollectors(configuration, {
    clock,
    checkpoints,
    engines,
    log: host.log,
    onSample: (sample) => pipeline.observe(sample),
    onPolled: (samples) => {
      for (const sample of samples) pipeline.take(sample);
      pipeline.settle();
    },
    onSymptom: (symptom) => pipeline.symptom(symptom),
  });
  const pipeline: DecisionPipeline = new DecisionPipeline({
    clock,
    ids: host.ids,
    append: ledger.append,
    register: (projection) => ledger.register(projection),
    lanes,
    settings: () => settings,
    channels: collectors.channelSetups,
    engineSetups: collectors.engineSetups,
    engines,
    clean: (text) => safeText(text, EXCERPT_MAX),
    raise: (draft) => paging.raise(draft),
    resolve: (key, because) => paging.resolve(key, because),
    openPages: () => paging.openPages(),
    lookCloser: (channels, forMs) => collectors.lookCloser(channels, forMs),
    lookNow: (channel, wants) => collectors.lookNow(channel, wants),
    onFailure: (text) => paging.fail(text),
    journalBroken: () => ledger.broken?.because,
  });
  return {
    collectors,
    pipeline,
    settings: () => settings,
    use(next) {
      settings = settingsOf(next);
      collectors.recompile(next);
    },
  };
}
