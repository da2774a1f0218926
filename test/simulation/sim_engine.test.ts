import { describe, expect, it } from 'vitest';
import { COURSES, HALF_MODES } from '../../src/simulation/sim_engine.ts';
import { SimulatedHost } from '../../src/simulation/virtual_time.ts';
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

describe('an engine that gets its calls and whose answers are lost', () => {
  it('shows nothing and does what it is asked, until that ends', () => {
    const { inject, injector, until } = serviceEnvironment();
    inject('one_way', { target: 'e0', forMs: M });
    expect([injector.engineUp('e0'), injector.engineAnswers('e0'), injector.callMode('e0')]).toEqual([
      ...[true, false, 'unheard'],
    ]);
    expect(COURSES.unheard).toEqual({ effectMs: 200 });
    until(M);
    expect([injector.engineAnswers('e0'), injector.callMode('e0')]).toEqual([true, 'well']);
  });

  it('neither answers nor does anything where it is down as well', () => {
    const { inject, injector } = serviceEnvironment();
    inject('one_way', { target: 'e0', forMs: M });
    inject('engine_down', { target: 'e0', forMs: M });
    expect([injector.engineAnswers('e0'), injector.callMode('e0')]).toEqual([false, 'hang']);
  });
});

describe('what other tools than a restart cure', () => {
  it('is a playout that is empty, with a library that is empty in three of ten', () => {
    const { inject, service, until } = serviceEnvironment();
    inject('empty_playout', { target: 'ch0', variant: 0.3 });
    inject('empty_playout', { target: 'ch1', variant: 0.299 });
    until(10_000);
    expect(['ch0', 'ch1'].map((id) => service.at(id).ailment)).toEqual(['rebuild_playout', 'person']);
  });

  it('is an address that the sources of a group do not take any more', () => {
    const { inject, service, until } = serviceEnvironment();
    inject('stale_address', { target: 'g0', forMs: M });
    until(1);
    expect(service.origins.refusesAddresses('g0')).toBe(true);
    expect(service.isRefused(service.at('ch2'))).toBe(true);
    until(M);
    expect(service.isRefused(service.at('ch2'))).toBe(false);
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

  it('has one channel that cannot play, half of the times', () => {
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
    ['set_back', 'set back for 5000'],
    ['journal_busy', 'hold the journal for 5000'],
    ['journal_rot', 'rot for 5000'],
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
