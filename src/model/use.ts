/** What models were asked and what it cost: a fold over the journal, so that no restart refills a budget. */
import type { MonoMs } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { JournalEntry, Projection } from '../core/journal.ts';

/** Calls and their cost. Money in millionths of the configured currency. */
export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  readonly costMicros: number;
}

interface Hour extends Spent {
  /** Since the journal's monotonic time began. */
  readonly hour: number;
}

interface OfIncident extends Spent {
  readonly incident: string;
  /** A plan was made for it, by whomever. */
  readonly planned: boolean;
  /** A model was asked for a plan. */
  readonly asked: boolean;
}

export interface ModelUse {
  /** At most 25, oldest first. */
  readonly hours: readonly Hour[];
  /** Those that a plan or a call was made for, oldest first; bounded. */
  readonly incidents: readonly OfIncident[];
  /** Of the last closed incidents for which a plan was made: whether a model was asked. */
  readonly needed: readonly boolean[];
}

const DAY_HOURS = 24;
const INCIDENTS_MAX = 500;
const NEEDED_MAX = 200;
const NOTHING: Spent = { calls: 0, tokens: 0, costMicros: 0 };

const plus = (a: Spent, b: Spent): Spent => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  costMicros: a.costMicros + b.costMicros,
});

/** To be registered with the ledger. */
export const modelUseProjection: Projection<ModelUse> = {
  name: 'model_use',
  initial: { hours: [], incidents: [], needed: [] },
  apply: fold,
};

/** In the last 24 hours, the running hour and the 24 before it: never less than what is true. */
export function spentToday({ hours }: ModelUse, nowMs: MonoMs): Spent {
  const oldest = Math.floor(nowMs / HOUR_MS) - DAY_HOURS;
  return hours.filter(({ hour }) => hour >= oldest).reduce<Spent>(plus, NOTHING);
}

/** For one incident, as long as it is open and some time after. */
export const spentOn = ({ incidents }: ModelUse, incident: string): Spent =>
  incidents.find((each) => each.incident === incident) ?? NOTHING;

/** 0 to 1: of the last 200 closed incidents that a plan was made for, those in which a model was asked. */
export function neededRatio({ needed }: ModelUse): number {
  return needed.length === 0 ? 0 : needed.filter(Boolean).length / needed.length;
}

function fold(use: ModelUse, { fact, incident, monoMs }: JournalEntry): ModelUse {
  switch (fact.type) {
    case 'model.called': {
      const { promptTokens, replyTokens, costMicros, purpose } = fact;
      const spent = { calls: 1, tokens: promptTokens + replyTokens, costMicros };
      const hours = inHour(use.hours, Math.floor(monoMs / HOUR_MS), spent);
      if (incident === undefined) return { ...use, hours };
      const change = (of: OfIncident): OfIncident => ({
        ...of,
        ...plus(of, spent),
        asked: of.asked || purpose === 'plan',
      });
      return { ...use, hours, incidents: changed(use.incidents, incident, change) };
    }
    case 'plan.made':
      if (incident === undefined) return use;
      return { ...use, incidents: changed(use.incidents, incident, (of) => ({ ...of, planned: true })) };
    case 'incident.closed': {
      const of = use.incidents.find((each) => each.incident === incident);
      if (of?.planned !== true) return use;
      const needed = [...use.needed, of.asked].slice(-NEEDED_MAX);
      // What it has cost stays known: what is learned from it afterwards counts to the same caps.
      return { ...use, needed, incidents: changed(use.incidents, of.incident, (it) => ({ ...it, planned: false })) };
    }
    default:
      return use;
  }
}

function inHour(hours: readonly Hour[], hour: number, spent: Spent): readonly Hour[] {
  const last = hours.at(-1);
  if (last !== undefined && last.hour >= hour)
    return [...hours.slice(0, -1), { hour: last.hour, ...plus(last, spent) }];
  return [...hours, { hour, ...spent }].slice(-(DAY_HOURS + 1));
}

function changed(
  incidents: readonly OfIncident[],
  incident: string,
  change: (of: OfIncident) => OfIncident,
): readonly OfIncident[] {
  const at = incidents.findIndex((each) => each.incident === incident);
  const known = incidents[at] ?? { incident, planned: false, asked: false, ...NOTHING };
  if (at >= 0) return incidents.with(at, change(known));
  return [...incidents, change(known)].slice(-INCIDENTS_MAX);
}
