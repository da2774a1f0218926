import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { runPolicy } from '../../src/simulation/order.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { compared } from '../../src/simulation/order.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import { START_CURVE, startFactor } from '../../src/simulation/start_cost.ts';
import { TimerQueue } from '../../src/simulation/virtual_time.ts';

const IDS = Array.from({ length: 16 }, (_, at) => `ch${at}`);

/** Sixteen channels on one machine, which dies whole; `starts`: which of them are started when. */
function firstOutputs(starts: readonly (readonly [id: string, atMs: number])[], startCost: boolean) {
  let nowMs = 0;
  const agenda = new TimerQueue(1);
  const at = (atMs: number, run: () => void): void => void agenda.add(atMs, run);
  const plans = IDS.map((id) => ({ id, group: 'g0', engine: 'e0', hasSource: false }));
  const service = new ServiceModel(plans, { seed: 1, nowMs: () => nowMs, at, onSymptom: () => undefined, startCost });
  for (const id of IDS) service.crash(id, { exitCode: 1 });
  for (const [id, atMs] of starts) at(atMs, () => void service.restart(id, 'policy'));
  for (let due = agenda.take(); due !== undefined; due = agenda.take()) {
    nowMs = due.atMs;
    due.run();
  }
  return new Map(starts.map(([id, atMs]) => [id, (service.at(id).process.playedMs ?? Number.NaN) - atMs]));
}

describe('the curve of starts at once', () => {
  it('goes through what was measured, and never falls', () => {
    for (const [count, factor] of START_CURVE) expect(startFactor(count, 16)).toBeCloseTo(factor);
    const all = Array.from({ length: 40 }, (_, at) => startFactor(at + 1, 16));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
  });

  it('is about the share of the machine that starts, so that a large machine bears more', () => {
    expect(startFactor(160, 160)).toBeCloseTo(startFactor(16, 16));
    expect(startFactor(4, 160)).toBe(1);
  });

  it('spares no machine that carries few: four at once cost what four cost', () => {
    expect(startFactor(4, 4)).toBeCloseTo(startFactor(4, 16));
  });
});

describe('encoders that start at once on one machine', () => {
  it('are each as slow as the curve says, and alone as quick as ever', () => {
    const alone = firstOutputs([['ch0', 1_000]], false).get('ch0')!;
    expect(firstOutputs([['ch0', 1_000]], true).get('ch0')).toBe(alone);
    const all = firstOutputs(
      IDS.map((id) => [id, 1_000]),
      true,
    );
    // The first to be ready has had all the others beside it for the whole time.
    const free = firstOutputs(
      IDS.map((id) => [id, 1_000]),
      false,
    );
    const quickest = [...free].toSorted(([, a], [, b]) => a - b)[0]![0];
    expect(all.get(quickest)! / free.get(quickest)!).toBeCloseTo(startFactor(16, 16), 2);
  });

  test.prop([fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { minLength: 1 }), fc.integer({ min: 0, max: 10_000 })])(
    'all come up, none sooner than alone and none later than with everybody beside it',
    (chosen, spreadMs) => {
      const starts = chosen.map(
        (at, index) => [IDS[at]!, 1_000 + Math.floor((spreadMs * index) / chosen.length)] as const,
      );
      const [dear, free] = [firstOutputs(starts, true), firstOutputs(starts, false)];
      for (const [id, aloneMs] of free) {
        expect(dear.get(id)!).toBeGreaterThanOrEqual(aloneMs - 1);
        expect(dear.get(id)!).toBeLessThanOrEqual(aloneMs * startFactor(chosen.length, 16) + chosen.length + 1);
      }
    },
  );

  it('cost the policy that starts all of them at once more downtime in the same world', async () => {
    const storm = { atMs: 60_000, kind: 'storm', target: '', forMs: 1_000, variant: 0.99 } as const;
    const darkWith = async (startCost: boolean): Promise<number> => {
      const script = scenarioOf({ seed: 1, days: 0.02, channels: 40, ...compared, startCost });
      return (await runPolicy('naive', { ...script, injections: [storm] })).darkViewerSeconds;
    };
    expect(await darkWith(true)).toBeGreaterThan((await darkWith(false)) * 1.05);
  });
});
