import { describe, expect, it } from 'vitest';
import { followsUnit, fullUnitName } from '../../../src/collect/journald/units.ts';

describe('the name of a unit', () => {
  it.each([
    ['enc', 'enc.service'],
    ['enc.service', 'enc.service'],
    ['enc.socket', 'enc.socket'],
    ['encoder@news.hd', 'encoder@news.hd.service'],
  ])('%s is %s in full, as for systemd', (written, full) => {
    expect(fullUnitName(written)).toBe(full);
  });

  it.each([
    ['enc', 'enc.service', true],
    ['enc*', 'encoder@news.hd', true],
    ['enc?.service', 'enc1', true],
    ['enc[12]', 'enc1', true],
    ['enc', 'encoder', false],
    ['e.c', 'enc', false],
    ['enc?', 'enc1', false],
    ['enc.*', 'encxservice', false],
    ['enc*', 'enc.socket', true],
    ['enc*.socket', 'enc', false],
  ])('--unit=%s follows %s: %s', (pattern, unit, expected) => {
    expect(followsUnit(pattern, unit)).toBe(expected);
  });
});
