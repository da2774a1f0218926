import { describe, expect, it } from 'vitest';
import { aCall } from '../../support/a.ts';
import { newBreaker } from '../../../src/guard/state/breaker.ts';
import { aPermit, book, callOf, lowOf } from '../book.ts';
import { HOUR_MS } from '../../../src/core/duration.ts';

const GROUP = { kind: 'group', id: 'encoders' } as const;
const terms = aPermit();
/** By its permit the call may begin at 15000 and take 20 s; 0.5 s to settle, 30 s to verify and 10 s of grace follow. */
const DUE_MS = 75_500;

describe('the verdict on a restart', () => {
  const begun = () => {
    const b = book();
    b.open();
    b.grant(terms);
    b.start(12_000, terms);
    b.finish(14_000, terms);
    return b;
  };
  const tried = (atMs: number, fingerprint = 'fp') => ({ tool: 'restart_channel', fingerprint, atMs });

  it('counts once: a failure is remembered, and what comes after it changes nothing', () => {
    const b = begun();
    b.fail(20_000, terms, 'other');
    const after = b.subject();
    expect(after).toMatchObject({ open: [], tried: [tried(20_000, 'other')], breaker: { failures: [20_000] } });
    b.cure(21_000, terms, 'other');
    expect(b.subject()).toEqual(after);
    expect(b.state().incidents['inc-1']?.fixed).toEqual([]);
  });

  it('by deadline is a failure at the deadline, and one moment earlier it is not', () => {
    const inTime = begun();
    inTime.cure(54_499, terms);
    expect(inTime.subject()).toMatchObject({ open: [], tried: [], breaker: { failures: [] } });
    const late = begun();
    late.cure(54_500, terms);
    expect(late.subject()).toMatchObject({ open: [], tried: [tried(54_500)], breaker: { failures: [54_500] } });
    const lost = begun();
    lost.grant(aPermit({ id: 'p2', grantedMs: 90_000, expiresMs: 95_000 }));
    expect(lost.subject()).toMatchObject({ tried: [tried(54_500)], breaker: { failures: [54_500] } });
    expect(lost.subject().open.map(({ terms: { id } }) => id)).toEqual(['p2']);
  });

  it('is none where it never began, or where its purpose is unknown', () => {
    const b = book();
    b.grant(terms);
    b.fail(16_000, terms);
    expect(b.subject()).toMatchObject({ open: [], tried: [], breaker: newBreaker() });
    b.grant(aPermit({ id: 'p2' }));
    b.grant(aPermit({ id: 'p3', grantedMs: 200_000 }));
    expect(b.subject()).toMatchObject({ tried: [], breaker: newBreaker() });
    const unnamed = aPermit({ fingerprint: undefined });
    const c = book();
    c.grant(unnamed);
    c.start(11_000, unnamed);
    c.grant(aPermit({ id: 'p2', grantedMs: 200_000 }));
    expect(c.subject()).toMatchObject({ tried: [], breaker: { failures: [DUE_MS] } });
  });

  it('is on its own attempt and leaves the others out, as does a deadline', () => {
    const b = begun();
    for (const id of ['p2', 'p3']) b.grant(aPermit({ id, grantedMs: 15_000, expiresMs: 20_000 }));
    const open = () => b.subject().open.map((one) => one.terms.id);
    b.fail(20_000, aPermit({ id: 'p2' }));
    expect(open()).toEqual(['p1', 'p3']);
    b.relapse(54_500, aPermit({ id: 'p0' }));
    expect(open()).toEqual(['p3']);
  });

  it('of a cure clears what was tried with this tool against this trouble, and is noted once as a fix', () => {
    const b = begun();
    for (const fingerprint of ['fp', 'other']) b.relapse(14_500, terms, fingerprint);
    const refresh = aPermit({ ...lowOf('refresh_credentials', { kind: 'engine', id: 'local' }), id: 'p0' });
    b.cure(15_000, terms);
    expect(b.subject().tried).toEqual([tried(14_500, 'other')]);
    expect(b.state().incidents['inc-1']?.fixed).toEqual(['restart_channel']);
    const again = aPermit({ id: 'p2', grantedMs: 60_000, expiresMs: 65_000 });
    for (const one of [again, refresh]) {
      b.grant(one);
      b.start(61_000, one);
      b.cure(62_000, one);
    }
    expect(b.state().incidents['inc-1']?.fixed).toEqual(['restart_channel', 'refresh_credentials']);
  });

  it('does not clear what another tool has tried', () => {
    const b = begun();
    const cache = aPermit({ ...lowOf('invalidate_cache'), id: 'p2' });
    b.relapse(14_500, cache);
    b.cure(15_000, terms);
    expect(b.subject().tried).toEqual([{ tool: 'invalidate_cache', fingerprint: 'fp', atMs: 14_500 }]);
    expect(b.subject().breaker.failures).toEqual([]);
  });

  it('that did not hold is a failure of its own, also of a permit that was judged', () => {
    const b = begun();
    b.cure(15_000, terms);
    b.relapse(16_000, terms);
    expect(b.subject()).toMatchObject({ tried: [tried(16_000)], breaker: { failures: [16_000] } });
  });

  it('keeps the last 64 fixes that failed', () => {
    const b = begun();
    for (let n = 1; n <= 65; n += 1) {
      b.relapse(15_000 + n, terms, `fp-${n}`);
      if (n === 64) expect(b.subject().tried[0]?.fingerprint).toBe('fp-1');
    }
    const { tried: kept } = b.subject();
    expect([kept.length, kept[0]?.fingerprint, kept.at(-1)?.fingerprint]).toEqual([64, 'fp-2', 'fp-65']);
  });

  it('is unknown where the call has no end: it failed, and the target is blocked', () => {
    const b = book();
    b.grant(terms);
    b.start(12_000, terms);
    b.lose(13_000, terms);
    expect(b.subject()).toMatchObject({
      uses: { restart_channel: { endedMs: 13_000 } },
      open: [],
      tried: [tried(13_000)],
      breaker: { failures: [13_000] },
      unknown: { permit: 'p1', tool: 'restart_channel', sinceMs: 13_000 },
    });
    b.lose(14_000, terms);
    expect(b.subject()).toMatchObject({ tried: [tried(13_000)], unknown: { sinceMs: 14_000 } });
  });

  it('that was overdue before its end was lost has failed once, at its deadline', () => {
    const b = begun();
    b.lose(60_000, terms);
    expect(b.subject()).toMatchObject({ tried: [tried(54_500)], breaker: { failures: [54_500] } });
  });
});

