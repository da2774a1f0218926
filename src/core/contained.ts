/** Describes what is contained, and finds out of this description whether it is more than one channel. */
import type { ContainmentReason } from './envelope.ts';
import { keyOfScope, type Scope } from './scope.ts';

interface Contained {
  readonly scope: Scope;
  readonly reason: ContainmentReason;
  readonly detail: string;
}

/** Pages, refusals and `reeve why` say the same of one containment. */
export const containedText = ({ scope, reason, detail }: Contained): string =>
  `${keyOfScope(scope)} is contained (${reason}): ${detail}`;

const OF_A_WHOLE = /(?:^|; )(?:fleet|(?:group|engine):[^;]{1,200}) is contained \(/;

/** A refusal for containment of a group, an engine or the fleet, and not of one channel alone. */
export const isWholeContained = (because: string): boolean => OF_A_WHOLE.test(because);
