import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEnginePoll } from '../../src/collect/engines.ts';
import type { Engine, EngineReport } from '../../src/core/engine.ts';
import { ReeveError } from '../../src/core/errors.ts';
import type { Sample } from '../../src/core/sample.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { FakeEngine } from '../support/fake_engine.ts';

type Answer = () => Promise<EngineReport>;

function setUp(
  answers: readonly Answer[] = [],
  engines = ['local'],
  pollMs = 1_000,
  single?: Engine['observeChannel'],
) {
  const { clock, advance } = fakeClock();
  const startMs = clock.monotonicMs();
  const looks: string[] = [];
  const samples: Sample[] = [];
  const looked: string[] = [];
  const parts: number[] = [];
  const bugs: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const scripted = [...answers];
  let broken = false;
  let [tookMs, partMs, heldMs] = [0, 0, 0];
  const real = new FakeEngine(clock, ['news']);
  const engineOf = (id: string): Engine =>
    ({
      ...{ id, capabilities: real.capabilities },
      observe: (signal?: AbortSignal) => {
        looks.push(`${id}@${clock.monotonicMs() - startMs}`);
        signals.push(signal);
        return scripted.shift()?.() ?? real.observe();
      },
      observeChannel:
        single &&
        ((channel: string, signal: AbortSignal) => {
          looks.push(`${channel}@${clock.monotonicMs() - startMs}`);
          return single(channel, signal);
        }),
    }) as unknown as Engine;
  const poll = createEnginePoll({
    engines: engines.map((id) => ({ engine: engineOf(id), pollMs })),
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + heldMs },
    onSamples: (part) => {
      if (broken) throw new Error('nobody takes samples');
      samples.push(...part);
      parts.push(part.length);
      heldMs += partMs;
    },
    onLooked: (engine) => {
      looked.push(engine);
      heldMs += tookMs;
    },
    onBug: (engine, thrown) => bugs.push(`${engine}: ${String(thrown)}`),
    onFailure: (engine, because) => bugs.push(`${engine} fails: ${because}`),
    onAnswer: (engine) => bugs.push(`${engine} answers`),
    onChannelFailure: (engine, thrown) => bugs.push(`${engine}, one channel: ${String(thrown)}`),
  });
  onTestFinished(() => poll[Symbol.dispose]());
  const breakSamples = () => {
    broken = true;
  };
  /** From now on what comes of a look takes so long to take. */
  const holdFor = (ms: number) => {
    tookMs = ms;
  };
  const holdEachPartFor = (ms: number) => {
    partMs = ms;
  };
  return { poll, advance, looks, samples, looked, parts, bugs, signals, breakSamples, holdFor, holdEachPartFor };
}

/** A look that stays under way until it is ended. */
function hanging() {
  const { promise, resolve } = Promise.withResolvers<EngineReport>();
  const report = { engine: {}, processes: [], viewers: [], credential: undefined } as unknown as EngineReport;
  return { answer: () => promise, end: () => resolve(report) };
}

