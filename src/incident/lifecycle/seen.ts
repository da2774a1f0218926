/** One scope at one moment, as the responder judges it. */
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
