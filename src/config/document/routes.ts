/** Reads which receiver hears of which page, and refuses a table that could lose one. */
import { z } from 'zod';
import { FAILURE_CLASSES } from '../../core/classification.ts';
import { DAYS, parseTimeOfDay, type Route, type RouteHours, type RouteMatch } from '../../escalate/routes.ts';
import { duration } from '../../core/document/duration.ts';
import { checked, type Meaning } from '../validate.ts';
import { nearest, shown } from '../suggestions.ts';
import type { Path } from '../yaml.ts';
import { idField } from './fields.ts';
import type { Reading } from './reading.ts';

const timeField = (description: string) =>
  checked(
    (input): Meaning<number> => {
      const minutes = typeof input === 'string' ? parseTimeOfDay(input) : undefined;
      const hint = 'write it in quotes: "08:00", "17:30" or "24:00"';
      return minutes === undefined ? { no: `expected a time of day, got ${shown(input)}`, hint } : { ok: minutes };
    },
    { type: 'string', pattern: '^[0-2][0-9]:[0-5][0-9]$', description, examples: ['08:00'] },
  );

const zoneField = checked(
  (input): Meaning<string> =>
    typeof input === 'string' && isTimeZone(input)
      ? { ok: input }
      : { no: `expected a time zone, got ${shown(input)}`, hint: 'write a name such as Europe/Berlin or UTC' },
  { type: 'string', description: 'The time zone of the hours, such as Europe/Berlin. Default UTC.', default: 'UTC' },
);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const receiverIds = z.array(idField('A receiver.')).min(1).max(32);

export const routeDocument = z.strictObject({
  match: z
    .strictObject({
      severity: z
        .array(z.enum(['info', 'warning', 'critical']))
        .min(1)
        .max(3)
        .optional(),
      group: z.array(idField('A group of channels.')).min(1).max(2_000).optional(),
      classification: z.array(z.enum(FAILURE_CLASSES)).min(1).max(FAILURE_CLASSES.length).optional(),
      hours: z
        .strictObject({
          from: timeField('When the hours begin.'),
          to: timeField('When they end; before from: on the next day.'),
          days: z.array(z.enum(DAYS)).min(1).max(DAYS.length).optional(),
          timezone: zoneField.optional(),
        })
        .optional()
        .describe('When the page was opened.'),
    })
    .optional()
    .describe('Which pages: all that is given must hold. Without it: every page. Only the last route has none.'),
  receivers: receiverIds.describe('Who hears of them at once.'),
  unacknowledged: z
    .array(
      z.strictObject({
        after: duration('1m', '7d', 'How long a page may stay open without an acknowledgement.'),
        receivers: receiverIds.describe('Who hears of it then, too.'),
      }),
    )
    .max(8)
    .optional(),
});
type RouteDocument = z.output<typeof routeDocument>;
type HoursDocument = NonNullable<NonNullable<RouteDocument['match']>['hours']>;

/** None: every receiver hears of every page. `groups`: those that some channel belongs to. */
export function readRoutes(reading: Reading, groups: ReadonlySet<string>): readonly Route[] {
  const entries = reading.entries('routes', routeDocument);
  const receivers = reading.idsOf('receivers');
  for (const { path, value } of entries) checkRoute(reading, path, { route: value, receivers, groups });
  checkDefault(reading, entries);
  return entries.map(({ value }) => routeFrom(value));
}

/** The first route that matches decides, so exactly the last one takes everything. */
function checkDefault(reading: Reading, entries: readonly { readonly path: Path; readonly value: RouteDocument }[]) {
  const last = entries.at(-1);
  if (last === undefined) return;
  if (last.value.match !== undefined) {
    const hint = 'end the list with a route that has receivers: and no match:';
    reading.note([...last.path, 'match'], 'a page that no route takes would be lost', hint);
  }
  for (const { path, value } of entries.slice(0, -1)) {
    if (value.match !== undefined) continue;
    reading.note(path, 'takes every page, so no route after it is ever reached', 'give it match:, or put it last');
  }
}

interface Checked {
  readonly route: RouteDocument;
  readonly receivers: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

function checkRoute(reading: Reading, path: Path, { route, receivers, groups }: Checked): void {
  const known = (at: Path, names: readonly string[], those: ReadonlySet<string>, what: string): void => {
    for (const [index, name] of names.entries()) {
      if (those.has(name)) continue;
      const meant = nearest(name, those);
      reading.note([...at, index], `there is no ${what} ${name}`, meant && `did you mean ${meant}?`);
    }
  };
  const { match, unacknowledged = [] } = route;
  known([...path, 'receivers'], route.receivers, receivers, 'receiver');
  known([...path, 'match', 'group'], match?.group ?? [], groups, 'group');
  if (match !== undefined && Object.values(match).every((part) => part === undefined)) {
    const message = 'expected severity, group, classification or hours, got nothing';
    reading.note([...path, 'match'], message, 'leave match out for every page');
  }
  if (match?.hours !== undefined) checkHours(reading, [...path, 'match', 'hours'], match.hours);
  for (const [index, level] of unacknowledged.entries()) {
    const at = [...path, 'unacknowledged', index, 'receivers'];
    known(at, level.receivers, receivers, 'receiver');
    const fresh = level.receivers.some((name) => !route.receivers.includes(name));
    if (!fresh) reading.note(at, 'these receivers hear of the page at once already', 'name another one');
  }
}

function checkHours(reading: Reading, path: Path, { from, to }: HoursDocument): void {
  if (from === to) reading.note([...path, 'to'], 'the hours end as they begin', 'write "24:00" for the end of the day');
  if (from === 24 * 60) reading.note([...path, 'from'], 'no hours begin at the end of a day', 'write "00:00"');
}

function routeFrom({ match, receivers, unacknowledged = [] }: RouteDocument): Route {
  return {
    match: match && matchFrom(match),
    receivers,
    unacknowledged: unacknowledged.map((level) => ({ afterMs: level.after, receivers: level.receivers })),
  };
}

const matchFrom = ({ severity, group, classification, hours }: NonNullable<RouteDocument['match']>): RouteMatch => ({
  severity,
  group,
  classification,
  hours: hours && hoursFrom(hours),
});

const hoursFrom = ({ from, to, days = [...DAYS], timezone = 'UTC' }: HoursDocument): RouteHours => ({
  from,
  to,
  days,
  timezone,
});
