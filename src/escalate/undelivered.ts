/** Keeps pages that could not be written to the journal. */
import { z } from 'zod';
import type { Escalation } from '../core/incident.ts';
import type { Draft } from '../core/journal.ts';
import { raise } from './escalator.ts';
import { type Outbox, type Page, pageOf } from './outbox.ts';

const NOTES_MAX = 4;
const RECEIVERS_MAX = 16;

/** Of a page that the journal could not take: enough for the next process to end it. */
const leftOver = z.strictObject({
  id: z.string().max(100),
  key: z.string().startsWith('unjournaled/').max(255),
  severity: z.enum(['info', 'warning', 'critical']),
  reason: z.enum(['journal_broken', 'internal']),
  at: z.number(),
  summary: z.string().max(200),
  receivers: z.array(z.string().max(100)).max(RECEIVERS_MAX),
});
export type Undelivered = z.output<typeof leftOver>;

/** What to keep of them: those that a receiver took. The end of the others need not be sent. */
export const undeliveredOf = (pages: readonly Page[]): readonly Undelivered[] =>
  pages.slice(0, NOTES_MAX).flatMap(({ escalation: { id, key, severity, reason, at, summary }, told: notices }) => {
    const receivers = notices.map(({ receiver }) => receiver).slice(0, RECEIVERS_MAX);
    const kept = leftOver.safeParse({ id, key, severity, reason, at, summary, receivers });
    return kept.success && receivers.length > 0 ? [kept.data] : [];
  });

/** What an earlier process kept; empty where there is nothing that makes sense. */
export function readUndelivered(note: unknown): readonly Undelivered[] {
  const read = z.array(leftOver).max(NOTES_MAX).safeParse(note);
  return read.success ? read.data : [];
}

/** The drafts that write such pages down after all, as what they are: open, and known to these receivers. */
export function adopt(outbox: Outbox, pages: readonly Undelivered[]): readonly Draft[] {
  return pages.flatMap(({ receivers, ...kept }): readonly Draft[] => {
    const page = pageOf(outbox, kept.key);
    if (page !== undefined && page.resolved === undefined) return [];
    const about = { scope: { kind: 'fleet' }, incident: undefined, classification: undefined, details: '' } as const;
    const escalation: Escalation = { ...kept, ...about };
    const known = { key: kept.key, what: 'trigger', attempts: 1, escalation: kept.id } as const;
    return [
      ...raise(outbox, escalation),
      ...receivers.map((receiver): Draft => ({ fact: { type: 'delivery.done', receiver, ...known } })),
    ];
  });
}
