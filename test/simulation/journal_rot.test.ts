import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts';
import { flipped } from '../../src/simulation/journal_rot.ts';
import type { Injection } from '../../src/simulation/scenario.ts';
import { verifyChain } from '../../src/journal/chain.ts';
import { chainOf } from '../journal/support.ts';
import { dies, playHour } from './journal_fault.ts';

const ROTS_MS = 30 * MINUTE_MS;
const rots = (variant: number, atMs = ROTS_MS, forMs = 0): Injection => ({
  ...{ kind: 'journal_rot', target: '', atMs, forMs, variant },
});

async function play(injections: readonly Injection[]) {
  const { triggers, ...played } = await playHour(3, injections);
  const pages = triggers.filter(({ key }) => key === 'reeve/internal').map(({ atMs }) => atMs);
  return { ...played, pages, keys: triggers.map(({ key }) => key) };
}

describe('the simulated Reeve of whose journal a record rots', () => {
  it.each(Array.from({ length: 12 }, (_, n) => (n + 0.5) / 12))(
    'pages within two walks, changes nothing, and goes on when a person has put a copy in its place: %f',
    async (variant) => {
      const found = ROTS_MS + 3 * MINUTE_MS;
      const { violations, restarts, pages, keys } = await play([
        dies(10 * MINUTE_MS),
        rots(variant),
        dies(found, 'ch1'),
        dies(ROTS_MS + 25 * MINUTE_MS),
      ]);
      expect(violations).toEqual([]);
      expect(pages[0]).toBeGreaterThan(ROTS_MS);
      expect(pages[0]).toBeLessThan(ROTS_MS + 2 * MINUTE_MS + 20 * SECOND_MS);
      expect(restarts.filter((atMs) => atMs > ROTS_MS && atMs < ROTS_MS + 10 * MINUTE_MS)).toEqual([]);
      expect(restarts).toHaveLength(2);
      expect(keys).toContain('phase/set_back');
    },
  );
});

describe('the oracles of a journal that is given to Reeve anew', () => {
  it('know when what they read in it happened: what was spaced then is no cluster now', async () => {
    const before = [5, 10, 15, 20].map((minute) => dies(minute * MINUTE_MS, `ch${(minute / 5) % 2}`));
    // The phase is held since the first copy, so a person sets it ten seconds after the second.
    const againMs = 45 * MINUTE_MS;
    const mendedMs = againMs + 10 * MINUTE_MS + 50 * SECOND_MS;
    const { violations, restarts } = await play([
      ...before,
      rots(0.5),
      rots(0.5, againMs, 50 * SECOND_MS),
      dies(mendedMs + 11 * SECOND_MS, 'ch2'),
    ]);
    expect(violations).toEqual([]);
    expect(restarts).toHaveLength(5);
    expect(restarts[4]).toBeLessThan(mendedMs + MINUTE_MS);
  });
});

describe('one flipped bit of a record', () => {
  it('breaks the chain, whatever of it that is', () => {
    const rows = chainOf(9, () => ({ channel: 'news', incident: 'inc-1', run: 'run-1' }));
    const missed = Array.from({ length: 300 }, (_, lot) => lot).filter((lot) => {
      const seq = 1 + (lot % 9);
      return verifyChain(rows.map((row) => (row.seq === seq ? flipped(row, lot) : row))).ok;
    });
    expect(missed).toEqual([]);
  });
});
