/** Pages about failures of Reeve itself: their keys, their texts, and their end at the next start. */
import type { Escalation } from '../core/incident.ts';
import type { Draft } from '../core/journal.ts';
import { resolve } from './escalator.ts';
import type { Outbox } from './outbox.ts';
import { adopt, type Undelivered } from './undelivered.ts';

const SUMMARY_MAX = 200;
const DETAILS_MAX = 2_000;
const FAILURE_KEY = 'reeve/internal';

const ANEW = 'Reeve was started again, and its journal is whole';
const NO_JOURNAL =
  'The journal takes nothing more, so Reeve restarts nothing, and no channel that fails from now on gets a ' +
  'page of its own: one more page lists those that stay down. Look at the disk of the state directory: df -h, ' +
  'and dmesg where the kernel has made it read-only. When the disk has taken three probes, 10 s apart, Reeve ' +
  'opens its journal anew and ends this page; a broken chain is for a person: reeve audit verify, then put a ' +
  'whole copy in the place of journal.db, or none (docs/audit.md). Only after a disk that took nothing at all ' +
  'may this page have to be ' +
  'closed where you read it.';
const NO_FAULT_OF_A_CHANNEL = 'See the log of Reeve and: reeve status';

/** One key per kind of failure, named by its first part: the same trouble finds its page, another gets its own. */
export function keyOfFailure(text: string): string {
  const kind = /^[a-z_]{1,40}/.exec(text.toLowerCase())?.[0] ?? 'other';
  return `${FAILURE_KEY}/${kind}`;
}

const isFailureKey = (key: string): boolean => key === FAILURE_KEY || key.startsWith(`${FAILURE_KEY}/`);

/** A journal that fails makes everything fail: that is one trouble and one page, however many see it. */
export const failurePage = (text: string, journalBroken: boolean): Omit<Escalation, 'id' | 'at'> => ({
  key: keyOfFailure(journalBroken ? 'journal' : text),
  severity: 'critical',
  reason: journalBroken ? 'journal_broken' : 'internal',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: `Reeve itself failed: ${text}`.slice(0, SUMMARY_MAX),
  details: `${text}\n${journalBroken ? NO_JOURNAL : NO_FAULT_OF_A_CHANNEL}`.slice(0, DETAILS_MAX),
});

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
