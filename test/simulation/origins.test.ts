import { describe, expect, it } from 'vitest';
import { Origins } from '../../src/simulation/origins.ts';

function theOrigins() {
  const time = { nowMs: 0 };
  return { time, origins: new Origins(Object.entries({ g: 'o1', other: 'o2', twin: 'o1' }), () => time.nowMs) };
}

describe('the origins of groups', () => {
  it('are out of reach until the end of the longest outage, each group on its own', () => {
    const { time, origins } = theOrigins();
    origins.cutOff('g', 1_000);
    expect(origins.cutOff('g', 500)).toBe(1_000);
    time.nowMs = 999;
    expect([origins.isOut('g'), origins.isOut('other')]).toEqual([true, false]);
    time.nowMs = 1_000;
    expect(origins.isOut('g')).toBe(false);
  });

  it.each([
    ['credentials', 'refuse', 'admit', 'refusesCredentials'],
    ['addresses', 'outdate', 'renew', 'refusesAddresses'],
  ] as const)('refuse %s until these are new, or by themselves no longer', (_, begin, end, isRefused) => {
    const { time, origins } = theOrigins();
    origins[begin]('g', 1_000);
    expect([origins[isRefused]('g'), origins.refuses('g'), origins.refuses('other')]).toEqual([true, true, false]);
    origins[end]('g');
    expect(origins.refuses('g')).toBe(false);
    origins[begin]('g', 1_000);
    time.nowMs = 1_000;
    expect(origins[isRefused]('g')).toBe(false);
  });

  it('are not cured of one refusal by the cure of the other', () => {
    const { origins } = theOrigins();
    origins.refuse('g', 1_000);
    origins.outdate('g', 1_000);
    origins.admit('g');
    expect([origins.refusesCredentials('g'), origins.refusesAddresses('g'), origins.refuses('g')]).toEqual([
      false,
      true,
      true,
    ]);
    origins.heal();
    expect(origins.refuses('g')).toBe(false);
  });

  it('have one trouble where they are one', () => {
    const { origins } = theOrigins();
    origins.cutOff('g', 1_000);
    expect([origins.isOut('twin'), origins.areShared('g', 'twin'), origins.areShared('g', 'other')]).toEqual([
      true,
      true,
      false,
    ]);
    origins.heal();
    expect(origins.isOut('twin')).toBe(false);
  });
});
