import { describe, expect, it } from 'vitest';
import { newBreaker } from '../../../src/guard/state/breaker.ts';
import { newSubject } from '../../../src/guard/state/state.ts';
import { aPermit, book, callOf, lowOf } from '../book.ts';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';

const terms = aPermit();
/** By its permit the call may begin at 15000 and take 20 s; 0.5 s to settle, 30 s to verify and 10 s of grace follow. */
const DUE_MS = 75_500;

describe('a permit for a restart', () => {
  it('uses up everything that it may use, when it is granted', () => {
    const b = book();
    b.open();
    b.grant(terms);
    expect(b.subject()).toEqual({
      fence: 1,
      engine: 'local',
      group: 'encoders',
      uses: { restart_channel: { permit: 'p1', expiresMs: 15_000 } },
      highRisk: { permit: 'p1', run: 'run-1', expiresMs: 15_000 },
      open: [{ terms, dueMs: DUE_MS }],
      tried: [],
      restarts: [{ permit: 'p1', incident: 'inc-1', run: 'run-1', atMs: 10_000 }],
      breaker: newBreaker(),
    });
    expect(b.state()).toMatchObject({
      groups: { 'group:encoders': [{ permit: 'p1', target: 'channel:news', run: 'run-1', atMs: 15_000 }] },
      starts: [{ engine: 'local', channel: 'news', atMs: 15_000, permit: 'p1' }],
      incidents: { 'inc-1': { restarts: { 'channel:news': 1 }, fixed: [] } },
      viewerSpends: [],
    });
    expect(b.state().plans).toEqual({});
    expect(b.keys()).toEqual(['channel:news']);
  });

  it('moves with its call: what counts is when it began, and then when it ended', () => {
    const b = book();
    b.grant(terms);
    b.start(12_000, terms);
    expect(b.subject()).toMatchObject({
      uses: { restart_channel: { permit: 'p1', expiresMs: 15_000, startedMs: 12_000 } },
      highRisk: { permit: 'p1', startedMs: 12_000 },
      open: [{ terms, startedMs: 12_000, dueMs: DUE_MS }],
    });
    expect(b.state().groups['group:encoders']).toMatchObject([{ permit: 'p1', atMs: 12_000 }]);
    expect(b.state().starts).toEqual([{ engine: 'local', channel: 'news', atMs: 12_000, permit: 'p1', open: true }]);
    b.finish(14_000, terms);
    expect(b.subject()).toMatchObject({
      uses: { restart_channel: { startedMs: 12_000, endedMs: 14_000 } },
      highRisk: { startedMs: 12_000, endedMs: 14_000 },
      open: [{ startedMs: 12_000, endedMs: 14_000, dueMs: 54_500 }],
    });
    expect(b.state().groups['group:encoders']).toMatchObject([{ atMs: 12_000 }]);
    expect(b.state().starts).toEqual([{ engine: 'local', channel: 'news', atMs: 14_000, permit: 'p1' }]);
  });

  it('that was never redeemed counts until it expired, also when its end is reported', () => {
    const b = book();
    b.grant(terms);
    b.finish(11_000, terms);
    expect(b.state().starts).toMatchObject([{ atMs: 15_000 }]);
    expect(b.subject().open).toMatchObject([{ endedMs: 11_000, dueMs: 51_500 }]);
  });

  it('never gets more time for its verdict by a call that ends late', () => {
    const b = book();
    b.grant(terms);
    b.start(12_000, terms);
    b.finish(70_000, terms);
    expect(b.subject().open).toMatchObject([{ dueMs: DUE_MS }]);
  });

  it('leaves alone what a later permit has taken over', () => {
    const b = book();
    const later = aPermit({ id: 'p2', grantedMs: 10_500, expiresMs: 15_500 });
    for (const one of [terms, later]) b.grant(one);
    b.start(12_000, terms);
    b.finish(13_000, terms);
    const { uses, highRisk, open } = b.subject();
    const before = { permit: 'p1', expiresMs: 15_000, startedMs: 12_000, endedMs: 13_000 };
    expect(uses.restart_channel).toEqual({ permit: 'p2', expiresMs: 15_500, before });
    expect(highRisk).toEqual({ permit: 'p2', run: 'run-1', expiresMs: 15_500, before: { ...before, run: 'run-1' } });
    expect(open.map(({ terms: { id }, startedMs }) => [id, startedMs])).toEqual([
      ['p1', 12_000],
      ['p2', undefined],
    ]);
    expect(b.state().groups['group:encoders']?.map(({ atMs }) => atMs)).toEqual([12_000, 15_500]);
    expect(b.state().starts.map(({ atMs, open: isOpen }) => [atMs, isOpen])).toEqual([
      [13_000, undefined],
      [15_500, undefined],
    ]);
  });

  it('of which nothing is remembered any more changes nothing by its call', () => {
    const b = book();
    b.start(12_000, terms);
    b.finish(13_000, terms);
    b.cure(14_000, terms);
    expect(b.subject()).toEqual(newSubject());
    expect(b.state().starts).toEqual([]);
  });

  it('keeps the highest fence that was handed out', () => {
    const b = book();
    for (const fence of [7, 3]) b.grant(aPermit({ fence }));
    expect(b.subject().fence).toBe(7);
  });

  it('counts in the incident each time, and forgets after a day what the channel was restarted', () => {
    const b = book();
    b.open();
    for (const [n, grantedMs] of [0, 1, DAY_MS].entries()) b.grant(aPermit({ id: `p${n}`, grantedMs }));
    expect(b.state().incidents['inc-1']?.restarts).toEqual({ 'channel:news': 3 });
    expect(b.subject().restarts.map(({ permit }) => permit)).toEqual(['p1', 'p2']);
  });

  it('without an engine or group of its own takes those of its incident, and else stands for itself', () => {
    const bare = { engine: undefined, group: undefined };
    const b = book();
    b.open('inc-1', { engine: 'far', group: 'pull' });
    b.grant(aPermit(bare));
    b.grant(
      aPermit({ ...bare, id: 'p2', incident: 'gone', call: callOf('restart_channel', { kind: 'channel', id: 'b' }) }),
    );
    expect(b.subject()).toMatchObject({ engine: 'far', group: 'pull' });
    expect(b.subject('channel:b').group).toBe('channel:b');
    expect('engine' in b.subject('channel:b')).toBe(false);
    expect(Object.keys(b.state().groups)).toEqual(['group:pull', 'group:channel:b']);
    expect(b.state().starts.map(({ engine }) => engine)).toEqual(['far', undefined]);
  });

  it.each([
    ['nothing where viewers are not known', undefined, []],
    ['nothing where there is no viewer', 0, []],
    ['what it is expected to cost', 5, [{ atMs: HOUR_MS + 1, seconds: 5 }]],
  ])('spends of the viewers %s', (_, viewerSeconds, spent) => {
    const b = book();
    b.grant(aPermit({ grantedMs: 0, viewerSeconds: 1 }));
    b.grant(aPermit({ id: 'p2', grantedMs: 1, viewerSeconds: 2 }));
    expect(b.state().viewerSpends).toHaveLength(2);
    b.grant(aPermit({ id: 'p3', grantedMs: HOUR_MS + 1, viewerSeconds }));
    expect(b.state().viewerSpends.filter(({ atMs }) => atMs > 1)).toEqual(spent);
    expect(b.state().viewerSpends).toHaveLength(spent.length === 0 ? 2 : 1);
  });
});

