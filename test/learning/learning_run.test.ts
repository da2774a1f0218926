import { beforeAll, describe, expect, it } from 'vitest';
import { type LearningReport, learn } from '../../scripts/learning/run.ts';

const share = ({ weeks }: LearningReport, at: number): number => {
  const week = weeks.at(at)!;
  return week.asked / week.incidents;
};

describe('over three virtual weeks with a model that is right in 70 % of its answers', { timeout: 240_000 }, () => {
  let taught: LearningReport;
  const rule = (id: string) => taught.rules.find((one) => one.id === id);
  const pattern = (id: string) => taught.patterns.find((one) => one.id === id);

  beforeAll(async () => {
    taught = await learn({ seed: 1, days: 21 });
  }, 240_000);

  it('a model is needed in fewer and fewer incidents', () => {
    expect(share(taught, 0)).toBeGreaterThan(0.1);
    expect(share(taught, -1)).toBeLessThanOrEqual(share(taught, 0) * 0.25);
  });

  it('rules that were promoted cure more often than doing nothing', () => {
    const used = taught.rules.filter(({ id, state }) => id.startsWith('told_') && /staging|production/.test(state));
    expect(used.length).toBeGreaterThanOrEqual(3);
    for (const { uplift, n } of used) {
      expect(n).toBeGreaterThanOrEqual(8);
      expect(uplift).toBeGreaterThan(0.1);
    }
  });

  it('patterns that a model named and a person promoted lead to cures', () => {
    const useful = taught.patterns.filter(
      ({ id, state, uplift }) => id.startsWith('taught_') && state === 'production' && uplift > 0,
    );
    expect(useful.length).toBeGreaterThanOrEqual(2);
  });

  it('a planted rule that cures nothing falls after five calls', () => {
    expect(rule('planted_useless')).toMatchObject({ state: 'demoted', n: 5 });
  });

  it('a planted rule that would do harm never acts: the guard refuses each of its calls', () => {
    expect(rule('planted_harmful')).toMatchObject({ n: 0 });
    expect(rule('planted_harmful')?.denied).toBeGreaterThan(0);
  });

  it('a planted rule that calls what does not cure its class is not let in', () => {
    expect(taught.refused).toMatchObject([{ id: 'planted_overreaching' }]);
    expect(taught.refused[0]?.because).toContain('does not cure');
  });

  it('a planted pattern that names another trouble falls after five calls', () => {
    expect(pattern('planted_useless_words')).toMatchObject({ state: 'demoted', n: 5 });
  });

  it('a planted pattern that fits harmless lines of normal operation falls after eight fits', () => {
    expect(pattern('planted_over_general')).toMatchObject({ state: 'demoted', n: 8 });
  });
});

describe('a learning run', { timeout: 120_000 }, () => {
  it('is the same for the same seed, and another one for another', async () => {
    const [first, again, other] = [
      await learn({ seed: 3, days: 2 }),
      await learn({ seed: 3, days: 2 }),
      await learn({ seed: 4, days: 2 }),
    ];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('asks no model where none is there', async () => {
    const { modelCalls, weeks } = await learn({ seed: 3, days: 2, learns: false });
    expect(modelCalls).toBe(0);
    expect(weeks[0]?.incidents).toBeGreaterThan(5);
  });
});