describe('the probe of a breaker', () => {
  const probe = aPermit({ generation: 2 });
  const probing = () => {
    const b = book();
    b.grant(probe);
    return b;
  };

  it('has until its permit expires, and once begun until its verdict is due', () => {
    const b = probing();
    expect(b.subject().breaker.probe).toEqual({ permit: 'p1', deadlineMs: 15_000 });
    b.start(12_000, probe);
    expect(b.subject().breaker.probe?.deadlineMs).toBe(DUE_MS);
    b.finish(14_000, probe);
    expect(b.subject().breaker.probe?.deadlineMs).toBe(54_500);
  });

  it('is not moved by another permit', () => {
    const b = probing();
    const other = aPermit({ id: 'p2', generation: 1 });
    b.grant(other);
    b.start(12_000, other);
    b.finish(13_000, other);
    expect(b.subject().breaker.probe).toEqual({ permit: 'p1', deadlineMs: 15_000 });
    b.fail(14_000, other);
    expect(b.subject().breaker).toMatchObject({ generation: 2, probe: { permit: 'p1' } });
  });

  it('that never began and is judged has failed, whatever the verdict; of another permit that means nothing', () => {
    const b = probing();
    b.cure(13_000, probe);
    expect(b.subject().breaker).toEqual({ generation: 3, trips: 2, failures: [], openedMs: 13_000 });
    expect(b.subject().tried).toEqual([]);
    const c = probing();
    const other = aPermit({ id: 'p2', generation: 2 });
    c.grant(other);
    c.fail(13_000, other);
    expect(c.subject().breaker.probe?.permit).toBe('p1');
  });

  it('that cured closes it, and a relapse of that cure opens it again', () => {
    const b = probing();
    b.start(12_000, probe);
    b.cure(13_000, probe);
    expect(b.subject().breaker).toMatchObject({ generation: 3, trips: 0, closedBy: { permit: 'p1' } });
    b.relapse(14_000, probe);
    expect(b.subject().breaker).toEqual({ generation: 4, trips: 2, failures: [], openedMs: 14_000 });
  });

  it('has failed at its deadline when the next entry comes', () => {
    const b = probing();
    b.relapse(15_000, aPermit({ ...lowOf('invalidate_cache'), id: 'p2' }));
    expect(b.subject().breaker).toEqual({ generation: 3, trips: 2, failures: [], openedMs: 15_000 });
  });
});

