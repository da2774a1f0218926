import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deadline, sleepOn, systemClock, TIMER_MS_MAX } from '../../src/core/clock.ts';
import { fakeClock } from '../support/fake_clock.ts';

describe('a sleep', () => {
  it('ends with its duration and not a millisecond earlier', async () => {
    const { clock, advance } = fakeClock();
    let isOver = false;
    void clock.sleep(1_000).then(() => {
      isOver = true;
    });
    await advance(999);
    expect(isOver).toBe(false);
    await advance(1);
    expect(isOver).toBe(true);
  });

  it('rejects with the reason of a signal that aborts before or during it, and disposes of its timer', async () => {
    const disposed = vi.fn();
    const after = vi.fn(() => ({ [Symbol.dispose]: disposed }));
    await expect(sleepOn(after, 5, AbortSignal.abort('closed'))).rejects.toBe('closed');
    expect(after).not.toHaveBeenCalled();
    const leaving = new AbortController();
    const sleep = sleepOn(after, 5, leaving.signal);
    leaving.abort('stopped');
    await expect(sleep).rejects.toBe('stopped');
    expect(disposed).toHaveBeenCalledTimes(1);
  });
});

describe('a deadline', () => {
  it('aborts with its reason when the time has passed', async () => {
    const { clock, advance } = fakeClock();
    using limit = deadline(clock, 100, () => 'too late');
    await advance(99);
    expect(limit.signal.aborted).toBe(false);
    await advance(1);
    expect(limit.signal.reason).toBe('too late');
  });

  it('aborts with the reason of its parent, also of one that was aborted before', () => {
    const { clock } = fakeClock();
    const parent = new AbortController();
    using limit = deadline(clock, 100, () => 'too late', parent.signal);
    parent.abort('cancelled');
    expect(limit.signal.reason).toBe('cancelled');
    using later = deadline(clock, 100, () => 'too late', parent.signal);
    expect(later.signal.reason).toBe('cancelled');
  });

  it('that was disposed of aborts neither in time nor with its parent', async () => {
    const { clock, advance } = fakeClock();
    const parent = new AbortController();
    const limit = deadline(clock, 100, () => 'too late', parent.signal);
    limit[Symbol.dispose]();
    await advance(200);
    parent.abort('cancelled');
    expect(limit.signal.aborted).toBe(false);
  });
});

describe('the clock of the system', () => {
  it('names the machine and its boot', () => {
    expect(systemClock.bootId).toMatch(/^(?:[0-9a-f]{16}|unnamed)\/[0-9a-f-]{36}$|^process-\d+-\d+$/);
  });

  it('counts monotonic time forward in whole milliseconds', async () => {
    const beforeMs = systemClock.monotonicMs();
    await systemClock.sleep(5);
    const afterMs = systemClock.monotonicMs();
    expect(Number.isInteger(afterMs)).toBe(true);
    expect(afterMs - beforeMs).toBeGreaterThanOrEqual(4);
  });

  it('waits longer than one timer of the platform holds, by several timers', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const task = vi.fn();
    using _ = systemClock.after(TIMER_MS_MAX + 10, task);
    vi.advanceTimersByTime(TIMER_MS_MAX);
    expect(task).not.toHaveBeenCalled();
    vi.advanceTimersByTime(9);
    expect(task).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('does not run a task that was disposed of, also after its first timer', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const task = vi.fn();
    const timer = systemClock.after(TIMER_MS_MAX + 10, task);
    vi.advanceTimersByTime(TIMER_MS_MAX + 1);
    timer[Symbol.dispose]();
    vi.advanceTimersByTime(100);
    expect(task).not.toHaveBeenCalled();
  });
});
