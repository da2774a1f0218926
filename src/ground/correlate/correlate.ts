/** Finds the shared cause of many channels' troubles. */
import type { FailureClass, Family } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import { clip } from '../../core/incident.ts';
import {
  type ChannelId,
  type ChannelRef,
  type EngineId,
  type GroupId,
  keyOfScope,
  type Scope,
} from '../../core/scope.ts';
import type { Finding, Trouble } from '../rules/classify.ts';
import { bySuffering, byTouched, familyNow, groupsOf, keyOf } from './cause_index.ts';
import type { SharedCause } from './shared_cause.ts';
import { type CauseLimits, massDeaths, withinWindow } from './mass_deaths.ts';
import { partsOf } from './parts.ts';
import type { Seen, SeenChannels } from './seen_channel.ts';
import { allWell, familyAround, isAbsentAt, isLeftover, isSecondHand, stillShows } from './showing.ts';
import { DEATHS_QUIET_MS } from '../facts/setup.ts';
import { dominating, familyOf, MENDS_ITSELF, OF_ENGINE, OF_WHOLE_GROUP } from '../rules/families.ts';

export type { SharedCause } from './shared_cause.ts';
export { DEATHS_QUIET_MS } from '../facts/setup.ts';

/** An engine's own finding (`classifyEngine`). */
export interface SeenEngine {
  readonly engine: EngineId;
  readonly assessment: Trouble | undefined;
}

/** A cause that has not shown itself for this long is over. */
export const CAUSE_QUIET_MS = 5_000;
/** What is over is remembered this long, so that late leftovers are still known for what they are. */
export const LEFTOVER_MEMORY_MS = 120_000;

/** So much of what is seen of one channel stands in the words about a cause. */
const EXAMPLE_MAX = 120;

export interface CorrelateInput {
  readonly seen: SeenChannels;
  readonly engines: readonly SeenEngine[];
  readonly limits: CauseLimits;
  /** A witness says that what the channels died of is over; without one, only time does. */
  readonly isProven?: (cause: SharedCause) => boolean;
  /** What a cause left down and gave to incidents of their own: each is nobody else's trouble until it plays. */
  readonly handedOver?: ReadonlySet<ChannelId>;
}

