import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/core/scope.ts';
import { guardProjection } from '../../../src/guard/state/fold.ts';
import { newBreaker } from '../../../src/guard/state/breaker.ts';
import { newSubject } from '../../../src/guard/state/state.ts';
import { aCall } from '../../support/a.ts';
import { aPermit, book, callOf, lowOf } from '../book.ts';
import { context } from '../paths.ts';

const ENGINE = { kind: 'engine', id: 'local' } as const;
const FLEET = { kind: 'fleet' } as const;
const raisedOn = (scope: Scope, detail = 'full') =>
  ({ type: 'containment.raised', scope, reason: 'pool_pressure', detail, releaseByPerson: true }) as const;

describe('a start that is seen', () => {
  /** Our own restart of the channel, which was called at 12000 and ended at 14000. */
  const restarted = () => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    b.finish(14_000, aPermit());
    return b;
  };
  const ours = { engine: 'local', channel: 'news', permit: 'p1' };
  const foreign = { engine: 'local', channel: 'news' };

  it('that was begun outside Reeve counts once for each process generation, and shows where the channel is', () => {
    const b = book();
    b.seen(1_000, 'a');
    b.seen(2_000, 'a');
    b.seen(3_000, 'b');
    expect(b.state().starts).toEqual([
      { ...foreign, atMs: 1_000 },
      { ...foreign, atMs: 3_000 },
    ]);
    expect(b.subject()).toEqual({ ...newSubject(), life: 'b', engine: 'local' });
  });

  it('of our own was counted when it was permitted, and only moves in time, never back', () => {
    const late = restarted();
    late.seen(15_000, 'b', 'reeve');
    expect(late.state().starts).toEqual([{ ...ours, atMs: 15_000, life: 'b' }]);
    const early = restarted();
    early.seen(13_000, 'b', 'reeve');
    expect(early.state().starts).toEqual([{ ...ours, atMs: 14_000, life: 'b' }]);
  });

  it('as our own is another one when our last was seen already, or is 120 s old', () => {
    const again = restarted();
    again.seen(15_000, 'b', 'reeve');
    again.seen(16_000, 'c', 'reeve');
    expect(again.state().starts).toMatchObject([{ life: 'b' }, { ...foreign, atMs: 16_000 }]);
    const old = restarted();
    old.seen(134_000, 'b', 'reeve');
    expect(old.state().starts).toEqual([
      { ...ours, atMs: 14_000 },
      { ...foreign, atMs: 134_000 },
    ]);
    const young = restarted();
    young.seen(133_999, 'b', 'reeve');
    expect(young.state().starts).toEqual([{ ...ours, atMs: 133_999, life: 'b' }]);
  });

  it('beside our own, of another channel or by another party, is one more', () => {
    const other = restarted();
    other.seen(15_000, 'b', 'reeve', 'sports');
    expect(other.state().starts).toEqual([
      { ...ours, atMs: 14_000 },
      { engine: 'local', channel: 'sports', atMs: 15_000 },
    ]);
    const hand = restarted();
    hand.seen(15_000, 'b', 'engine');
    expect(hand.state().starts).toEqual([
      { ...ours, atMs: 14_000 },
      { ...foreign, atMs: 15_000 },
    ]);
    hand.seen(16_000, 'c', 'reeve');
    expect(hand.state().starts).toHaveLength(3);
  });

  it('of no channel counts for none', () => {
    const b = book();
    b.put(1_000, { type: 'start.observed', origin: 'engine', generation: 'a', engine: 'local' });
    expect([b.keys(), b.state().starts]).toEqual([[], []]);
  });
});

