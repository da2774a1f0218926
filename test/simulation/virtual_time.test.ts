import { describe, expect, it } from 'vitest';
import { TimerQueue, clockOn, earlier, nextOf, SimulatedHost } from '../../src/simulation/virtual_time.ts';

function machine() {
  let worldMs = 0;
  const host = new SimulatedHost(() => worldMs);
  const agenda = new TimerQueue(1);
  const at = (ms: number): number => {
    worldMs = ms;
    return host.monotonicMs();
  };
  return { host, agenda, clock: clockOn(host, agenda), at };
}

describe('a machine that is suspended', () => {
  it('has a clock that stands still, never goes back, and goes on where it stood', () => {
    const { host, at } = machine();
    const before = at(10_000);
    host.suspend(5_000);
    expect([at(10_000), at(14_999), at(15_000), at(15_001)].map((ms) => ms - before)).toEqual([0, 0, 0, 1]);
  });

  it('does nothing before it wakes: what it was asked for meanwhile is due when it is awake', () => {
    const { host, agenda, clock, at } = machine();
    at(10_000);
    host.suspend(5_000);
    at(12_000);
    clock.after(50, () => {});
    expect(host.worldMsAt(agenda.next()!.atMs)).toBe(15_050);
  });

  it('sleeps on when it is suspended again before it wakes', () => {
    const { host, at } = machine();
    const before = at(10_000);
    host.suspend(5_000);
    at(12_000);
    host.suspend(1_000);
    expect([at(15_999), at(16_001)].map((ms) => ms - before)).toEqual([0, 1]);
  });

  it('tells when it will wake, and how long it has slept since its clock showed a time of this boot', () => {
    const { host, at } = machine();
    const before = at(10_000);
    expect(host.wakesInMs).toBe(0);
    host.suspend(5_000);
    at(12_000);
    expect(host.wakesInMs).toBe(3_000);
    at(20_000);
    host.suspend(1_000);
    expect([before - 1, before, before + 1, before + 5_001].map((ms) => host.sleptSinceMs(ms))).toEqual([
      6_000, 1_000, 1_000, 0,
    ]);
    host.reboot();
    expect([host.sleptSinceMs(0), host.wakesInMs]).toEqual([0, 0]);
  });

  it('is awake when it boots anew', () => {
    const { host, at } = machine();
    at(10_000);
    host.suspend(5_000);
    at(12_000);
    host.reboot();
    expect([at(12_000), at(12_500)]).toEqual([0, 500]);
  });
});

describe('who acts next', () => {
  const nothing = (): void => {};
  const queueAt = (atMs: number): TimerQueue => {
    const queue = new TimerQueue(1);
    queue.add(atMs, nothing);
    return queue;
  };

  it('is whoever is due first by the time of the world, and the world where both are', () => {
    const { host } = machine();
    const reeveAt = (worldMs: number) => queueAt(worldMs - host.worldMsAt(0));
    const nextWith = (worldMs: number, reeveMs: number) =>
      nextOf({ world: queueAt(worldMs), reeve: reeveAt(reeveMs), host });
    expect(nextWith(10, 20)).toMatchObject({ atMs: 10, isReeves: false });
    expect(nextWith(20, 10)).toMatchObject({ atMs: 10, isReeves: true });
    expect(nextWith(10, 10)).toMatchObject({ atMs: 10, isReeves: false });
    expect(nextOf({ world: new TimerQueue(1), reeve: undefined, host }).atMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('is a second Reeve only where it is due before them', () => {
    const { host } = machine();
    const first = nextOf({ world: queueAt(10), reeve: undefined, host });
    const other = (atMs: number) => ({ atMs, take: () => queueAt(atMs).take()!, isReeves: true });
    expect([earlier(first, other(9)).atMs, earlier(first, other(10)), earlier(first, undefined)]).toEqual([
      9,
      first,
      first,
    ]);
  });
});
