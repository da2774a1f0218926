/** What the decision pipeline needs from outside, as ports: the journal, the observations and the pages. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { Engine } from '../../core/engine.ts';
import type { Ids } from '../../core/id.ts';
import type { Escalation } from '../../core/incident.ts';
import type { Append, Draft, Projection, Read } from '../../core/journal.ts';
import type { ChannelId, EngineId, Scope } from '../../core/scope.ts';
import type { LogReading } from '../../core/symptom.ts';
import type { SeenDead } from '../../ground/facts/facts.ts';
import type { ChannelSetup, EngineSetup } from '../../ground/facts/setup.ts';
import type { Want } from '../../ground/rules/rule.ts';
import type { KeyedQueues } from '../../resilience/keyed_queues.ts';
import type { Settings } from './settings.ts';

/** The record: every decision is written to it, every state is folded from it. */
export interface JournalPort {
  readonly append: Append;
  /** Before the journal is opened. */
  readonly register: <State>(projection: Projection<State>) => Read<State>;
  /** When the process before this one wrote last, where there was one and the journal is open. */
  readonly watchedUntilMs?: () => MonoMs | undefined;
  /** Whom this very process saw die before it opened everything anew a moment ago. The journal may not know. */
  readonly seenDead?: readonly SeenDead[] | undefined;
  /** Why the journal is broken, whoever found it; undefined while it is whole. */
  readonly journalBroken?: () => string | undefined;
}

/** What is watched, and how to look closer. */
export interface ObservationPort {
  readonly channels: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  readonly engines: ReadonlyMap<EngineId, Engine>;
  /** The probes of these channels look often for a while, and at once. */
  readonly lookCloser: (channels: readonly ChannelId[], forMs: number) => void;
  /** One look now would settle a doubt sooner. */
  readonly lookNow: (channel: ChannelId, wants: readonly Want[]) => void;
  /** What the last lines of its log say as a whole; nothing is waited for. */
  readonly readLog?: ((channel: ChannelId) => LogReading) | undefined;
}

/** The pages that are open, by their keys, and the channels that each lists. */
export type OpenPages = ReadonlyMap<string, readonly ChannelId[]>;

/** Pages as drafts, to be appended with the decision that raised or ended them (law L1). */
export interface PagingPort {
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => readonly Draft[];
  readonly resolve: (key: string, because: string) => readonly Draft[];
  readonly openPages: () => OpenPages;
  /** A page about exactly this scope is open, or was until then or later. */
  readonly wasPaged: (scope: Scope, sinceMs: MonoMs) => boolean;
}

/** Pages that the journal cannot take. They are kept in memory and sent like any other. */
export interface UnjournaledPort {
  /** The journal takes nothing. */
  readonly isNeeded: () => boolean;
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => void;
  /** By the key with which it was raised. */
  readonly resolve: (key: string, because: string) => void;
}

/** Everything the decision path needs from outside. A simulation hands over simulated ports and runs the same code. */
export interface PipelineDeps extends JournalPort, ObservationPort, PagingPort {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lanes: KeyedQueues;
  readonly settings: () => Settings;
  readonly unjournaled?: UnjournaledPort | undefined;
  /** True where timers run by themselves: a late one then says that the process was stopped. */
  readonly detectStops?: boolean | undefined;
  /** Secrets and control characters gone, at most 400 characters. */
  readonly clean: (text: string) => string;
  /** Something in Reeve itself went wrong. */
  readonly onFailure: (text: string) => void;
}