describe('a staged plan', () => {
  const plan = aPermit({ call: aCall({ target: GROUP, channels: ['a', 'b'] }) });
  const childOf = (channel: string, with_ = {}) =>
    aPermit({
      id: `p-${channel}`,
      parent: 'p1',
      call: callOf('restart_channel', { kind: 'channel', id: channel }),
      ...with_,
    });
  const planned = (...channels: readonly string[]) => {
    const b = book();
    b.grant(plan);
    b.start(11_000, plan);
    for (const channel of channels) b.grant(childOf(channel));
    return b;
  };

  it('counts as one high-risk action for an hour, and its starts count as none', () => {
    const b = planned('a');
    expect(b.subject('group:encoders')).toMatchObject({
      uses: { restart_channel: { startedMs: 11_000 } },
      highRisk: { permit: 'p1', startedMs: 11_000 },
      open: [{ terms: plan, startedMs: 11_000, dueMs: 15_000 + HOUR_MS }],
      restarts: [],
    });
    expect(b.state().plans).toEqual({
      p1: { terms: plan, startedMs: 11_000, starts: [{ channel: 'a', permit: 'p-a', dueMs: DUE_MS }] },
    });
    expect(b.subject('channel:a').highRisk?.permit).toBe('p-a');
    expect(b.state().groups['group:encoders']).toEqual([
      { permit: 'p1', target: 'group:encoders', run: 'run-1', atMs: 11_000 },
    ]);
    expect(b.state().starts.map(({ channel }) => channel)).toEqual(['a']);
  });

  it.each([
    ['cured where each of its starts was', ['cured', 'cured'], []],
    ['cured where it started nothing', [], []],
    ['cured where one of many failed, which is that one’s own trouble', ['cured', 'failed', 'cured'], []],
    ['failed where two of them failed', ['cured', 'failed', 'failed'], ['fp']],
    ['failed where one failed and one never began', ['cured', 'failed', 'never'], ['fp']],
    ['failed where its canary is lost', ['lost'], ['fp']],
    ['failed where one is lost and one was not judged', ['cured', 'lost', 'unjudged'], ['fp']],
  ])('is %s, and is over', (_, verdicts, expected) => {
    const b = planned();
    const seen: unknown[] = [];
    for (const [n, verdict] of verdicts.entries()) {
      const child = childOf(['a', 'b', 'c'][n]!);
      b.grant(child);
      if (verdict !== 'never') b.start(12_000, child);
      if (verdict === 'failed') b.fail(13_000, child);
      else if (verdict === 'lost') b.lose(13_000, child);
      else if (verdict !== 'unjudged') b.cure(13_000, child);
    }
    seen.push(...(b.state().plans.p1?.starts.map(({ verdict }) => verdict) ?? []));
    const known: Record<string, string | undefined> = { never: 'failed', lost: 'failed', unjudged: undefined };
    expect(seen).toEqual(verdicts.map((verdict) => (verdict in known ? known[verdict] : verdict)));
    b.finish(14_000, plan);
    expect(b.state().plans).toEqual({});
    expect(b.subject('group:encoders').open).toEqual([]);
    expect(b.subject('group:encoders').tried.map(({ fingerprint }) => fingerprint)).toEqual(expected);
    expect(b.subject('group:encoders').breaker).toEqual(newBreaker());
  });
});
