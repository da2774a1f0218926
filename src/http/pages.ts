// Open pages, as people and programs read them.
import type { EpochMs, MonoMs } from '../core/clock.ts';
import { keyOfScope } from '../core/scope.ts';
import { isLouder, type Page } from '../escalate/outbox.ts';

interface Moment {
  readonly nowMs: MonoMs;
  readonly now: EpochMs;
}

const byLoudnessThenAge = (a: Page, b: Page): number => {
  const [first, second] = [a.escalation.severity, b.escalation.severity];
  if (first !== second) return isLouder(first, second) ? -1 : 1;
  return a.raisedMs - b.raisedMs;
};

/** Loudest first, then oldest first. `deliveredTo`: the receivers that took it since it is open. */
export const pageViews = (pages: readonly Page[], { nowMs, now }: Moment): readonly unknown[] =>
  pages
    .filter(({ resolved }) => resolved === undefined)
    .sort(byLoudnessThenAge)
    .map(({ key, escalation, raisedMs, acked, told }) => ({
      key,
      severity: escalation.severity,
      reason: escalation.reason,
      scope: keyOfScope(escalation.scope),
      incident: escalation.incident ?? null,
      classification: escalation.classification ?? null,
      summary: escalation.summary,
      openMs: nowMs - raisedMs,
      acked: acked === undefined ? null : { who: acked.who, agoMs: Math.max(0, now - acked.at) },
      deliveredTo: told.filter(({ state }) => state === 'open').map(({ receiver }) => receiver),
    }));
