// A streaming service in virtual time, with nobody who looks after it.
import type { SymptomKind } from '../../src/core/symptom.ts';
import type { ChannelPlan } from '../../src/simulation/scenario.ts';
import type { Generation } from '../../src/simulation/service_channel.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import { TimerQueue } from '../../src/simulation/virtual_time.ts';

export const aPlan = (id: string, with_: Partial<ChannelPlan> = {}): ChannelPlan => ({
  ...{ id, group: 'g0', engine: 'e0', hasSource: true, ...with_ },
});

/** So many channels of one group and one engine: `ch0`, `ch1`, … */
export const plansOf = (count: number, with_: Partial<ChannelPlan> = {}): readonly ChannelPlan[] =>
  Array.from({ length: count }, (_, at) => aPlan(`ch${at}`, with_));

/** All channels have always played when time begins, at 0. */
export function plant(plans: readonly ChannelPlan[] = plansOf(1), { seed = 1, startCost = false } = {}) {
  let nowMs = 0;
  const agenda = new TimerQueue(seed);
  const symptoms: [string, SymptomKind, number][] = [];
  const started: Generation[] = [];
  const time = {
    nowMs: () => nowMs,
    at: (atMs: number, run: () => void): void => void agenda.add(Math.max(atMs, nowMs), run),
  };
  const service = new ServiceModel(plans, {
    ...{ seed, startCost, ...time },
    onSymptom: (channel, kind) => symptoms.push([channel, kind, nowMs]),
    onStart: (process) => started.push(process),
  });
  return {
    ...{ service, symptoms, started, ...time },
    /** Lets everything happen that is due by then. */
    until(atMs: number): void {
      for (let due = agenda.next(); due !== undefined && due.atMs <= atMs; due = agenda.next()) {
        agenda.take();
        nowMs = due.atMs;
        due.run();
      }
      nowMs = atMs;
    },
    status: (id = 'ch0') => service.statusOf(service.at(id)),
  };
}
