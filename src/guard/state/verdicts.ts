/** What a verdict about an attempt changes in the guard's state. */
import type { MonoMs } from '../../core/clock.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { cure, fail, relapse } from './breaker.ts';
import type { Edit } from './edit.ts';
import { withProof } from './fleet_cap.ts';
import {
  admittedBy,
  failed,
  isStart,
  noteTried,
  noteVerdict,
  recordFor,
  settle,
  takeAttempt,
  targetFor,
} from './lifecycle.ts';
import { noteCure } from './relapses.ts';
import type { SubjectState } from './state.ts';
import { startOf } from './window.ts';

export interface Judgement {
  readonly cured: boolean;
  readonly fingerprint: string;
  readonly atMs: MonoMs;
}

/** The verdict from fresh samples. It counts once; what came after the deadline has failed already. */
export function judge(edit: Edit, terms: PermitTerms, judgement: Judgement): void {
  const { cured, fingerprint, atMs } = judgement;
  const record = recordFor(edit, terms);
  settle(record, atMs);
  const attempt = takeAttempt(record, terms);
  if (attempt === undefined) return cured ? provenAfterAll(edit, { record, terms, fingerprint, atMs }) : undefined;
  noteVerdict(edit, terms, cured && attempt.startedMs !== undefined ? 'cured' : 'failed');
  if (attempt.startedMs === undefined) neverBegan(record, terms, atMs);
  else if (cured) worked(edit, { record, terms, fingerprint, atMs });
  else failed(record, terms, atMs, fingerprint);
}

/**
 * It was written as UNKNOWN, and then its own effect was seen: a new process plays, so it was a cure (law S6). After a
 * person's reset it counts for the caps alone, which a reset leaves (law S5): what follows is its relapse.
 */
function provenAfterAll(edit: Edit, proof: Proof): void {
  const { terms } = proof;
  const target = targetFor(edit, terms);
  if (target.unknownReset === terms.id) {
    delete target.unknownReset;
    curedBy(edit, proof);
  }
  if (target.unknown?.permit !== terms.id) return;
  delete target.unknown;
  noteVerdict(edit, terms, 'cured');
  worked(edit, proof);
}

/** Nothing was done, so nothing is proven: no fix failed, and a probe that did not begin is no cure. */
function neverBegan(record: SubjectState, terms: PermitTerms, atMs: MonoMs): void {
  if (record.breaker.probe?.permit === terms.id) fail(record.breaker, admittedBy(terms), atMs);
}

interface Proof {
  readonly record: SubjectState;
  readonly terms: PermitTerms;
  readonly fingerprint: string;
  readonly atMs: MonoMs;
}

function worked(edit: Edit, { record, terms, fingerprint, atMs }: Proof): void {
  if (isStart(terms)) cure(record.breaker, admittedBy(terms));
  curedBy(edit, { record, terms, fingerprint, atMs });
  if (terms.parent !== undefined) prove(edit, record, terms, true);
  const { tool } = terms.call;
  record.tried = record.tried.filter((tried) => tried.tool !== tool || tried.fingerprint !== fingerprint);
  const incident = edit.incident(terms.incident);
  if (incident !== undefined && !incident.fixed.includes(tool)) incident.fixed.push(tool);
}

/**
 * A verified start: an incident that follows it soon answers for it. The verdict may come when its own incident is
 * closed and forgotten, which was open when the permit was granted.
 */
function curedBy(edit: Edit, { record, terms, atMs }: Proof): void {
  const { incident: id, grantedMs } = terms;
  if (isStart(terms)) noteCure(record, { id, openedMs: edit.state.incidents[id]?.openedMs ?? grantedMs }, atMs);
}

/**
 * A staged plan is clocked by its proofs: what it has verified leaves the window and the budget of the fleet, and comes
 * back if it relapses.
 */
function prove(edit: Edit, record: SubjectState, terms: PermitTerms, isProven: boolean): void {
  record.restarts = withProof(record.restarts, terms.id, isProven);
  const own = startOf(edit.starts(), terms.id);
  if (own === undefined) return;
  if (isProven) own.proven = true;
  else delete own.proven;
}

/** It looked cured and was not. */
export function relapsed(edit: Edit, terms: PermitTerms, judgement: Omit<Judgement, 'cured'>): void {
  const { fingerprint, atMs } = judgement;
  const record = recordFor(edit, terms);
  settle(record, atMs);
  if (terms.parent !== undefined) prove(edit, record, terms, false);
  if (isStart(terms)) relapse(record.breaker, admittedBy(terms), atMs);
  noteTried(record, terms, fingerprint, atMs);
}
