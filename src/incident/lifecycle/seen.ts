/** One scope at one moment, as the responder judges it. */
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import { type Incident, reaching } from '../../core/incident.ts';
import type { ChannelId, EngineId, GroupId, IncidentId } from '../../core/scope.ts';

/** What is seen of one channel (or of one shared cause) at one moment. */
export interface Snapshot {
  readonly trouble:
    | {
        readonly classification: FailureClass;
        /** The engine may still deal with it itself, until `settledMs`. */
        readonly settling: boolean;
        readonly settledMs: MonoMs;
        /** Since when this classification has held. */
        readonly sinceMs: MonoMs;
        /** Since when it has been in trouble of any kind; undefined where that is not known. */
        readonly troubledMs?: MonoMs;
        /** The shared cause is gone since then, and this is what it left down. */
        readonly leftMs?: MonoMs | undefined;
        /** The channels that it left down. */
        readonly down?: readonly ChannelId[];
      }
    | undefined;
  readonly healthy: boolean | undefined;
  readonly healthySinceMs: MonoMs | undefined;
  /** No output is expected now (stopped on purpose, there is no viewer). */
  readonly quiet: boolean;
  readonly stoppedByPerson?: boolean | undefined;
  /** Since when there has been no trouble, also where it is unknown whether it plays. */
  readonly clearSinceMs?: MonoMs | undefined;
  /** A shared cause covers the channel: its group's incident speaks for it. */
  readonly covered: boolean;
  /** That incident, once it is open. `notified`: a person was notified of it. `lists`: it is about this one. */
  readonly absorber?: { readonly id: IncidentId; readonly notified: boolean; readonly lists: boolean } | undefined;
  /** Of a group: its channels are started one by one, each by its own incident. */
  readonly handedOver?: boolean;
  /** What its last run was refused for holds no longer (law L5). */
  readonly refusalIsOver?: boolean;
  /** High-risk tools are contained for this scope. */
  readonly contained: boolean;
  /** A person works there, or an open page about its containment or a mass outage names it. */
  readonly spokenFor?: boolean;
  /** The open page of a group or an engine lists the channel, or the announced wait of such an incident does. */
  readonly listed?: boolean;
  /** Of a group or an engine: who is down for its cause, has no page of its own and is not in its list; since when. */
  readonly unlisted?: { readonly channels: readonly ChannelId[]; readonly sinceMs: MonoMs } | undefined;
  /** It waits for a start, and the open page about all who do names it. */
  readonly inCrowd?: boolean;
  /** What became of the newest question that Reeve asked about this scope. */
  readonly approval: 'none' | 'pending' | 'yes' | 'no' | 'expired';
}

/** What there is to see of one scope at one moment. `channels`: of a shared cause, those it covers. */
export interface Seen {
  readonly sight: Snapshot;
  readonly because: string;
  readonly group: GroupId;
  readonly engine: EngineId;
  readonly channels: readonly string[];
  /** How many wait for a picture; undefined where that is not reported. */
  readonly viewers?: number | undefined;
}

/** The incident with all channels that a page about it has to list now. */
export const withAllDown = (incident: Incident, seen: Pick<Seen, 'channels' | 'sight'> | undefined): Incident =>
  reaching(incident, [...(seen?.channels ?? []), ...(seen?.sight.unlisted?.channels ?? [])]);
