import { describe, expect, it } from 'vitest';
import { EngineRetries } from '../../src/simulation/engine_retries.ts';
import { beginGeneration, freshChannel } from '../../src/simulation/service_channel.ts';
import { aPlan } from './plant.ts';

/** An engine of one channel whose process has just ended at second 10. */
function setUp(with_: object = {}) {
  let nowMs = 10_000;
  const due: { atMs: number; run: () => void }[] = [];
  const noted: string[] = [];
  const retries = new EngineRetries({
    nowMs: () => nowMs,
    at: (atMs, run) => due.push({ atMs, run }),
    onSymptom: (_, kind) => noted.push(kind),
    restart: () => noted.push('restarts'),
    settle: () => noted.push('settles'),
  });
  const channel = Object.assign(freshChannel(aPlan('news'), 1, 0), { state: 'exited' as const, ...with_ });
  const pass = (toMs: number) => {
    nowMs = toMs;
  };
  return { retries, channel, due, noted, pass };
}
const unfit = { unfitUntilMs: 20_000, unfitUptimeMs: 3_000 };

describe('an engine whose process has ended', () => {
  it('leaves a channel that is fit alone, and sees to one that is not, up to the moment at which it is', () => {
    const sees = (unfitUntilMs: number) => {
      const { retries, channel, due } = setUp({ unfitUntilMs });
      return [retries.ended(channel, true), due.length];
    };
    expect([sees(0), sees(10_000), sees(10_001)]).toEqual([
      [false, 0],
      [false, 0],
      [true, 1],
    ]);
  });

  it('starts it again after a second', () => {
    const { retries, channel, due, noted } = setUp(unfit);
    retries.ended(channel, false);
    expect(due[0]!.atMs).toBe(11_000);
    due[0]!.run();
    expect(noted).toEqual(['process_crash', 'restarts']);
  });

  it('starts it no more where somebody else did meanwhile, or stopped it', () => {
    const other = setUp(unfit);
    other.retries.ended(other.channel, false);
    other.channel.process = beginGeneration('news', '2', 10_500, 'human');
    other.due[0]!.run();
    const stopped = setUp(unfit);
    stopped.retries.ended(stopped.channel, false);
    Object.assign(stopped.channel, { state: 'stopped' });
    stopped.due[0]!.run();
    expect([...other.noted, ...stopped.noted]).toEqual(['process_crash', 'process_crash']);
  });

  it('logs a wrong setting where processes run for less than two seconds', () => {
    const says = (unfitUptimeMs: number) => {
      const { retries, channel, noted } = setUp({ ...unfit, unfitUptimeMs });
      retries.ended(channel, true);
      return noted[0];
    };
    expect([says(1_999), says(2_000)]).toEqual(['config_error', 'process_crash']);
  });

  it('gives up at the fourth short run in a row, and counts anew after a longer one', () => {
    const { retries, channel, due, noted } = setUp(unfit);
    const ends = (short: boolean) => {
      const seen = retries.ended(channel, short);
      return [seen, channel.state, due.length];
    };
    expect([ends(true), ends(true), ends(false)].map(([, state]) => state)).toEqual(['exited', 'exited', 'exited']);
    expect([ends(true), ends(true), ends(true)].at(-1)).toEqual([true, 'exited', 6]);
    expect(ends(true)).toEqual([true, 'fatal', 6]);
    expect(noted.at(-1)).toBe('settles');
  });
});

describe('a persistent engine', () => {
  it('starts whatever ends on it every two seconds and for ever, and logs nothing', () => {
    const { retries, channel, due, noted } = setUp();
    retries.keep('e0', 5_000);
    for (let life = 0; life < 9; life += 1) expect(retries.ended(channel, true)).toBe(true);
    expect([channel.state, channel.retries, due[8]!.atMs, noted]).toEqual(['exited', 0, 12_000, []]);
  });

  it('is one for so long, for its own channels, and until all is healed', () => {
    const { retries, channel, pass } = setUp();
    retries.keep('e1', 5_000);
    expect(retries.ended(channel, true)).toBe(false);
    retries.keep('e0', 5_000);
    pass(14_999);
    expect(retries.ended(channel, true)).toBe(true);
    pass(15_000);
    expect(retries.ended(channel, true)).toBe(false);
    retries.keep('e0', 5_000);
    retries.heal();
    expect(retries.ended(channel, true)).toBe(false);
  });
});
