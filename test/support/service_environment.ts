/** A simulated service alone with its clock: what a fault does to it, without anybody who watches. */
import { FaultInjector } from '../../src/simulation/fault_injector.ts';
import type { Injection } from '../../src/simulation/scenario.ts';
import { type Generation, ServiceModel } from '../../src/simulation/service_model.ts';
import { TimerQueue } from '../../src/simulation/virtual_time.ts';

/** `count` channels ch0, ch1, … in one group g0 on one engine e0. */
export function serviceEnvironment(count = 3) {
  let nowMs = 0;
  const agenda = new TimerQueue(1);
  const at = (atMs: number, run: () => void): void => void agenda.add(Math.max(atMs, nowMs), run);
  const plans = Array.from({ length: count }, (_, index) => ({
    id: `ch${index}`,
    group: 'g0',
    engine: 'e0',
    hasSource: true,
  }));
  const processes: Generation[] = [];
  const calls: string[] = [];
  const clock = (): number => nowMs;
  const service = new ServiceModel(plans, {
    seed: 1,
    nowMs: clock,
    at,
    onSymptom: (channel, kind) => calls.push(`${channel} ${kind}`),
    onStart: (process) => processes.push(process),
  });
  const nothing = (): void => undefined;
  const injector = new FaultInjector({
    ...{ service, nowMs: clock, at, symptom: nothing, jumpWall: nothing, suspend: nothing, reboot: nothing },
    ...{ operate: nothing, change: nothing },
    stopReeve: (downMs) => calls.push(`stop for ${downMs}`),
    reload: (variant, forMs) => calls.push(`reload ${variant} for ${forMs}`),
    move: (downMs) => calls.push(`move for ${downMs}`),
    second: ({ forMs }) => calls.push(`a second Reeve for ${forMs}`),
    disk: {
      crash: nothing,
      breakDown: nothing,
      setBack: ({ forMs: downMs }) => calls.push(`set back for ${downMs}`),
      hold: ({ forMs }) => calls.push(`hold the journal for ${forMs}`),
      rot: ({ forMs }) => calls.push(`rot for ${forMs}`),
    },
  });
  return {
    service,
    injector,
    processes,
    calls,
    nowMs: clock,
    at,
    inject: (kind: Injection['kind'], rest: Partial<Injection> = {}) =>
      injector.inject({ atMs: nowMs, kind, target: 'ch0', forMs: 60_000, variant: 0.5, ...rest }),
    /** Lives through everything that is due until then. */
    until(untilMs: number): void {
      for (let due = agenda.next(); due !== undefined && due.atMs <= untilMs; due = agenda.next()) {
        agenda.take();
        nowMs = due.atMs;
        due.run();
      }
      nowMs = untilMs;
    },
  };
}
