/** The queue of channels that wait to be started. */
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Phase } from '../../core/control.ts';
import type { Read } from '../../core/journal.ts';
import { accessOf, type Persona } from '../../core/persona.ts';
import { type ChannelId, type GroupId, keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { ToolName } from '../../core/tool.ts';
import { phaseNeeded } from '../../guard/checks/policy.ts';
import { specOf } from '../../remediation/catalog.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import { roomFor, stagedRoom, type StartMark, startsMaxOf } from '../../guard/state/window.ts';
import type { CauseProof } from '../../ground/correlate/proof.ts';
import type { Seen } from '../lifecycle/seen.ts';
import { KEY_OF_MASS_OUTAGE, type MassOutage } from '../pages/page.ts';
import type { OpenPages } from '../pipeline/ports.ts';
import type { Settings } from '../pipeline/settings.ts';
import { type IncidentState, type OpenIncident, openOn } from '../lifecycle/state.ts';

export type { MassOutage } from '../pages/page.ts';

export interface StartQueueDeps {
  readonly guard: Read<GuardState>;
  readonly incidents: Read<IncidentState>;
  readonly settings: () => Pick<Settings, 'limits'>;
  readonly personaOf: (scope: Scope, group: GroupId) => Persona;
  readonly phaseOf: (where: { readonly scope: Scope; readonly group: GroupId }, tool: ToolName) => Phase;
  readonly groupOf: (channel: ChannelId) => GroupId | undefined;
  /** Whether the cause that left a group down is proven to be over. */
  readonly proofOf?: (scope: Scope, nowMs: MonoMs) => CauseProof | undefined;
  readonly openPages: () => OpenPages;
}

interface Waiting {
  readonly scope: Scope;
  readonly viewers: number;
  readonly sinceMs: MonoMs;
  askedMs: MonoMs;
}

const isCuredByStart = (found: FailureClass): boolean => specOf('restart_channel').cures.includes(found);

/** Whoever has not asked again for this long waits no more: it plays, or another incident speaks for it. */
const FORGOTTEN_MS = 3_000;
/** Everybody who waits is looked at this often. */
const AGAIN_MS = 1_000;
/** A run that was let go has asked the guard by then, and its start is counted in the window. */
const ON_ITS_WAY_MS = 3_000;

/** A run that was let go, of a channel or of those that a group's plan may name. */
interface OnItsWay {
  readonly letMs: MonoMs;
  readonly isPlan: boolean;
  readonly channels: readonly ChannelId[];
}

/**
 * Who may ask for a start, when more channels are down than the window has room for. The Nth start of a window would
 * contain the whole fleet for two minutes (law S8), so the last place is left free, and the minute that all of them
 * share goes to those whom most people wait for.
 */
export class StartQueue {
  readonly #deps: StartQueueDeps;
  readonly #waiting = new Map<ScopeKey, Waiting>();
  readonly #onTheirWay = new Map<ScopeKey, OnItsWay>();
  /** When a group was last seen to be contained, or to be started while the page about all who wait was open. */
  readonly #heldMs = new Map<ScopeKey, MonoMs>();

  constructor(deps: StartQueueDeps) {
    this.#deps = deps;
  }

  /** When to ask again; undefined: it may ask now. Only starts wait in the queue. */
  startDelayMs(scope: Scope, seen: Seen, nowMs: MonoMs): MonoMs | undefined {
    const key = keyOfScope(scope);
    const proofMs = this.#proofMs(scope, seen, nowMs);
    if (proofMs !== undefined) return proofMs;
    if (!this.#wantsStart(scope, seen)) {
      this.#waiting.delete(key);
      return undefined;
    }
    this.#forget(nowMs);
    const own = this.#noted(scope, seen.viewers ?? 0, nowMs);
    // Whoever comes to a crowd waits until the others have asked, too: else the first to ask would be the first to go.
    if (own.sinceMs === nowMs && this.#deps.openPages().has(KEY_OF_MASS_OUTAGE)) return nowMs + AGAIN_MS;
    const ahead = this.#aheadOf(own);
    if (this.#places(nowMs) <= ahead.length || !this.#hasPace(scope, nowMs)) return nowMs + AGAIN_MS;
    this.#waiting.delete(key);
    const channels = scope.kind === 'channel' ? [scope.id] : seen.channels;
    this.#onTheirWay.set(key, { letMs: nowMs, isPlan: scope.kind !== 'channel', channels });
    return undefined;
  }

  /**
   * A staged start waits for the proof that the cause that left the channels down is over; undefined: it is, or none is
   * due.
   */
  #proofMs(scope: Scope, seen: Seen, nowMs: MonoMs): MonoMs | undefined {
    if (scope.kind === 'channel' || seen.sight.trouble?.leftMs === undefined) return undefined;
    const proof = this.#deps.proofOf?.(scope, nowMs);
    if (proof === undefined || proof.isProven || !this.#isHeldUp(scope, seen)) return undefined;
    return Math.min(proof.atMs ?? nowMs + AGAIN_MS, nowMs + AGAIN_MS);
  }

  /**
   * All groups of which it would start channels are contained: of any other the guard starts some and leaves the rest
   * out. What has ended by time needs no proof any more (law S8).
   */
  #isHeldUp(scope: Scope, { channels, sight }: Seen): boolean {
    const down = sight.trouble?.down ?? channels;
    const groups = scope.kind === 'group' ? [scope.id] : down.map(this.#deps.groupOf);
    const isHeld = (id: GroupId | undefined): boolean => id !== undefined && this.#isContained({ kind: 'group', id });
    return groups.length > 0 && groups.every(isHeld);
  }

  /** Housekeeping asks for it every second. */
  crowd(nowMs: MonoMs): MassOutage {
    this.#forget(nowMs);
    this.#noteHeld(nowMs);
    const since = [...this.#waiting.values()].map(({ sinceMs }) => sinceMs);
    const held = this.#deps.incidents().open.filter((open) => this.#isHeld(open, nowMs));
    const channels = held.reduce((sum, { incident }) => sum + incident.channels.length, 0);
    const scopes = [...this.#waiting.values(), ...held.map(({ incident }) => incident)].map(({ scope }) => scope);
    const starting = held.filter(({ incident, running }) => running && !this.#isContained(incident.scope)).length;
    const groups = { groups: held.length, starting, channels };
    return { count: since.length, sinceMs: Math.min(nowMs, ...since), held: groups, scopes };
  }

  /** It waits for a start, or is a group that is held. */
  isInCrowd(scope: Scope, nowMs: MonoMs): boolean {
    if (this.#waiting.has(keyOfScope(scope))) return true;
    const open = scope.kind === 'channel' ? undefined : openOn(this.#deps.incidents(), scope);
    return open !== undefined && this.#isHeld(open, nowMs);
  }

  /**
   * A group that died of something, and that containment keeps from being started, or kept until a moment ago: it asks
   * for its place only then. While the page is open it is about those, too, who are being started, until a moment after
   * that: what is left of the group asks for its next place then.
   */
  #isHeld({ incident: { scope, classification }, last, running }: OpenIncident, nowMs: MonoMs): boolean {
    if (scope.kind === 'channel' || !isCuredByStart(classification)) return false;
    if (this.#isContained(scope) || (last?.kind === 'escalated' && last.reason === 'containment')) return true;
    const heldMs = this.#heldMs.get(keyOfScope(scope));
    if (heldMs !== undefined && nowMs - heldMs <= FORGOTTEN_MS) return true;
    return running && this.#deps.openPages().has(KEY_OF_MASS_OUTAGE);
  }

  #isContained(scope: Scope): boolean {
    return containmentsOf(this.#deps.guard(), [scope]).some(({ reason }) => reason === 'shared_cause');
  }

  #noteHeld(nowMs: MonoMs): void {
    const isOpen = this.#deps.openPages().has(KEY_OF_MASS_OUTAGE);
    for (const { incident, running } of this.#deps.incidents().open) {
      const { scope } = incident;
      if (scope.kind === 'channel' || !((running && isOpen) || this.#isContained(scope))) continue;
      this.#heldMs.set(keyOfScope(scope), nowMs);
    }
  }

  /** A run that ends in a question or a page takes no place, so it need not wait for one. */
  #wantsStart(scope: Scope, seen: Seen): boolean {
    const { trouble, contained } = seen.sight;
    if (contained || trouble === undefined || !isCuredByStart(trouble.classification)) return false;
    const start = specOf('restart_channel');
    if (this.#deps.phaseOf({ scope, group: seen.group }, start.name) < phaseNeeded(start)) return false;
    const persona = this.#deps.personaOf(scope, seen.group);
    const access = accessOf(persona, start.name);
    if (persona.operational_mode !== 'remediation' || access === 'deny') return false;
    return access !== 'require_approval' || seen.sight.approval === 'yes';
  }

  #noted(scope: Scope, viewers: number, nowMs: MonoMs): Waiting {
    const key = keyOfScope(scope);
    const held = this.#waiting.get(key) ?? { scope, viewers, sinceMs: nowMs, askedMs: nowMs };
    held.askedMs = nowMs;
    this.#waiting.set(key, held);
    return held;
  }

  /** Of the window, the last place is left free: whoever took it would contain the fleet. */
  #places(nowMs: MonoMs): number {
    const { windowStartsMax, windowMs } = this.#deps.settings().limits;
    const all = startsMaxOf(windowStartsMax);
    const { starts } = this.#deps.guard();
    const { count } = roomFor(starts, all, { windowMs, nowMs });
    return Math.max(1, all - 1) - count - this.#uncounted(starts).length;
  }

  /** Those whose first start is not in the window yet. */
  #uncounted(starts: readonly StartMark[]): readonly OnItsWay[] {
    const isCounted = ({ letMs, channels }: OnItsWay): boolean =>
      starts.some(({ channel, atMs }) => atMs >= letMs && channels.includes(channel));
    return [...this.#onTheirWay.values()].filter((one) => !isCounted(one));
  }

  /** A plan that comes when as many staged starts have begun as a minute may hold would only be refused. */
  #hasPace(scope: Scope, nowMs: MonoMs): boolean {
    if (scope.kind === 'channel') return true;
    const { stagedStartsPerMinuteMax: max } = this.#deps.settings().limits;
    const begun = [...this.#onTheirWay.values()].filter(({ isPlan }) => isPlan).length;
    return begun < max && stagedRoom(this.#deps.guard().starts, max - begun, nowMs).freeInMs === 0;
  }

  #aheadOf(own: Waiting): readonly Waiting[] {
    return [...this.#waiting.values()].filter(
      (one) => one !== own && (one.viewers - own.viewers || own.sinceMs - one.sinceMs) > 0,
    );
  }

  #forget(nowMs: MonoMs): void {
    for (const [key, { askedMs }] of this.#waiting) if (nowMs - askedMs > FORGOTTEN_MS) this.#waiting.delete(key);
    for (const [key, atMs] of this.#heldMs) if (nowMs - atMs > FORGOTTEN_MS) this.#heldMs.delete(key);
    for (const [key, { letMs }] of this.#onTheirWay) if (nowMs - letMs > ON_ITS_WAY_MS) this.#onTheirWay.delete(key);
  }
}
