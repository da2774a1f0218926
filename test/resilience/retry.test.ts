import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';
import { type Backoff, backoff, retry } from '../../src/resilience/retry.ts';
import { fakeClock } from '../support/fake_clock.ts';

const exact: Backoff = { baseMs: 100, factor: 2, maxMs: 1_000, jitter: 0 };
const never = { next: () => 0 };

describe('backoff', () => {
  it('grows by its factor up to its maximum', () => {
    expect([1, 2, 3, 4, 5, 6, 60].map((attempt) => backoff(exact, attempt, never))).toEqual([
      100, 200, 400, 800, 1_000, 1_000, 1_000,
    ]);
  });

  test.prop([
    fc.integer({ min: 1, max: 10_000 }),
    fc.double({ min: 1, max: 10, noNaN: true }),
    fc.integer({ min: 1, max: 2_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  ])(
    'stays between the unjittered share and the maximum, however many attempts',
    (baseMs, factor, attempt, jitter, chance) => {
      const shape = { baseMs, factor, maxMs: 30_000, jitter };
      const fullMs = backoff({ ...shape, jitter: 0 }, attempt, never);
      const waitMs = backoff(shape, attempt, { next: () => chance });
      expect(waitMs).toBeLessThanOrEqual(fullMs);
      expect(waitMs).toBeGreaterThanOrEqual(Math.floor(fullMs * (1 - jitter)));
      expect(fullMs).toBeLessThanOrEqual(30_000);
    },
  );
});

describe('retry', () => {
  const setUp = () => {
    const { clock, advance } = fakeClock();
    return { advance, options: { clock, attemptsMax: 3, backoff: exact, random: never } };
  };
  const down = new ReeveError('ENGINE_UNREACHABLE', 'down');

  it('tries again after each wait and returns the first success', async () => {
    const { advance, options } = setUp();
    const attempts: number[] = [];
    const result = retry(async (attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw down;
      return 'up';
    }, options);
    await advance(99);
    expect(attempts).toEqual([1]);
    await advance(1);
    expect(attempts).toEqual([1, 2]);
    await advance(200);
    expect(await result).toBe('up');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('throws the last error when the attempts are used up', async () => {
    const { advance, options } = setUp();
    let calls = 0;
    const result = retry(async () => {
      calls += 1;
      throw down;
    }, options).catch((error: unknown) => error);
    await advance(10_000);
    expect(await result).toBe(down);
    expect(calls).toBe(3);
  });

  it('does not repeat what is not retryable, nor what is no error of its own', async () => {
    const { options } = setUp();
    for (const error of [new ReeveError('ENGINE_REFUSED', 'no'), new TypeError('bug')]) {
      let calls = 0;
      const result = retry(async () => {
        calls += 1;
        throw error;
      }, options);
      await expect(result).rejects.toBe(error);
      expect(calls).toBe(1);
    }
  });

  it('waits at least as long as the peer asks, but never longer than its maximum', async () => {
    const { advance, options } = setUp();
    const busy = (retryAfterMs: number) =>
      new RequestFailed('RECEIVER_UNREACHABLE', 'busy', { failure: 'http_status', status: 429, retryAfterMs });
    let calls = 0;
    const result = retry(async () => {
      calls += 1;
      if (calls < 3) throw busy(calls === 1 ? 700 : 3_600_000);
    }, options);
    await advance(699);
    expect(calls).toBe(1);
    await advance(1);
    expect(calls).toBe(2);
    await advance(1_000);
    await result;
    expect(calls).toBe(3);
  });

  it('stops waiting when the caller leaves', async () => {
    const { advance, options } = setUp();
    const caller = new AbortController();
    const result = retry(() => Promise.reject(down), { ...options, signal: caller.signal });
    await advance(50);
    caller.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
  });
});
