/** Decides what a receiver must be sent next, and when. */
import { hash } from 'node:crypto';
import type { MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { type Content, newest } from './content.ts';
import { FLOOD_MS, isDelivered, isLouder, type Page, type DeliveredNotice } from './outbox.ts';
import type { Notice, NoticeKind, NoticeLabels } from './receiver.ts';

/**
 * A page that was delivered only when it was over stays up this long: a receiver that sees both at once stays silent.
 */
export const LATE_HOLD_MS = MINUTE_MS;

/** The one next thing that a receiver must hear under a key, and from when on. */
export interface Due {
  readonly what: NoticeKind;
  readonly dueMs: MonoMs;
}

/**
 * What to send a receiver next under this key; undefined when it knows everything. Pure, and the whole order of
 * delivery: since it never names two things at once, a resolve cannot overtake its trigger.
 *
 * - A page that is over before any receiver took it is still sent: its trigger, then its resolve. So is one that grew
 *   louder.
 * - A receiver that missed a page which another took and which is over is not woken for it. It is sent the resolve
 *   alone: an attempt whose end was not seen may have opened it there.
 * - A page that comes back before its resolve was sent is sent as an update of the one the receiver still knows. If it
 *   goes again before that it is sent all the same: the first resolve may have been taken, and its answer lost.
 */
export function dueTo(page: Page, receiver: string, repeatMs: number): Due | undefined {
  const last = page.told.find((one) => one.receiver === receiver);
  if (last?.state !== 'open') return triggerDue(page, last);
  if (page.resolved !== undefined) return endDue(page, last, page.resolved.monoMs);
  if (last.content.id !== newest(page).id) return { what: 'trigger', dueMs: afterFlood(page, last) };
  return page.acked === undefined ? { what: 'repeat', dueMs: last.pagedMs + repeatMs } : undefined;
}

/** What is due under one key, and the id of its message. */
export type DueNotice = Due & { readonly id: string };

/**
 * What one receiver must be sent, worked out once for a page as it stands: at each delivery and each page that is
 * raised it is asked for all pages, of which one has changed.
 */
export class DueNotices {
  readonly #receiver: string;
  readonly #known = new WeakMap<Page, { readonly repeatMs: number; readonly due: DueNotice | undefined }>();

  constructor(receiver: string) {
    this.#receiver = receiver;
  }

  of(page: Page, repeatMs: number): DueNotice | undefined {
    const known = this.#known.get(page);
    if (known?.repeatMs === repeatMs) return known.due;
    const next = dueTo(page, this.#receiver, repeatMs);
    const due = next && { ...next, id: noticeOf(page, this.#receiver, next.what).id };
    this.#known.set(page, { repeatMs, due });
    return due;
  }
}

function endDue(page: Page, last: DeliveredNotice, resolvedMs: MonoMs): Due {
  if (isUnsent(page, last)) return { what: 'trigger', dueMs: Math.max(resolvedMs, afterFlood(page, last)) };
  // By the order of the entries, because two of them may fall into one millisecond.
  const late = last.late ?? last.pagedMs >= resolvedMs;
  return { what: 'resolve', dueMs: late ? last.pagedMs + LATE_HOLD_MS : resolvedMs };
}

/** It came back or grew louder, was over before anybody heard that, and must still be heard. */
function isUnsent(page: Page, last: DeliveredNotice): boolean {
  const isNews = last.content.episode !== page.episode || isLouder(page.escalation.severity, last.content.severity);
  return isNews && !page.told.some(({ content }) => content.id === newest(page).id);
}

function triggerDue(page: Page, last: DeliveredNotice | undefined): Due | undefined {
  if (last?.content.episode === page.episode) return undefined;
  if (page.resolved !== undefined && isDelivered(page)) return { what: 'resolve', dueMs: page.resolved.monoMs };
  return { what: 'trigger', dueMs: last === undefined ? page.raisedMs : afterFlood(page, last) };
}

/**
 * A page that grows louder than anything sent in the window does not wait: at most two such steps exist. Nor does one
 * that now asks for an answer, where the last one did not: a question runs out after ten minutes, and half of them
 * would be over before anybody hears of it.
 */
function afterFlood(page: Page, last: DeliveredNotice): MonoMs {
  const asks = page.escalation.reason === 'approval_needed' && last.content.reason !== 'approval_needed';
  const atOnce = asks || isLouder(page.escalation.severity, last.loudest);
  return atOnce ? page.raisedMs : Math.max(page.raisedMs, last.pagedMs + FLOOD_MS);
}

/** The message itself. A resolve goes out under the labels that the receiver knows, with the newest text. */
export function noticeOf(page: Page, receiver: string, what: NoticeKind): Notice {
  const last = page.told.find((one) => one.receiver === receiver);
  const content = what === 'trigger' || last === undefined ? newest(page) : last.content;
  const { escalation, key, openedAt, resolved } = page;
  return {
    ...labelsOf(content),
    id: messageId(page, what, content, last),
    what,
    key,
    scope: escalation.scope,
    incident: escalation.incident,
    summary: escalation.summary,
    details: escalation.details,
    openedAt,
    resolvedAt: resolved?.at,
    because: resolved?.because,
    raised: page.raises - (last?.content.raises ?? 0),
    previous: what === 'repeat' ? [] : previousOf(page, last, content),
  };
}

function previousOf(page: Page, last: DeliveredNotice | undefined, content: Content): readonly NoticeLabels[] {
  const known = last?.state === 'open' ? [last.content] : [];
  // What was raised before the last end that it took has ended there with it.
  const sinceRaises = last === undefined ? 0 : last.content.raises;
  const maybe = page.contents.filter(({ raises }) => raises > sinceRaises);
  return [...known, ...maybe]
    .filter((one, at, all) => !sameLabels(one, content) && all.findIndex((each) => sameLabels(each, one)) === at)
    .map(labelsOf);
}

/** The id of the escalation that such a notice brings the receiver up to. */
export function contentIdOf(page: Page, receiver: string, what: NoticeKind): string {
  const last = page.told.find((one) => one.receiver === receiver);
  return what === 'repeat' && last !== undefined ? last.content.id : newest(page).id;
}

/** A resolve is named after the newest news that it ends: a later one under the same key must not look like it. */
function messageId(page: Page, what: NoticeKind, content: Content, last: DeliveredNotice | undefined): string {
  const repeats = what === 'repeat' ? (last?.repeats ?? 0) + 1 : 0;
  const about = what === 'resolve' ? newest(page).id : content.id;
  return `msg_${hash('sha256', JSON.stringify([page.key, what, about, repeats]), 'hex').slice(0, 32)}`;
}

const labelsOf = ({ severity, reason, classification, place }: NoticeLabels): NoticeLabels => ({
  severity,
  reason,
  classification,
  place,
});

const sameLabels = (a: NoticeLabels, b: NoticeLabels): boolean =>
  a.severity === b.severity &&
  a.reason === b.reason &&
  a.classification === b.classification &&
  a.place?.group === b.place?.group &&
  a.place?.engine === b.place?.engine;