describe('other tools', () => {
  it('that only look leave nothing behind but their use', () => {
    const b = book();
    const look = aPermit(lowOf('fetch_recent_logs'));
    b.grant(look);
    const untouched = { ...newSubject(), fence: 1, engine: 'local', group: 'encoders' };
    const use = { permit: 'p1', expiresMs: 15_000 };
    expect(b.subject()).toEqual({ ...untouched, uses: { fetch_recent_logs: use } });
    b.start(12_000, look);
    b.lose(13_000, look);
    const used = { ...use, startedMs: 12_000, endedMs: 13_000 };
    expect(b.subject()).toEqual({ ...untouched, uses: { fetch_recent_logs: used } });
    const { groups, starts, plans, viewerSpends } = b.state();
    expect({ groups, starts, plans, viewerSpends }).toEqual({ groups: {}, starts: [], plans: {}, viewerSpends: [] });
  });

  it('that act on the whole engine have their record there, and their target its fence', () => {
    const b = book();
    const refresh = aPermit(lowOf('refresh_credentials'));
    b.grant(refresh);
    b.start(11_000, refresh);
    b.finish(12_000, refresh);
    const open = [{ terms: refresh, startedMs: 11_000, endedMs: 12_000, dueMs: 52_500 }];
    const uses = { refresh_credentials: { permit: 'p1', expiresMs: 15_000, startedMs: 11_000, endedMs: 12_000 } };
    expect(b.subject('engine:local')).toEqual({ ...newSubject(), uses, open });
    expect(b.subject()).toEqual({ ...newSubject(), fence: 1, engine: 'local', group: 'encoders' });
    expect([b.state().groups, b.state().starts]).toEqual([{}, []]);
    b.fail(13_000, refresh);
    expect(b.subject('engine:local')).toMatchObject({
      open: [],
      tried: [{ tool: 'refresh_credentials', fingerprint: 'fp', atMs: 13_000 }],
      breaker: newBreaker(),
    });
    b.grant(aPermit({ ...lowOf('refresh_credentials'), id: 'p2' }));
    b.lose(14_000, aPermit({ ...lowOf('refresh_credentials'), id: 'p2' }));
    expect(b.subject().unknown).toEqual({ permit: 'p2', tool: 'refresh_credentials', sinceMs: 14_000 });
  });
});
