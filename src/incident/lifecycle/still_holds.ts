/** Decides whether the trouble of a run still holds when its page would go out. */
import type { EscalationReason, Outcome } from '../../core/incident.ts';
import type { Seen } from './seen.ts';

/** These are about the trouble itself; the others are about Reeve, and hold whatever the channel does. */
const ABOUT_TROUBLE: ReadonlySet<EscalationReason> = new Set([
  'no_plan',
  'lasting',
  'guard_refused',
  'not_helping',
  'steps_spent',
]);

/**
 * A run takes seconds, and a trouble may pass meanwhile: a page is about what still holds. Only what is seen to be well
 * now needs no person any more; what is not known is a trouble (law L6). When it comes back, it is run again.
 */
export function asItHolds(outcome: Outcome, seen: Seen | undefined): Outcome {
  const isAbout =
    outcome.kind === 'approval_needed' || (outcome.kind === 'escalated' && ABOUT_TROUBLE.has(outcome.reason));
  const isOver = seen !== undefined && seen.sight.trouble === undefined && seen.sight.healthy === true;
  if (!isAbout || !isOver) return outcome;
  const because = `it was over before a person was notified: ${outcome.because}`;
  return { kind: 'watching', because, retryAfterMs: undefined, escalateAfterMs: undefined };
}
