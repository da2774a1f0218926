import { expect, it } from 'vitest';
import { probeStaleOf, stallAfterOf, startGraceOf } from '../../../src/ground/facts/setup.ts';
import { setupOf } from '../scene.ts';

it.each([
  ['the configured time', 6_000, 2_000, 6_000],
  ['the configured time, where the segments are not known', 6_000, undefined, 6_000],
  ['two segments and one look, where that is longer', 6_000, 4_000, 10_000],
  ['two segments and one look, by a little', 6_000, 2_001, 6_002],
])('output stands after %s', (_, stallAfterMs, targetMs, expected) => {
  expect(stallAfterOf(setupOf('news', { stallAfterMs, outputEveryMs: 2_000 }), targetMs)).toBe(expected);
});

it('one look alone may be longer than the configured time', () => {
  expect(stallAfterOf(setupOf('news', { stallAfterMs: 6_000, outputEveryMs: 30_000 }), undefined)).toBe(30_000);
});

it.each([
  ['8 s at least', undefined, 8_000],
  ['8 s, where three segments are shorter', 2_666, 8_000],
  ['three segments, where they are longer', 2_667, 8_001],
])('a young process has %s', (_, targetMs, expected) => {
  expect(startGraceOf(targetMs)).toBe(expected);
});

it.each([
  ['10 s, where it looks often', 3_333, 10_000],
  ['three of its looks, where it looks seldom', 3_334, 10_002],
])('a probe is silent after %s', (_, everyMs, expected) => {
  expect(probeStaleOf(everyMs)).toBe(expected);
});
