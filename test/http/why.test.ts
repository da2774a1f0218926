import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.ts';
import { type WhyOptions, whyOf } from '../../src/http/why.ts';
import { controlProjection } from '../../src/control/state.ts';
import { bench } from '../guard/bench.ts';

/** What is answered about news, ten seconds after a decision in an incident that is over. */
function why(change: Partial<WhyOptions> = {}) {
  const b = bench();
  const decision = b.guard.decide(b.request());
  const fact = { type: 'guard.decided', call: 'restart_channel on channel:news', decision } as const;
  const last = { seq: 1, at: 50_000, monoMs: 0, boot: 'b', incident: 'inc-old', fact } as unknown as JournalEntry;
  const now = {
    state: b.guardState(),
    control: controlProjection.initial,
    channel: 'news',
    nowMs: b.nowMs(),
    now: 60_000,
  };
  const options = { ...now, finding: 'it plays', open: undefined, last, asked: [], choices: [], ...change };
  return whyOf(options) as { readonly verdict: string; readonly because: string; readonly checks: readonly unknown[] };
}

const openOf = (id: string) => ({ incident: { id, classification: 'output_stalled' }, running: false }) as never;

describe('why', () => {
  it('is the last decision with its age, and that nothing is open any more', () => {
    const { verdict, because } = why();
    expect(verdict).toBe('allow');
    expect(because).toBe('restart_channel on channel:news was allowed (10 s ago); no incident is open now: it plays');
  });

  it('is no decision of an earlier incident', () => {
    const { verdict, because, checks } = why({ open: openOf('inc-new') });
    expect([verdict, checks]).toEqual(['not_asked', []]);
    expect(because).toBe(
      'inc-new (output_stalled) has asked the guard nothing: it waits for its first run; now: it plays; ' +
        'the last decision, 10 s ago in inc-old, allowed restart_channel on channel:news',
    );
  });

  it('names each question that waits, and how long is left', () => {
    const asked = [{ id: 'apr-1', expiresMs: bench().nowMs() + 90_000 }];
    expect(why({ asked, open: openOf('inc-old') }).because).toMatch(
      /; waits for reeve approve apr-1 \(or deny\), 90 s left$/,
    );
  });
});
