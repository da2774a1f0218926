import { describe, expect, it } from 'vitest';
import type { ProcessSample, ProcessState } from '../../../src/core/sample.ts';
import { FactStore } from '../../../src/ground/facts/facts.ts';
import { EPOCH, setupOf } from '../scene.ts';

const ENGINE = { id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined };

function setUp() {
  const starts: string[] = [];
  const found: string[] = [];
  const setup = { channels: [setupOf('news')], engines: [ENGINE] };
  const factStore = new FactStore(setup, (channel, generation, engine, agoMs) => {
    if (agoMs === undefined) starts.push(`${channel} ${generation} ${engine}`);
    else found.push(`${generation} ${agoMs}`);
  });
  const see = (monoMs: number, state: ProcessState, generation?: string, extra: Partial<ProcessSample> = {}) =>
    factStore.observe({
      kind: 'process',
      channel: 'news',
      engine: 'local',
      at: EPOCH + monoMs,
      monoMs,
      source: 's',
      state,
      pid: undefined,
      generation,
      uptimeMs: undefined,
      exitCode: undefined,
      exitSignal: undefined,
      stoppedOnPurpose: false,
      cpuMs: undefined,
      halted: undefined,
      bytesWritten: undefined,
      ...extra,
    });
  const process = () => factStore.view('news')!.process!;
  return { factStore, see, starts, found, process };
}

