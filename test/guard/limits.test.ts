import { describe, expect, it } from 'vitest';
import { LIMIT_ROWS } from '../../src/config/document/limit_rows.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import { limitProblems } from '../../src/guard/limits.ts';

const problemsWith = (given: Partial<Record<keyof Limits, unknown>>) =>
  limitProblems({ ...DEFAULT_LIMITS, ...given } as Limits, Object.keys(given) as (keyof Limits)[]);

describe('the limits of the guard', () => {
  it('are sound as they are shipped', () => {
    expect(limitProblems(DEFAULT_LIMITS, Object.keys(DEFAULT_LIMITS) as (keyof Limits)[])).toEqual([]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '10', null])(
    'are refused where one is no number, which would switch it off: %s',
    (value) => {
      expect(problemsWith({ windowStartsMax: value })).toEqual([`windowStartsMax is ${value}, not a number`]);
    },
  );

  it('may be none only where the viewers of an hour are not limited', () => {
    expect(problemsWith({ viewerSecondsPerHourMax: undefined })).toEqual([]);
    expect(problemsWith({ windowMs: undefined })).toEqual(['windowMs is undefined, not a number']);
  });

  it('may be zero where they say how many, not where they say how long', () => {
    expect(problemsWith({ dailyRestartCap: 0, stepsMax: 0 })).toEqual([]);
    expect(problemsWith({ windowMs: 0 })).toEqual(['windowMs is 0, and must be above 0']);
    expect(problemsWith({ dailyRestartCap: -1 })).toEqual(['dailyRestartCap is -1, and must be above 0']);
  });

  it('are whole numbers where they count', () => {
    expect(problemsWith({ breakerFailuresMax: 2.5 })).toEqual(['breakerFailuresMax is 2.5, not a whole number']);
    expect(problemsWith({ poolPressureMax: 0.5 })).toEqual([]);
  });

  it('end where the guard could no longer remember enough: at three steps, at a pool that is full, at a day', () => {
    expect(problemsWith({ stepsMax: 3, poolPressureMax: 1, windowMs: 86_400_000 })).toEqual([]);
    expect(problemsWith({ stepsMax: 4, poolPressureMax: 1.01, windowMs: 86_400_001 })).toEqual([
      'stepsMax is 4, above 3',
      'poolPressureMax is 1.01, above 1',
      'windowMs is 86400001, above 86400000',
    ]);
  });

  it('take all that a configuration may say, or a file that was checked would end a start and pass over a reload', () => {
    const ends = LIMIT_ROWS.flatMap(({ name, strictest, laxest }) => [{ [name]: strictest }, { [name]: laxest }]);
    expect(ends.flatMap(problemsWith)).toEqual([]);
  });
});
