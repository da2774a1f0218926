import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/journal/ledger.ts';
import { VirtualClock } from '../../src/replay/virtual_clock.ts';
import { Disk } from '../../src/simulation/disk_faults.ts';
import type { Injection } from '../../src/simulation/scenario.ts';
import { permitTerms } from '../support/a.ts';
import { anInjection } from './faults.ts';

const MINUTE = 60_000;
const frozen = { type: 'control.frozen', who: 'ann', because: 'b' } as const;

/** A disk, and the journal of the process of Reeve that uses it. */
function inUse() {
  const clock = new VirtualClock({ at: 0, monoMs: 1_000_000 });
  const advance = (ms: number): boolean => clock.step(clock.monotonicMs() + ms);
  const done: unknown[][] = [];
  const due: { atMs: number; run: () => void }[] = [];
  const state = { inUse: true };
  const disk = new Disk({
    nowMs: () => clock.monotonicMs(),
    at: (atMs, run) => due.push({ atMs: atMs - clock.monotonicMs(), run }),
    inUse: () => state.inUse,
    die: (downMs, survivors) => done.push(['dies', downMs, survivors]),
    wait: (forMs) => {
      done.push(['waits', forMs]);
      advance(forMs);
    },
    onGivenUp: () => done.push(['gives up']),
    onRotten: () => done.push(['rots']),
  });
  let ledger = new Ledger(disk.store, clock);
  ledger.open();
  /** As the next process of Reeve finds it. */
  const next = (survivors = 0) => {
    disk.restore(survivors);
    ledger = new Ledger(disk.store, clock);
    ledger.open();
  };
  /** False: the journal did not take it. */
  const append = (): boolean => {
    try {
      const entries = ledger.append([{ fact: frozen }]);
      disk.unannouncedBefore(entries);
      return true;
    } catch {
      return false;
    }
  };
  const appends = (count: number) => Array.from({ length: count }, append);
  return { disk, done, due, state, append, appends, next, advance, clock, ledger: () => ledger };
}
const fault = (variant: number, with_: Partial<Injection> = {}) => anInjection('disk', { variant, ...with_ });
/** How many appends are taken before one that is not. */
const taken = (all: readonly boolean[]) => all.indexOf(false);

describe('a crash', () => {
  it('comes at once, or in the middle of an append that is about to come', () => {
    const now = inUse();
    now.disk.crash(fault(0.29, { forMs: 7_000 }));
    expect(now.done).toEqual([['dies', 7_000, 0]]);
    const later = inUse();
    later.disk.crash(fault(0.3004, { forMs: 7_000 }));
    expect(later.done).toEqual([]);
    // The count of appends before it is drawn from the variant: 3,004 of 12 leaves 4.
    expect(taken(later.appends(12))).toBe(4);
    expect(later.done).toEqual([['dies', 7_000, 0]]);
  });

  it.each([
    ['before it is written, which loses it', 0.36, 0, 0],
    ['when it is written and not durable, which may keep it', 0.6, 1, 1],
    ['or may lose it', 0.66, 0, 0],
    ['when it is durable', 0.84, 0, 1],
  ])('in the middle of an append comes %s', (_, variant, survivors, kept) => {
    const { disk, done, append, next } = inUse();
    disk.crash(fault(variant));
    let before = 0;
    while (append()) before += 1;
    expect(done).toEqual([['dies', MINUTE, survivors]]);
    next(survivors);
    expect(disk.journal()).toHaveLength(before + kept);
  });

  it('comes once, and not to a disk that is not used or is about to fail otherwise', () => {
    const { disk, done, appends, next, state } = inUse();
    disk.crash(fault(0.36));
    disk.crash(fault(0.1));
    disk.hold(fault(0.36));
    disk.breakDown(fault(0.36));
    appends(12);
    expect(done).toHaveLength(1);
    next();
    expect(taken(appends(20))).toBe(-1);
    state.inUse = false;
    disk.crash(fault(0.1));
    expect(done).toHaveLength(1);
  });

  it('does not come when it was cancelled', () => {
    const { disk, appends, done } = inUse();
    disk.crash(fault(0.36));
    disk.disarm();
    expect([taken(appends(12)), done]).toEqual([-1, []]);
  });
});

describe('a disk that breaks down', () => {
  it('takes nothing more from an append that is about to come, until somebody starts Reeve again', () => {
    const { disk, appends, done, due, next } = inUse();
    disk.breakDown(fault(0.00035, { forMs: 30_000 }));
    expect([disk.broken, disk.takesProbes]).toEqual([false, true]);
    expect(appends(6)).toEqual([true, true, true, false, false, false]);
    expect([disk.broken, disk.takesProbes, done]).toEqual([true, false, []]);
    expect(() => disk.probe()).toThrow('stopped while writing');
    expect(due.map(({ atMs }) => atMs)).toEqual([30_000]);
    due[0]!.run();
    expect(done).toEqual([['dies', 1_000, 0]]);
    next();
    expect([disk.broken, disk.takesProbes, disk.journal().length]).toEqual([false, true, 3]);
    expect(() => disk.probe()).not.toThrow();
  });
});