/** One step: the causes of a moment ago and what is seen now give the causes of now. Pure; sorted by key. */
export function correlate(
  input: CorrelateInput,
  before: readonly SharedCause[],
  nowMs: MonoMs,
): readonly SharedCause[] {
  const ailing = input.seen.ailing.filter((one) => !isApart(one, input));
  const suffering = bySuffering(ailing);
  const old = before.flatMap((cause) => goesOn(cause, { ...input, suffering }, nowMs) ?? []);
  const parts = old.flatMap((cause) => partsOf(cause, input, nowMs));
  const kept = old.filter(({ key }) => parts.every(({ of }) => of !== key));
  const fresh = bucketsOf({ ...input, ailing }, kept).flatMap((bucket) => newCause(bucket, input, nowMs) ?? []);
  const byKey = new Map([...parts.map(({ part }) => part), ...fresh, ...kept].map((cause) => [cause.key, cause]));
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Beside all that is seen, who suffers from what, in each scope. */
interface Grouped extends CorrelateInput {
  readonly suffering: ReadonlyMap<string, readonly Seen[]>;
}

/** Beside all that is seen, those of them that are in trouble or complain, and are not their own affair. */
interface Sorted extends CorrelateInput {
  readonly ailing: readonly Seen[];
}

/** Channels of the cause's scope that stay dead or stuck although the cause is gone. */
const downAfter = (channels: readonly ChannelId[], input: CorrelateInput): readonly ChannelId[] =>
  input.seen
    .of(channels)
    .filter((one) => isLeftover(one.finding) && !isApart(one, input))
    .map(({ ref }) => ref.id)
    .sort();

/** No change on this channel by itself: a shared cause is active around it, or has left it to a staged start. */
export const suspected = (causes: readonly SharedCause[], ref: ChannelRef): SharedCause | undefined =>
  causes.find((cause) => (cause.phase === 'active' ? isAround(cause, ref) : cause.down.includes(ref.id)));

/** Without this a cause were kept for ever by what it has handed over, and took the next death alone for its own. */
const isApart = ({ ref, finding }: Seen, { handedOver }: CorrelateInput): boolean =>
  handedOver?.has(ref.id) === true && isLeftover(finding);

/** What is active there is around the channel. */
export function isAround({ scope, groups }: SharedCause, ref: ChannelRef): boolean {
  if (groups !== undefined) return groups.includes(ref.group);
  if (scope.kind === 'fleet') return true;
  return scope.kind === 'group'
    ? scope.id === ref.group
    : scope.kind === 'engine'
      ? scope.id === ref.engine
      : scope.id === ref.id;
}

interface Bucket {
  readonly scope: Scope;
  readonly family: Family;
  readonly members: readonly Seen[];
  /** All channels of the scope, troubled or not. */
  readonly size: number;
  readonly engine: Trouble | undefined;
  /** Its dead are some of many that died at once in other groups of the engine. */
  readonly mass: string | undefined;
}

/** Everything in trouble, by family and by the scope in which that family has its cause. */
function bucketsOf(input: Sorted, causes: readonly SharedCause[]): readonly Bucket[] {
  const buckets = new Map<string, Bucket & { members: Seen[]; engine: Trouble | undefined }>();
  const dead = input.ailing.filter((one) => familyNow(one) === 'dead');
  const mass = massDeaths(
    dead.map((one) => ({ ...one, isCertain: isCertain(one, 'dead') })),
    input.limits,
  );
  const at = (scope: Scope, family: Family) => {
    const key = keyOf({ scope, family });
    const bucket = buckets.get(key) ?? {
      scope,
      family,
      members: [],
      size: input.seen.sizeOf(scope),
      engine: undefined,
      mass: family === 'dead' ? mass.get(keyOfScope(scope)) : undefined,
    };
    buckets.set(key, bucket);
    return bucket;
  };
  const wider = scopesOfHosts(input.ailing);
  const touching = byTouched(causes.filter(({ family }) => family !== 'dead' && family !== 'stalled'));
  for (const one of input.ailing) {
    const family = familyAround(one);
    if (family === undefined || isLeftBehind(one, touching.get(one.ref.id) ?? [])) continue;
    const { group, engine } = one.ref;
    at(OF_ENGINE.has(family) ? { kind: 'engine', id: engine } : { kind: 'group', id: group }, family).members.push(one);
    const scope = family === 'upstream' ? wider.get(one.sourceHost) : undefined;
    if (scope !== undefined) at(scope, family).members.push(one);
  }
  for (const { engine, assessment } of input.engines) {
    const family = assessment === undefined ? undefined : familyOf(assessment.classification);
    if (family !== undefined) at({ kind: 'engine', id: engine }, family).engine = assessment;
  }
  return [...buckets.values()];
}

/**
 * A death or a standstill that may still mend itself begins nothing alone; beside one that is certain it counts, so
 * that the first of several is not treated as the only one.
 */
const isCertain = ({ finding }: Seen, family: Family): boolean =>
  finding.trouble && (!finding.settling || !MENDS_ITSELF.has(family));

/** Causes other than of deaths and standstills that touched the channel. */
const isLeftBehind = (one: Seen, touching: readonly SharedCause[]): boolean =>
  touching.some(
    ({ family, phase }) =>
      isLeftover(one.finding) ||
      isUnclear(one.finding) ||
      (phase === 'over' && (isSecondHand(family, one) || isAbsentAt(family, one))),
  );

/** Its cause has gone a moment ago, and what it is now shows with the next looks: no news, and no cause of its own. */
const isUnclear = (finding: Finding): boolean =>
  finding.trouble && finding.settling && finding.classification === 'unknown';

/** Channels of several groups that read from one host fail together when it does: by host, the scope of all of them. */
function scopesOfHosts(seen: readonly Seen[]): ReadonlyMap<string | undefined, Scope> {
  const byHost = new Map<string, { groups: Set<GroupId>; engines: Set<EngineId> }>();
  for (const { ref, finding, sourceHost } of seen) {
    if (sourceHost === undefined || !finding.trouble || familyOf(finding.classification) !== 'upstream') continue;
    const held = byHost.get(sourceHost) ?? { groups: new Set(), engines: new Set() };
    held.groups.add(ref.group);
    held.engines.add(ref.engine);
    byHost.set(sourceHost, held);
  }
  const wide = [...byHost].filter(([, { groups }]) => groups.size >= 2);
  return new Map(wide.map(([host, { engines }]) => [host, scopeOf([...engines])]));
}

const scopeOf = (engines: readonly EngineId[]): Scope =>
  engines.length === 1 && engines[0] !== undefined ? { kind: 'engine', id: engines[0] } : { kind: 'fleet' };

function newCause(bucket: Bucket, input: CorrelateInput, nowMs: MonoMs): SharedCause | undefined {
  const { members, family, scope, engine, size } = bucket;
  const { sharedCauseChannelsMin, sharedCauseWindowMs } = input.limits;
  const whole = OF_WHOLE_GROUP.has(family) && size >= 2;
  const needed = whole ? Math.min(size, sharedCauseChannelsMin) : sharedCauseChannelsMin;
  const isOfWhole = engine !== undefined || bucket.mass !== undefined;
  if (!isOfWhole && !withinWindow(members, needed, sharedCauseWindowMs)) return undefined;
  if (!isOfWhole && !members.some((one) => isCertain(one, family))) return undefined;
  const classes = members.flatMap(({ finding }) => (finding.trouble ? [finding.classification] : []));
  const classification = engine?.classification ?? dominating(classes);
  const channels = members.map(({ ref }) => ref.id).sort();
  const many = `${channels.length} of ${size} channels at once`;
  const what = engine?.because ?? bucket.mass ?? `${many}${exampleOf(members, classification)}`;
  return {
    key: keyOf(bucket),
    scope,
    family,
    classification,
    channels,
    ...(isOfGroups(bucket) ? { groups: groupsOf(members) } : {}),
    because: `${classification}: ${what}`,
    sinceMs: Math.min(nowMs, ...members.map(({ firstSeenMs }) => firstSeenMs), engine?.sinceMs ?? nowMs),
    lastMs: nowMs,
    phase: 'active',
    down: [],
  };
}

/** What is seen of one of them, so that a person knows where to look: the first by name that has this class. */
function exampleOf(members: readonly Seen[], classification: FailureClass): string {
  const alike = members.filter(({ finding }) => finding.trouble && finding.classification === classification);
  const [first] = alike.toSorted((a, b) => (a.ref.id < b.ref.id ? -1 : 1));
  return first === undefined ? '' : `; ${first.ref.id}: ${clip(first.finding.because, EXAMPLE_MAX)}`;
}

/** Of an engine or the fleet by what it shares outside: an engine's own trouble is all of its groups'. */
const isOfGroups = ({ scope, family, engine }: Pick<Bucket, 'scope' | 'family' | 'engine'>): boolean =>
  scope.kind !== 'group' && engine === undefined && !OF_ENGINE.has(family);

/** For people: that its lines are old does not show that it has ended, and a page must not say so. */
const SILENT = '; nothing shows it any more';

/** An old cause, a moment later; undefined when nothing is left of it. */
function goesOn(cause: SharedCause, input: Grouped, nowMs: MonoMs): SharedCause | undefined {
  const members = input.suffering.get(keyOf(cause)) ?? [];
  const engine = input.engines.find(
    ({ engine: id }) => cause.scope.kind === 'engine' && cause.scope.id === id,
  )?.assessment;
  const byEngine = engine !== undefined && familyOf(engine.classification) === cause.family;
  const touched = new Set(cause.channels);
  const joined = members.map(({ ref }) => ref.id).filter((id) => !touched.has(id));
  const shows = byEngine || (cause.family === 'dead' ? joined.length > 0 : stillShows(cause, members, input.seen));
  const quietMs = cause.family === 'dead' ? DEATHS_QUIET_MS : CAUSE_QUIET_MS;
  const lastMs = shows ? nowMs : cause.lastMs;
  const proven = cause.family === 'dead' && input.isProven?.(cause) === true;
  const over = !shows && (proven || nowMs - lastMs >= quietMs);
  const channels = [...cause.channels, ...joined].sort();
  const down = over ? downAfter(channels, input) : [];
  const forgotten = down.length === 0 && (nowMs - lastMs >= LEFTOVER_MEMORY_MS || allWell(channels, input.seen));
  if (over && forgotten) return undefined;
  const statement = cause.because.replace(SILENT, '');
  const because = over ? `${statement}${SILENT}` : statement;
  const { overMs: wasOverMs, groups, ...same } = cause;
  const ending = over ? ({ phase: 'over', overMs: wasOverMs ?? nowMs } as const) : ({ phase: 'active' } as const);
  // Once the engine itself speaks of it, it is the whole engine's.
  const touching = groups === undefined || byEngine ? {} : { groups: groupsOf(members, groups) };
  return { ...same, ...ending, ...touching, channels, because, lastMs, down };
}
