/** Plays an hour in which channels die and something befalls the journal. */
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import type { Batch } from '../../src/simulation/effect_log.ts';
import { type Injection, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

export const dies = (atMs: number, target = 'ch0'): Injection => ({
  ...{ kind: 'crash', target, atMs, forMs: 0, variant: 0.1 },
});

/** `channels`: so many there are. What was restarted, raised and begun when, and the laws that were broken. */
export async function playHour(channels: number, injections: readonly Injection[]) {
  const started: number[] = [];
  const onBatch = ({ entries, atMs }: Batch): void => {
    if (entries.some(({ fact }) => fact.type === 'reeve.started')) started.push(atMs);
  };
  const world = { seed: 1, days: HOUR_MS / DAY_MS, channels, kinds: [], phase: 4, persona: 'lab', limits: {} } as const;
  const kinds = [...new Set(injections.map(({ kind }) => kind))];
  const { violations, record } = await new Simulation({ ...scenarioOf(world), kinds, injections }, { onBatch }).run();
  const restarts = record.invocations.filter(({ tool }) => tool === 'restart_channel').map(({ atMs }) => atMs);
  const triggers = record.deliveries.filter(({ what }) => what === 'trigger');
  return { violations, restarts, triggers, started };
}
