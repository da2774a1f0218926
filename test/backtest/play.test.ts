import { describe, expect, it } from 'vitest';
import { detectorOf } from '../../src/app/policy_tests.ts';
import { play, type PlayOrder } from '../../src/backtest/play.ts';
import { settingsFor } from '../../src/backtest/policies.ts';
import type { Scene } from '../../src/backtest/scene.ts';
import type { Configuration } from '../../src/config/load.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Sample } from '../../src/core/sample.ts';
import { ALL_CAPABILITIES } from '../../src/replay/recording_engine.ts';
import { aPersona } from '../support/a.ts';
import { at, recorded, SHIPPED, story } from './support.ts';

const persona = SHIPPED.personas.find(({ id }) => id === 'system_admin') ?? aPersona();
const settings = settingsFor(
  { name: '', persona, rules: SHIPPED.rules },
  { limits: DEFAULT_LIMITS, phase: 4, otherwise: undefined },
);

type Line = readonly [second: number, text: string];
/** A log whose lines are in memory. */
const log = (source: string, lines: readonly Line[], channel = 'news') => ({
  ...{ path: source, source, channel, format: undefined },
  lines: lines.map(([second, text]) => ({ at: at(second), text })),
});
const sample = (kind: string, second: number, with_: object = {}) =>
  ({ kind, at: at(second), source: 'recorded', channel: 'news', ok: true, ...with_ }) as unknown as Sample;
const process = (second: number, with_: object = {}) =>
  sample('process', second, { engine: 'local', state: 'running', generation: '1', stoppedOnPurpose: false, ...with_ });

/** Plays a recording of `news` that begins at second 0; what the detector is given is kept. */
async function played(scene: Partial<Scene>, with_: Partial<PlayOrder> = {}) {
  const heard: { second: number; text: string; source: string; backlog: boolean }[] = [];
  const named: unknown[] = [];
  const read: string[] = [];
  let ticks = 0;
  const result = await play({
    scene: {
      ...{ logs: [], samples: [], channels: ['news'], from: at(0), setting: { year: 2026, offsetMinutes: 0 } },
      ...{ undated: [], ...scene },
    } as Scene,
    ...{ settings, configuration: undefined, setups: [], sourceEngines: new Map(), capabilities: new Map() },
    createDetector: (ports) => {
      const { detector, readLog } = detectorOf(SHIPPED)(ports);
      named.push(...ports.channels);
      ports.clock.every(60_000, () => {
        ticks += 1;
      });
      const accept: typeof detector.accept = (chunk) => {
        const { bytes, start, end, source, backlog } = chunk;
        const text = bytes.toString('utf8', start, end).trimEnd();
        heard.push({ second: (ports.clock.now() - at(0)) / 1_000, text, source, backlog });
        expect([chunk.at, chunk.monoMs]).toEqual([ports.clock.now(), ports.clock.monotonicMs()]);
        return detector.accept(chunk);
      };
      const recognised = (channel: string) => {
        read.push(channel);
        return readLog(channel);
      };
      return { detector: { ...detector, accept }, readLog: recognised };
    },
    ...with_,
  });
  const { replica } = result;
  const setup = replica.pipeline.factStore.channels[0]!;
  return { ...result, heard, named, read, setup, ticks: () => ticks, facts: replica.entries.map(({ fact }) => fact) };
}

describe('a recording that is played', () => {
  it('comes in the order of its times, whatever log a line is in', async () => {
    const { heard, tallies } = await played({
      logs: [
        log('b.log', [
          [1, 'one'],
          [3, 'three'],
        ]),
        log('a.log', [
          [0, 'zero'],
          [2, 'two'],
          [4, 'four'],
        ]),
      ],
    });
    expect(heard.map(({ second, text, source }) => [second, text, source])).toEqual([
      [0, 'zero', 'a.log'],
      [1, 'one', 'b.log'],
      [2, 'two', 'a.log'],
      [3, 'three', 'b.log'],
      [4, 'four', 'a.log'],
    ]);
    expect(heard.some(({ backlog }) => backlog)).toBe(false);
    expect(tallies.map(({ source, lines }) => [source, lines])).toEqual([
      ['b.log', 2],
      ['a.log', 3],
    ]);
  });

  it('takes at one moment first what was named first', async () => {
    const { heard } = await played({ logs: [log('b.log', [[1, 'first']]), log('a.log', [[1, 'second']])] });
    expect(heard.map(({ text }) => text)).toEqual(['first', 'second']);
  });

  it('may hold logs that are read from their files, and logs in which nothing stands', async () => {
    const [path] = recorded({ 'news.log': 'one\ntwo\n' });
    const { heard } = await played({
      logs: [{ path: path!, source: 'news.log', channel: 'news', format: undefined, lines: undefined }, log('b', [])],
    });
    expect(heard.map(({ text }) => text).join('\n')).toBe('one\ntwo');
  });

  it('ends ten seconds after its last record', async () => {
    const { replica, from, to, samples } = await played({ samples: [sample('viewers', 7, { viewers: 1 })] });
    expect([from, to, samples, replica.clock.now()]).toEqual([at(0), at(7), 1, at(17)]);
    expect((await played({})).replica.clock.now()).toBe(at(10));
  });

  it('leaves nothing behind that goes on when it is over', async () => {
    const { replica } = await played({ samples: [process(0), process(1, { state: 'exited', exitSignal: 11 })] });
    const before = replica.entries.length;
    await replica.runUntil(replica.clock.monotonicMs() + 600_000);
    expect([before > 1, replica.entries.length - before]).toEqual([true, 0]);
  });
});

