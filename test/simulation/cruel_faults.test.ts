import { describe, expect, it } from 'vitest';
import type { Sample } from '../../src/core/sample.ts';
import { PolicyFile } from '../../src/simulation/policy_file.ts';
import { SampleFaults, type SampleFault } from '../../src/simulation/sample_faults.ts';
import { COURSES, HALF_MODES } from '../../src/simulation/sim_engine.ts';
import { SimulatedHost } from '../../src/simulation/virtual_time.ts';
import { aPersona } from '../support/a.ts';
import { serviceEnvironment } from '../support/service_environment.ts';

const M = 60_000;

describe('a restart that is no single act', () => {
  it('is one of five courses for as long as the fault lasts, and whole again afterwards', () => {
    for (const [index, mode] of HALF_MODES.entries()) {
      const { inject, injector, until } = serviceEnvironment();
      inject('half_restart', { target: 'e0', forMs: M, variant: (index + 0.5) / HALF_MODES.length });
      expect(injector.callMode('e0')).toBe(mode);
      until(M);
      expect(injector.callMode('e0')).toBe('well');
    }
  });

  it('stops at once, and starts much later or never', () => {
    const stops = HALF_MODES.filter((mode) => COURSES[mode].stopMs !== undefined);
    expect(stops).toHaveLength(4);
    expect(stops.filter((mode) => COURSES[mode].effectMs === undefined)).toHaveLength(3);
    expect(Math.min(...HALF_MODES.map((mode) => COURSES[mode].effectMs ?? Infinity))).toBeGreaterThanOrEqual(25_000);
  });

  it('leaves a channel that Reeve stopped down, and not as a person wants it', () => {
    const { service } = serviceEnvironment();
    service.stop('ch0', 'reeve');
    service.stop('ch1', 'human');
    expect(service.at('ch0').state).toBe('stopped');
    expect(['ch0', 'ch1'].map((id) => service.statusOf(service.at(id)))).toEqual(['curable', 'stopped']);
    expect(service.downtime.episodes.map(({ channel }) => channel)).toEqual(['ch0']);
  });
});

describe('an engine that never gives up', () => {
  it('starts what died every two seconds for as long as the source is out, and has it back when that ends', () => {
    const { service, inject, processes, until } = serviceEnvironment(1);
    inject('keen_engine', { target: 'e0', forMs: 30 * M, variant: 0.9 });
    service.unfit('ch0', 2 * M, 500);
    until(2 * M);
    const births = processes.map(({ bornMs }) => bornMs);
    expect(births.length).toBeGreaterThan(40);
    expect(births.slice(1).every((ms, at) => ms - births[at]! === 2_500)).toBe(true);
    until(3 * M);
    expect(service.statusOf(service.at('ch0'))).toBe('playing');
  });

  it('gives up after a few tries when it is configured to', () => {
    const { service, processes, until } = serviceEnvironment(1);
    service.unfit('ch0', 2 * M, 500);
    until(3 * M);
    // A start and three more tries, after a process that had run for long.
    expect(processes).toHaveLength(4);
    expect(service.at('ch0').state).toBe('fatal');
  });

  it('has one channel that cannot live, half of the times', () => {
    const { inject, processes, until } = serviceEnvironment(3);
    inject('keen_engine', { target: 'e0', forMs: M, variant: 0.1 });
    until(M);
    expect(new Set(processes.map(({ channel }) => channel))).toEqual(new Set(['ch0']));
    expect(processes.length).toBeGreaterThan(15);
  });
});

describe('a person at work', () => {
  it.each([
    ['starts it again when done', 0.2, M],
    ['forgets it for an hour', 0.8, 60 * M],
  ])('stops a channel and %s', (_, variant, startedMs) => {
    const { service, inject, until } = serviceEnvironment();
    inject('stopped_by_hand', { forMs: M, variant });
    until(startedMs - 1);
    expect(service.at('ch0')).toMatchObject({ state: 'stopped', stoppedBy: 'human' });
    until(startedMs);
    expect(service.at('ch0').process.by).toBe('human');
  });

  it('restarts a whole group one by one, and leaves alone what another person has stopped', () => {
    const { service, inject, processes, until } = serviceEnvironment(4);
    service.stop('ch2', 'human');
    inject('rolled_by_hand', { target: 'g0' });
    until(M);
    expect(processes.map(({ channel, bornMs }) => `${channel} ${bornMs}`)).toEqual(['ch0 0', 'ch1 3000', 'ch3 9000']);
  });

  it('writes a policy that is tighter, looser or broken, and takes it back', () => {
    let nowMs = 0;
    const due: { atMs: number; run: () => void }[] = [];
    const persona = aPersona({ restart_cap: 2 });
    const at = (atMs: number, run: () => void) => due.push({ atMs, run });
    const file = new PolicyFile(persona, { nowMs: () => nowMs, at, untouchable: new Set(['ch7']) });
    expect(file.personaOf('ch0')).toBe(persona);
    expect(file.personaOf('ch7').tool_access_policy.restart_channel).toBe('deny');
    const seen = Array.from({ length: 7 }, (_, at) => {
      file.reload((at + 0.5) / 7, M);
      return file.persona;
    });
    expect(seen[0]!.tool_access_policy.restart_channel).toBe('deny');
    expect(seen.map(({ restart_cap }) => restart_cap)).toEqual([2, 0, 1, 2, 2, 5, 5]);
    expect(seen[3]!.operational_mode).toBe('diagnostic');
    nowMs = M;
    due.at(-2)!.run();
    expect(file.persona.restart_cap).toBe(5);
    due.at(-1)!.run();
    expect(file.persona).toBe(persona);
  });
});

