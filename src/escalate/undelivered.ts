/** Keeps pages that could not be written to the journal. */
import { z } from 'zod';
import { type Escalation, inTroubleLine } from '../core/incident.ts';
import type { Draft } from '../core/journal.ts';
import type { ChannelId } from '../core/scope.ts';
import { raise } from './escalator.ts';
import { type Outbox, type Page, pageOf } from './outbox.ts';

const NOTES_MAX = 4;
const RECEIVERS_MAX = 16;
/** For the ids that all pages list, with what JSON writes around each; the room of the whole note is 4 KiB. */
const LISTS_BYTES_MAX = 1_600;
const AROUND_BYTES = 3;

/** Of a page that the journal could not take: enough for the next process to end it. */
const leftOver = z.strictObject({
  id: z.string().max(100),
  key: z.string().startsWith('unjournaled/').max(255),
  severity: z.enum(['info', 'warning', 'critical']),
  reason: z.enum(['journal_broken', 'internal']),
  at: z.number(),
  summary: z.string().max(200),
  receivers: z.array(z.string().max(100)).max(RECEIVERS_MAX),
  /** Of a page about channels: those that it lists, as many as fit. */
  channels: z.array(z.string()).optional(),
});
export type Undelivered = z.output<typeof leftOver>;

/** What to keep of them: those that a receiver has open. The end of the others need not be sent. */
export function undeliveredOf(pages: readonly Page[]): readonly Undelivered[] {
  const open = pages.filter(({ told }) => told.some(({ state }) => state === 'open')).slice(0, NOTES_MAX);
  const listing = open.filter(({ escalation }) => escalation.channels !== undefined).length;
  return open.flatMap(({ escalation: { id, key, severity, reason, at, summary, channels }, told }) => {
    const receivers = told.map(({ receiver }) => receiver).slice(0, RECEIVERS_MAX);
    const listed = channels === undefined ? {} : { channels: fitting(channels, LISTS_BYTES_MAX / listing) };
    const kept = leftOver.safeParse({ id, key, severity, reason, at, summary, receivers, ...listed });
    return kept.success ? [kept.data] : [];
  });
}

/** As many as fit from the first on: those that are cut off get pages of their own from the next process. */
function fitting(channels: readonly ChannelId[], bytesMax: number): readonly ChannelId[] {
  let used = 0;
  return channels.filter((id) => {
    used += id.length + AROUND_BYTES;
    return used <= bytesMax;
  });
}

/** What an earlier process kept; empty where there is nothing that makes sense. */
export function readUndelivered(note: unknown): readonly Undelivered[] {
  const read = z.array(leftOver).max(NOTES_MAX).safeParse(note);
  return read.success ? read.data : [];
}

/** The drafts that write such pages down after all, as what they are: open, and known to these receivers. */
export function adopt(outbox: Outbox, pages: readonly Undelivered[]): readonly Draft[] {
  return pages.flatMap(({ receivers, channels, ...kept }): readonly Draft[] => {
    const page = pageOf(outbox, kept.key);
    if (page !== undefined && page.resolved === undefined) return [];
    const about = { scope: { kind: 'fleet' }, incident: undefined, classification: undefined } as const;
    const listed = channels === undefined ? { details: '' } : { channels, details: inTroubleLine(channels) };
    const escalation: Escalation = { ...kept, ...about, ...listed };
    const known = { key: kept.key, what: 'trigger', attempts: 1, escalation: kept.id } as const;
    return [
      ...raise(outbox, escalation),
      ...receivers.map((receiver): Draft => ({ fact: { type: 'delivery.done', receiver, ...known } })),
    ];
  });
}
