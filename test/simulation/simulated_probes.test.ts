import { describe, expect, it } from 'vitest';
import type { EngineReport } from '../../src/core/engine.ts';
import type { Sample } from '../../src/core/sample.ts';
import {
  type ProbeMode,
  SimulatedProbes,
  type SimulatedProbesDeps,
  slotOf,
} from '../../src/simulation/simulated_probes.ts';
import { refuseCredentials } from '../../src/simulation/treatments.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aPlan, plansOf, plant } from './plant.ts';

type Of<K extends Sample['kind']> = Extract<Sample, { kind: K }>;

/** Probes of one service. Reeve's clock begins at second 1,000; the world's at 0. */
function looking(
  plans = plansOf(1),
  observe?: (engine: string) => Promise<EngineReport>,
  looks?: SimulatedProbesDeps['looks'],
) {
  const world = plant(plans);
  const { clock, advance } = fakeClock();
  const seen: Sample[] = [];
  const state = { mode: 'well' as ProbeMode, answers: true, settled: 0 };
  const probes = new SimulatedProbes({
    ...{ seed: 1, clock, service: world.service, engines: [...new Set(plans.map(({ engine }) => engine))] },
    probe: () => state.mode,
    engineAnswers: () => state.answers,
    pool: () => ({ pressure: 0.4 }),
    take: (sample) => seen.push(sample),
    settle: () => {
      state.settled += 1;
    },
    ...{ observe, looks },
  });
  const kinds = () => seen.splice(0).map(({ kind }) => kind);
  /** What a whole look sees of the kind. */
  const look = <K extends Sample['kind']>(kind: K): readonly Of<K>[] => {
    seen.length = 0;
    probes.look(true);
    return seen.filter((sample): sample is Of<K> => sample.kind === kind);
  };
  return { ...world, clock, probes, seen, state, kinds, look, advance };
}

describe('the looks of probes', () => {
  it('come every five seconds, at the source every ten, and at viewers every thirty', async () => {
    const { kinds, advance, clock, state } = looking();
    const bySecond: [number, string][] = [];
    for (let second = 0; second < 30; second += 1) {
      await advance(1_000);
      const found = kinds();
      if (found.length > 0) bySecond.push([clock.monotonicMs() / 1_000, found.join(' ')]);
    }
    expect(bySecond).toEqual([
      [1_005, 'engine process playlist'],
      [1_010, 'engine process playlist source'],
      [1_015, 'engine process playlist'],
      [1_020, 'engine process playlist source viewers'],
      [1_025, 'engine process playlist'],
      [1_030, 'engine process playlist source'],
    ]);
    expect(state.settled).toBe(6);
    await advance(30_000);
    expect(kinds().filter((kind) => kind === 'viewers')).toHaveLength(1);
  });

  it('come every second at a channel in doubt, and at its source every two, for as long as that is asked for', async () => {
    const { kinds, advance, probes, clock } = looking(plansOf(2));
    await advance(5_000);
    kinds();
    probes.lookCloser(['ch0'], 3_000);
    expect(probes.fastUntilMs).toBe(clock.monotonicMs() + 3_000);
    await advance(1_000);
    expect(kinds()).toEqual(['process', 'playlist', 'source']);
    await advance(1_000);
    expect(kinds()).toEqual(['process', 'playlist']);
    await advance(1_000);
    expect(kinds()).toEqual([]);
  });

  it('are not asked for a shorter time than before, and not at all where nothing is wanted', () => {
    const { probes, clock } = looking();
    probes.lookCloser(['ch0'], 9_000);
    probes.lookNow('ch0', ['output']);
    expect(probes.fastUntilMs).toBe(clock.monotonicMs() + 9_000);
    const other = looking();
    other.probes.lookNow('ch0', []);
    expect(other.probes.fastUntilMs).toBe(0);
    other.probes.lookNow('ch0', ['output']);
    expect(other.probes.fastUntilMs).toBe(other.clock.monotonicMs() + 3_000);
  });

  it('may be one at everything, which is remembered, and each is one look', async () => {
    const { probes, kinds, clock, state, advance } = looking(plansOf(2));
    await advance(3_000);
    expect(probes.wholeLookMs).toBeUndefined();
    probes.look(true);
    expect(kinds()).toEqual([
      'engine',
      ...['process', 'playlist', 'source', 'viewers'],
      ...['process', 'playlist', 'source', 'viewers'],
    ]);
    expect([probes.wholeLookMs, state.settled]).toEqual([clock.monotonicMs(), 1]);
    await advance(16_999);
    expect(probes.wholeLookMs).toBe(1_003_000);
    await advance(1);
    expect(probes.wholeLookMs).toBe(1_020_000);
  });

  it('are left to the real probes where those look, which hear of all else that is seen', async () => {
    const heard: string[] = [];
    const { kinds, advance, probes } = looking(plansOf(1), undefined, {
      now: (channel, wants) => heard.push(`now ${channel} ${wants?.join()}`),
      fast: (channel, forMs) => heard.push(`fast ${channel} ${forMs}`),
      disturb: (channel) => heard.push(`disturb ${channel}`),
      saw: ({ kind }) => heard.push(`saw ${kind}`),
    });
    await advance(1_000);
    expect(kinds()).toEqual(['engine', 'process']);
    await advance(1_000);
    expect(kinds()).toEqual(['engine', 'process']);
    expect(heard.splice(0)).toEqual(['saw engine', 'saw process', 'saw engine', 'saw process']);
    probes.lookCloser(['ch0'], 3_000);
    probes.lookNow('ch0', ['output']);
    probes.disturb('ch0');
    expect(heard).toEqual(['fast ch0 3000', 'now ch0 output', 'disturb ch0']);
    await advance(30_000);
    expect(probes.wholeLookMs).toBeUndefined();
  });

  it('end with the process that they belong to', async () => {
    const { probes, kinds, advance } = looking();
    probes[Symbol.dispose]();
    await advance(60_000);
    expect(kinds()).toEqual([]);
  });
});

