/** The oracle of law L6. */
import type { Escalation, Incident } from '../../core/incident.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { PATIENCE_MS } from '../../core/persona.ts';
import { keyOfScope, type Scope } from '../../core/scope.ts';
import type { ToolCall } from '../../core/tool.ts';
import { KEY_OF_MASS_OUTAGE, keyOfContainmentPage } from '../../incident/pages/page.ts';
import { changes, type FactOf, type InvariantContext, type Oracle, scopesOver } from './context.ts';

/** Ground truth of one channel at one moment, and whether Reeve could see it. */
export interface ChannelTruth {
  readonly channel: string;
  /** Plays, as the simulated service itself knows. */
  readonly playing: boolean;
  /** Reeve runs, and nothing lies between it and the channel. */
  readonly visible: boolean;
}

/** Output is late after 10 s, and a trouble that nothing explains is called unknown 10 s later. */
const DETECTION_MS_MAX = 20_000;
/** What L6 allows on top of patience. */
const GRACE_MS = 15_000;
/** After a run, a hold or a page has ended, and only then: whether it helped is to be seen first. */
const GAP_MS = 20_000;

/**
 * What L6 forbids and Reeve still does; an entry goes when its cause is mended.
 * `hostile_planner_is_silent`: with other planners than the shipped rules a group with a shared cause may stay unpaged.
 */
export const OPEN_FINDINGS: ReadonlySet<string> = new Set(['hostile_planner_is_silent']);

interface Wait {
  readonly incident: string;
  readonly scope: string;
  readonly untilMs: number;
}

/** `listed`: the channels that it names; undefined where it is about one channel, or the text of a page was cut. */
interface Naming {
  readonly scope: string;
  readonly listed: ReadonlySet<string> | undefined;
}

interface Hold {
  readonly scope: string;
  readonly fromMs: number;
  untilMs: number;
}

const LIST = /^(?:Channels|In trouble \(\d+\)): (.*)$/m;

/** As a person reads it: a list that was cut tells how many there are, and may hold any of them. */
function listedIn(details: string): ReadonlySet<string> | undefined {
  if (details.endsWith('…')) return undefined;
  return new Set(LIST.exec(details)?.[1]?.split(', '));
}

const NOTHING: Naming = { scope: '', listed: undefined };

const namingOf = ({ scope, channels = [] }: Pick<Incident, 'scope' | 'channels'>): Naming => ({
  scope: keyOfScope(scope),
  listed: scope.kind === 'channel' ? undefined : new Set(channels),
});

/**
 * L6: a channel that is down in the simulated service, for longer than patience and a grace, is named by an open page,
 * a run in flight or a person's hold. The downtime is read from the service and never from Reeve's own incidents.
 */
