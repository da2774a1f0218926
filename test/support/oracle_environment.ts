/** One oracle of the simulation alone, with a clock that the test moves. */
import type { JournalEntry } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { InvariantContext } from '../../src/simulation/invariants/context.ts';
import type { ServiceTruth } from '../../src/simulation/invariants/service_truth.ts';
import type { Invocation } from '../../src/simulation/effect_log.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { beginGeneration, type Generation, type Starter } from '../../src/simulation/service_channel.ts';
import { aPersona } from './a.ts';

/** `channels` channels ch0, ch1, … of one group g0 on one engine e0, all with a source. */
export function oracleEnvironment(channels = 4) {
  let nowMs = 0;
  const broken: string[] = [];
  const empty = scenarioOf({ seed: 1, days: 0.01, channels, kinds: [] });
  const plans = empty.channels.map(({ id }) => ({ id, group: 'g0', engine: 'e0', hasSource: true }));
  const context: InvariantContext = {
    script: { ...empty, channels: plans },
    limits: DEFAULT_LIMITS,
    persona: aPersona(),
    nowMs: () => nowMs,
    poolOf: () => 'unasked',
    broke: (law) => broken.push(law),
  };
  return {
    broken,
    context,
    at(ms: number): void {
      nowMs = ms;
    },
    entry: (fact: object, about: Partial<JournalEntry> = {}): JournalEntry =>
      ({ seq: 1, monoMs: nowMs, fact, ...about }) as JournalEntry,
    truths: (change: Partial<ServiceTruth> = {}, channel = 'ch0'): readonly ServiceTruth[] =>
      plans.map(({ id }) => ({
        ...{ channel: id, status: 'playing', onTime: true, sourceOut: false, visible: true },
        ...(id === channel ? change : {}),
      })),
    process: (channel: string, by: Starter): Generation => beginGeneration(channel, `1:${nowMs}`, nowMs, by),
    restart: (channel: string, permit = `per-${nowMs}`): Invocation => ({
      ...{ tool: 'restart_channel', channel, engine: 'e0', permit, fence: 1, atMs: nowMs },
      ...{ endMs: undefined, effect: undefined, daemonRun: 1, status: 'curable' },
    }),
  };
}
