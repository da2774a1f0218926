// Recognises broken observation: untrusted telemetry, an engine that does not answer, and expected silence.
import { failuresText } from '../facts/engine_facts.ts';
import { isStoppedByPerson, standstillOf } from '../facts/health.ts';
import type { ClassifyInput } from './classify_input.ts';
import { reported, sourceFails } from './classify_input.ts';
import type { SymptomFacts } from '../facts/symptom_facts.ts';
import { evidenceKindOf } from '../../core/symptom.ts';
import type { Match } from './rule.ts';
import { ENGINE_FAILURES_MIN, OBSERVER_LOST_MS } from '../facts/setup.ts';
import { engineSignal, outputSignal, serverSignal, spoken, symptomSignal } from './signals.ts';

/** What we look through is broken, so what we see proves nothing. Not concluded of a process that is dead or dying. */
export function telemetryUntrusted(input: ClassifyInput): Match | undefined {
  if (input.down || input.churning || input.process?.stoppedOnPurpose) return undefined;
  const server = serverSignal(input);
  if (server !== undefined) {
    const sinceMs = (input.facts.output ?? input.facts.reach)?.failSinceMs;
    return {
      because: `the server of the output fails, the process does not: ${server.says}`,
      signals: [server],
      sinceMs,
    };
  }
  return lostObserver(input) ?? untoldOutput(input) ?? unknownToEngine(input);
}

function lostObserver(input: ClassifyInput): Match | undefined {
  const { facts, nowMs } = input;
  if (!facts.setup.hasOutputProbe || !input.running || facts.watchedMs === undefined) return undefined;
  const lastMs = Math.max(facts.watchedMs, facts.output?.last.monoMs ?? 0, facts.reach?.last.monoMs ?? 0);
  if (nowMs - lastMs < OBSERVER_LOST_MS) return undefined;
  const says = `the output was not looked at for ${Math.round((nowMs - lastMs) / 1000)} s`;
  return { because: says, signals: [{ origin: 'metric', says, symptom: undefined, monoMs: nowMs }], sinceMs: lastMs };
}

/**
 * Its looks succeed and none has ever told of a content: a manifest whose segments lie on another host, or are numbered
 * by a clock that its server does not give. Whether it is dark will never be seen.
 */
function untoldOutput({ facts, nowMs }: ClassifyInput): Match | undefined {
  const { output, watchedMs } = facts;
  if (output?.lastOkMs === undefined || output.failStreak > 0 || output.changedMs !== undefined) return undefined;
  if (watchedMs === undefined || nowMs - watchedMs < OBSERVER_LOST_MS) return undefined;
  const says = 'its output can be read, and does not show whether it moves';
  const signal = { origin: 'probe', says, symptom: undefined, monoMs: output.last.monoMs } as const;
  return { because: says, signals: [signal], sinceMs: watchedMs };
}

function unknownToEngine(input: ClassifyInput): Match | undefined {
  const { facts, nowMs, context } = input;
  const sinceMs = facts.process?.unreadableSinceMs;
  if (sinceMs === undefined || nowMs - sinceMs < OBSERVER_LOST_MS || context.engine.failStreak > 0) return undefined;
  const says = 'the engine answers, but does not report the state of this channel';
  return { because: says, signals: [{ origin: 'metric', says, symptom: undefined, monoMs: nowMs }], sinceMs };
}

/** Nothing of the engine answers. A channel that still plays is left out of it. */
export function controlPlaneDown(input: ClassifyInput): Match | undefined {
  const { engine } = input.context;
  if (engine.failStreak < ENGINE_FAILURES_MIN || input.process !== undefined) return undefined;
  const { output } = input.facts;
  const plays =
    output?.everChanged === true && output.failStreak === 0 && standstillOf(input.facts, input.nowMs) === undefined;
  if (plays) return undefined;
  return {
    because: failuresText(engine),
    signals: spoken(engineSignal(input), outputSignal(input)),
    sinceMs: engine.failSinceMs,
  };
}

/** Log text of others alone makes nothing quiet: the ingest's own measure says so, or a look at the source agrees. */
const isAgreed = (input: ClassifyInput, gone: SymptomFacts): boolean =>
  evidenceKindOf(gone) !== 'forgeable' || sourceFails(input) === true;

/** No output is wanted now, so no output is no trouble. */
export function expectedQuiet(input: ClassifyInput): Match | undefined {
  const { process, facts, nowMs } = input;
  if (process !== undefined && isStoppedByPerson(process)) {
    return { because: 'stopped on purpose', signals: [], sinceMs: process.stateSinceMs };
  }
  if (facts.setup.expected !== 'on_demand') return undefined;
  const { viewers } = facts;
  if (viewers?.viewers === 0 && nowMs - viewers.monoMs <= OBSERVER_LOST_MS)
    return { because: 'there is no viewer', signals: [] };
  const [gone] = reported(input, 'publisher_lost');
  if (gone !== undefined && !input.down && isAgreed(input, gone))
    return { because: 'there is no publisher', signals: [symptomSignal(gone)] };
  return input.health.healthy === true ? { because: input.health.because, signals: [] } : undefined;
}
