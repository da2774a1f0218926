/** Other tools' restart policies, for comparison. */
import type { PolicyPage, PolicyStart } from './figures.ts';
import { FaultInjector } from './fault_injector.ts';
import { Operators } from './operators.ts';
import { ServiceModel, type ServiceChannel } from './service_model.ts';
import { mix, numberOf } from './random_streams.ts';
import type { Kind } from './kinds.ts';
import type { Scenario } from './scenario.ts';
import { COURSES } from './sim_engine.ts';
import { TimerQueue } from './virtual_time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/duration.ts';

const BASELINE_POLICIES = ['none', 'naive', 'health_tasks', 'monit'] as const;
export type BaselinePolicyName = (typeof BASELINE_POLICIES)[number];

/** What can happen to any of them alike; Reeve's own process and people's commands are left out. */
export const COMPARED_KINDS: readonly Kind[] = [
  'crash',
  'freeze',
  'self_heal',
  'loop',
  'misconfig',
  'outage',
  'auth',
  'slow',
  'foreign',
  'storm',
  'probe_noise',
  'probe_lie',
];

/** What of the crueller world can happen to any of them alike. */
export const COMPARED_CRUEL_KINDS: readonly Kind[] = [
  ...COMPARED_KINDS,
  'half_restart',
  'keen_engine',
  'stopped_by_hand',
  'rolled_by_hand',
  'other_tool',
  'same_name',
];

/** A channel as a policy sees it: through the same probes, lies included. */
interface Seen {
  readonly id: string;
  readonly running: boolean;
  /** How long its output has not changed. */
  readonly stillMs: number;
}

interface Hands {
  readonly nowMs: number;
  restart(id: string): void;
  page(id: string): void;
}

interface BaselinePolicy {
  readonly everyMs: number;
  look(channels: readonly Seen[], hands: Hands): void;
}

const S = 1_000;

/** No change is made and no person is notified. */
const none: BaselinePolicy = { everyMs: HOUR_MS, look: () => undefined };

/** Restarts whatever fails, as soon as it is seen to fail. */
const naive: BaselinePolicy = {
  everyMs: 10 * S,
  look(channels, hands) {
    for (const { id, running, stillMs } of channels) if (!running || stillMs > 20 * S) hands.restart(id);
  },
};

/**
 * A health task in the streaming service itself: every 30 s it restarts what has had no output for 180 s, under the
 * guards that its documents name: 10 starts in 60 s, 30 s between two of one channel, and 5 in 300 s stop for 120 s.
 */
function healthTasks(): BaselinePolicy {
  const starts: { readonly id: string; readonly atMs: number }[] = [];
  const openUntilMs = new Map<string, number>();
  return {
    everyMs: 30 * S,
    look(channels, hands) {
      const { nowMs } = hands;
      const within = (ms: number, id?: string): number =>
        starts.filter((one) => one.atMs > nowMs - ms && (id === undefined || one.id === id)).length;
      for (const { id, stillMs } of channels) {
        if (stillMs <= 180 * S || nowMs < (openUntilMs.get(id) ?? 0)) continue;
        if (within(60 * S) >= 10 || within(30 * S, id) > 0) continue;
        if (within(300 * S, id) >= 5) {
          openUntilMs.set(id, nowMs + 120 * S);
          continue;
        }
        starts.push({ id, atMs: nowMs });
        hands.restart(id);
      }
    },
  };
}

/** Cycles of 30 s; a process that is gone or an output that stands for two cycles; 4 restarts within 8 cycles: stop. */
function monit(): BaselinePolicy {
  const restarts = new Map<string, number[]>();
  const still = new Map<string, number>();
  const stopped = new Set<string>();
  return {
    everyMs: 30 * S,
    look(channels, hands) {
      for (const { id, running, stillMs } of channels) {
        const fails = !running || stillMs > 20 * S;
        if (!fails) {
          stopped.delete(id);
          still.delete(id);
          continue;
        }
        const cycles = (still.get(id) ?? 0) + 1;
        still.set(id, cycles);
        if (stopped.has(id) || (running && cycles < 2)) continue;
        const recent = (restarts.get(id) ?? []).filter((ms) => ms > hands.nowMs - 8 * 30 * S);
        if (recent.length >= 4) {
          stopped.add(id);
          hands.page(id);
          continue;
        }
        restarts.set(id, [...recent, hands.nowMs]);
        still.set(id, 0);
        hands.restart(id);
      }
    },
  };
}

