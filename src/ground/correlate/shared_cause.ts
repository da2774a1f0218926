/** The type of a trouble that several channels share. */
import type { FailureClass, Family } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId, GroupId, Scope } from '../../core/scope.ts';

/**
 * One trouble of many channels. `over`: the cause is gone, and `down` are the channels that it left down:
 * they do not come back by themselves, and are not a cause of their own.
 */
export interface SharedCause {
  readonly key: string;
  readonly scope: Scope;
  readonly family: Family;
  readonly classification: FailureClass;
  /** Every channel that it has touched, sorted. */
  readonly channels: readonly ChannelId[];
  /**
   * The groups that it has touched, where it is of several and not of the engine that they share: others read from
   * elsewhere. Absent: it is a trouble of the whole scope.
   */
  readonly groups?: readonly GroupId[];
  readonly because: string;
  readonly sinceMs: MonoMs;
  /** When it last showed itself. */
  readonly lastMs: MonoMs;
  readonly phase: 'active' | 'over';
  /** Since when it is over. */
  readonly overMs?: MonoMs;
  readonly down: readonly ChannelId[];
}
