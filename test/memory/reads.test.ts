import { describe, expect, it } from 'vitest';
import { aMemory, incidentDrafts } from './support.ts';
import { HOUR_MS } from '../../src/core/duration.ts';

describe('THEA 1, the quad memory: temporal layer', () => {
  it('lists a range of time, newest first, the end not included', async () => {
    const { live, reads, clock, advance } = aMemory();
    live(incidentDrafts({ id: 'inc-1' }));
    await advance(HOUR_MS);
    const fromMs = clock.now();
    live(incidentDrafts({ id: 'inc-2' }));
    await advance(HOUR_MS);
    live(incidentDrafts({ id: 'inc-3' }));
    const ids = (query: { since?: number; until?: number }) =>
      reads.list({ type: 'incident', limit: 9, ...query }).map(({ id }) => id);
    expect(ids({ since: fromMs })).toEqual(['inc-3', 'inc-2']);
    expect(ids({ until: fromMs })).toEqual(['inc-1']);
    expect(ids({ since: fromMs, until: fromMs + 1 })).toEqual(['inc-2']);
    expect(ids({ since: clock.now() + 1 })).toEqual([]);
  });

  it('knows the incident before and the one after on the same channel', () => {
    const { live, reads } = aMemory();
    live(incidentDrafts({ id: 'inc-1' }));
    live(incidentDrafts({ id: 'inc-2', channel: 'sport' }));
    live(incidentDrafts({ id: 'inc-3' }));
    const steps = reads.neighbours('inc-1', { limit: 99 }).filter(({ edge }) => edge === 'before' || edge === 'after');
    expect(steps.map(({ edge, id }) => `${edge} ${id}`)).toEqual(['before inc-3']);
  });
});
