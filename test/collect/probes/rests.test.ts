import { describe, expect, it, onTestFinished } from 'vitest';
import type { Poller } from '../../../src/collect/probes/poller.ts';
import { createRests, watchDoubts } from '../../../src/collect/probes/rests.ts';
import { fakeClock } from '../../support/fake_clock.ts';

describe('rests', () => {
  it('are given only to what may be looked at less often than its pace', () => {
    const channel = (everyMs: number, calmEveryMs?: number) => ({
      id: 'news',
      output: { everyMs, ...(calmEveryMs === undefined ? {} : { calmEveryMs }) },
      source: undefined,
    });
    expect(createRests([channel(2_000)]).isAny).toBe(false);
    expect(createRests([channel(2_000, 2_000)]).isAny).toBe(false);
    expect(createRests([channel(2_000, 2_001)]).isAny).toBe(true);
    expect(createRests([channel(2_000)]).outputMs('news', 0)).toBe(0);
    expect(createRests([channel(2_000)]).sourceMs('news', 0)).toBe(0);
  });
});

describe('the watch for doubts', () => {
  /** When it looks, from the start on, where so much time passes between its rounds. */
  async function looksAfter(passed: readonly number[]): Promise<readonly number[]> {
    const { clock, advance } = fakeClock();
    let nowMs = clock.monotonicMs();
    const fromMs = nowMs;
    const looks: number[] = [];
    const poller = { wakeDoubted: () => looks.push(nowMs - fromMs) } as unknown as Poller;
    const watch = watchDoubts({ ...clock, monotonicMs: () => nowMs }, [poller]);
    onTestFinished(() => watch[Symbol.dispose]());
    for (const passedMs of passed) {
      nowMs += passedMs;
      await advance(500);
    }
    return looks;
  }

  it('looks each half second, but not right after a pause of Reeve itself', async () => {
    expect(await looksAfter([500, 1_000, 1_000, 1_001, 500])).toEqual([500, 1_500, 2_500, 4_001]);
  });

  it('leaves out no two rounds in a row, however slow the machine is', async () => {
    expect(await looksAfter([1_500, 1_500, 1_500, 1_500])).toEqual([3_000, 6_000]);
  });
});
