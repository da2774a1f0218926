/** Tells what a receiver is to be sent again where it forgets what is not repeated. */
import type { MonoMs } from '../core/clock.ts';
import { dueTo, noticeOf } from './due.ts';
import { CLOSED_KEPT_MS, type Page } from './outbox.ts';
import type { Notice } from './receiver.ts';

interface Known {
  readonly receiver: string;
  readonly pages: readonly Page[];
  readonly nowMs: MonoMs;
  readonly repeatMs: number;
  /** Ids of messages that it took and of which no record could be made. */
  readonly unrecorded: ReadonlySet<string>;
}

/** Everything as this receiver knows it: what is open, and what was resolved a short while ago. */
export function knownNotices({ pages, ...known }: Known): readonly Notice[] {
  return pages.flatMap((page) => noticesOf(page, known));
}

function noticesOf(page: Page, { receiver, nowMs, repeatMs, unrecorded }: Omit<Known, 'pages'>): readonly Notice[] {
  const isFresh = (sinceMs: MonoMs): boolean => nowMs - sinceMs <= CLOSED_KEPT_MS;
  const last = page.told.find((one) => one.receiver === receiver);
  const { resolved } = page;
  const news = noticeOf(page, receiver, resolved === undefined ? 'trigger' : 'resolve');
  if (unrecorded.has(news.id)) return resolved === undefined || isFresh(resolved.monoMs) ? [news] : [];
  const due = dueTo(page, receiver, repeatMs);
  // An attempt, also of the process before, may have ended it there: it must not be opened again.
  const isEnding = due?.what === 'resolve' && due.dueMs <= nowMs;
  if (last === undefined || isEnding) return [];
  if (last.state === 'open') return [noticeOf(page, receiver, 'repeat')];
  // An attempt may have opened it there anew: it must not end before it is known to be taken.
  const comesBack = due?.what === 'trigger';
  return resolved !== undefined && isFresh(last.toldMs) && !comesBack ? [news] : [];
}