describe('starts', () => {
  it('the first sample of a process is a baseline, not a start', () => {
    const { see, starts, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'running', 'a');
    expect(starts).toEqual([]);
    expect(process().ends).toEqual([]);
  });

  it.each([
    ['was seen to die a moment before', 1_000, 119_000, {}, [1_000]],
    ['was last seen dead longer ago than evidence is fresh', 1_000, 121_001, {}, []],
    ['was seen to die long ago, and to be dead until a moment before', 900_000, 1_020_000, {}, [1_000]],
    ['was seen to be dead until longer ago than evidence is fresh', 900_000, 1_020_001, {}, []],
    ['was stopped on purpose since', 1_000, 2_000, { stoppedOnPurpose: true }, []],
    ['runs again', 1_000, 2_000, { state: 'running' }, []],
    ['is given up by its engine', 1_000, 2_000, { state: 'fatal' }, []],
  ] as const)(
    'a process that an earlier process of Reeve left behind and that %s',
    (_, untilMs, seenMs, sample, ends) => {
      const { factStore, see, process } = setUp();
      factStore.recallEnd('news', 1_000, untilMs);
      see(seenMs, 'exited', 'a', { exitCode: 1, ...sample });
      expect(process().ends).toEqual(ends);
      expect(process().lastEnd?.exitCode).toBe(ends.length === 0 ? undefined : 1);
    },
  );

  it('what an earlier process of Reeve saw is no evidence once this one has seen the channel run', () => {
    const { factStore, see, process } = setUp();
    see(1_000, 'running', 'a');
    factStore.recallEnd('news', 1_500, 1_500);
    see(2_000, 'exited', 'a', { exitCode: 1 });
    expect(process().ends).toEqual([2_000]);
  });

  it('who was seen to die and is down is told to whoever opens everything anew, and nobody else', () => {
    const { factStore, see } = setUp();
    see(1_000, 'exited', 'a', { exitCode: 1 });
    expect(factStore.seenDead(5_000), 'it was found dead').toEqual([]);
    see(2_000, 'running', 'b');
    expect(factStore.seenDead(5_000)).toEqual([]);
    see(3_000, 'exited', 'b', { exitCode: 1 });
    expect(factStore.seenDead(5_000)).toEqual([{ channel: 'news', agoMs: 2_000 }]);
    see(4_000, 'exited', 'b', { exitCode: 1, stoppedOnPurpose: true });
    expect(factStore.seenDead(5_000), 'it is wanted').toEqual([]);
    see(6_000, 'running', 'c');
    expect(factStore.seenDead(7_000), 'it runs again').toEqual([]);
  });

  it('who died because of a change of Reeve is not told as dead by itself', () => {
    const { factStore, see } = setUp();
    see(1_000, 'running', 'a');
    factStore.acted('news', 1_500, true);
    see(2_000, 'exited', 'a', { exitSignal: 15 });
    expect(factStore.seenDead(5_000)).toEqual([]);
  });

  it('what an earlier process of Reeve left half done explains a stop until the channel is seen to run', () => {
    const { factStore, see, process } = setUp();
    factStore.recallChange('stranger', 500);
    expect(factStore.view('stranger')).toBeUndefined();
    factStore.recallChange('news', 500);
    see(1_000, 'stopping', 'a');
    see(1_500, 'stopped', 'a', { stoppedOnPurpose: true });
    expect(process().stoppedByUs).toBe(true);
    see(2_000, 'running', 'b');
    see(3_000, 'stopped', 'b', { stoppedOnPurpose: true });
    expect(process().stoppedByUs).toBe(false);
  });

  it('what an earlier process of Reeve began may come late, to a process that is older than it, for two minutes', () => {
    const stoppedByUs = (uptimeMs: number, stopMs: number) => {
      const { factStore, see, process } = setUp();
      factStore.recallChange('news', 100_000);
      see(110_000, 'running', 'a', { uptimeMs });
      see(stopMs - 1, 'running', 'a', { uptimeMs: uptimeMs + stopMs - 110_001 });
      see(stopMs, 'stopped', 'a', { stoppedOnPurpose: true });
      return process().stoppedByUs;
    };
    expect([stoppedByUs(13_001, 150_000), stoppedByUs(13_000, 150_000)]).toEqual([true, false]);
    expect([stoppedByUs(60_000, 220_001), stoppedByUs(60_000, 220_002)]).toEqual([true, false]);
  });

  it('a change that is no restart explains a stop until it has ended; one whose end is not known, for two minutes', () => {
    const stoppedByUs = (stopMs: number, ends: readonly (number | undefined)[]) => {
      const { factStore, see, process } = setUp();
      see(1_000, 'running', 'a');
      for (const endedMs of ends) {
        factStore.acted('news', 10_000);
        if (endedMs !== undefined) factStore.changeEnded('news', endedMs, false);
      }
      see(stopMs - 1, 'running', 'a');
      see(stopMs, 'stopped', 'a', { stoppedOnPurpose: true });
      return process().stoppedByUs;
    };
    expect([stoppedByUs(45_000, [40_000]), stoppedByUs(45_001, [40_000])]).toEqual([true, false]);
    expect([stoppedByUs(130_001, [undefined]), stoppedByUs(130_002, [undefined])]).toEqual([true, false]);
    // The end of a second one says nothing of the first.
    expect(stoppedByUs(100_000, [undefined, 40_000])).toBe(true);
  });

  it('a change that is no restart says nothing of how a restart before it ended', () => {
    const { factStore, see, process } = setUp();
    see(1_000, 'running', 'a');
    factStore.acted('news', 10_000, true);
    factStore.acted('news', 20_000);
    factStore.changeEnded('news', 21_000, false);
    see(59_999, 'running', 'a');
    see(60_000, 'stopped', 'a', { stoppedOnPurpose: true });
    expect(process().stoppedByUs).toBe(true);
  });

  it('a new generation is a start, also when the death between was not seen', () => {
    const { see, starts, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'running', 'b');
    expect(starts).toEqual(['news b local']);
    expect(process()).toMatchObject({ ends: [2_000], lastEnd: { seen: false }, generation: 'b' });
  });

  it('each is reported once', () => {
    const { see, starts } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'exited');
    see(3_000, 'starting', 'b');
    see(4_000, 'running', 'b');
    see(5_000, 'running', 'b');
    expect(starts).toEqual(['news b local']);
  });

  it('a process that runs after it was first seen down is a start', () => {
    const { see, starts } = setUp();
    see(1_000, 'fatal');
    see(2_000, 'running', 'a');
    expect(starts).toEqual(['news a local']);
  });

  it('what is first seen unreadable is a baseline only when it can be read', () => {
    const { see, starts } = setUp();
    see(1_000, 'unknown');
    see(2_000, 'unknown');
    see(3_000, 'running', 'a');
    see(4_000, 'unknown');
    see(5_000, 'running', 'a');
    expect(starts).toEqual([]);
    see(6_000, 'running', 'b');
    expect(starts).toHaveLength(1);
  });

  it('are counted without pids, by running again or by a younger age', () => {
    const { see, starts } = setUp();
    see(1_000, 'running', undefined, { uptimeMs: 60_000 });
    see(2_000, 'running', undefined, { uptimeMs: 61_000 });
    see(3_000, 'exited');
    see(4_000, 'running', undefined, { uptimeMs: 500 });
    see(5_000, 'running', undefined, { uptimeMs: 1_500 });
    expect(starts).toHaveLength(1);
    see(20_000, 'running', undefined, { uptimeMs: 200 });
    expect(starts).toHaveLength(2);
  });

  it('are reported with their age in the first sample, once, where the engine gives one', () => {
    const { see, found } = setUp();
    see(1_000, 'unknown', undefined, { uptimeMs: 7_000 });
    see(2_000, 'running', 'a', { uptimeMs: 8_000 });
    see(3_000, 'running', 'a', { uptimeMs: 9_000 });
    see(4_000, 'running', 'b', { uptimeMs: 100 });
    expect(found).toEqual(['a 8000']);
  });

  it('are reported with their age where the engine gives no name to a process, and not where it gives no age', () => {
    const named = setUp();
    named.see(9_000, 'running', undefined, { uptimeMs: 8_000 });
    named.see(10_000, 'running', undefined, { uptimeMs: 9_000 });
    expect(named.found).toEqual(['seen-1000 8000']);
    const ageless = setUp();
    ageless.see(1_000, 'running', 'a');
    expect(ageless.found).toEqual([]);
  });

  it('are not reported by the first sample where the process has ended', () => {
    const { see, found } = setUp();
    see(1_000, 'exited', 'a', { uptimeMs: 8_000 });
    expect(found).toEqual([]);
  });

  it('quick retries of the engine are visible one by one', () => {
    const { see, starts, process } = setUp();
    see(1_000, 'running', 'a');
    for (let retry = 1; retry <= 4; retry += 1) {
      see(1_000 + retry * 1_000, 'backoff');
      see(1_500 + retry * 1_000, 'starting', `r${retry}`);
    }
    see(6_000, 'fatal');
    expect(starts).toHaveLength(4);
    expect(process().ends).toHaveLength(5);
    expect(process().failedProcesses).toBe(5);
  });

  it('take the name of the actor that began them', () => {
    const { factStore, see, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'running', 'b');
    factStore.started('news', 'reeve', 'b');
    expect(process().starts).toEqual([{ monoMs: 2_000, generation: 'b', origin: 'reeve' }]);
  });
});