describe('what is seen of a process', () => {
  it('is its name, its age and its time of work by the clock of the world', () => {
    const { look, until, service, clock } = looking();
    until(10_000);
    const { generation } = service.at('ch0').process;
    expect(look('process')).toMatchObject([
      {
        ...{ channel: 'ch0', engine: 'e0', state: 'running', generation, pid: Number(generation.split(':')[0]) },
        ...{ uptimeMs: 3_610_000, cpuMs: 3_610_000, halted: false, exitCode: undefined, stoppedOnPurpose: false },
        ...{ at: clock.now(), monoMs: clock.monotonicMs() },
      },
    ]);
    service.freeze('ch0');
    until(20_000);
    expect(look('process')).toMatchObject([{ state: 'running', uptimeMs: 3_620_000, cpuMs: 3_610_000, halted: true }]);
  });

  it('is how it ended', () => {
    const { look, service } = looking();
    service.crash('ch0', { exitSignal: 9 });
    expect(look('process')).toMatchObject([
      { state: 'exited', exitSignal: 9, pid: undefined, uptimeMs: undefined, cpuMs: undefined, halted: undefined },
    ]);
    service.stop('ch0', 'human');
    expect(look('process')).toMatchObject([{ state: 'stopped', stoppedOnPurpose: true }]);
  });

  it('is nothing where the engine does not answer or the probe is gone, and may be a lie', () => {
    const world = looking();
    world.state.answers = false;
    expect(world.look('process')).toEqual([]);
    world.state.answers = true;
    world.state.mode = 'gone';
    expect([world.look('process'), world.look('playlist')]).toEqual([[], []]);
    world.state.mode = 'says_dead';
    expect(world.look('process')).toMatchObject([
      { state: 'exited', exitCode: 1, pid: undefined, uptimeMs: undefined },
    ]);
    expect(world.service.at('ch0').state).toBe('running');
  });
});

