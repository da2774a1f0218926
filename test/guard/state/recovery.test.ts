import { describe, expect, it } from 'vitest';
import { startedDrafts, startedWithoutEnd, unknownEnds } from '../../../src/guard/state/recovery.ts';
import { aCall, aPersona } from '../../support/a.ts';
import { bench } from '../bench.ts';

describe('a call whose end is unknown (S6)', () => {
  const interrupted = () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.ledger.append(startedDrafts(decision.permit));
    const again = bench({ store: b.store, hand: b });
    return { b: again, terms: decision.permit.terms };
  };

  it('is found at boot by its durable start', () => {
    const { b, terms } = interrupted();
    expect(startedWithoutEnd(b.guardState())).toMatchObject([{ id: terms.id }]);
    b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, 'news');
    expect(startedWithoutEnd(b.guardState())).toEqual([]);
    expect(unknownEnds(b.guardState())).toMatchObject([{ scope: { kind: 'channel', id: 'news' }, permit: terms.id }]);
  });

  it('counts as used and as failed, and blocks every change of the channel', () => {
    const { b, terms } = interrupted();
    b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, 'news');
    b.pass(3_600_000);
    expect(b.guard.decide(b.request('news', { run: 'run-a' }))).toMatchObject({
      code: 'already_tried',
      retryAfterMs: undefined,
    });
    const cache = b.request('news', {
      call: aCall({ tool: 'invalidate_cache' }),
      persona: aPersona({ tool_access_policy: { invalidate_cache: 'allow' } }),
    });
    const answer = b.guard.preview({ ...cache, envelope: { ...cache.envelope, failureClassification: 'guide_stale' } });
    expect(answer.code).toBe('already_tried');
    const caps = b.guard.preview(b.request()).checks.find(({ id }) => id === 10);
    expect(caps?.value).toBe('1 in the incident, 1 in 24 h; 1 of the fleet in 24 h');
    const breaker = b.guard.preview(b.request()).checks.find(({ id }) => id === 11);
    expect(breaker?.verdict).toBe('pass');
  });

  it('still lets Reeve look', () => {
    const { b, terms } = interrupted();
    b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, 'news');
    const persona = aPersona({ tool_access_policy: { get_channel_health: 'allow' } });
    expect(b.guard.decide(b.request('news', { persona, call: aCall({ tool: 'get_channel_health' }) })).verdict).toBe(
      'allow',
    );
  });

  it('unblocks when the channel is seen healthy, or when a person resets it', () => {
    for (const way of ['seen', 'reset'] as const) {
      const { b, terms } = interrupted();
      b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, 'news');
      b.pass(120_000);
      const code = () => b.guard.preview(b.request('news', { run: 'run-a' })).code;
      expect(code()).toBe('already_tried');
      if (way === 'seen') b.record({ type: 'unknown.settled', because: 'healthy' }, 'news');
      else
        b.record(
          { type: 'control.reset', scope: { kind: 'channel', id: 'news' }, who: 'ann', because: 'looked' },
          'news',
        );
      expect(code()).toBeUndefined();
    }
  });

  it('leaves no trace of a tool that only looked', () => {
    const b = bench();
    const persona = aPersona({ tool_access_policy: { fetch_recent_logs: 'allow' } });
    const decision = b.guard.decide(b.request('news', { persona, call: aCall({ tool: 'fetch_recent_logs' }) }));
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.started(decision.permit.terms);
    b.record({ type: 'tool.unknown', permit: decision.permit.terms, because: 'crash' }, 'news');
    expect(unknownEnds(b.guardState())).toEqual([]);
  });

  it('does not include a permit that was never redeemed', () => {
    const b = bench();
    expect(b.guard.decide(b.request()).verdict).toBe('allow');
    expect(startedWithoutEnd(b.guardState())).toEqual([]);
  });

  it('gives back the reservation of a permit that was never redeemed, because no process can redeem it any more', () => {
    const b = bench();
    expect(b.guard.decide(b.request()).verdict).toBe('allow');
    const again = bench({ store: b.store, hand: b });
    again.record({ type: 'reeve.started', version: '1', configSha: '' });
    again.pass(10_000);
    expect(again.guard.decide(again.request('news', { run: 'run-a' })).verdict).toBe('allow');
    expect(startedWithoutEnd(again.guardState())).toEqual([]);
  });
});
