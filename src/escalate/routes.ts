/** Decides which receivers hear of a page, and from when on. */
import type { FailureClass, Severity } from '../core/classification.ts';
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { Escalation } from '../core/incident.ts';
import type { GroupId } from '../core/scope.ts';
import { longestUnackedMs, type Page } from './outbox.ts';
import type { PlaceOf } from './receiver.ts';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** A window of each of these days, by the clock of a place. `to` before `from` ends on the next day. */
export interface RouteHours {
  /** Minutes since midnight, 0 to 1,439. */
  readonly from: number;
  /** Minutes since midnight, 1 to 1,440; not in the window. */
  readonly to: number;
  /** The days on which the window begins. */
  readonly days: readonly Day[];
  /** A name of the IANA time zone database. */
  readonly timezone: string;
}

/** All that are given must hold; of each list one is enough. */
export interface RouteMatch {
  readonly severity: readonly Severity[] | undefined;
  readonly group: readonly GroupId[] | undefined;
  readonly classification: readonly FailureClass[] | undefined;
  /** Of the moment at which the page was opened, so that a page keeps its route while it is open. */
  readonly hours: RouteHours | undefined;
}

export interface Route {
  /** Undefined: everything. */
  readonly match: RouteMatch | undefined;
  readonly receivers: readonly string[];
  /** Who hears of it, too, when it is not acknowledged in time. */
  readonly unacknowledged: readonly { readonly afterMs: number; readonly receivers: readonly string[] }[];
}

/** From when on a receiver is to hear of a page; undefined: it is not to hear of it. */
export type Routing = (page: Page, receiver: string) => MonoMs | undefined;

const AT_ONCE: MonoMs = Number.NEGATIVE_INFINITY;

/** Every receiver hears of every page. */
export const ROUTE_TO_ALL: Routing = () => AT_ONCE;

/**
 * The first route that matches decides. Without routes, and for a page that no route takes, every receiver hears of
 * it: a page is never lost (law L1). A page that lists channels speaks for them, so who would hear of each of their
 * groups hears of it, too. A receiver that has a page open hears of it until its end, whatever has become of the
 * routes.
 */
export function routingOf(routes: readonly Route[], placeOf: PlaceOf): Routing {
  const routesOf = routesTaken(routes, placeOf);
  return (page, receiver) => {
    if (page.told.some((last) => last.receiver === receiver && last.state === 'open')) return AT_ONCE;
    const dueMs = routesOf(page).flatMap((route): readonly MonoMs[] => {
      if (route === undefined || route.receivers.includes(receiver)) return [AT_ONCE];
      const fromMs = laterOf(route, page, receiver);
      return fromMs === undefined ? [] : [fromMs];
    });
    return dueMs.length === 0 ? undefined : Math.min(...dueMs);
  };
}

/**
 * For the group that a page is about, or none, then for those of the channels that it lists: the route that takes it.
 * Each receiver asks at each look at a page, so it is worked out once: all that it rests on stays with the escalation.
 */
function routesTaken(routes: readonly Route[], placeOf: PlaceOf): (page: Page) => readonly (Route | undefined)[] {
  const known = new WeakMap<Escalation, readonly (Route | undefined)[]>();
  return (page) => {
    const { escalation } = page;
    const found = known.get(escalation);
    if (found !== undefined) return found;
    const listed = (escalation.channels ?? []).flatMap((id) => placeOf({ kind: 'channel', id }).group ?? []);
    const groups = [...new Set([(escalation.place ?? placeOf(escalation.scope)).group, ...listed])];
    const taken = groups.map((group) => routes.find(({ match }) => match === undefined || matches(match, page, group)));
    known.set(escalation, taken);
    return taken;
  };
}

/**
 * When this receiver is due: while the page is open and not acknowledged, and at its end if it was due before, because
 * a message whose answer was lost may have opened it there.
 */
function laterOf({ unacknowledged }: Route, page: Page, receiver: string): MonoMs | undefined {
  const levels = unacknowledged.filter(({ receivers }) => receivers.includes(receiver));
  if (levels.length === 0) return undefined;
  const afterMs = Math.min(...levels.map((level) => level.afterMs));
  const { resolved } = page;
  if (resolved !== undefined) return longestUnackedMs(page, resolved.monoMs) > afterMs ? resolved.monoMs : undefined;
  return page.acked === undefined ? (page.unackedMs ?? page.raisedMs) + afterMs : undefined;
}

function matches(match: RouteMatch, { escalation, openedAt }: Page, group: GroupId | undefined): boolean {
  const holds = <T>(wanted: readonly T[] | undefined, is: T | undefined): boolean =>
    wanted === undefined || (is !== undefined && wanted.includes(is));
  return (
    holds(match.severity, escalation.severity) &&
    holds(match.classification, escalation.classification) &&
    holds(match.group, group) &&
    (match.hours === undefined || isWithin(match.hours, openedAt))
  );
}

/** Whether a moment lies in the window. */
export function isWithin(hours: RouteHours, at: EpochMs): boolean {
  const { from, to, days } = hours;
  const { day, minute } = localTime(at, calendarOf(hours));
  if (from < to) return minute >= from && minute < to && days.includes(DAYS[day]!);
  const dayBefore = DAYS[(day + DAYS.length - 1) % DAYS.length]!;
  return (minute >= from && days.includes(DAYS[day]!)) || (minute < to && days.includes(dayBefore));
}

/** To make one takes many times as long as to ask it. */
const calendars = new WeakMap<RouteHours, Intl.DateTimeFormat>();

function calendarOf(hours: RouteHours): Intl.DateTimeFormat {
  const known = calendars.get(hours);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: hours.timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  calendars.set(hours, format);
  return format;
}

function localTime(at: EpochMs, format: Intl.DateTimeFormat): { readonly day: number; readonly minute: number } {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = DAYS.indexOf(parts.get('weekday')!.toLowerCase() as Day);
  return { day, minute: Number(parts.get('hour')) * MINUTES_PER_HOUR + Number(parts.get('minute')) };
}

/** Minutes since midnight of `HH:MM`; `24:00` is the end of the day. Undefined for anything else. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):([0-5]\d)$/.exec(text) ?? [];
  const total = Number(hours) * MINUTES_PER_HOUR + Number(minutes);
  return hours === undefined || total > MINUTES_PER_DAY ? undefined : total;
}
