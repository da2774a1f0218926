import { describe, expect, it } from 'vitest';
import { failuresOf, faultsOf, pairsOfFaults, type Played, stageForPairs } from '../../demo/pair_checks.ts';

const start = (channel: string) => ({ method: 'startProcess', channel, monoMs: 5_000 });
const page = (text: string) => ({
  ...({ monoMs: 5_000, via: 'webhook', what: 'trigger', key: 'k', summary: text } as const),
  body: { summary: text },
});
const played = (more: Partial<Played> = {}): Played => ({
  ...{ fromMs: 0, pages: [], starts: [], playedMs: new Map() },
  ...more,
});

describe('the pairs of faults', () => {
  it('are every two kinds once, on two channels of the stage', () => {
    const pairs = pairsOfFaults();
    expect(new Set(pairs.map((pair) => pair.map(({ kind }) => kind).join())).size).toBe(15);
    expect(pairs.every(([one, other]) => one.channel !== other.channel)).toBe(true);
    const onStage = pairs.flat().map(({ channel }) => Number(channel.replace(/\D+/, '')));
    expect(Math.max(...onStage)).toBeLessThanOrEqual(stageForPairs.generated!);
  });

  it('have faults both on channels that the supervisor starts again and on others', () => {
    const all = pairsOfFaults().flat();
    expect(all.filter(({ autorestart }) => autorestart).length).toBeGreaterThanOrEqual(6);
    expect(all.filter(({ autorestart }) => !autorestart).length).toBeGreaterThanOrEqual(15);
    expect(all.every(({ channel, autorestart }) => stageForPairs.autorestart!.includes(channel) === autorestart)).toBe(
      true,
    );
  });
});

describe('a pair of faults', () => {
  const [killed] = faultsOf('killed');
  const [loop] = faultsOf('crash_loop');
  const pair = [killed!, loop!];
  const good = { starts: [start('gen1')], playedMs: new Map([['gen1', 45_000]]), pages: [page('gen10 dies again')] };

  it('went well when what a start cures was started once and plays, and the other was paged', () => {
    expect(failuresOf(pair, played(good))).toEqual([]);
  });

  it.each([
    ['plays too late', { ...good, playedMs: new Map([['gen1', 45_001]]) }, ['gen1 (killed) did not play within 45 s']],
    [
      'is started twice',
      { ...good, starts: [start('gen1'), start('gen1')] },
      ['gen1 (killed) was started 2 times, at most 1'],
    ],
    ['is not paged', { ...good, pages: [page('gen1 and gen100')] }, ['gen10 was not paged']],
    [
      'was not touched and is started',
      { ...good, starts: [start('gen5')] },
      ['gen5 was started, and nothing was wrong with it'],
    ],
  ])('failed when a channel %s', (_, seen, failures) => {
    expect(failuresOf(pair, played(seen))).toEqual(failures);
  });

  it('needs no start by Reeve where the supervisor starts the channel', () => {
    const own = faultsOf('killed').find(({ autorestart }) => autorestart)!;
    const seen = { playedMs: new Map([[own.channel, 3_000]]) };
    expect(failuresOf([own], played(seen))).toEqual([]);
    expect(failuresOf([own], played({ ...seen, starts: [start(own.channel)] }))).toEqual([
      `${own.channel} (killed) was started 1 times, at most 0`,
    ]);
  });
});