describe('a reset by a person', () => {
  /** Two channels whose restarts failed; the group of each is called as the engine of the other. */
  const failed = () => {
    const b = book();
    const places = { a: { group: 'x', engine: 'y' }, b: { group: 'y', engine: 'x' } };
    for (const [id, place] of Object.entries(places)) {
      const terms = aPermit({ ...place, id: `p-${id}`, call: callOf('restart_channel', { kind: 'channel', id }) });
      b.grant(terms);
      b.start(12_000, terms);
      b.lose(13_000, terms);
    }
    return b;
  };
  const reset = (scope: Scope) => {
    const b = failed();
    b.put(20_000, { type: 'control.reset', scope, ...context });
    return b;
  };

  it.each<[Scope, readonly string[]]>([
    [FLEET, ['channel:a', 'channel:b']],
    [{ kind: 'channel', id: 'a' }, ['channel:a']],
    [{ kind: 'group', id: 'x' }, ['channel:a']],
    [{ kind: 'engine', id: 'x' }, ['channel:b']],
    [{ kind: 'group', id: 'a' }, []],
    [{ kind: 'channel', id: 'x' }, []],
  ])('of %j begins anew with %j', (scope, keys) => {
    const b = reset(scope);
    for (const key of ['channel:a', 'channel:b']) {
      const before = failed().subject(key);
      const { unknown, ...others } = before;
      expect(unknown).toBeDefined();
      const anew = { ...others, tried: [], unknownReset: unknown?.permit, breaker: { ...newBreaker(), generation: 2 } };
      expect(b.subject(key)).toEqual(keys.includes(key) ? anew : before);
    }
  });
});

describe('a new process of Reeve', () => {
  const NOW_MS = 20_000;
  const awake = (b: ReturnType<typeof book>) => b.put(NOW_MS, { type: 'reeve.started', version: '1', configSha: '' });

  it('forgets what was permitted and never began, and keeps what began for its own end', () => {
    const b = book();
    const begun = aPermit();
    for (const one of [begun, aPermit({ id: 'p2' })]) b.grant(one);
    b.start(12_000, begun);
    awake(b);
    expect(b.subject().open.map(({ terms }) => terms.id)).toEqual(['p1']);
    expect(b.subject()).toMatchObject({ tried: [], breaker: newBreaker() });
  });

  it('finds failed what was overdue, at its deadline', () => {
    const b = book();
    const terms = aPermit({ grantedMs: -100_000, expiresMs: -95_000 });
    b.grant(terms);
    b.start(-99_000, terms);
    awake(b);
    expect(b.subject()).toMatchObject({ open: [], breaker: { failures: [-34_500] } });
    expect(b.subject().tried).toHaveLength(1);
  });

  it.each([
    ['now, where its deadline is to come', 12_000, NOW_MS],
    ['at its deadline, where that has passed', undefined, 15_000],
  ])('lets a probe have failed %s', (_, startMs, openedMs) => {
    const b = book();
    const probe = aPermit({ generation: 2 });
    b.grant(probe);
    if (startMs !== undefined) b.start(startMs, probe);
    awake(b);
    expect(b.subject().breaker).toEqual({ generation: 3, trips: 2, failures: [], openedMs });
  });

  it('ends staged plans, and changes nothing of a target without a permit or call', () => {
    const b = book();
    b.grant(aPermit({ call: callOf('restart_channel', { kind: 'group', id: 'encoders' }) }));
    b.seen(1_000, 'a');
    const untouched = b.subject();
    awake(b);
    expect(b.state().plans).toEqual({});
    expect(b.subject()).toBe(untouched);
    expect(b.subject('group:encoders').open).toEqual([]);
  });
});