describe('ends', () => {
  it('within an action of Reeve are its own; those of a generation that it began are not', () => {
    const { factStore, see, process } = setUp();
    see(1_000, 'running', 'a');
    factStore.acted('news', 60_000);
    see(60_500, 'running', 'b');
    expect(process().ends).toEqual([]);
    see(61_000, 'exited', undefined, { exitCode: 1 });
    expect(process()).toMatchObject({ ends: [61_000], lastEnd: { ordered: false, exitCode: 1 } });
  });

  it('that a person ordered do not count', () => {
    const { see, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'stopped', undefined, { stoppedOnPurpose: true });
    expect(process()).toMatchObject({ ends: [], lastEnd: { ordered: true }, stoppedByUs: false });
  });

  it('report their exit code also when it is known one poll later', () => {
    const { see, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'exited');
    see(3_000, 'exited', undefined, { exitCode: 139 });
    expect(process().lastEnd).toMatchObject({ monoMs: 2_000, exitCode: 139 });
  });

  it('reset the series when a process generation has run for 30 s and not before', () => {
    const { see, process } = setUp();
    see(1_000, 'running', 'a');
    see(2_000, 'running', 'b');
    see(3_000, 'running', 'c');
    expect(process().failedProcesses).toBe(2);
    see(32_999, 'running', 'c');
    expect(process().failedProcesses).toBe(2);
    see(33_000, 'running', 'c');
    expect(process().failedProcesses).toBe(0);
  });
});

describe('the board', () => {
  it('counts what belongs to no channel and keeps nothing of it', () => {
    const { factStore } = setUp();
    factStore.observe({ kind: 'viewers', channel: 'stranger', at: 0, monoMs: 0, source: 's', viewers: 3 });
    factStore.observe({ kind: 'credential', engine: 'stranger', at: 0, monoMs: 0, source: 's', ok: false });
    expect(factStore.strays).toBe(2);
    expect(factStore.view('stranger')).toBeUndefined();
  });

  it('keeps what it knows of the channels that a new configuration still has', () => {
    const { factStore, see, process } = setUp();
    see(1_000, 'running', 'a');
    factStore.configure({ channels: [setupOf('news', { group: 'other' }), setupOf('more')], engines: [ENGINE] });
    expect(process().generation).toBe('a');
    expect(factStore.view('news')?.setup.group).toBe('other');
    expect(factStore.view('more')?.process).toBeUndefined();
  });

  it('stays bounded under a flood', () => {
    const { factStore, see, process } = setUp();
    for (let round = 0; round < 500; round += 1) see(round * 1_000, 'running', `g${round}`);
    for (let change = 0; change < 500; change += 1) {
      const sample = { kind: 'playlist', channel: 'news', at: 0, monoMs: change, source: 's', ok: true } as const;
      factStore.observe({ ...sample, revision: `r${change}` });
      factStore.observe({
        kind: 'progress',
        channel: 'news',
        at: 0,
        monoMs: change * 2_000,
        source: 's',
        outTimeMs: change,
        frame: 1,
      });
    }
    const view = factStore.view('news')!;
    expect([process().starts.length, process().ends.length]).toEqual([16, 16]);
    expect(view.output?.revisions.length).toBe(6);
    expect(view.progress?.spaced.length).toBe(16);
  });

  it('sees a rise of the kernel counter, and not its first reading', () => {
    const { factStore } = setUp();
    const host = (monoMs: number, oomKills: number | undefined) =>
      factStore.observe({
        kind: 'host',
        engine: 'local',
        at: 0,
        monoMs,
        source: 'h',
        disks: [],
        oomKills,
        cpuPressure: undefined,
      });
    host(1_000, 7);
    expect(factStore.hostFacts('local')?.oomRoseMs).toBeUndefined();
    host(2_000, 8);
    expect(factStore.hostFacts('local')?.oomRoseMs).toBe(2_000);
  });
});
