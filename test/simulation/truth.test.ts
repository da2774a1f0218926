import { describe, expect, it } from 'vitest';
import { hostileModel } from '../../src/simulation/hostile_models.ts';
import { OPEN_FINDINGS } from '../../src/simulation/invariants/silence.ts';
import { greedyPlanner } from '../../src/simulation/planners.ts';
import { refuseCredentials } from '../../src/simulation/treatments.ts';
import { channelTruths, isExcused, serviceTruths } from '../../src/simulation/truth.ts';
import { faulty } from './faults.ts';
import { plansOf } from './plant.ts';

const truthsOf = ({ service, injector }: ReturnType<typeof faulty>, blind = false) =>
  serviceTruths(service, injector, blind);
const newsOf = (world: ReturnType<typeof faulty>) => truthsOf(world)[0]!;

describe('the truth of the service', () => {
  it('is how each channel stands, whatever anybody sees', () => {
    const world = faulty(plansOf(2));
    world.service.crash('ch1', { exitSignal: 9 });
    expect(truthsOf(world)).toEqual([
      { channel: 'ch0', status: 'playing', onTime: true, sourceOut: false, visible: true },
      { channel: 'ch1', status: 'curable', onTime: true, sourceOut: false, visible: true },
    ]);
  });

  it('knows output that is late, up to the moment at which it is no longer', () => {
    const world = faulty();
    world.service.slow('ch0', 10_000);
    world.until(9_999);
    expect(newsOf(world).onTime).toBe(false);
    world.until(10_000);
    expect(newsOf(world).onTime).toBe(true);
  });

  it('knows a source that is out, and one that refuses', () => {
    const [out, refusing] = [faulty(), faulty()];
    out.service.outage('g0', 10_000);
    refuseCredentials(refusing.service, 'g0', 10_000);
    expect([newsOf(out).sourceOut, newsOf(refusing).sourceOut]).toEqual([true, true]);
  });

  it('cannot be seen where probes lie, samples are old, the engine is silent, or Reeve is blind', () => {
    const hides = (...fault: Parameters<ReturnType<typeof faulty>['inject']>) => {
      const world = faulty();
      world.inject(...fault);
      return !newsOf(world).visible;
    };
    expect(['probe_noise', 'probe_lie', 'probe_gone'].map((kind) => hides(kind as 'probe_lie'))).toEqual([
      true,
      true,
      true,
    ]);
    expect([0, 0.25, 0.5, 0.75].map((variant) => hides('samples', { variant }))).toEqual([true, false, false, true]);
    expect([hides('one_way', { target: 'e0' }), hides('engine_down', { target: 'e0' })]).toEqual([true, true]);
    expect([hides('pool', { target: 'e0' }), hides('crash')]).toEqual([false, false]);
    expect(truthsOf(faulty(), true)[0]!.visible).toBe(false);
  });
});

describe('what silence is asked of', () => {
  it('takes what a person has stopped for playing', () => {
    const world = faulty(plansOf(3));
    world.service.stop('ch1', 'human');
    world.service.stop('ch2', 'reeve');
    expect(channelTruths(truthsOf(world))).toEqual([
      { channel: 'ch0', playing: true, visible: true },
      { channel: 'ch1', playing: true, visible: true },
      { channel: 'ch2', playing: false, visible: true },
    ]);
  });
});

describe('silence', () => {
  it('is an open finding only where another than the shipped rules may plan', () => {
    const isOpen = OPEN_FINDINGS.has('hostile_planner_is_silent');
    const hostile = [
      { adversary: true },
      { rulebook: () => greedyPlanner({} as never).rulebook },
      { hostile: () => hostileModel('moody', {} as never) },
    ];
    expect(hostile.map(isExcused)).toEqual([isOpen, isOpen, isOpen]);
    expect([isExcused({}), isExcused({ adversary: false })]).toEqual([false, false]);
  });
});
