/** Indexes of shared causes and of who suffers from what: with thousands of channels both are asked at each step. */
import type { Family } from '../../core/classification.ts';
import {
  type ChannelId,
  type ChannelRef,
  type GroupId,
  keyOfScope,
  type Scope,
  type ScopeKey,
  scopesOf,
} from '../../core/scope.ts';
import { familyOf } from '../rules/families.ts';
import type { Seen } from './seen_channel.ts';
import type { SharedCause } from './shared_cause.ts';

/** Of a cause, or of those who suffer from one: its scope and its family. */
export const keyOf = ({ scope, family }: { readonly scope: Scope; readonly family: Family }): string =>
  `${keyOfScope(scope)}|${family}`;

/** The groups of these channels, and those that are known already; sorted. */
export const groupsOf = (members: readonly Seen[], known: readonly GroupId[] = []): readonly GroupId[] =>
  [...new Set([...known, ...members.map(({ ref }) => ref.group)])].sort();

/** The family of its trouble; undefined for a channel in none. */
export const familyNow = ({ finding }: Seen): Family | undefined =>
  finding.trouble ? familyOf(finding.classification) : undefined;

/** Those in trouble by each scope that a cause may have, and by the family of their trouble. */
export function bySuffering(ailing: readonly Seen[]): ReadonlyMap<string, readonly Seen[]> {
  const suffering = new Map<string, Seen[]>();
  for (const one of ailing) {
    const family = familyNow(one);
    if (family === undefined) continue;
    const { group, engine } = one.ref;
    for (const scope of [{ kind: 'group', id: group }, { kind: 'engine', id: engine }, FLEET] as const) {
      addTo(suffering, keyOf({ scope, family }), one);
    }
  }
  return suffering;
}

const FLEET: Scope = { kind: 'fleet' };

/** The causes that touched each channel: who is in trouble is asked about all of them at each step. */
export function byTouched(causes: readonly SharedCause[]): ReadonlyMap<ChannelId, readonly SharedCause[]> {
  const touching = new Map<ChannelId, SharedCause[]>();
  for (const cause of causes) {
    for (const id of cause.channels) addTo(touching, id, cause);
  }
  return touching;
}

function addTo<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

/** Of the causes that were asked about last: they are the same for all channels of one look. */
const covering = new WeakMap<readonly SharedCause[], ReadonlyMap<ChannelId, SharedCause>>();

/** The first of the causes whose group's incident speaks for this channel. */
export function coveredBy(causes: readonly SharedCause[], { id }: Pick<ChannelRef, 'id'>): SharedCause | undefined {
  if (causes.length === 0) return undefined;
  const known = covering.get(causes) ?? byCovered(causes);
  covering.set(causes, known);
  return known.get(id);
}

const placed = new WeakMap<readonly SharedCause[], ReadonlyMap<ScopeKey, readonly SharedCause[]>>();

/** The causes of exactly this scope, in their order. */
export function causesAt(causes: readonly SharedCause[], scope: Scope): readonly SharedCause[] {
  const known = placed.get(causes) ?? Map.groupBy(causes, (cause) => keyOfScope(cause.scope));
  placed.set(causes, known);
  return known.get(keyOfScope(scope)) ?? [];
}

type Around = ReadonlyMap<ScopeKey, readonly { readonly at: number; readonly cause: SharedCause }[]>;

const around = new WeakMap<readonly SharedCause[], Around>();

/** The causes that are around any of these channels (`isAround`), in their order. */
export function causesAround(causes: readonly SharedCause[], refs: readonly ChannelRef[]): readonly SharedCause[] {
  const known = around.get(causes) ?? byPlace(causes);
  around.set(causes, known);
  const places = new Set(refs.flatMap((ref) => scopesOf(ref).map(keyOfScope)));
  const found = new Map([...places].flatMap((key) => known.get(key) ?? []).map((one) => [one.at, one.cause]));
  return [...found].sort(([one], [other]) => one - other).map(([, cause]) => cause);
}

/** What says which groups it is around is around those alone. */
function byPlace(causes: readonly SharedCause[]): Around {
  const found = new Map<ScopeKey, { readonly at: number; readonly cause: SharedCause }[]>();
  for (const [at, cause] of causes.entries()) {
    const places: readonly Scope[] = cause.groups?.map((id) => ({ kind: 'group', id })) ?? [cause.scope];
    for (const place of places) addTo(found, keyOfScope(place), { at, cause });
  }
  return found;
}

/** The channels that the incident of this scope speaks for. */
export const coveredIn = (causes: readonly SharedCause[], scope: Scope): readonly ChannelId[] =>
  causesAt(causes, scope).flatMap((cause) => membersOf(cause).filter((id) => coveredBy(causes, { id }) === cause));

const membersOf = ({ phase, channels, down }: SharedCause): readonly ChannelId[] =>
  phase === 'active' ? channels : down;

function byCovered(causes: readonly SharedCause[]): ReadonlyMap<ChannelId, SharedCause> {
  const covered = new Map<ChannelId, SharedCause>();
  for (const cause of causes) {
    for (const id of membersOf(cause)) {
      if (!covered.has(id)) covered.set(id, cause);
    }
  }
  return covered;
}