describe('what is seen of the output', () => {
  it('is how many segments there are, or what a probe says that lies', () => {
    const { look, service, state, until, clock } = looking();
    const shown = () => look('playlist')[0]!.mediaSequence;
    const truth = shown()!;
    expect(truth).toBe(service.segments(service.at('ch0')));
    until(10_000);
    expect(shown()).toBe(truth + 5);
    state.mode = 'says_still';
    expect(shown()).toBe(7);
    state.mode = 'says_moving';
    expect(shown()).toBe(clock.monotonicMs() / 2_000);
    expect(look('playlist')).toMatchObject([
      { ok: true, revision: `r${clock.monotonicMs() / 2_000}`, targetDurationMs: 2_000 },
    ]);
  });
});

describe('what is seen of a source', () => {
  it('is whether it answers, and how it refuses', () => {
    const { look, service, until } = looking();
    expect(look('source')).toMatchObject([{ ok: true, status: 200, host: 'origin-g0:443' }]);
    service.outage('g0', 1_000);
    expect(look('source')).toMatchObject([{ ok: false, failure: 'refused' }]);
    until(1_000);
    refuseCredentials(service, 'g0', 1_000);
    expect(look('source')).toMatchObject([{ ok: false, failure: 'http_status', status: 401 }]);
    until(2_000);
    service.origins.outdate('g0', 1_000);
    expect(look('source')).toMatchObject([{ ok: false, status: 403 }]);
  });

  it('is nothing where the channel has none', () => {
    expect(looking([aPlan('ch0', { hasSource: false })]).look('source')).toEqual([]);
  });
});

describe('a noisy observation', () => {
  it('fails at about three looks of ten, and knows no process at one of ten', async () => {
    const world = looking();
    world.state.mode = 'noise';
    const failed = { playlist: 0, source: 0, process: 0 };
    for (let count = 0; count < 400; count += 1) {
      await world.advance(1);
      failed.playlist += world.look('playlist')[0]!.ok ? 0 : 1;
      failed.source += world.look('source')[0]!.ok ? 0 : 1;
      failed.process += world.look('process')[0]!.state === 'unknown' ? 1 : 0;
    }
    const share = (count: number) => count / 400;
    expect([share(failed.playlist), share(failed.source)].every((one) => one > 0.2 && one < 0.4)).toBe(true);
    expect(share(failed.process)).toBeGreaterThan(0.03);
    expect(share(failed.process)).toBeLessThan(0.2);
  });
});

describe('what is seen of an engine', () => {
  it('is its pool, while it answers', () => {
    const { look, state, probes } = looking([aPlan('ch0'), aPlan('ch1', { engine: 'e1' })]);
    expect(look('engine')).toMatchObject([
      { engine: 'e0', ok: true, poolPressure: 0.4 },
      { engine: 'e1', ok: true },
    ]);
    expect(probes.report('e1')).toMatchObject({ engine: { engine: 'e1', ok: true }, processes: [], viewers: [] });
    state.answers = false;
    expect(look('engine')[0]).toMatchObject({ ok: false, failure: 'timeout', poolPressure: undefined });
  });

  it('through an adapter is what that finds, of the channels that are due, one look at a time', async () => {
    const answers: ((report: EngineReport) => void)[] = [];
    const world = looking(plansOf(2), () => new Promise((resolve) => answers.push(resolve)));
    const process = { kind: 'process', engine: 'e0', state: 'running', generation: '1' } as unknown as Of<'process'>;
    const report = {
      processes: ['ch0', 'ch1', 'else'].map((channel) => ({ ...process, channel })),
    } as unknown as EngineReport;
    expect(world.look('process')).toEqual([]);
    world.probes.look(true);
    expect(answers).toHaveLength(1);
    world.kinds();
    answers[0]!(report);
    await world.advance(0);
    expect(world.seen.map((sample) => 'channel' in sample && sample.channel)).toEqual(['ch0', 'ch1']);
    world.kinds();
    world.state.mode = 'gone';
    world.probes.look(true);
    expect(answers).toHaveLength(2);
    world.kinds();
    answers[1]!(report);
    await world.advance(0);
    expect(world.kinds()).toEqual([]);
  });
});

describe('a slot in the second', () => {
  it('depends on the seed and the channel', () => {
    expect(new Set([slotOf(1, 'a'), slotOf(1, 'b'), slotOf(2, 'a')]).size).toBe(3);
    expect(slotOf(1, 'a')).toBe(slotOf(1, 'a'));
  });
});
