import { describe, expect, it } from 'vitest';
import { Rolling } from '../../../src/simulation/invariants/rolling.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

function rolling() {
  const world = oracleEnvironment();
  const oracle = new Rolling(world.context);
  const put = (atMs: number, fact: object, channel?: string) => {
    world.at(atMs);
    oracle.entry(world.entry(fact, channel === undefined ? {} : { channel }));
  };
  const announce = (with_: object = {}) =>
    put(1_000, {
      ...{ type: 'control.window_added', window: 'w', scope: { kind: 'group', id: 'g0' }, rolling: true },
      ...{ startsInMs: 0, forMs: 5_000, ...with_ },
    });
  const seen = (atMs: number, with_: object = {}, channel = 'ch0') =>
    put(atMs, { type: 'start.observed', generation: `g${atMs}`, planned: 'w', ...with_ }, channel);
  return { ...world, oracle, put, announce, seen };
}

describe('a start that counts as announced (S2)', () => {
  it('lies within the window that a person announced, from its first millisecond to its last', () => {
    const at = (ms: number) => {
      const { announce, seen, broken } = rolling();
      announce({ startsInMs: 1_000 });
      seen(ms);
      return broken;
    };
    expect([at(1_999), at(2_000), at(6_999), at(7_000)]).toEqual([['S2'], [], [], ['S2']]);
  });

  it('is dated when it began, not when it was seen', () => {
    const { announce, seen, broken, oracle } = rolling();
    announce();
    seen(6_500, { agoMs: 600 });
    expect([broken, oracle.isPlanned('ch0', 'g6500')]).toEqual([[], true]);
  });

  it('is not one where the window was no rolling one, was ended, or lies over another channel', () => {
    const plain = rolling();
    plain.announce({ rolling: undefined });
    plain.seen(2_000);
    const over = rolling();
    over.announce();
    over.put(2_000, { type: 'control.window_ended', window: 'w' });
    over.seen(2_000);
    const elsewhere = rolling();
    elsewhere.announce({ scope: { kind: 'channel', id: 'ch1' } });
    elsewhere.seen(2_000);
    expect([plain.broken, over.broken, elsewhere.broken]).toEqual([['S2'], ['S2'], ['S2']]);
  });

  it('is planned for that process alone, and no other start is asked about', () => {
    const { announce, seen, oracle, broken } = rolling();
    announce();
    seen(2_000);
    expect([oracle.isPlanned('ch0', 'g2000'), oracle.isPlanned('ch1', 'g2000')]).toEqual([true, false]);
    seen(60_000, { planned: undefined });
    expect(broken).toEqual([]);
  });
});
