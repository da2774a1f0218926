import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts';
import { LOCK_PATIENCE_MS } from '../../src/journal/sqlite.ts';
import type { Injection } from '../../src/simulation/scenario.ts';
import { dies, playHour } from './journal_fault.ts';

const HELD_MS = 10 * MINUTE_MS;
const PAGE = 'unjournaled/reeve/internal';

/** Shorter than Reeve waits for the file, or longer; from the next append. */
const hold = (forMs: number): Injection => {
  const variant = forMs < LOCK_PATIENCE_MS ? 0 : 0.4;
  return { kind: 'journal_busy', target: '', atMs: HELD_MS, forMs, variant };
};

async function play(injections: readonly Injection[]) {
  const { triggers, ...played } = await playHour(2, injections);
  const pages = triggers.filter(({ key }) => key === PAGE).map(({ atMs }) => atMs);
  return { ...played, pages, scopes: triggers.map(({ scope }) => scope) };
}

describe('the simulated Reeve whose journal another process holds', () => {
  it('waits for it while that is short, and goes on as if nothing had been', async () => {
    const { violations, restarts, pages, started } = await play([dies(HELD_MS), hold(4 * SECOND_MS)]);
    expect(violations).toEqual([]);
    expect(restarts).toHaveLength(1);
    expect(restarts[0]).toBeGreaterThanOrEqual(HELD_MS + 4 * SECOND_MS);
    expect([pages, started.length]).toEqual([[], 1]);
  });

  it.each([20, 60])('pages, and does nothing until it has begun again by itself: held for %i s', async (seconds) => {
    const freeMs = HELD_MS + seconds * SECOND_MS;
    const later = dies(freeMs + 5 * MINUTE_MS, 'ch1');
    const { violations, restarts, pages, started, scopes } = await play([
      dies(HELD_MS),
      hold(seconds * SECOND_MS),
      later,
    ]);
    expect(violations).toEqual([]);
    expect(pages[0]).toBeLessThan(HELD_MS + 20 * SECOND_MS);
    expect(started).toHaveLength(2);
    expect(started[1]).toBeGreaterThanOrEqual(freeMs + 20 * SECOND_MS);
    expect(started[1]).toBeLessThan(freeMs + MINUTE_MS);
    // What died meanwhile was seen to die by this same process, though it could not be written down.
    expect(scopes).not.toContain('channel:ch0');
    expect(restarts).toHaveLength(2);
    expect(restarts[0]).toBeGreaterThan(started[1]!);
    expect(restarts[0]).toBeLessThan(started[1]! + MINUTE_MS);
    expect(restarts[1]).toBeGreaterThan(later.atMs);
  });
});
