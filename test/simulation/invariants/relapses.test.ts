import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../../src/core/journal.ts';
import { Relapses } from '../../../src/simulation/invariants/relapses.ts';

const M = 60_000;
const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'news' }, channels: [] };
const cured = (incident: string) =>
  ({ type: 'attempt.verified', permit: { incident, call }, verification: { cured: true } }) as unknown as JournalFact;
const opened = (id: string) =>
  ({ type: 'incident.opened', incident: { id, scope: call.target, channels: [] } }) as unknown as JournalFact;

describe('incidents that are relapses of others', () => {
  it('begin within half an hour of a verified restart, and so on back', () => {
    const relapses = new Relapses();
    relapses.entry(cured('a'), 0);
    relapses.entry(opened('b'), 30 * M - 1);
    relapses.entry(cured('b'), 30 * M);
    relapses.entry(opened('c'), 50 * M);
    expect([...relapses.chainOf('news', 'c')]).toEqual(['c', 'b', 'a']);
    relapses.entry(opened('d'), 60 * M);
    expect([...relapses.chainOf('news', 'd')]).toEqual(['d']);
  });

  it('may be of a group, for whichever of its channels was restarted', () => {
    const relapses = new Relapses();
    const group = { id: 'b', scope: { kind: 'group', id: 'g' }, channels: ['sport'] };
    relapses.entry(cured('a'), 0);
    relapses.entry({ type: 'incident.opened', incident: group } as unknown as JournalFact, M);
    expect([...relapses.chainOf('news', 'b')]).toEqual(['b', 'a']);
    expect([...relapses.chainOf('sport', 'b')]).toEqual(['b']);
  });

  it('are those of no cure that Reeve has forgotten', () => {
    const relapses = new Relapses();
    relapses.entry(cured('a'), 0);
    relapses.forget();
    relapses.entry(opened('b'), M);
    expect([...relapses.chainOf('news', 'b')]).toEqual(['b']);
  });
});
