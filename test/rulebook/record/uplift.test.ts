import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { upliftOf } from '../../../src/rulebook/record/uplift.ts';

describe('uplift', () => {
  const outcomes = fc.record({ successes: fc.nat(60), failures: fc.nat(60) });

  property.prop([outcomes, outcomes])('is the mean difference of the two rates, within its interval', (a, b) => {
    const uplift = upliftOf(a, b);
    const rate = ({ successes, failures }: typeof a) => (successes + 1) / (successes + failures + 2);
    expect(uplift.mean).toBeCloseTo(rate(a) - rate(b), 2);
    expect(uplift.low).toBeLessThanOrEqual(uplift.mean + 0.01);
    expect(uplift.high).toBeGreaterThanOrEqual(uplift.mean - 0.01);
    expect(uplift.better).toBeGreaterThanOrEqual(0);
    expect(uplift.better).toBeLessThanOrEqual(1);
  });

  property.prop([outcomes, outcomes])(
    'of one against the other is the reverse of the other against the one',
    (a, b) => {
      expect(upliftOf(a, b).better + upliftOf(b, a).better).toBeCloseTo(1, 6);
    },
  );

  it('knows nothing without a record', () => {
    const none = { successes: 0, failures: 0 };
    const uplift = upliftOf(none, none);
    expect(uplift.mean).toBeCloseTo(0, 6);
    expect(uplift.better).toBeCloseTo(0.5, 6);
    expect(uplift.low).toBeLessThan(-0.6);
  });
});
