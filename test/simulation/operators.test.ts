import { describe, expect, it } from 'vitest';
import { NOTICE_MS, Operators, REPAIR_MS } from '../../src/simulation/operators.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import type { ChannelPlan } from '../../src/simulation/scenario.ts';
import { MINUTE_MS } from '../../src/core/duration.ts';

const channels: readonly ChannelPlan[] = [{ id: 'news', group: 'g0', engine: 'e0', hasSource: false }];

/** One channel that dies at once; people look after it once a minute. */
function world() {
  let nowMs = 0;
  const at = (): void => undefined;
  const service = new ServiceModel(channels, { seed: 1, nowMs: () => nowMs, at, onSymptom: at });
  const people = new Operators({ seed: 1, service, channels, at, nowMs: () => nowMs, reeve: () => undefined });
  service.crash('news', { exitSignal: 11 });
  /** When somebody has started it again; undefined: not until then. */
  const repairedMs = (untilMs: number): number | undefined => {
    for (; nowMs < untilMs; nowMs += MINUTE_MS) {
      people.round();
      if (service.at('news').state === 'running') return nowMs;
    }
    return undefined;
  };
  return { people, service, repairedMs };
}

describe('people of the simulation', () => {
  it('notice a channel that is down after an hour without a page', () => {
    expect(world().repairedMs(2 * NOTICE_MS)).toBe(NOTICE_MS);
  });

  it.each(['channel:news', 'group:g0', 'engine:e0', 'fleet'])(
    'come a quarter of an hour after the page of %s',
    (scope) => {
      const { people, repairedMs } = world();
      people.paged(scope, 2 * MINUTE_MS);
      expect(repairedMs(NOTICE_MS)).toBe(2 * MINUTE_MS + REPAIR_MS);
    },
  );

  it('do not go back on their way when they are paged again', () => {
    const { people, repairedMs } = world();
    people.paged('channel:news', 0);
    people.paged('channel:news', 10 * MINUTE_MS);
    expect(repairedMs(NOTICE_MS)).toBe(REPAIR_MS);
  });

  it('start what one of them stopped and forgot only when everything is settled', () => {
    const { people, service, repairedMs } = world();
    service.restart('news', 'human');
    service.stop('news', 'human');
    expect(repairedMs(2 * NOTICE_MS)).toBe(undefined);
    people.settle();
    expect(service.statusOf(service.at('news'))).toBe('young');
  });

  it('mend what has been down for as long as a repair takes when everything is settled, and not before', () => {
    const settledAt = (atMs: number) => {
      const { people, service, repairedMs } = world();
      expect(repairedMs(atMs)).toBe(undefined);
      people.settle();
      return service.statusOf(service.at('news'));
    };
    expect([settledAt(REPAIR_MS - MINUTE_MS), settledAt(REPAIR_MS)]).toEqual(['curable', 'young']);
  });
});
