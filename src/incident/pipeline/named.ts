// Says whether a person knows of a scope already: by their own hold, or by a page of what it is part of (law L6).
import { type ControlState, leaseOf, windowOf } from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import { keyOfIncidentPage } from '../../core/incident.ts';
import type { ChannelId, Scope } from '../../core/scope.ts';
import { coveredIn } from '../../ground/correlate/cause_index.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import { announcedMs, type IncidentState, openOn } from '../lifecycle/state.ts';
import type { Snapshot } from '../lifecycle/seen.ts';
import type { FindingTracker } from './finding_tracker.ts';
import type { OpenPages } from './ports.ts';
import { isPaged, KEY_OF_MASS_OUTAGE, keyOfContainmentPage } from '../pages/page.ts';

export interface KnownToPeople {
  readonly control: () => ControlState;
  readonly guard: () => GuardState;
  readonly incidents: () => IncidentState;
  readonly openPages: () => OpenPages;
}

/** The open page about all who wait for a start lists all of these. */
export const isInMassOutage = ({ openPages }: Pick<KnownToPeople, 'openPages'>, down: readonly ChannelId[]): boolean =>
  lists(openPages().get(KEY_OF_MASS_OUTAGE), down);

/** The page is open and lists all of these. */
const lists = (listed: readonly ChannelId[] | undefined, channels: readonly ChannelId[]): boolean =>
  listed !== undefined && channels.every((id) => setOf(listed).has(id));

/** Of the lists that were asked about last: that of a mass outage is long, and each of its channels asks. */
const sets = new WeakMap<readonly ChannelId[], ReadonlySet<ChannelId>>();

function setOf(listed: readonly ChannelId[]): ReadonlySet<ChannelId> {
  const known = sets.get(listed) ?? new Set(listed);
  sets.set(listed, known);
  return known;
}

/**
 * The channels in trouble that the scope's incident speaks for: of a channel itself, of a shared cause also those whom
 * it has reached since.
 */
export function troubledIn(
  incidents: IncidentState,
  watch: Pick<FindingTracker, 'causes' | 'watched'>,
  scope: Scope,
): readonly ChannelId[] {
  if (scope.kind === 'channel') return [scope.id];
  const all = new Set([...(openOn(incidents, scope)?.incident.channels ?? []), ...coveredIn(watch.causes, scope)]);
  return [...all].filter((id) => watch.watched(id)?.finding.trouble === true);
}

/**
 * `scopes`: the scope itself, then those over it. `down`: the channels that are to be named. A page about the
 * containment of more than a channel names those that it lists, and a persona may put it off: until it is sent it names
 * no channel.
 */
export function isNamed(
  known: KnownToPeople,
  {
    scopes,
    down,
    nowMs,
  }: { readonly scopes: readonly Scope[]; readonly down: readonly ChannelId[]; readonly nowMs: MonoMs },
): boolean {
  const control = known.control();
  if (leaseOf(control, scopes, nowMs) !== undefined || windowOf(control, scopes, nowMs) !== undefined) return true;
  const contained = containmentsOf(known.guard(), scopes).filter(({ reason }) => isPaged(reason));
  if (contained.length === 0) return false;
  const open = known.openPages();
  return contained.some(({ scope }) => {
    const listed = open.get(keyOfContainmentPage(scope));
    return scope.kind === 'channel' ? listed !== undefined : lists(listed, down);
  });
}

/** The incident of a group or an engine is about the channel, too: it was paged, or its rule's wait is not over. */
export function isListed(known: KnownToPeople, [own, ...over]: readonly Scope[], nowMs: MonoMs): boolean {
  if (own?.kind !== 'channel') return false;
  const wholes = over.flatMap((scope) => openOn(known.incidents(), scope) ?? []);
  const listing = wholes.filter(({ incident }) => incident.channels.includes(own.id));
  return listing.some(
    (open) => known.openPages().has(keyOfIncidentPage(open.incident.id)) || announcedMs(open) > nowMs,
  );
}

/** Who is down for the cause of a group or an engine, while nothing that is open or was sent names it. */
export function unlistedOf(
  incidents: IncidentState,
  watch: Pick<FindingTracker, 'causes' | 'watched'>,
  whole: Scope,
): Snapshot['unlisted'] {
  const listed = new Set(openOn(incidents, whole)?.incident.channels);
  const isNew = (id: ChannelId): boolean =>
    !listed.has(id) && (openOn(incidents, { kind: 'channel', id })?.told.length ?? 0) === 0;
  const down = coveredIn(watch.causes, whole).flatMap((id) => {
    const one = isNew(id) ? watch.watched(id) : undefined;
    return one?.finding.trouble === true ? [one] : [];
  });
  if (down.length === 0) return undefined;
  return { channels: down.map(({ ref }) => ref.id), sinceMs: Math.min(...down.map(({ troubledMs }) => troubledMs)) };
}

/** The open incident of the whole that covers the channel, and whether its page names it. */
export function absorberOf(
  { incidents }: Pick<KnownToPeople, 'incidents'>,
  whole: Scope,
  channel: ChannelId,
): Snapshot['absorber'] {
  const open = openOn(incidents(), whole);
  if (open === undefined) return undefined;
  const { id, channels } = open.incident;
  return { id, notified: open.told.length > 0, lists: channels.includes(channel) };
}