describe('a journal that another process holds', () => {
  it('is waited for, where that takes less than five seconds', () => {
    const { disk, append, done } = inUse();
    disk.hold(fault(0.39, { forMs: 12_000 }));
    for (let count = 0; count < 8; count += 1) expect(append()).toBe(true);
    expect([done, disk.broken]).toEqual([[['waits', 2_000]], false]);
  });

  it('is given up after five seconds, and is not there for a start until it is free', () => {
    const { disk, appends, done, next, advance } = inUse();
    disk.hold(fault(0.4, { forMs: 12_000 }));
    expect(taken(appends(8))).toBe(0);
    expect([done, disk.broken]).toEqual([[['waits', 5_000], ['gives up']], true]);
    next();
    expect([disk.takesProbes, disk.startsAgainMs]).toEqual([false, 7_000]);
    advance(1_999);
    expect(disk.startsAgainMs).toBe(7_000);
    advance(1);
    expect([disk.startsAgainMs, disk.takesProbes]).toEqual([0, false]);
    expect(appends(1)).toEqual([true]);
    expect(done.slice(2)).toEqual([['waits', 5_000]]);
    expect(disk.takesProbes).toBe(true);
    expect(taken(appends(2))).toBe(-1);
  });

  it('of exactly five seconds is waited for', () => {
    const { disk, appends, done } = inUse();
    disk.hold(fault(0.4, { forMs: 5_000 }));
    expect([taken(appends(8)), done]).toEqual([-1, [['waits', 5_000]]]);
  });

  it('is free at once where that was cancelled', () => {
    const { disk, appends } = inUse();
    disk.hold(fault(0.4, { forMs: 60_000 }));
    appends(1);
    expect(disk.takesProbes).toBe(false);
    disk.disarm();
    expect([disk.takesProbes, disk.startsAgainMs]).toEqual([true, 0]);
  });
});

describe('a journal that is set back', () => {
  /** An entry a minute for half an hour; then an older copy stands in its place. */
  const copied = (variant: number, { minutes = 30 } = {}) => {
    const world = inUse();
    for (let minute = 0; minute < minutes; minute += 1) {
      world.append();
      world.advance(MINUTE);
    }
    world.disk.setBack(fault(variant, { forMs: 9_000 }));
    expect(world.done).toEqual([['dies', 9_000, 0]]);
    world.next();
    return world;
  };

  it('lacks what came since the copy was made: ten seconds to two hours before the newest head', () => {
    const left = (variant: number) => copied(variant).disk.journal().length;
    expect([left(0), left(0.5), left(1)]).toEqual([29, 25, 0]);
  });

  it('is known by what the witness has, to the next process alone', () => {
    const { disk, next, append } = copied(0.5);
    expect(disk.setBackBecause).toMatch(/\d/);
    expect(append()).toBe(true);
    next();
    expect([disk.setBackBecause, disk.journal().length]).toEqual([undefined, 26]);
  });

  it('is not set back where nothing was witnessed, and not while no Reeve runs', () => {
    const fresh = copied(0.5, { minutes: 0 });
    expect([fresh.disk.setBackBecause, fresh.disk.journal()]).toEqual([undefined, []]);
    const off = inUse();
    off.append();
    off.state.inUse = false;
    off.disk.setBack(fault(0.5));
    off.next();
    expect([off.done, off.disk.setBackBecause, off.disk.journal().length]).toEqual([[], undefined, 1]);
  });
});

describe('what a crash left durable', () => {
  it('is found before the first entry of the next process, once', () => {
    const { disk, next, ledger, append } = inUse();
    expect(append()).toBe(true);
    disk.crash(fault(0.84));
    let announced = 1;
    while (append()) announced += 1;
    next();
    const entries = ledger().append([{ fact: frozen }]);
    expect(disk.unannouncedBefore(entries).map(({ seq }) => seq)).toEqual([announced + 1]);
    expect(disk.unannouncedBefore(ledger().append([{ fact: frozen }]))).toEqual([]);
  });

  it('is found where the copy that a person has put in the place of the journal holds it, too', () => {
    const { disk, due, next, ledger, append } = inUse();
    append();
    const [last] = ledger().append([{ fact: frozen }]);
    disk.rot(fault(0.3));
    due.at(-1)!.run();
    next();
    expect(disk.setBackBecause).toBeUndefined();
    const found = disk.unannouncedBefore(ledger().append([{ fact: frozen }]));
    expect(found.map(({ seq }) => seq)).toEqual([last!.seq]);
  });

  it('is missing in that copy, and known to be, where it was written after the person came', () => {
    const { disk, due, next, append, ledger } = inUse();
    append();
    disk.rot(fault(0.3));
    due.at(-1)!.run();
    ledger().append([{ fact: frozen }]);
    next();
    expect(disk.setBackBecause).toMatch(/it ends at record 1, and at .* it had 2/);
  });

  it('may be the record that a call began', () => {
    const { disk, ledger } = inUse();
    ledger().append([{ fact: { type: 'tool.started', permit: permitTerms({ id: 'per-7' }) } }]);
    expect([disk.startedSeq('per-7'), disk.startedSeq('per-8')]).toEqual([expect.any(Number), undefined]);
  });
});