describe('incidents and containments', () => {
  it('an incident is remembered while it is open, and opening it again refills nothing', () => {
    const b = book();
    b.open();
    b.grant(aPermit());
    b.open('inc-1', { group: 'other' });
    const scope = { kind: 'channel', id: 'news' };
    expect(b.state().incidents).toEqual({
      'inc-1': {
        ...{ scope, group: 'encoders', engine: 'local', openedMs: 1_000_000 },
        ...{ restarts: { 'channel:news': 1 }, fixed: [] },
      },
    });
    const closed = { type: 'incident.closed', ending: 'resolved', because: '', openMs: 0 } as const;
    const before = b.state();
    b.put(2_000, closed);
    expect(b.state()).toBe(before);
    b.put(2_000, closed, { incident: 'inc-2' });
    expect(Object.keys(b.state().incidents)).toEqual(['inc-1']);
    b.put(2_000, closed, { incident: 'inc-1' });
    expect(b.state().incidents).toEqual({});
  });

  it('a containment keeps its first reason, and a release names who ordered it, for that scope alone', () => {
    const b = book();
    b.put(1_000, raisedOn(ENGINE));
    b.put(2_000, raisedOn(ENGINE, 'fuller'));
    b.put(3_000, raisedOn(FLEET));
    b.put(4_000, { type: 'control.released', scope: ENGINE, ...context });
    const held = { reason: 'pool_pressure', detail: 'full', releaseByPerson: true };
    expect(b.state().containments).toEqual({
      'engine:local|pool_pressure': { ...held, scope: ENGINE, raisedMs: 1_000, releasedBy: 'ann' },
      'fleet|pool_pressure': { ...held, scope: FLEET, raisedMs: 3_000 },
    });
    b.put(5_000, { type: 'containment.cleared', scope: ENGINE, reason: 'pool_pressure', because: '' });
    expect(Object.keys(b.state().containments)).toEqual(['fleet|pool_pressure']);
  });

  it('what was UNKNOWN is settled for the channel that was seen healthy, and for no other', () => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    b.lose(13_000, aPermit());
    const settled = { type: 'unknown.settled', because: '' } as const;
    b.put(14_000, settled);
    b.put(14_000, settled, { channel: 'sports' });
    expect(b.subject().unknown?.permit).toBe('p1');
    b.put(15_000, settled, { channel: 'news' });
    expect('unknown' in b.subject()).toBe(false);
    expect(b.keys()).not.toContain('channel:undefined');
  });

  it('what was UNKNOWN of a group or an engine is settled for just that scope', () => {
    const b = book();
    const group = { kind: 'group', id: 'encoders' } as const;
    const plan = aPermit({ call: aCall({ tool: 'restart_channel', target: group, channels: ['news'] }) });
    b.grant(plan);
    b.start(12_000, plan);
    b.lose(13_000, plan);
    const settled = { type: 'unknown.settled', because: '' } as const;
    b.put(14_000, settled, { channel: 'news' });
    b.put(14_000, { ...settled, scope: { kind: 'engine', id: 'local' } });
    expect(b.subject('group:encoders').unknown?.permit).toBe('p1');
    b.put(15_000, { ...settled, scope: group });
    expect('unknown' in b.subject('group:encoders')).toBe(false);
  });

  it('the cooldown of a restart is counted from when its process really began, where that was after the call', () => {
    const cooldownFrom = (seenMs: number, agoMs: number | undefined, origin: 'reeve' | 'engine' = 'reeve') => {
      const b = book();
      b.grant(aPermit());
      b.start(12_000, aPermit());
      b.finish(13_000, aPermit());
      const observed = { type: 'start.observed', origin, generation: 'g2', engine: 'local' } as const;
      b.put(seenMs, { ...observed, ...(agoMs !== undefined && { agoMs }) }, { channel: 'news' });
      return b.subject().uses.restart_channel?.endedMs;
    };
    expect([cooldownFrom(55_000, undefined), cooldownFrom(55_000, 5_000), cooldownFrom(14_000, 2_000)]).toEqual([
      55_000, 50_000, 13_000,
    ]);
    expect(cooldownFrom(55_000, undefined, 'engine')).toBe(13_000);
  });

  it('a restart that may have left its channel stopped is forgotten when a person was seen to stop it, and not else', () => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    const closed = { type: 'incident.closed', because: '', openMs: 0 } as const;
    const about = { channel: 'news', incident: 'inc-1' };
    b.put(13_000, { ...closed, ending: 'self_healed' }, about);
    b.put(14_000, { ...closed, ending: 'by_person', unseen: true }, about);
    expect(b.subject().unproven).toEqual({ permit: 'p1', sinceMs: 12_000 });
    b.put(15_000, { ...closed, ending: 'by_person' }, about);
    expect('unproven' in b.subject()).toBe(false);
  });

  it('any other change may have left its channel stopped, until the channel was seen to play or stopped by a person', () => {
    for (const ending of ['resolved', 'self_healed', 'by_person'] as const) {
      const b = book();
      b.grant(aPermit(lowOf('invalidate_cache')));
      b.start(12_000, aPermit(lowOf('invalidate_cache')));
      const closed = { type: 'incident.closed', because: '', openMs: 0 } as const;
      const about = { channel: 'news', incident: 'inc-1' };
      b.put(13_000, { ...closed, ending: 'absorbed' }, about);
      expect(b.subject().unproven).toEqual({ permit: 'p1', sinceMs: 12_000, startsNothing: true });
      b.put(14_000, { ...closed, ending }, about);
      expect('unproven' in b.subject()).toBe(false);
    }
  });

  it('another change does not stand for the restart before it', () => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    const other = aPermit({ ...lowOf('invalidate_cache'), id: 'p2' });
    b.grant(other);
    b.start(14_000, other);
    expect(b.subject().unproven).toEqual({ permit: 'p1', sinceMs: 12_000 });
  });

  it('what only looks leaves nothing stopped', () => {
    const b = book();
    b.grant(aPermit(lowOf('fetch_recent_logs')));
    b.start(12_000, aPermit(lowOf('fetch_recent_logs')));
    expect('unproven' in b.subject()).toBe(false);
  });

  it('a restart that may have left its channel stopped is not forgotten for a life that nobody saw run', () => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    const seen = { type: 'start.observed', origin: 'reeve', engine: 'local' } as const;
    b.put(13_000, { ...seen, generation: '2:1', over: true }, { channel: 'news' });
    expect(b.subject().unproven).toEqual({ permit: 'p1', sinceMs: 12_000 });
    b.put(14_000, { ...seen, generation: '3:1' }, { channel: 'news' });
    expect('unproven' in b.subject()).toBe(false);
  });

  it.each([
    [true, undefined],
    [false, { permit: 'p1', sinceMs: 12_000 }],
  ])('a restart is not forgotten for a life that may be older than it, unless it is verified: %s', (cured, left) => {
    const b = book();
    b.grant(aPermit());
    b.start(12_000, aPermit());
    const seen = { type: 'start.observed', origin: 'reeve', engine: 'local' } as const;
    b.put(12_000, { ...seen, generation: '2:1', mayPrecede: true }, { channel: 'news' });
    expect(b.subject().unproven).toEqual({ permit: 'p1', sinceMs: 12_000 });
    const verification = { permit: 'p1', cured, because: '', waitedMs: 0 };
    b.put(13_000, { type: 'attempt.verified', permit: aPermit(), fingerprint: '', verification });
    expect(b.subject().unproven).toEqual(left);
  });

  it('a corrected clock is remembered by when it was noticed', () => {
    const b = book();
    b.put(7_000, { type: 'clock.jumped', byMs: 3_600_000 });
    expect(b.state().clockJumpedMs).toBe(7_000);
  });

  it('what the guard does not count leaves the very state that it was given', () => {
    const b = book();
    b.grant(aPermit(lowOf('invalidate_cache')));
    const before = b.state();
    b.put(11_000, { type: 'run.started', attempt: 1 });
    const decision = { verdict: 'deny', code: 'phase', because: '', retryAfterMs: undefined, trace: [] } as const;
    b.put(11_000, { type: 'guard.decided', call: '', decision, tookMs: 0 });
    expect(b.state()).toBe(before);
    expect(guardProjection.initial).toEqual({
      subjects: Array.from({ length: 128 }, () => ({})),
      groups: {},
      starts: [],
      incidents: {},
      plans: {},
      containments: {},
      viewerSpends: [],
    });
  });
});
