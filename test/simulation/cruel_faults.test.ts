import { describe, expect, it } from 'vitest';
import { inflict } from '../../src/simulation/cruel_faults.ts';
import { anInjection, faulty } from './faults.ts';
import { aPlan, plansOf } from './plant.ts';

const HOUR = 3_600_000;
const engine = { target: 'e0' };

describe('what happens once in the crueller world', () => {
  it('is one of its own kinds, and no other', () => {
    const { controls } = faulty();
    const does = (kind: Parameters<typeof anInjection>[0]) =>
      inflict(anInjection(kind), { ...controls, healed: () => false });
    expect([does('same_name'), does('crash'), does('half_restart')]).toEqual([true, false, false]);
  });

  it('gives the next process the name of this one', () => {
    const { inject, service } = faulty();
    inject('same_name');
    const { generation } = service.at('ch0').process;
    expect(service.restart('ch0', 'human').generation).toBe(generation);
  });

  it('writes the policy anew, or moves Reeve to another machine', () => {
    const { inject, done } = faulty();
    inject('reload', { variant: 0.2 });
    inject('moved');
    expect(done).toEqual([
      ['reload', 0.2, 60_000],
      ['move', 60_000],
    ]);
  });
});

describe('a keen engine', () => {
  it('starts whatever ends on it for as long as it is keen', () => {
    const { inject, service, until, status } = faulty();
    inject('keen_engine', { ...engine, variant: 0.5 });
    service.crash('ch0', { exitSignal: 11 });
    until(30_000);
    expect([status(), service.at('ch0').process.by]).toEqual(['playing', 'engine']);
    until(60_000);
    service.crash('ch0', { exitSignal: 11 });
    until(90_000);
    expect(status()).toBe('curable');
  });

  it('has in half of the cases a channel of its own that cannot run', () => {
    const unfit = (variant: number) => {
      const { inject, service } = faulty([aPlan('other', { engine: 'e1' }), ...plansOf(4)]);
      inject('keen_engine', { ...engine, variant });
      return [...service.channels.values()].filter(({ unfitUntilMs }) => unfitUntilMs > 0).map(({ plan }) => plan.id);
    };
    expect([unfit(0), unfit(0.13), unfit(0.499), unfit(0.5)]).toEqual([['ch0'], ['ch1'], ['ch3'], []]);
  });
});

describe('a person who stops a channel', () => {
  it('starts it again when done', () => {
    const { inject, until, status } = faulty();
    inject('stopped_by_hand', { variant: 0.59, forMs: 20_000 });
    expect(status()).toBe('stopped');
    until(19_999);
    expect(status()).toBe('stopped');
    until(20_000);
    expect(status()).toBe('young');
  });

  it('may forget it for an hour', () => {
    const { inject, until, status } = faulty();
    inject('stopped_by_hand', { variant: 0.6, forMs: 20_000 });
    until(HOUR - 1);
    expect(status()).toBe('stopped');
    until(HOUR);
    expect(status()).toBe('young');
  });

  it('leaves it alone where somebody has started or stopped it meanwhile', () => {
    const { inject, until, service } = faulty();
    inject('stopped_by_hand', { variant: 0, forMs: 20_000 });
    const process = service.restart('ch0', 'reeve');
    until(20_000);
    expect(service.at('ch0').process).toBe(process);
    inject('stopped_by_hand', { variant: 0, forMs: 20_000 });
    service.restart('ch0', 'reeve');
    service.stop('ch0', 'reeve');
    until(40_000);
    expect(service.at('ch0').state).toBe('stopped');
  });
});

describe('a person who rolls a group', () => {
  it('starts each of its channels, three seconds apart, but none that is stopped', () => {
    const { inject, until, service, started } = faulty([...plansOf(3), aPlan('other', { group: 'g1' })]);
    service.stop('ch1', 'human');
    inject('rolled_by_hand', { target: 'g0' });
    until(5_999);
    expect(started.map(({ channel }) => channel)).toEqual(['ch0']);
    until(60_000);
    expect(started.map(({ channel, bornMs, by }) => [channel, bornMs, by])).toEqual([
      ['ch0', 0, 'human'],
      ['ch2', 6_000, 'human'],
    ]);
  });

  it('does not go on once the world is healed', () => {
    const { inject, injector, until, started } = faulty(plansOf(3));
    inject('rolled_by_hand', { target: 'g0' });
    until(1_000);
    injector.heal();
    until(60_000);
    expect(started).toHaveLength(1);
  });
});

describe('another tool', () => {
  it('starts what is not running on its engine, every ten seconds for as long as it runs', () => {
    const { inject, until, service, started } = faulty([...plansOf(2), aPlan('other', { engine: 'e1' })]);
    service.crash('ch0', { exitSignal: 9 });
    service.crash('other', { exitSignal: 9 });
    inject('other_tool', { ...engine, forMs: 30_000 });
    expect(started.map(({ channel, by }) => [channel, by])).toEqual([['ch0', 'human']]);
    until(5_000);
    service.crash('ch1', { exitSignal: 9 });
    until(9_999);
    expect(started).toHaveLength(1);
    until(10_000);
    expect(started.at(-1)?.channel).toBe('ch1');
    until(29_000);
    service.crash('ch1', { exitSignal: 9 });
    until(60_000);
    expect(started).toHaveLength(2);
  });

  it('starts what its engine has given up, not what was stopped, and nothing once the world is healed', () => {
    const { inject, injector, until, service, started } = faulty(plansOf(2));
    Object.assign(service.at('ch0'), { state: 'fatal' });
    service.stop('ch1', 'human');
    inject('other_tool', { ...engine, forMs: 60_000 });
    expect(started.map(({ channel }) => channel)).toEqual(['ch0']);
    injector.heal();
    service.crash('ch0', { exitSignal: 9 });
    until(30_000);
    expect(started).toHaveLength(1);
  });
});
