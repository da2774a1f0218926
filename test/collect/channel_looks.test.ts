import { describe, expect, it, onTestFinished } from 'vitest';
import { ChannelLooks } from '../../src/collect/channel_looks.ts';
import type { Engine } from '../../src/core/engine.ts';
import { ReeveError } from '../../src/core/errors.ts';
import type { ProcessSample, Sample } from '../../src/core/sample.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { FakeEngine } from '../support/fake_engine.ts';

type Answer = Promise<readonly ProcessSample[]>;

function setUp(answer?: (channel: string, signal: AbortSignal) => Answer) {
  const { clock, advance } = fakeClock();
  const real = new FakeEngine(clock, ['news']);
  const asked: string[] = [];
  const heard: (readonly Sample[] | string)[] = [];
  const failures: string[] = [];
  const observeChannel = async (channel: string, signal: AbortSignal): Answer => {
    asked.push(channel);
    return answer?.(channel, signal) ?? [{ ...real.processOf('news'), channel }];
  };
  const looks = new ChannelLooks({
    engine: { id: 'local', observeChannel } as unknown as Engine,
    clock,
    onSamples: (samples) => heard.push(samples),
    onLooked: () => heard.push('looked'),
    onFailure: (thrown) => failures.push(String((thrown as Error).message)),
  });
  onTestFinished(() => looks[Symbol.dispose]());
  return { looks, advance, asked, heard, failures };
}

const never = () => new Promise<readonly ProcessSample[]>(() => undefined);

describe('looks at single channels', () => {
  it('hand on what they find, and have it judged at once', async () => {
    const { looks, advance, heard } = setUp();
    expect(looks.ask('news')).toBe(true);
    await advance(0);
    expect(heard).toMatchObject([[{ kind: 'process', channel: 'news' }], 'looked']);
  });

  it('have nothing judged where something newer is known', async () => {
    const { looks, advance, heard } = setUp(async () => []);
    expect(looks.ask('news')).toBe(true);
    await advance(0);
    expect(heard).toEqual([]);
  });

  it('are refused by an engine that has only its list', () => {
    const { clock } = fakeClock();
    const [onSamples, onLooked, onFailure] = Array.from({ length: 3 }, () => () => undefined);
    const engine = new FakeEngine(clock, ['news']);
    const looks = new ChannelLooks({
      engine,
      clock,
      onSamples: onSamples!,
      onLooked: onLooked!,
      onFailure: onFailure!,
    });
    expect(looks.ask('news')).toBe(false);
  });

  it('are one at a time for a channel, and begin no sooner than half a second after the last', async () => {
    const { looks, advance, asked } = setUp();
    looks.ask('news');
    expect(looks.ask('news')).toBe(false);
    await advance(499);
    expect(looks.ask('news')).toBe(false);
    await advance(1);
    expect(looks.ask('news')).toBe(true);
    expect(asked).toEqual(['news', 'news']);
  });

  it('are no more than eight at once: of more channels the list tells', async () => {
    const { looks, asked } = setUp(never);
    expect(Array.from({ length: 9 }, (_, at) => looks.ask(`ch${at}`))).toEqual([...Array(8).fill(true), false]);
    expect(asked).toHaveLength(8);
  });

  it('that fail say so once a minute, and leave their channel to the list for a minute', async () => {
    const failing = () => Promise.reject(new ReeveError('ENGINE_REFUSED', '404 from /channels/news'));
    const { looks, advance, heard, failures } = setUp(failing);
    looks.ask('news');
    looks.ask('sport');
    await advance(59_999);
    expect([looks.ask('news'), failures, heard]).toEqual([false, ['404 from /channels/news'], []]);
    await advance(1);
    expect(looks.ask('news')).toBe(true);
    await advance(0);
    expect(failures).toHaveLength(2);
  });

  it('end with what they serve: nothing is handed on or said afterwards, and none begins', async () => {
    let hasAborted = false;
    const { looks, advance, heard, failures } = setUp(
      (_, signal) =>
        new Promise((_done, fail) =>
          signal.addEventListener('abort', () => {
            hasAborted = true;
            fail(new Error('aborted'));
          }),
        ),
    );
    looks.ask('news');
    looks[Symbol.dispose]();
    await advance(0);
    expect([hasAborted, heard, failures, looks.ask('sport')]).toEqual([true, [], [], false]);
  });
});
