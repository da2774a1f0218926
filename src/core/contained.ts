/** Describes what is contained. */
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