const MAKERS: Readonly<Record<BaselinePolicyName, () => BaselinePolicy>> = {
  none: () => none,
  naive: () => naive,
  health_tasks: healthTasks,
  monit,
};

export interface BaselineEnd {
  readonly service: ServiceModel;
  readonly starts: readonly PolicyStart[];
  readonly pages: readonly PolicyPage[];
  readonly nowMs: number;
  readonly events: number;
}

/** The same world and script under another policy. Operators behave alike: see `REPAIR_MS` and `NOTICE_MS`. */
export function runBaseline(name: BaselinePolicyName, script: Scenario): BaselineEnd {
  const { seed, channels, days, injections, startCost } = script;
  const agenda = new TimerQueue(seed);
  const starts: PolicyStart[] = [];
  const pages: PolicyPage[] = [];
  let nowMs = 0;
  let events = 0;
  const at = (atMs: number, run: () => void): void => void agenda.add(Math.max(atMs, nowMs), run);
  const clock = (): number => nowMs;
  const nothing = (): void => undefined;
  const service = new ServiceModel(channels, { seed, at, nowMs: clock, onSymptom: nothing, startCost });
  const operators = new Operators({ seed, channels, service, at, nowMs: clock, reeve: () => undefined });
  const machine = { symptom: nothing, jumpWall: nothing, suspend: nothing, reboot: nothing };
  const reeves = { ...machine, operate: nothing, change: nothing, stopReeve: nothing };
  const files = { reload: nothing, move: nothing, second: nothing };
  const disk = { crash: nothing, breakDown: nothing, setBack: nothing, hold: nothing, rot: nothing };
  const injector = new FaultInjector({ service, at, nowMs: clock, disk, ...reeves, ...files });
  const eyes = new PolicyProbes(service, injector, clock);
  const rival = MAKERS[name]();
  const hands: Omit<Hands, 'nowMs'> = {
    restart(id) {
      const channel = service.at(id);
      const start = { channel: id, atMs: nowMs, status: service.statusOf(channel), process: undefined };
      const mode = injector.callMode(channel.plan.engine);
      if (mode === 'well') return void starts.push({ ...start, process: service.restart(id, 'policy') });
      starts.push(start);
      const { stopMs, effectMs } = COURSES[mode];
      if (stopMs !== undefined) at(nowMs + stopMs, () => service.stop(id, 'policy'));
      if (effectMs !== undefined) at(nowMs + effectMs, () => void service.restart(id, 'policy'));
    },
    page(id) {
      pages.push({ scope: `channel:${id}`, atMs: nowMs });
      operators.paged(`channel:${id}`, nowMs);
    },
  };
  for (const injection of injections) at(injection.atMs, () => injector.inject(injection));
  agenda.every(0, MINUTE_MS, () => operators.round());
  agenda.every(mix(seed, numberOf(name)) % 10_000, rival.everyMs, () => rival.look(eyes.look(), { ...hands, nowMs }));
  for (let due = agenda.take(); due !== undefined && due.atMs <= days * DAY_MS; due = agenda.take()) {
    nowMs = due.atMs;
    events += 1;
    due.run();
  }
  return { service, starts, pages, nowMs: days * DAY_MS, events };
}

/** The probes of a policy: they keep what they saw, and may be lied to. */
class PolicyProbes {
  readonly service: ServiceModel;
  readonly #injector: FaultInjector;
  readonly #nowMs: () => number;
  readonly #changed = new Map<string, { readonly segments: number; readonly atMs: number }>();

  constructor(service: ServiceModel, injector: FaultInjector, nowMs: () => number) {
    this.service = service;
    this.#injector = injector;
    this.#nowMs = nowMs;
  }

  look(): readonly Seen[] {
    return [...this.service.channels.values()].map((channel) => this.#see(channel));
  }

  #see(channel: ServiceChannel): Seen {
    const { id } = channel.plan;
    const mode = this.#injector.probe(id);
    const nowMs = this.#nowMs();
    const truth = this.service.segments(channel);
    const segments = mode === 'says_still' ? -1 : mode === 'says_moving' ? nowMs : truth;
    const before = this.#changed.get(id);
    const kept = before?.segments === segments ? before : { segments, atMs: nowMs };
    this.#changed.set(id, kept);
    return { id, running: channel.state === 'running' && mode !== 'says_dead', stillMs: nowMs - kept.atMs };
  }
}