describe('a stretch without any record', () => {
  const timePassed = async (ms: number, samples: readonly Sample[] = []) => {
    const last = sample('viewers', 0, { at: at(0) + ms, viewers: 1 });
    const course = await played({ samples: [...samples, last] });
    expect(course.replica.clock.now()).toBe(at(10) + ms);
    return course.ticks();
  };

  it('is played in full up to ten minutes, and skipped from a millisecond more', async () => {
    expect(await timePassed(600_000)).toBe(10);
    expect(await timePassed(600_001)).toBe(1);
  });

  it('is played in full while an incident is open', async () => {
    const gone = process(1, { state: 'exited', exitSignal: 11 });
    expect(await timePassed(1_200_000, [process(0), gone])).toBeGreaterThanOrEqual(20);
  });
});

describe('the samples of a recording', () => {
  it('are taken at their time, those of one moment as one look', async () => {
    const seconds = [0, 1, 2, 3].flatMap((second) => [
      process(second),
      sample('playlist', second, { revision: `${second}` }),
    ]);
    const { replica, facts } = await played({ samples: seconds });
    const { process: last } = replica.pipeline.factStore.view('news')!;
    expect(last?.lastMs).toBe(replica.clock.monoAt(at(3)));
    expect(facts.some(({ type }) => type === 'incident.opened')).toBe(false);
  });

  it('of an engine and its credential are what the engine says of itself from then on', async () => {
    const engine = sample('engine', 1, { engine: 'local', poolPressure: 0.4, reportsPool: true });
    const credential = sample('credential', 1, { engine: 'local' });
    const { replica } = await played({
      samples: [engine, credential, sample('host', 1, { engine: 'other', disks: [] })],
    });
    expect([...replica.engines.keys()]).toEqual(['local', 'other', 'recorded']);
    const report = await replica.engines.get('local')!.observe();
    expect(report).toMatchObject({ engine: { poolPressure: 0.4 }, credential: { kind: 'credential' } });
    await expect(replica.engines.get('other')!.observe()).rejects.toThrow('does not contain');
  });

  it('lead to decisions, for which the log of the channel is read as a whole', async () => {
    const samples = story('news', { diesAt: 20, backAt: 90, until: 60 }) as readonly Record<string, unknown>[];
    const wired = samples.map(({ exit_signal: exitSignal, cpu_ms: cpuMs, ...rest }) => ({
      ...{ source: 'recorded', stoppedOnPurpose: false, exitSignal, cpuMs, ...rest },
    }));
    const { facts, read, replica } = await played({ samples: wired as unknown as readonly Sample[] });
    expect(facts.some(({ type }) => type === 'tool.started')).toBe(true);
    expect([...new Set(read)]).toEqual(['news']);
    expect(replica.failures).toEqual([]);
  });
});

describe('the lines of a recording', () => {
  it('are read by the detector of the daemon: for symptoms, and for the progress of an encoder', async () => {
    const progress = 'frame=  250 fps= 25 q=-1.0 size=    512kB time=00:00:10.00 bitrate= 419.4kbits/s speed=   1x';
    const full = 'av_interleaved_write_frame(): No space left on device';
    const lines: readonly Line[] = [
      [1, progress],
      [2, full],
    ];
    const { facts, replica } = await played({ logs: [log('news.err', lines)], samples: [process(0), process(3)] });
    expect(facts.flatMap((fact) => (fact.type === 'symptom.raised' ? [fact.symptom.kind] : []))).toContain('disk_full');
    expect(replica.pipeline.factStore.view('news')?.progress).toBeDefined();
  });
});

