import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/core/duration.ts';
import type { Model } from '../../../src/core/model.ts';
import { QueryVectors } from '../../../src/rulebook/embeddings/queries.ts';
import { fakeClock } from '../../support/fake_clock.ts';

/** Queries over a model that answers when the test says so. */
function someQueries() {
  const { clock, advance } = fakeClock();
  const waiting: ((vector: readonly number[] | undefined) => void)[] = [];
  const asked: string[] = [];
  const failures: string[] = [];
  const embed: Model['embed'] = (texts) => {
    asked.push(...texts);
    const { promise, resolve } = Promise.withResolvers<readonly (readonly number[])[] | undefined>();
    waiting.push((vector) => resolve(vector && [vector]));
    return promise;
  };
  const queries = new QueryVectors({ model: { embed }, clock }, (because) => failures.push(because));
  /** Of the oldest call that waits. */
  const answer = (vector?: readonly number[]) => waiting.shift()!(vector);
  return { queries, answer, asked, failures, advance };
}

describe('the vector of a query', () => {
  it('is there once the model has answered, at unit length, and is asked for once', async () => {
    const { queries, answer, asked } = someQueries();
    const first = queries.ask('a', 2);
    expect(queries.known('a')).toBeUndefined();
    answer([3, 4]);
    expect(await first).toBe(true);
    expect([...queries.known('a')!].map((number) => number.toFixed(1))).toEqual(['0.6', '0.8']);
    expect(await queries.ask('a', 2)).toBe(true);
    expect(asked).toEqual(['a']);
  });

  it('is waited for by all who ask for one text while the one call is under way', async () => {
    const { queries, answer, asked } = someQueries();
    const both = Promise.all([queries.ask('a', 2), queries.ask('a', 2)]);
    answer([1, 0]);
    expect(await both).toEqual([true, true]);
    expect(asked).toEqual(['a']);
  });

  it('is not asked for an empty text', async () => {
    const { queries, asked } = someQueries();
    expect(await queries.ask('', 2)).toBe(false);
    expect(asked).toEqual([]);
  });

  it('is not waited for by a fifth while four calls are under way', async () => {
    const { queries, answer, asked } = someQueries();
    const four = Promise.all(['a', 'b', 'c', 'd'].map((text) => queries.ask(text, 1)));
    expect(await queries.ask('e', 1)).toBe(false);
    for (let count = 0; count < 4; count += 1) answer([1]);
    expect(await four).toEqual([true, true, true, true]);
    const fifth = queries.ask('e', 1);
    answer([1]);
    expect(await fifth).toBe(true);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('is forgotten with all others, and the oldest of more than 128', async () => {
    const { queries, answer } = someQueries();
    for (let count = 0; count <= 128; count += 1) {
      const asked = queries.ask(`q${count}`, 1);
      answer([1]);
      await asked;
    }
    expect([queries.known('q0'), queries.known('q1')?.length, queries.known('q128')?.length]).toEqual([
      undefined,
      1,
      1,
    ]);
    queries.clear();
    expect(queries.known('q128')).toBeUndefined();
  });
});

describe('a model that gives no vector', () => {
  it('is left alone for a minute, and the reason is reported once', async () => {
    const { queries, answer, asked, failures, advance } = someQueries();
    const failed = queries.ask('a', 2);
    answer(undefined);
    expect(await failed).toBe(false);
    await advance(MINUTE_MS - 1);
    expect(await queries.ask('b', 2)).toBe(false);
    expect([asked, failures]).toEqual([['a'], ['the model gave no vectors']]);
    await advance(1);
    const again = queries.ask('b', 2);
    answer([1, 0]);
    expect(await again).toBe(true);
  });

  it('still leaves what is known', async () => {
    const { queries, answer } = someQueries();
    const known = queries.ask('a', 1);
    answer([1]);
    await known;
    const failed = queries.ask('b', 1);
    answer(undefined);
    await failed;
    expect(await queries.ask('a', 1)).toBe(true);
  });

  it('has failed, too, where its vector is of another length than those of the rules', async () => {
    const { queries, answer, failures } = someQueries();
    const asked = queries.ask('a', 3);
    answer([1, 0]);
    expect(await asked).toBe(false);
    expect(failures).toEqual(['a vector of 2 numbers, not of 3']);
    expect(queries.known('a')).toBeUndefined();
  });

  it('has failed after half a second', async () => {
    const { queries, failures, advance } = someQueries();
    let isOver = false;
    const asked = queries.ask('a', 1).finally(() => {
      isOver = true;
    });
    await advance(499);
    expect(isOver).toBe(false);
    await advance(1);
    expect(await asked).toBe(false);
    expect(failures).toEqual(['no vectors within 500 ms']);
  });
});

describe('whoever leaves', () => {
  it('gets no vector, and does not end the call for the others', async () => {
    const { queries, answer } = someQueries();
    const leaving = new AbortController();
    const [left, stays] = [queries.ask('a', 1, leaving.signal), queries.ask('a', 1)];
    leaving.abort();
    expect(await left).toBe(false);
    answer([1]);
    expect(await stays).toBe(true);
  });

  it('had left before does not wait, and the vector is there for the next', async () => {
    const { queries, answer } = someQueries();
    expect(await queries.ask('a', 1, AbortSignal.abort())).toBe(false);
    const next = queries.ask('a', 1);
    answer([1]);
    expect(await next).toBe(true);
  });

  it('does not leave gets it as soon as it is there', async () => {
    const { queries, answer } = someQueries();
    const asked = queries.ask('a', 1, new AbortController().signal);
    answer([1]);
    expect(await asked).toBe(true);
  });
});
