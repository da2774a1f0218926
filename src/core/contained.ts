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

/** While it lasts a release would be undone at once: the cause is the journal itself. */
export const isJournals = ({ reason }: { readonly reason: string }): boolean => reason === 'journal_error';

/** What ends that, in pages, answers and `reeve why`. */
export const JOURNAL_ENDS =
  'no release ends it before the journal is whole and takes entries again: reeve audit verify (docs/audit.md)';

/** The same, and what comes then: where a person has to end it, the cause must be gone first. */
export const journalEndsText = ({ scope, releaseByPerson }: { scope: string; releaseByPerson: boolean }): string =>
  `${JOURNAL_ENDS}; then ${releaseByPerson ? `reeve release ${scope} --because "…"` : 'it ends by itself'}`;
