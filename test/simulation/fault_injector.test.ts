import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/simulation/kinds.ts';
import type { Injection } from '../../src/simulation/scenario.ts';
import { anInjection, faulty } from './faults.ts';
import { aPlan, plansOf } from './plant.ts';

const engine = { target: 'e0' };

describe('a lasting fault', () => {
  it('lasts for its duration, and reports its begin and its end', () => {
    const { injector, inject, until, done } = faulty();
    until(1_000);
    inject('engine_down', { ...engine, forMs: 10_000 });
    expect([injector.quiet, injector.engineUp('e0'), injector.engineUp('e1')]).toEqual([false, false, true]);
    until(10_999);
    expect([injector.engineUp('e0'), injector.engineAnswers('e0')]).toEqual([false, false]);
    until(11_000);
    expect([injector.quiet, injector.engineUp('e0'), done]).toEqual([true, true, [['change'], ['change']]]);
  });

  it('is not ended by the end of one before it', () => {
    const { injector, inject, until } = faulty();
    inject('engine_down', { ...engine, forMs: 10_000 });
    until(5_000);
    inject('engine_down', { ...engine, forMs: 10_000 });
    until(10_000);
    expect(injector.engineUp('e0')).toBe(false);
    until(15_000);
    expect(injector.engineUp('e0')).toBe(true);
  });

  it('of one target leaves those of others alone', () => {
    const { injector, inject, until } = faulty(plansOf(2));
    inject('probe_gone', { forMs: 10_000 });
    inject('probe_gone', { target: 'ch1', forMs: 20_000 });
    until(10_000);
    expect([injector.probe('ch0'), injector.probe('ch1'), injector.quiet]).toEqual(['well', 'gone', false]);
  });
});

describe('what is seen of a channel', () => {
  it('is gone, or a lie, or noise: the worst where there are several', () => {
    const { injector, inject } = faulty();
    expect(injector.probe('ch0')).toBe('well');
    inject('probe_noise');
    expect([injector.probe('ch0'), injector.probe('ch1')]).toEqual(['noise', 'well']);
    const lie = (variant: number) => {
      inject('probe_lie', { variant });
      return injector.probe('ch0');
    };
    expect([lie(0), lie(0.34), lie(0.99)]).toEqual(['says_still', 'says_dead', 'says_moving']);
    inject('probe_gone');
    expect(injector.probe('ch0')).toBe('gone');
  });

  it('may come late, twice, in the wrong order or out of a cache', () => {
    const { injector, inject } = faulty();
    expect(injector.samples('ch0')).toBeUndefined();
    const fault = (variant: number) => {
      inject('samples', { variant });
      return injector.samples('ch0');
    };
    expect([fault(0), fault(0.25), fault(0.5), fault(0.75)]).toEqual(['late', 'doubled', 'reordered', 'cached']);
  });
});

describe('an engine', () => {
  it('hangs while it is down, gives no answer where only its answers are lost, and else does as its fault says', () => {
    const { injector, inject } = faulty();
    expect(injector.callMode('e0')).toBe('well');
    inject('calls', { ...engine, variant: 0.17 });
    expect(injector.callMode('e0')).toBe('late');
    inject('half_restart', { ...engine, variant: 0.99 });
    expect(injector.callMode('e0')).toBe('very_late');
    inject('one_way', engine);
    expect([injector.callMode('e0'), injector.engineUp('e0'), injector.engineAnswers('e0')]).toEqual([
      'unheard',
      true,
      false,
    ]);
    inject('engine_down', engine);
    expect([injector.callMode('e0'), injector.engineAnswers('e0')]).toEqual(['hang', false]);
  });

  it('reports a moderate pool, a full one, or none', () => {
    const { injector, inject } = faulty();
    expect(injector.pressure('e0')).toBe(0.4);
    inject('pool', { ...engine, variant: 0.29 });
    expect(injector.pressure('e0')).toBeUndefined();
    inject('pool', { ...engine, variant: 0.3 });
    expect(injector.pressure('e0')).toBeCloseTo(0.895);
  });
});

describe('receivers', () => {
  it('are all in trouble, or the pager alone', () => {
    const { injector, inject } = faulty();
    const modes = () => [injector.receiverMode('pager'), injector.receiverMode('mail')];
    expect(modes()).toEqual(['up', 'up']);
    inject('receiver', { target: '', variant: 0.29 });
    expect(modes()).toEqual(['down', 'up']);
    inject('receiver', { target: '', variant: 0.3 });
    expect(modes()).toEqual(['down', 'down']);
    inject('receiver', { target: '', variant: 0.4 });
    expect(modes()).toEqual(['refuse', 'refuse']);
  });
});

