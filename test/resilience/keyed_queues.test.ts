import { describe, expect, it } from 'vitest';
import { createKeyedQueues, type KeyedQueuesOptions } from '../../src/resilience/keyed_queues.ts';
import { fakeClock } from '../support/fake_clock.ts';

function setUp(options: KeyedQueuesOptions = {}) {
  const { clock, advance } = fakeClock();
  const lanes = createKeyedQueues(options, clock);
  const order: string[] = [];
  /** A task that ends when the test says. */
  const task = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const run = (_: AbortSignal) => {
      order.push(`${name} begins`);
      return promise;
    };
    return { run, end: () => resolve(name) };
  };
  return { clock, advance, lanes, order, task };
}

const codeOf = (call: Promise<unknown>) => call.catch((error: unknown) => (error as { code: string }).code);

describe('lanes', () => {
  it('runs one task of a key at a time, in order, and different keys side by side', async () => {
    const { lanes, order, task } = setUp();
    const [first, second, other] = [task('a1'), task('a2'), task('b1')];
    const ends = [lanes.run('a', first.run), lanes.run('a', second.run), lanes.run('b', other.run)];
    expect(order).toEqual(['a1 begins', 'b1 begins']);
    expect(lanes.counts).toEqual({ lanes: 2, running: 2, waiting: 1, dropped: 0 });
    first.end();
    expect(await ends[0]).toBe('a1');
    expect(order).toEqual(['a1 begins', 'b1 begins', 'a2 begins']);
    second.end();
    other.end();
    expect(await Promise.all(ends)).toEqual(['a1', 'a2', 'b1']);
  });

  it('lets hundreds of runs that wait for their proof keep nobody else waiting: 512 of them', async () => {
    const { lanes, order, task } = setUp();
    const running = task('run');
    const ends = Array.from({ length: 512 }, (_, at) => lanes.run(`channel ${at}`, running.run));
    expect(order).toHaveLength(512);
    const last = lanes.run('one too many', running.run);
    expect(order).toHaveLength(512);
    running.end();
    await Promise.all([...ends, last]);
    expect(order).toHaveLength(513);
  });

  it('refuses and counts what does not fit behind the running task', async () => {
    const { lanes, task } = setUp({ waitingPerKeyMax: 2 });
    const running = task('a');
    const ends = [1, 2, 3].map(() => lanes.run('a', running.run));
    expect(await codeOf(lanes.run('a', running.run))).toBe('QUEUE_FULL');
    expect(await codeOf(lanes.run('a', running.run))).toBe('QUEUE_FULL');
    expect(lanes.counts).toMatchObject({ waiting: 2, dropped: 2 });
    running.end();
    await Promise.all(ends);
    expect(await lanes.run('a', running.run)).toBe('a');
  });

  it('with no room to wait still runs one task', async () => {
    const { lanes, task } = setUp({ waitingPerKeyMax: 0 });
    const running = task('a');
    const end = lanes.run('a', running.run);
    expect(await codeOf(lanes.run('a', running.run))).toBe('QUEUE_FULL');
    running.end();
    expect(await end).toBe('a');
  });

  it('lets no more lanes run at once than allowed', async () => {
    const { lanes, order, task } = setUp({ concurrentMax: 2 });
    const tasks = ['a', 'b', 'c'].map(task);
    const ends = tasks.map((each, index) => lanes.run('abc'[index]!, each.run));
    expect(order).toEqual(['a begins', 'b begins']);
    expect(lanes.counts).toMatchObject({ running: 2, waiting: 1 });
    tasks[1]!.end();
    await ends[1];
    expect(order).toEqual(['a begins', 'b begins', 'c begins']);
    tasks[0]!.end();
    tasks[2]!.end();
    await Promise.all(ends);
  });

  it('hands a failure to its own caller only, and goes on', async () => {
    const { lanes, task } = setUp();
    const failing = lanes.run('a', () => Promise.reject(new Error('mine')));
    const next = task('next');
    const end = lanes.run('a', next.run);
    await expect(failing).rejects.toThrow('mine');
    next.end();
    expect(await end).toBe('next');
  });

  it('forgets lanes that are idle', async () => {
    const { lanes } = setUp();
    for (let key = 0; key < 1_000; key += 1) await lanes.run(`channel-${key}`, async () => key);
    expect(lanes.counts).toEqual({ lanes: 0, running: 0, waiting: 0, dropped: 0 });
    expect(lanes.busy('channel-7')).toBe(false);
  });
});

describe('drain', () => {
  it('waits for what runs, refuses what waits and what comes', async () => {
    const { lanes, task, order } = setUp();
    const [running, waiting] = [task('running'), task('waiting')];
    const end = lanes.run('a', running.run);
    const refused = codeOf(lanes.run('a', waiting.run));
    const drained = lanes.drain(10_000);
    expect(lanes.draining).toBe(true);
    expect(await refused).toBe('QUEUE_FULL');
    expect(await codeOf(lanes.run('b', waiting.run))).toBe('QUEUE_FULL');
    running.end();
    expect(await end).toBe('running');
    expect(await drained).toBe(0);
    expect(order).toEqual(['running begins']);
  });

  it('refuses what waits for a free slot too', async () => {
    const { lanes, task } = setUp({ concurrentMax: 1 });
    const running = task('a');
    const end = lanes.run('a', running.run);
    const refused = codeOf(lanes.run('b', running.run));
    const drained = lanes.drain(1_000);
    expect(await refused).toBe('QUEUE_FULL');
    running.end();
    await end;
    expect(await drained).toBe(0);
  });

  it('aborts what outlasts the time, and not a millisecond before', async () => {
    const { lanes, clock, advance } = setUp();
    let aborted = false;
    const end = lanes
      .run('a', (signal) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return clock.sleep(60_000, signal);
      })
      .catch((error: unknown) => error);
    const drained = lanes.drain(10_000);
    await advance(9_999);
    expect(aborted).toBe(false);
    await advance(1);
    expect(aborted).toBe(true);
    expect(await end).toMatchObject({ code: 'TIMED_OUT' });
    expect(await drained).toBe(0);
  });

  it('keeps the lane of a task that ignores the abort, and says how many there are', async () => {
    const { lanes, advance } = setUp({ graceMs: 1_000 });
    void lanes.run('a', () => new Promise<never>(() => {}));
    const drained = lanes.drain(10_000);
    await advance(11_000);
    expect(await drained).toBe(1);
    expect(lanes.busy('a')).toBe(true);
  });

  it('of nothing is done at once', async () => {
    expect(await setUp().lanes.drain(10_000)).toBe(0);
  });
});
