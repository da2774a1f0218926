import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts';
import { type Injection, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const AT_MS = 10 * MINUTE_MS;
const empty = scenarioOf({ seed: 1, days: HOUR_MS / DAY_MS, channels: 2, kinds: [], phase: 4, limits: {} });

/** When each process of Reeve began. */
async function startsUnder(...injections: readonly Partial<Injection>[]): Promise<readonly number[]> {
  const started: number[] = [];
  const base = { atMs: AT_MS, target: '', forMs: SECOND_MS, variant: 0 } as const;
  const script = { ...empty, injections: injections.map((one) => ({ kind: 'reeve_crash' as const, ...base, ...one })) };
  const { violations } = await new Simulation(script, {
    onBatch: ({ entries, atMs }) => {
      if (entries.some(({ fact }) => fact.type === 'reeve.started')) started.push(atMs);
    },
  }).run();
  expect(violations).toEqual([]);
  return started;
}

describe('the simulated Reeve', () => {
  it('is started again after a crash, a stop in good order, a reboot and a move', async () => {
    for (const kind of ['reeve_crash', 'graceful_stop', 'reboot', 'moved'] as const) {
      const [, second, ...more] = await startsUnder({ kind });
      expect(second).toBeGreaterThanOrEqual(AT_MS + SECOND_MS);
      expect(second).toBeLessThan(AT_MS + 15 * SECOND_MS);
      expect(more).toEqual([]);
    }
  });

  it('is not started twice when it dies twice at once', async () => {
    expect(await startsUnder({}, { atMs: AT_MS + 1 })).toHaveLength(2);
  });

  it('does not begin while the machine sleeps', async () => {
    const started = await startsUnder({}, { kind: 'suspend', atMs: AT_MS + 1, forMs: MINUTE_MS });
    expect(started).toEqual([0, AT_MS + 1 + MINUTE_MS]);
  });

  it('does not begin while another process holds its journal, whoever starts it', async () => {
    const started = await startsUnder(
      { kind: 'crash', target: 'ch0' },
      { kind: 'journal_busy', forMs: 50 * SECOND_MS, variant: 0.4 },
      { atMs: AT_MS + 10 * SECOND_MS },
    );
    expect(started).toHaveLength(2);
    // The last of its starts comes within the time that it waits for the file.
    expect(started[1]).toBeGreaterThanOrEqual(AT_MS + 45 * SECOND_MS);
  });
});