describe('a log of a recording that is configured in another form', () => {
  const lines: readonly Line[] = [[1, '{"log":"said \\"so\\"\\n","stream":"stderr","time":"2026-07-28T12:00:01Z"}']];

  it('is decoded as in the daemon', async () => {
    const { heard } = await played({ logs: [{ ...log('news', lines), written: 'docker_json' }] });
    expect(heard.map(({ text }) => text)).toEqual(['said "so"']);
  });

  it('says nothing where it holds reports of an encoder, whose times are not known', async () => {
    const reports = log('news', [[1, 'out_time=00:00:01.000000\nprogress=continue']]);
    const { heard, facts } = await played({ logs: [{ ...reports, written: 'ffmpeg_progress' }] });
    expect([heard, facts.filter(({ type }) => type.startsWith('incident'))]).toEqual([[], []]);
  });
});

describe('a channel of a recording', () => {
  it('was looked at as far as the recording shows, and belongs to the engine that its process names', async () => {
    const none = await played({ logs: [log('a.log', [[0, 'x']])] });
    expect(none.setup).toMatchObject({
      engine: 'recorded',
      group: 'recorded',
      hasSource: false,
      hasOutputProbe: false,
    });
    expect(none.setup).toMatchObject({
      expected: 'always',
      stallAfterMs: 6_000,
      outputEveryMs: 2_000,
      sourceEveryMs: 10_000,
    });
    const seen = await played({ samples: [process(0), sample('source', 0, { host: '' }), sample('playlist', 0)] });
    expect(seen.setup).toMatchObject({ engine: 'local', group: 'local', hasSource: true, hasOutputProbe: true });
    expect((await played({ samples: [sample('reach', 0)] })).setup).toMatchObject({
      hasSource: false,
      hasOutputProbe: true,
    });
    expect((await played({ samples: [sample('playlist', 0, { channel: 'sport' })] })).setup.hasOutputProbe).toBe(false);
  });

  it('is as it is configured, where it is', async () => {
    const known = {
      ...{ id: 'news', engine: 'own', group: 'g', expected: 'on_demand', stallAfterMs: 9_000, outputEveryMs: 3_000 },
      ...{ sourceEveryMs: 7_000, outputCalmEveryMs: 20_000, sourceCalmEveryMs: undefined, publishesTo: 'radio:8000' },
      ...{ hasSource: true, hasOutputProbe: true },
    };
    const engine = { id: 'own', poll: 4_000, autorestart_grace: 5_000, host: { every: 30_000 } };
    const channels = [{ id: 'news', name: 'The News' }];
    const configuration = { config: { channels, engines: [engine] } } as unknown as Configuration;
    const host = sample('host', 0, { engine: 'own', disks: [] });
    const capabilities = new Map([['own', new Set(['restart'] as const)]]);
    const { setup, named, replica } = await played({ samples: [process(0), host] }, {
      configuration,
      setups: [known],
      capabilities,
    } as Partial<PlayOrder>);
    expect(named).toEqual([{ id: 'news', name: 'The News', engine: 'own' }]);
    // Nobody looked at its source or its output.
    expect(setup).toEqual({ ...known, hasSource: false, hasOutputProbe: false });
    const { factStore } = replica.pipeline;
    expect(factStore.engineSetup('own')).toMatchObject({
      pollMs: 4_000,
      autorestartGraceMs: 5_000,
      hostEveryMs: 30_000,
    });
    expect(factStore.engineSetup('local')).toMatchObject({
      pollMs: 1_000,
      autorestartGraceMs: 1_000,
      hostEveryMs: undefined,
    });
    expect(replica.engines.get('own')!.capabilities).toEqual(new Set(['restart']));
    expect(replica.engines.get('local')!.capabilities).toBe(ALL_CAPABILITIES);
  });

  it('has the machine of its engine looked at only where the recording shows such looks', async () => {
    const { replica, named } = await played({ samples: [process(0), sample('host', 0, { engine: 'far', disks: [] })] });
    expect(replica.pipeline.factStore.engineSetup('far')).toMatchObject({ hostEveryMs: 10_000 });
    expect(replica.pipeline.factStore.engineSetup('local')?.hostEveryMs).toBeUndefined();
    expect(named).toEqual([{ id: 'news', name: 'news' }]);
  });
});