export class Silence implements Oracle {
  readonly #case: InvariantContext;
  readonly #pages = new Map<string, Naming>();
  /** Those that the journal could not take, of the process that runs. */
  readonly #unjournaled = new Map<string, Naming>();
  readonly #incidents = new Map<string, Naming>();
  readonly #runs = new Map<string, Naming>();
  readonly #holds = new Map<string, Hold>();
  /** How long a rule stated that it waits: the patience of its diagnosis. In the order of the statements. */
  #waits: Wait[] = [];
  /** Since when a channel has not played, on Reeve's monotonic clock; at the earliest since Reeve was started. */
  readonly #downMs = new Map<string, number>();
  /** Since when a channel has been visibly down. */
  readonly #seenDownMs = new Map<string, number>();
  /** Since when a channel has been visibly down and named by nothing, on Reeve's monotonic clock. */
  readonly #silentMs = new Map<string, number>();
  readonly #reported = new Set<string>();
  /** Channels that people have an open page about which Reeve does not know of any more. */
  readonly #told = new Set<string>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  /** The channels that an open page of these names. */
  pagedOf(isHeard: (key: string) => boolean): readonly string[] {
    const heard = [...this.#pages].flatMap(([key, page]) => (isHeard(key) ? [page] : []));
    return this.#case.script.channels.flatMap(({ id }) => (this.#isIn(id, heard) ? [id] : []));
  }

  /** Reeve has lost the page, and people have it until the channel plays. */
  remember(channels: readonly string[]): void {
    for (const channel of channels) this.#told.add(channel);
  }

  /** A restart of Reeve begins every wait anew: it has seen nothing yet. */
  entry({ fact, run, incident, monoMs }: JournalEntry): void {
    switch (fact.type) {
      case 'reeve.started':
        this.#runs.clear();
        this.#unjournaled.clear();
        for (const channel of this.#downMs.keys()) this.#downMs.set(channel, monoMs);
        this.#seenDownMs.clear();
        return this.#silentMs.clear();
      case 'incident.opened':
        return void this.#incidents.set(fact.incident.id, namingOf(fact.incident));
      case 'run.started':
        return void this.#runs.set(run ?? '', this.#incidents.get(incident ?? '') ?? NOTHING);
      case 'tool.started':
        return this.#reach(run ?? '', fact.permit.call);
      case 'run.ended':
        this.#runs.delete(run ?? '');
        return this.#wait(fact, incident, monoMs);
      case 'escalation.raised':
        return this.#paged(fact.escalation);
      case 'escalation.resolved':
        return void this.#pages.delete(fact.key);
      case 'control.frozen':
        return this.#hold('freeze', { kind: 'fleet' }, [monoMs, Number.POSITIVE_INFINITY]);
      case 'control.thawed':
        return this.#end('freeze', monoMs);
      case 'control.leased':
        return this.#hold(`lease ${keyOfScope(fact.scope)}`, fact.scope, [monoMs, monoMs + fact.forMs]);
      case 'control.lease_ended':
        return this.#end(`lease ${keyOfScope(fact.scope)}`, monoMs);
      case 'control.window_added': {
        const fromMs = monoMs + fact.startsInMs;
        return this.#hold(`window ${fact.window}`, fact.scope, [fromMs, fromMs + fact.forMs]);
      }
      case 'control.window_ended':
        return this.#end(`window ${fact.window}`, monoMs);
    }
  }

  /** What Reeve says of itself (its phase, its budget, its journal, a fault of its own) names no channel. */
  #paged({ key, scope, incident, details }: Escalation): void {
    const isOfChannels = incident !== undefined || key === keyOfContainmentPage(scope) || key === KEY_OF_MASS_OUTAGE;
    if (!isOfChannels) return;
    const listed = scope.kind === 'channel' ? undefined : listedIn(details);
    this.#pages.set(key, { scope: keyOfScope(scope), listed });
    const known = this.#incidents.get(incident ?? '');
    if (known !== undefined && incident !== undefined) this.#incidents.set(incident, { ...known, listed });
  }

  /** Reeve saw and wrote nothing for so long: what has lasted until now has lasted that much less for it. */
  stoodStill(forMs: number): void {
    for (const times of [this.#downMs, this.#seenDownMs, this.#silentMs])
      for (const [channel, sinceMs] of times) times.set(channel, sinceMs + forMs);
  }

  /** It was raised although the journal takes nothing. */
  unjournaled({ key, scope, details }: Pick<Escalation, 'key' | 'scope' | 'details'>): void {
    this.#unjournaled.set(key, { scope: keyOfScope(scope), listed: listedIn(details) });
  }

  ended(key: string): void {
    this.#unjournaled.delete(key);
  }

  /** Looks at every channel as it really is. `monoMs` is the time that the living Reeve counts. */
  look(truths: Iterable<ChannelTruth>, monoMs: number): void {
    const { persona, broke } = this.#case;
    const maxMs = DETECTION_MS_MAX + PATIENCE_MS[persona.aggressiveness] + GRACE_MS;
    for (const { channel, playing, visible } of truths) {
      if (playing) {
        this.#reported.delete(channel);
        this.#told.delete(channel);
        this.#downMs.delete(channel);
      } else if (!this.#downMs.has(channel)) this.#downMs.set(channel, monoMs);
      if (playing || !visible) this.#seenDownMs.delete(channel);
      else if (!this.#seenDownMs.has(channel)) this.#seenDownMs.set(channel, monoMs);
      if (playing || !visible || this.#named(channel, monoMs)) {
        this.#silentMs.delete(channel);
        continue;
      }
      const sinceMs = this.#silentMs.get(channel) ?? monoMs;
      this.#silentMs.set(channel, sinceMs);
      const downMs = this.#seenDownMs.get(channel) ?? sinceMs;
      const dueMs = Math.max(downMs + maxMs, sinceMs + GAP_MS, this.#waitedForMs(channel) + GRACE_MS);
      if (monoMs <= dueMs || this.#reported.has(channel)) continue;
      this.#reported.add(channel);
      broke('L6', `${channel} is down for ${monoMs - sinceMs} ms and no page, run or hold names it`);
    }
  }

  /** A plan of a group names those that it starts, too; new credentials or a new cache of a whole are for all of it. */
  #reach(run: string, { tool, target, channels }: ToolCall): void {
    const known = this.#runs.get(run);
    if (known?.listed === undefined) return;
    const isForAll = target.kind !== 'channel' && tool !== 'restart_channel' && changes(tool);
    this.#runs.set(run, { ...known, listed: isForAll ? undefined : new Set([...known.listed, ...channels]) });
  }

  #wait({ outcome }: FactOf<'run.ended'>, incident = '', nowMs: number): void {
    // The guard's wait for a second witness is no rule's.
    if (outcome.kind !== 'watching' || outcome.escalateAfterMs === undefined || outcome.denial !== undefined) return;
    const { scope } = this.#incidents.get(incident) ?? NOTHING;
    const oldestMs = Math.min(nowMs, ...this.#downMs.values());
    this.#waits = this.#waits.filter(({ untilMs }) => untilMs > oldestMs);
    this.#waits.push({ incident, scope, untilMs: nowMs + outcome.escalateAfterMs });
  }

  /**
   * Only a rule may say how long it waits, and in one outage it says so once in an incident: the first wait that had
   * not ended when the outage began. A channel that played in between has a new outage, and with it a new wait.
   */
  #waitedForMs(channel: string): number {
    const over = scopesOver({ kind: 'channel', id: channel }, this.#case, undefined);
    const downMs = this.#downMs.get(channel) ?? 0;
    const own = this.#waits.filter(({ scope, untilMs }) => over.has(scope as never) && untilMs > downMs);
    const first = new Map(own.reverse().map(({ incident, untilMs }) => [incident, untilMs]));
    return Math.max(0, ...first.values());
  }

  #named(channel: string, monoMs: number): boolean {
    if (this.#told.has(channel)) return true;
    const covers = (keys: Iterable<string>): boolean => this.#isCovered(channel, keys);
    const held = [...this.#holds.values()].filter(({ fromMs, untilMs }) => fromMs <= monoMs && monoMs < untilMs);
    const named = [this.#pages, this.#unjournaled, this.#runs].flatMap((some) => [...some.values()]);
    const isNamed = this.#isIn(channel, named);
    return isNamed || covers(held.map(({ scope }) => scope));
  }

  #isIn(channel: string, named: readonly Naming[]): boolean {
    const about = named.filter(({ listed }) => listed === undefined || listed.has(channel));
    return this.#isCovered(
      channel,
      about.map(({ scope }) => scope),
    );
  }

  #isCovered(channel: string, keys: Iterable<string>): boolean {
    const over = scopesOver({ kind: 'channel', id: channel }, this.#case, undefined);
    return [...keys].some((key) => over.has(key as never));
  }

  #hold(id: string, scope: Scope, [fromMs, untilMs]: readonly [number, number]): void {
    this.#holds.set(id, { scope: keyOfScope(scope), fromMs, untilMs });
  }

  #end(id: string, nowMs: number): void {
    const hold = this.#holds.get(id);
    if (hold !== undefined) hold.untilMs = Math.min(hold.untilMs, nowMs);
  }
}