describe('the poll of engines', () => {
  it('looks at every engine at the start, and then at its pace', async () => {
    const { poll, advance, looks } = setUp([], ['a', 'b']);
    poll.start();
    await advance(2_000);
    expect(looks).toEqual(['a@0', 'b@0', 'a@1000', 'b@1000', 'a@2000', 'b@2000']);
  });

  it('hands on the engine and its processes, and marks each poll once as complete', async () => {
    const { poll, advance, samples, looked } = setUp();
    poll.start();
    await advance(0);
    expect(samples.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['engine', 'process']));
    expect(looked).toEqual(['local']);
  });

  it('looks at once when something hints at trouble, without a rest in between', async () => {
    const { poll, advance, looks } = setUp();
    poll.start();
    await advance(100);
    poll.now('local');
    await advance(1);
    poll.now('local');
    await advance(0);
    expect(looks).toEqual(['local@0', 'local@100', 'local@101']);
  });

  it('looks again after the look under way when a hint comes meanwhile, and never twice at once', async () => {
    const slow = hanging();
    const { poll, advance, looks } = setUp([slow.answer]);
    poll.start();
    await advance(1_500);
    poll.now('local');
    poll.now('local');
    expect(looks).toEqual(['local@0']);
    slow.end();
    await advance(0);
    expect(looks).toEqual(['local@0', 'local@1500']);
  });

  it.each([
    ['TIMED_OUT', 'timeout'],
    ['ANSWER_TOO_LARGE', 'too_large'],
    ['ENGINE_REFUSED', 'refused_credentials'],
    ['ENGINE_ANSWER_INVALID', 'invalid_answer'],
    ['ENGINE_UNREACHABLE', 'unreachable'],
  ] as const)('reports %s as %s of the engine, and nothing of its channels', async (code, failure) => {
    const { poll, advance, samples, looked } = setUp([() => Promise.reject(new ReeveError(code, 'no'))]);
    poll.start();
    await advance(0);
    expect(samples).toMatchObject([{ kind: 'engine', ok: false, failure }]);
    expect(looked).toEqual(['local']);
  });

  it('says in words what is wrong with an engine, whether its adapter throws or reports it', async () => {
    const down = async () => ({ ...(await new FakeEngine(fakeClock().clock, ['news']).observe()), because: 'EACCES' });
    const { poll, advance, bugs } = setUp([
      () => Promise.reject(new Error('no')),
      () => new FakeEngine(fakeClock().clock, []).observe(),
    ]);
    poll.start();
    await advance(1_000);
    expect(bugs).toEqual(['local fails: no', 'local answers']);
    const reported = setUp([down]);
    reported.poll.start();
    await reported.advance(1_000);
    expect(reported.bugs).toEqual(['local fails: EACCES', 'local answers']);
  });

  it('goes on after a poll whose samples could not be stored, and reports it', async () => {
    const { poll, advance, looks, bugs, breakSamples } = setUp();
    breakSamples();
    poll.start();
    await advance(1_000);
    expect(looks).toEqual(['local@0', 'local@1000']);
    expect(bugs[0]).toBe('local: Error: nobody takes samples');
  });

  it('ends a look under way and begins no other once it is disposed', async () => {
    const slow = hanging();
    const { poll, advance, looks, samples, signals } = setUp([slow.answer]);
    poll.start();
    await advance(0);
    poll[Symbol.dispose]();
    slow.end();
    await advance(5_000);
    expect([looks, samples, signals[0]?.aborted]).toEqual([['local@0'], [], true]);
  });

  it.each([
    ['now', 0, 0],
    ['now', 25, 50],
    ['closer', 0, 0],
    ['closer', 25, 500],
    ['closer', 49, 980],
    ['closer', 51, 1_000],
  ] as const)(
    'asked for %s after samples that took %i ms to take, it looks after %i ms',
    async (ask, tookMs, afterMs) => {
      const { poll, advance, looks, holdFor } = setUp([], ['local'], 60_000);
      holdFor(tookMs);
      poll.start();
      await advance(0);
      poll[ask]('local');
      // What took so long went by already.
      const leftMs = afterMs - tookMs;
      await advance(Math.max(0, leftMs - 1));
      expect(looks).toHaveLength(leftMs > 0 ? 1 : 2);
      await advance(1);
      expect(looks).toHaveLength(2);
    },
  );

  it('asked for a closer look while it looks, and by a hint, it looks as soon as the hint wants', async () => {
    const { answer, end } = hanging();
    const first = () => new FakeEngine(fakeClock().clock, ['news']).observe();
    const { poll, advance, looks, holdFor } = setUp([first, answer], ['local'], 60_000);
    holdFor(25);
    poll.start();
    await advance(100);
    poll.now('local');
    await advance(0);
    poll.now('local');
    poll.closer('local');
    await advance(30);
    end();
    await advance(0);
    expect(looks).toHaveLength(3);
  });

  /** A look that finds so many processes beside the engine itself: those of ch0, ch1 and so on. */
  const crowd = (count: number) => async (): Promise<EngineReport> => {
    const report = await new FakeEngine(fakeClock().clock, ['news']).observe();
    const processes = Array.from({ length: count }, (_, at) => ({ ...report.processes[0]!, channel: `ch${at}` }));
    return { ...report, viewers: [], processes };
  };

  it.each([
    [3_999, [4_000]],
    [4_000, [1, 4_000]],
    [4_001, [1, 4_000, 1]],
  ])('takes %i processes and their engine in bounded parts, the engine before the others', async (count, sizes) => {
    const { poll, advance, parts, looked } = setUp([crowd(count)], ['local'], 60_000);
    poll.start();
    await advance(0);
    await vi.waitFor(() => expect(parts).toEqual(sizes));
    expect(looked).toHaveLength(sizes.length > 1 ? 2 : 1);
  });

  it('takes and judges the channels that it was asked for before thousands of others', async () => {
    const { poll, advance, samples, parts, looked } = setUp([crowd(1), crowd(9_000)], ['local'], 60_000);
    poll.start();
    await advance(100);
    const before = samples.length;
    poll.now('local', 'ch4711');
    poll.closer('local', 'ch815');
    await advance(0);
    expect(parts.slice(1)).toEqual([3]);
    expect(looked).toHaveLength(2);
    const first = samples.slice(before).flatMap((sample) => ('channel' in sample ? sample.channel : []));
    expect(first).toEqual(['ch815', 'ch4711']);
    await vi.waitFor(() => expect(parts.slice(1)).toEqual([3, 4_000, 4_000, 998]));
    expect(looked).toHaveLength(3);
  });

  it('forgets with the next look whom the last was asked for', async () => {
    const { poll, advance, parts } = setUp([crowd(1), crowd(5_000), crowd(5_000)], ['local'], 1_000);
    poll.start();
    await advance(100);
    poll.now('local', 'ch7');
    await advance(0);
    await vi.waitFor(() => expect(parts).toEqual([2, 2, 4_000, 999]));
    await advance(1_100);
    await vi.waitFor(() => expect(parts.slice(4)).toEqual([1, 4_000, 1_000]));
  });

  it('lets the event loop go on between two parts, and takes no more of a look once it is stopped', async () => {
    const { poll, advance, parts, looked } = setUp([crowd(4_500)], ['local'], 60_000);
    poll.start();
    await advance(0);
    expect(parts).toEqual([1]);
    poll[Symbol.dispose]();
    await nextRound();
    await nextRound();
    expect([parts, looked]).toEqual([[1], ['local']]);
  });

  it('rests by what all parts took together', async () => {
    const { poll, advance, looks, parts, holdEachPartFor } = setUp([crowd(5_000)], ['local'], 60_000);
    holdEachPartFor(20);
    poll.start();
    await advance(0);
    await vi.waitFor(() => expect(parts).toEqual([1, 4_000, 1_000]));
    await advance(0);
    poll.now('local');
    await advance(59);
    expect(looks).toHaveLength(1);
    await advance(1);
    expect(looks).toHaveLength(2);
  });

  describe('on a hint at one channel of an engine that can be asked about it alone', () => {
    const found = (channel: string) => ({ ...new FakeEngine(fakeClock().clock, ['news']).processOf('news'), channel });
    const one: Engine['observeChannel'] = async (channel) => [found(channel)];

    it.each([
      [50, ['local@0', 'local@100']],
      [51, ['local@0', 'news@100', 'local@1000']],
    ])('whose list took %i ms it looks in this order', async (listMs, order) => {
      const { poll, advance, looks, holdFor } = setUp([], ['local'], 60_000, one);
      holdFor(listMs);
      poll.start();
      await advance(100 - listMs);
      holdFor(0);
      poll.now('local', 'news');
      await advance(1_000);
      const heldFrom = (look: string): string => look.replace(/@(\d+)$/, (_, ms) => `@${+ms === 0 ? 0 : +ms + listMs}`);
      expect(looks.map(heldFrom)).toEqual(order);
    });

    it.each([
      [[50], false],
      [[51], true],
      [[51, 25], true],
      [[51, 24], false],
      [[51, 25, 50], true],
      [[51, 24, 50], false],
      [[51, 24, 51], true],
    ])('whose lists took %j ms it looks at that channel alone: %s', async (lists, isAlone) => {
      const { poll, advance, looks, holdFor } = setUp([], ['local'], 60_000, one);
      holdFor(lists[0]!);
      poll.start();
      await advance(0);
      for (const listMs of lists.slice(1)) {
        holdFor(listMs);
        await advance(60_000);
      }
      expect(looks).toHaveLength(lists.length);
      poll.now('local', 'news');
      await advance(200);
      expect(looks.slice(lists.length)).toEqual([expect.stringContaining(isAlone ? 'news@' : 'local@')]);
    });

    it('it has that channel judged before the list is there', async () => {
      const { poll, advance, samples, looked, holdFor } = setUp([], ['local'], 60_000, one);
      holdFor(51);
      poll.start();
      await advance(0);
      samples.length = 0;
      poll.now('local', 'sport');
      await advance(0);
      expect(samples).toMatchObject([{ kind: 'process', channel: 'sport' }]);
      expect(looked).toEqual(['local', 'local']);
    });

    it('it says what went wrong, and has the list all the same', async () => {
      const failing = () => Promise.reject(new ReeveError('ENGINE_REFUSED', 'no such channel'));
      const { poll, advance, looks, bugs, holdFor } = setUp([], ['local'], 60_000, failing);
      holdFor(51);
      poll.start();
      await advance(0);
      poll.now('local', 'news');
      await advance(1_000);
      expect(bugs).toEqual(['local, one channel: ReeveError: no such channel']);
      expect(looks).toHaveLength(3);
    });

    it('it looks at nothing alone when something is merely to be looked at closer', async () => {
      const { poll, advance, looks, holdFor } = setUp([], ['local'], 60_000, one);
      holdFor(51);
      poll.start();
      await advance(0);
      poll.closer('local', 'news');
      await advance(100);
      expect(looks).toEqual(['local@0']);
    });

    it('it ends a look at one channel with the poll', async () => {
      const { poll, advance, samples, holdFor } = setUp([], ['local'], 60_000, async (channel, signal) => {
        await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
        return [found(channel)];
      });
      holdFor(51);
      poll.start();
      await advance(0);
      samples.length = 0;
      poll.now('local', 'news');
      poll[Symbol.dispose]();
      await advance(0);
      expect(samples).toEqual([]);
    });
  });
});
