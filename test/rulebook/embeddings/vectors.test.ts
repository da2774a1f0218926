import { describe, expect, it } from 'vitest';
import { askedFor } from '../../../src/rulebook/embeddings/vectors.ts';
import { fakeClock } from '../../support/fake_clock.ts';

type Embed = () => Promise<unknown>;
const asked = (embed: Embed, { clock } = fakeClock(), signal?: AbortSignal) =>
  askedFor({ embed: embed as never }, ['one', 'two'], { clock, deadlineMs: 500, signal });

describe('vectors that a model gives', () => {
  it('are made one unit long, one for each text', async () => {
    const [first, second] = await asked(async () => [
      [3, 4],
      [0, 2],
    ]);
    expect([...first!].map((number) => Number(number.toFixed(6)))).toEqual([0.6, 0.8]);
    expect([...second!]).toEqual([0, 1]);
  });

  it.each<[string, unknown]>([
    ['none', undefined],
    ['fewer than there are texts', [[1, 0]]],
    ['of different lengths', [[1, 0], [1]]],
    [
      'not finite',
      [
        [1, 0],
        [Number.NaN, 1],
      ],
    ],
    [
      'zero',
      [
        [1, 0],
        [0, 0],
      ],
    ],
    ['text', [['1'], ['2']]],
    ['longer than any model makes', [Array(8_193).fill(1), Array(8_193).fill(1)]],
  ])('are refused where they are %s', async (_, rows) => {
    await expect(asked(async () => rows)).rejects.toThrow('the model gave');
  });

  it('are waited for until the deadline, and not when the caller leaves', async () => {
    const time = fakeClock();
    const late = asked(() => new Promise(() => undefined), time);
    const failed = expect(late).rejects.toThrow('no vectors within 500 ms');
    await time.advance(500);
    await failed;
    const leaving = new AbortController();
    const left = asked(() => new Promise(() => undefined), fakeClock(), leaving.signal);
    leaving.abort(new Error('closed'));
    await expect(left).rejects.toThrow('closed');
  });
});
