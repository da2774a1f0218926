/** One scope at one moment, as the responder judges it. */
import { type Incident, reaching } from '../../core/incident.ts';
import type { EngineId, GroupId } from '../../core/scope.ts';
import type { Snapshot } from './transitions.ts';

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
