import { describe, expect, it } from 'vitest';
import { spell } from '../../src/core/duration.ts';

describe('a duration for people', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [119_499, '119 s'],
    [119_500, '2 m 0 s'],
    [7_199_499, '119 m 59 s'],
    [7_199_500, '2 h 0 m'],
    [90_061_000, '25 h 1 m'],
  ])('%i ms is %s', (durationMs, text) => expect(spell(durationMs)).toBe(text));
});
