import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { LookOrder } from '../../src/engine/look_order.ts';

describe('the order of looks', () => {
  it('takes a look at one channel that began no earlier than the last at all', () => {
    const order = new LookOrder();
    order.takeAll(1_000);
    expect([order.takeOne('a', 999), order.takeOne('b', 1_000), order.takeOne('c', 1_001)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('leaves out of a look at all the channels that were looked at since it began, and no others', () => {
    const order = new LookOrder();
    order.takeOne('before', 999);
    order.takeOne('with', 1_000);
    order.takeOne('since', 1_001);
    const isNewest = order.takeAll(1_000);
    expect(['before', 'with', 'since', 'never'].map(isNewest)).toEqual([true, true, false, true]);
  });

  it('takes the next look at all in full again', () => {
    const order = new LookOrder();
    order.takeOne('a', 1_001);
    order.takeAll(1_000);
    expect(order.takeAll(2_000)('a')).toBe(true);
  });

  test.prop([fc.array(fc.record({ one: fc.boolean(), beganMs: fc.nat(50) }))])(
    'never takes of a channel what began before what was taken of it last',
    (looks) => {
      const order = new LookOrder();
      let lastMs = -1;
      for (const { one, beganMs } of looks) {
        const isTaken = one ? order.takeOne('a', beganMs) : order.takeAll(beganMs)('a');
        if (!isTaken) continue;
        if (one) expect(beganMs).toBeGreaterThanOrEqual(lastMs);
        lastMs = Math.max(lastMs, beganMs);
      }
    },
  );
});
