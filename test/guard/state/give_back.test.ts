import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/core/journal.ts';
import { restartsOfDay, restartsOfIncident } from '../../../src/guard/state/caps.ts';
import { aPermit, book, callOf } from '../book.ts';

const DAY_CAP = 10;
const began: Extract<Draft['fact'], { type: 'reeve.started' }> = {
  type: 'reeve.started',
  version: '1',
  configSha: 'none',
};

describe('a permit whose call had not begun when Reeve died', () => {
  it('gives back its place in the window, the group, the caps and the cooldowns', () => {
    const b = book();
    b.open();
    const before = b.state();
    b.grant(aPermit());
    expect(b.state()).toMatchObject({ starts: [{ permit: 'p1' }], groups: { 'group:encoders': [{ permit: 'p1' }] } });
    b.put(12_000, began);
    expect(b.state()).toMatchObject({ starts: [], groups: { 'group:encoders': [] }, incidents: before.incidents });
    expect(b.subject()).toMatchObject({ uses: {}, open: [], restarts: [] });
    expect(b.subject().highRisk).toBeUndefined();
    expect(restartsOfIncident(b.state(), 'channel:news', { id: 'inc-1', openedMs: 0 })).toBe(0);
    expect(restartsOfDay(b.state(), 'channel:news', DAY_CAP, 12_000).count).toBe(0);
  });

  it('keeps its place when the call had begun: what it did is not known (S6)', () => {
    const b = book();
    b.open();
    b.grant(aPermit());
    b.start(11_000, aPermit());
    b.put(12_000, began);
    expect(b.state()).toMatchObject({ starts: [{ permit: 'p1' }], groups: { 'group:encoders': [{ permit: 'p1' }] } });
    expect(b.subject()).toMatchObject({ uses: { restart_channel: { permit: 'p1' } }, highRisk: { permit: 'p1' } });
    expect(restartsOfIncident(b.state(), 'channel:news', { id: 'inc-1', openedMs: 0 })).toBe(1);
  });

  it('leaves the cooldown and the spacing of the action before it in force', () => {
    const b = book();
    b.open();
    b.grant(aPermit());
    b.start(11_000, aPermit());
    b.finish(12_000, aPermit());
    b.grant(aPermit({ id: 'p2', grantedMs: 50_000, expiresMs: 55_000 }));
    b.put(51_000, began);
    const first = { permit: 'p1', startedMs: 11_000, endedMs: 12_000 };
    expect(b.subject()).toMatchObject({
      uses: { restart_channel: first },
      highRisk: first,
      restarts: [{ permit: 'p1' }],
    });
    expect(b.state().starts).toMatchObject([{ permit: 'p1' }]);
  });

  it('frees the cooldown of a tool that changes no process, and no place in any window', () => {
    const b = book();
    b.open();
    b.grant(aPermit({ id: 'p3', call: callOf('invalidate_cache'), risk: 'low' }));
    b.put(12_000, began);
    expect(b.subject().uses).toEqual({});
    expect(b.state().starts).toEqual([]);
  });
});
