import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/replay/virtual_clock.ts';

const aClock = () => new VirtualClock({ at: 1_000_000, monoMs: 5_000 });
const runUntil = (clock: VirtualClock, untilMs: number): void => {
  while (clock.step(untilMs));
};

describe('the virtual clock', () => {
  it('runs what is due in the order of time, and of asking where the time is the same', () => {
    const clock = aClock();
    const ran: string[] = [];
    clock.after(20, () => ran.push('late'));
    clock.after(10, () => ran.push('first'));
    clock.after(10, () => ran.push('second'));
    clock.every(15, () => ran.push(`tick ${clock.monotonicMs()}`));
    runUntil(clock, 5_035);
    expect(ran).toEqual(['first', 'second', 'tick 5015', 'late', 'tick 5030']);
    expect(clock.monotonicMs()).toBe(5_035);
    expect(clock.now()).toBe(1_000_035);
    expect(clock.monoAt(1_000_035)).toBe(5_035);
  });

  it('runs nothing that was disposed, and lets a task arm another', () => {
    const clock = aClock();
    const ran: string[] = [];
    clock.after(10, () => ran.push('no'))[Symbol.dispose]();
    const series = clock.every(10, () => ran.push('tick'));
    clock.after(15, () => clock.after(0, () => ran.push('armed')));
    runUntil(clock, 5_016);
    series[Symbol.dispose]();
    runUntil(clock, 6_000);
    expect(ran).toEqual(['tick', 'armed']);
  });

  it('skips a silence with its series in step, and never over something single', () => {
    const clock = aClock();
    const ticks: number[] = [];
    clock.every(1_000, () => ticks.push(clock.monotonicMs()));
    const single = clock.after(50_000, () => undefined);
    expect(clock.skip(100_000)).toBe(false);
    single[Symbol.dispose]();
    expect(clock.skip(100_500)).toBe(true);
    expect(clock.monotonicMs()).toBe(100_500);
    runUntil(clock, 102_000);
    expect(ticks).toEqual([101_000, 102_000]);
  });
});