describe('another tool on the same engine', () => {
  it('starts what is down every ten seconds until its time is over, and not what a person stopped', () => {
    const { service, inject, processes, until, at } = serviceEnvironment(2);
    service.stop('ch1', 'human');
    inject('other_tool', { target: 'e0', forMs: M });
    at(15_000, () => service.crash('ch0', { exitCode: 1 }));
    at(M + 1, () => service.crash('ch0', { exitCode: 1 }));
    until(5 * M);
    expect(processes.map(({ channel, bornMs, by }) => `${channel} ${bornMs} ${by}`)).toEqual(['ch0 20000 human']);
  });
});

describe('the name of a process', () => {
  it('comes again once', () => {
    const { service, inject, processes } = serviceEnvironment(1);
    const first = service.at('ch0').process.generation;
    inject('same_name');
    for (let n = 0; n < 2; n += 1) service.restart('ch0', 'engine');
    expect(processes.map(({ generation }) => generation === first)).toEqual([true, false]);
  });
});

describe('Reeve itself', () => {
  it.each([
    ['graceful_stop', 'stop for 5000'],
    ['reload', 'reload 0.5 for 5000'],
    ['moved', 'move for 5000'],
  ] as const)('is done to: %s', (kind, expected) => {
    const { inject, calls } = serviceEnvironment();
    inject(kind, { target: '', forMs: 5_000 });
    expect(calls).toEqual([expected]);
  });

  it('finds another name and weeks of uptime on another machine', () => {
    const host = new SimulatedHost(() => 5_000);
    const [id, upMs] = [host.bootId, host.monotonicMs()];
    host.move();
    expect(host.bootId).not.toBe(id);
    expect(host.monotonicMs() - upMs).toBeGreaterThan(30 * 86_400_000);
  });
});

describe('samples on their way', () => {
  const playlist = (monoMs: number): Sample => ({
    ...{ kind: 'playlist', channel: 'ch0', source: 'probe', ok: true },
    ...{ at: monoMs, monoMs, revision: `r${monoMs}` },
  });

  /** One sample every two seconds for 20 s; what arrives when, and which it is. */
  function arrivals(fault: SampleFault | undefined): readonly (readonly [nowMs: number, revision: string])[] {
    const { at, nowMs, until } = serviceEnvironment();
    const seen: [number, string][] = [];
    const faults = new SampleFaults({
      seed: 1,
      nowMs,
      after: (delayMs, run) => at(nowMs() + delayMs, run),
      faultOf: () => fault,
      take: (sample) => seen.push([nowMs(), sample.kind === 'playlist' ? (sample.revision ?? '') : '']),
    });
    for (let ms = 2_000; ms <= 20_000; ms += 2_000) at(ms, () => faults.take(playlist(ms)));
    until(M);
    return seen;
  }
  const ageOf = ([nowMs, revision]: readonly [number, string]): number => nowMs - Number(revision.slice(1));

  it('arrive as they are where nothing is wrong', () => {
    expect(arrivals(undefined).map(ageOf)).toEqual(Array(10).fill(0));
  });

  it('come 1 to 8 s late', () => {
    const ages = arrivals('late').map(ageOf);
    expect(ages).toHaveLength(10);
    expect(ages.every((ms) => ms >= 1_000 && ms < 8_000)).toBe(true);
  });

  it('come twice, once at once and once late', () => {
    const ages = arrivals('doubled').map(ageOf);
    expect([ages.length, ages.filter((ms) => ms === 0).length]).toEqual([20, 10]);
  });

  it('change places by pairs', () => {
    const order = arrivals('reordered').map(([, revision]) => revision);
    expect(order.slice(0, 4)).toEqual(['r4000', 'r2000', 'r8000', 'r6000']);
  });

  it('come out of a cache for twelve seconds, with the time of now', () => {
    const revisions = arrivals('cached').map(([, revision]) => revision);
    expect(revisions).toEqual([...Array(6).fill('r2000'), ...Array(4).fill('r14000')]);
  });
});