describe('a fault that happens once', () => {
  const crashed = (variant: number) => {
    const { inject, service } = faulty();
    inject('crash', { variant });
    const { exitSignal, exitCode } = service.at('ch0');
    return exitSignal ?? `code ${exitCode}`;
  };

  it('kills a process by one signal or another, or by itself', () => {
    expect([crashed(0.49), crashed(0.5), crashed(0.74), crashed(0.75)]).toEqual([11, 9, 9, 'code 1']);
  });

  it('freezes one, or lets it stand still or die for a moment', () => {
    const outcome = (kind: Kind, variant: number) => {
      const { inject, status, until } = faulty();
      inject(kind, { variant, forMs: 3_000 });
      const at = status();
      until(60_000);
      return [at, status()];
    };
    expect(outcome('freeze', 0)).toEqual(['curable', 'curable']);
    expect(outcome('self_heal', 0.49)).toEqual(['self_healing', 'playing']);
    expect(outcome('self_heal', 0.5)).toEqual(['curable', 'playing']);
  });

  it('lets processes die early: after seconds in a loop, at once where a setting is wrong', () => {
    const lives = (kind: Kind) => {
      const { inject, service, until } = faulty();
      inject(kind, { variant: 0 });
      until(1);
      return service.at('ch0').unfitUptimeMs;
    };
    expect([lives('loop'), lives('misconfig')]).toEqual([3_000, 300]);
  });

  it.each<[Kind, string, string]>([
    ['outage', 'g0', 'upstream_unreachable'],
    ['auth', 'g0', 'auth_expired'],
    ['stale_address', 'g0', 'auth_denied'],
  ])('takes the source of a group, and each channel of it logs that: %s', (kind, target, symptom) => {
    const { inject, symptoms, until, status } = faulty([aPlan('ch0'), aPlan('ch1'), aPlan('ch2', { group: 'g1' })]);
    inject(kind, { target, variant: 0 });
    until(100);
    expect(symptoms.sort()).toEqual([
      ['ch0', symptom, 100],
      ['ch1', symptom, 100],
    ]);
    expect([status('ch0'), status('ch2')]).toEqual(['incurable', 'playing']);
  });

  it('leaves nothing to play, with a library or without', () => {
    const cure = (variant: number) => {
      const { inject, service, symptoms, until } = faulty();
      inject('empty_playout', { variant });
      until(100);
      return [service.at('ch0').ailment, symptoms[0]![1]];
    };
    expect([cure(0.29), cure(0.3)]).toEqual([
      ['person', 'playout_gap'],
      ['rebuild_playout', 'playout_gap'],
    ]);
  });

  it('slows an encoder, which logs that', () => {
    const { inject, service, symptoms, until } = faulty();
    inject('slow');
    until(100);
    expect([service.at('ch0').slowUntilMs, symptoms[0]!.slice(0, 2)]).toEqual([60_000, ['ch0', 'encoder_overload']]);
  });

  it('is a start that Reeve did not make', () => {
    const by = (variant: number) => {
      const { inject, service } = faulty();
      inject('foreign', { variant });
      return service.at('ch0').process.by;
    };
    expect([by(0.49), by(0.5)]).toEqual(['human', 'engine']);
  });

  it('is a log line about a trouble that does not exist', () => {
    const forged = (variant: number) => {
      const { inject, symptoms, until, status } = faulty();
      inject('forged_log', { variant });
      until(100);
      return [symptoms[0]![1], status()];
    };
    expect([forged(0), forged(0.99)]).toEqual([
      ['process_crash', 'playing'],
      ['publisher_lost', 'playing'],
    ]);
  });

  it('is many deaths within a stretch, at least three', () => {
    const dead = (channels: number, variant: number, atMs: number) => {
      const { inject, service, until } = faulty(plansOf(channels));
      inject('storm', { target: '', forMs: 30_000, variant });
      until(atMs);
      return [...service.channels.values()].filter(({ state }) => state === 'exited').length;
    };
    expect([dead(4, 0, 30_000), dead(20, 0, 30_000), dead(20, 0.99, 30_000)]).toEqual([3, 6, 19]);
    expect([dead(20, 0, 0), dead(20, 0, 14_999), dead(20, 0, 15_000)]).toEqual([1, 3, 4]);
  });

  it.each<[Kind, string, unknown]>([
    ['wall_jump', 'jumpWall', -86_400_000],
    ['suspend', 'suspend', 60_000],
    ['reboot', 'reboot', 60_000],
    ['graceful_stop', 'stopReeve', 60_000],
  ])('of the machine is done by the machine: %s', (kind, name, with_) => {
    const { inject, done } = faulty();
    inject(kind);
    expect(done).toEqual([[name, with_]]);
  });

  it.each<[Kind, string]>([
    ['reeve_crash', 'crash'],
    ['disk', 'breakDown'],
    ['set_back', 'setBack'],
    ['journal_busy', 'hold'],
    ['operator', 'operate'],
  ])('of Reeve itself is handed on whole: %s', (kind, name) => {
    const { injector, done } = faulty();
    const injection: Injection = anInjection(kind);
    injector.inject(injection);
    expect(done).toEqual([[name, injection]]);
  });
});

describe('the lines of a trouble', () => {
  const linesOf = (with_: Partial<Injection>, toMs: number) => {
    const { inject, symptoms, until } = faulty();
    inject('forged_log', with_);
    until(toMs);
    return symptoms.map(([, , atMs]) => atMs);
  };

  it('come every two to four seconds for as long as it lasts', () => {
    expect(linesOf({ variant: 0, forMs: 6_000 }, 60_000)).toEqual([100, 2_100, 4_100]);
    expect(linesOf({ variant: 0.5, forMs: 6_100 }, 60_000)).toEqual([100, 3_100]);
    expect(linesOf({ variant: 0.5, forMs: 6_101 }, 60_000)).toEqual([100, 3_100, 6_100]);
  });

  it('come for two minutes at most', () => {
    expect(linesOf({ variant: 0, forMs: 600_000 }, 600_000).at(-1)).toBe(118_100);
  });
});

describe('a world that is healed', () => {
  it('has no fault any more, gets none, and its logs fall silent', () => {
    const { injector, inject, until, symptoms, service, status } = faulty();
    inject('engine_down', engine);
    inject('slow');
    until(100);
    injector.heal();
    expect([injector.healed, injector.quiet, injector.engineUp('e0')]).toEqual([true, true, true]);
    expect(service.at('ch0').slowUntilMs).toBe(0);
    inject('crash');
    inject('engine_down', engine);
    until(60_000);
    expect([status(), injector.engineUp('e0'), symptoms.length]).toEqual(['playing', true, 1]);
  });
});
