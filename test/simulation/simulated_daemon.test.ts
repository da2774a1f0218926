import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { type Injection, type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const STOP_MS = 10 * MINUTE_MS;
const DOWN_MS = 5_000;
/** What is under way may take this long to end. */
const ENDING_MS_MAX = 10_000;

/** Nothing goes wrong but this. */
const sceneOf = (injections: readonly Injection[]): Scenario => ({
  ...scenarioOf({ seed: 1, days: HOUR_MS / DAY_MS, channels: 2, kinds: [], phase: 4 }),
  injections,
});

const stop: Injection = { kind: 'graceful_stop', target: '', atMs: STOP_MS, forMs: DOWN_MS, variant: 0 };
/** The next append fails; the disk is well again when somebody starts Reeve after `forMs`. */
const full: Injection = { kind: 'disk', target: '', atMs: STOP_MS - 1, forMs: 20 * MINUTE_MS, variant: 0 };

async function play(injections: readonly Injection[]) {
  const begun: number[] = [];
  const restarts: number[] = [];
  let ends = 0;
  const end = await new Simulation(sceneOf(injections), {
    onBatch: ({ entries, atMs }) => {
      for (const { fact } of entries) {
        if (fact.type === 'reeve.started') begun.push(atMs);
        if (fact.type === 'reeve.stopped') ends += 1;
        if (fact.type === 'tool.started') restarts.push(atMs);
      }
    },
  }).run();
  return { begun, ends, restarts, violations: end.violations };
}

describe('the simulated Reeve that is asked to stop', () => {
  it('says so in the journal, and begins again when it is started', async () => {
    const { begun, ends, violations } = await play([stop]);
    expect({ ends, violations }).toEqual({ ends: 1, violations: [] });
    expect(begun).toHaveLength(2);
    expect(begun[1]).toBeLessThan(STOP_MS + DOWN_MS + ENDING_MS_MAX);
  });

  it('goes on with its stop when the disk fails just then, as the daemon does', async () => {
    const { begun, ends, violations } = await play([full, stop]);
    expect({ ends, violations }).toEqual({ ends: 0, violations: [] });
    expect(begun[1]).toBeLessThan(STOP_MS + DOWN_MS + ENDING_MS_MAX);
  });
});

describe('the simulated Reeve that is away while somebody edits the policy', () => {
  const FOR_MS = 2 * MINUTE_MS;
  /** Nothing may be restarted, from before the death until the edit is taken back. */
  const forbidden: Injection = {
    ...{ kind: 'reload', target: '', atMs: STOP_MS - FOR_MS, forMs: FOR_MS + DOWN_MS / 2, variant: 0 },
  };
  const death: Injection = { kind: 'crash', target: 'ch0', atMs: STOP_MS - MINUTE_MS, forMs: 0, variant: 0.1 };

  it('asks again after its start about what the policy did not allow before', async () => {
    const { begun, restarts, violations } = await play([forbidden, death, stop]);
    expect(violations).toEqual([]);
    expect(restarts).toHaveLength(1);
    expect(restarts[0]).toBeGreaterThan(begun[1]!);
    expect(restarts[0]).toBeLessThan(begun[1]! + MINUTE_MS);
  });
});
