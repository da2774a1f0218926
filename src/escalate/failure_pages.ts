/** Pages about failures of Reeve itself: their keys, their texts, and their end at the next start. */
import type { Escalation } from '../core/incident.ts';
import type { Append, Draft } from '../core/journal.ts';
import { raise, resolve } from './escalator.ts';
import type { Outbox } from './outbox.ts';
import { adopt, type Undelivered } from './undelivered.ts';

const SUMMARY_MAX = 200;
const DETAILS_MAX = 2_000;
const FAILURE_KEY = 'reeve/internal';

/** What is wrong with the journal: it takes nothing, or a record of it is not what was written. */
export type JournalFault = 'unwritable' | 'chain';

const ANEW = 'Reeve was started again, and its journal is whole';
const TAKES_NOTHING =
  'The journal takes nothing more, so Reeve restarts nothing, and no channel that fails from now on gets a ' +
  'page of its own: one more page lists those that stay down. Look at the disk of the state directory: df -h, ' +
  'and dmesg where the kernel has made it read-only. When the disk has taken three probes, 10 s apart, Reeve ' +
  'opens its journal anew and ends this page. Only after a disk that took nothing at all may this page have to be ' +
  'closed where you read it.';
const BROKEN_CHAIN =
  'A record of the journal is not what was written, so Reeve restarts nothing; it still writes and pages. This is ' +
  'for a person: reeve audit verify, then put a whole copy in the place of journal.db, or none (docs/audit.md).';
const NO_FAULT_OF_A_CHANNEL = 'See the log of Reeve and: reeve status';

/** One key per kind of failure, named by its first part: the same trouble finds its page, another gets its own. */
export function keyOfFailure(text: string): string {
  const kind = /^[a-z_]{1,40}/.exec(text.toLowerCase())?.[0] ?? 'other';
  return `${FAILURE_KEY}/${kind}`;
}

const isFailureKey = (key: string): boolean => key === FAILURE_KEY || key.startsWith(`${FAILURE_KEY}/`);

/** A journal that fails makes everything fail: that is one trouble and one page, however many see it. */
export function failurePage(text: string, journal: JournalFault | undefined): Omit<Escalation, 'id' | 'at'> {
  const help = { unwritable: TAKES_NOTHING, chain: BROKEN_CHAIN };
  return {
    key: keyOfFailure(journal === undefined ? text : 'journal'),
    severity: 'critical',
    reason: journal === undefined ? 'internal' : 'journal_broken',
    scope: { kind: 'fleet' },
    incident: undefined,
    classification: undefined,
    summary: `Reeve itself failed: ${text}`.slice(0, SUMMARY_MAX),
    details: `${text}\n${journal === undefined ? NO_FAULT_OF_A_CHANNEL : help[journal]}`.slice(0, DETAILS_MAX),
  };
}

/**
 * Journals the page, or sends it past a journal that takes nothing. That journal may have an open page about what was
 * wrong with it before: it says nothing of this, and a person who has it would never hear that nothing is written.
 * `pageFor`: the page by what is wrong with the journal, which may only be found by the attempt.
 */
export function raiseFailure(
  pageFor: (journal: JournalFault | undefined) => Escalation,
  { journal, outbox, append, pageUnjournaled }: FailurePorts,
): 'journaled' | 'unjournaled' {
  if (journal() !== 'unwritable') {
    try {
      append(raise(outbox(), pageFor(journal())));
      return 'journaled';
    } catch {
      // Then as where that was known before.
    }
  }
  pageUnjournaled(pageFor(journal()));
  return 'unjournaled';
}

interface FailurePorts {
  readonly journal: () => JournalFault | undefined;
  readonly outbox: () => Outbox;
  readonly append: Append;
  readonly pageUnjournaled: (page: Escalation) => void;
}

/**
 * The drafts of a start with a whole journal: failure pages of the process before this one end, and those that its
 * journal could not take (`leftOver`) are written down, to be ended by `endLeftOver` once the start itself is.
 */
export function startedAnew(outbox: Outbox, leftOver: readonly Undelivered[]): readonly Draft[] {
  const over = outbox.pages.filter(({ key, resolved }) => resolved === undefined && isFailureKey(key));
  return [...over.flatMap(({ key }) => resolve(outbox, key, ANEW)), ...adopt(outbox, leftOver)];
}

/**
 * The drafts that end the pages which `startedAnew` wrote down, but for those about channels: these stay open until
 * what they list plays (law L6).
 */
export const endLeftOver = (outbox: Outbox, leftOver: readonly Undelivered[]): readonly Draft[] =>
  leftOver.flatMap(({ key, channels }) => (channels === undefined ? resolve(outbox, key, ANEW) : []));
