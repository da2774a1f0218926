/** Tells what was raised under the key of a page, and which of that a message said. */
import type { Escalation } from '../core/incident.ts';
import type { JournalFact } from '../core/journal.ts';
import type { NoticeLabels } from './receiver.ts';

/** An episode is named after an entry, and the first of these is 1. */
const BEFORE_ALL = 0;

/** What was raised under a key at one time, as far as receivers sort by it. */
export interface Content extends NoticeLabels {
  /** The escalation's id. */
  readonly id: string;
  readonly episode: number;
  /** Raises so far under this key, this one included. */
  readonly raises: number;
}

/** What of a page tells its contents: the newest, and of those before it as many as are kept. */
interface Raised {
  readonly escalation: Escalation;
  readonly episode: number;
  readonly raises: number;
  readonly contents: readonly Content[];
}

/**
 * What such a message said. Of a storm more may be raised while it is under way than is kept: then it was older than
 * all of that, and an end that it told was the end of an earlier episode.
 */
export function contentSent(
  page: Raised,
  { escalation: id, what }: Extract<JournalFact, { type: 'delivery.done' }>,
): Content {
  const [oldest] = page.contents;
  const known = page.contents.find((one) => one.id === (id ?? page.escalation.id));
  if (known !== undefined || oldest === undefined || id === undefined) return known ?? newest(page);
  return { ...oldest, id, raises: oldest.raises - 1, ...(what === 'resolve' && { episode: BEFORE_ALL }) };
}

/** What was raised last. */
export function newest(page: Raised): Content {
  const { id, severity, reason, classification, place } = page.escalation;
  const { episode, raises } = page;
  return page.contents.at(-1) ?? { id, episode, raises, severity, reason, classification, place };
}
