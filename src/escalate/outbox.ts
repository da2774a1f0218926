/** The projection of all pages and of who has received them. */
import type { Severity } from '../core/classification.ts';
import type { EpochMs, MonoMs } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import type { Escalation } from '../core/incident.ts';
import type { JournalEntry, JournalFact, Projection } from '../core/journal.ts';
import { type Content, contentSent } from './content.ts';

/** At most one page per key and receiver in this time, unless it grows louder. */
export const FLOOD_MS = 5 * MINUTE_MS;
/** How long a page that is over stays known, so that flood control and receivers that forget can be served. */
export const CLOSED_KEPT_MS = 15 * MINUTE_MS;
/** How long one that some receiver took is kept for others that did not hear its end: they may have it open. */
const UNHEARD_KEPT_MS = DAY_MS;
/** The same for one that has it open for certain, and is away over a weekend; one that was removed has it for ever. */
const OPEN_KEPT_MS = 7 * DAY_MS;
const RECEIVERS_MAX = 64;
/** Pages that are over: beyond these go first those whose end all have heard, last those that a receiver has open. */
const CLOSED_MAX = 1_000;
const CONTENTS_MAX = 16;
/** Of the test page. */
export const TEST_KEY = 'reeve/test';

/** What one receiver was last sent under a key. */
export interface DeliveredNotice {
  readonly receiver: string;
  readonly state: 'open' | 'resolved';
  readonly content: Content;
  /** When it was last woken: by a trigger or a repeat. */
  readonly pagedMs: MonoMs;
  readonly toldMs: MonoMs;
  /** The loudest page of the present flood window. */
  readonly loudest: Severity;
  readonly repeats: number;
  /** It was over when this receiver was woken. Absent in a snapshot of an earlier version. */
  readonly late?: boolean | undefined;
}

/** Everything under one key: at most one open escalation, and who was notified of it. */
export interface Page {
  readonly key: string;
  /** The newest news. Its severity never falls while the page is open. */
  readonly escalation: Escalation;
  /** The seq of the entry that opened it: a page that comes back after its resolve is another episode. */
  readonly episode: number;
  readonly openedAt: EpochMs;
  readonly raisedMs: MonoMs;
  /** Since when it is open without an acknowledgement. Absent in a snapshot of an earlier version: `raisedMs`. */
  readonly unackedMs?: MonoMs | undefined;
  /** The longest that it was without one before an acknowledgement, in this episode. Absent: never acknowledged. */
  readonly unackedForMs?: number | undefined;
  readonly raises: number;
  /**
   * Reason, classification and occasion of everything raised in this episode: to raise it again is no news, unless it
   * lists further channels. Snapshots are stored under these keys, so `said`, `told` and `toldMs` keep their names.
   */
  readonly said: readonly string[];
  readonly contents: readonly Content[];
  readonly resolved: { readonly at: EpochMs; readonly monoMs: MonoMs; readonly because: string } | undefined;
  readonly acked: { readonly who: string; readonly at: EpochMs } | undefined;
  /** By receiver. */
  readonly told: readonly DeliveredNotice[];
}

/** A receiver that did not take what it was sent. */
export interface Failing {
  readonly receiver: string;
  readonly error: string;
  readonly sinceMs: MonoMs;
}

export interface Outbox {
  readonly pages: readonly Page[];
  readonly failing: readonly Failing[];
  /** Every receiver that was ever tried. */
  readonly receivers: readonly string[];
  /** When the present process of Reeve began. */
  readonly startedMs?: MonoMs;
  /** When the process began that was the first to try it; absent for those of an earlier version. */
  readonly triedFrom?: readonly { readonly receiver: string; readonly fromMs: MonoMs }[];
  readonly lastDeliveredMs: MonoMs | undefined;
  /** Pages that were over, never delivered, and dropped because too many of them had piled up. */
  readonly forgotten: number;
}

export const EMPTY_OUTBOX: Outbox = {
  pages: [],
  failing: [],
  receivers: [],
  lastDeliveredMs: undefined,
  forgotten: 0,
};

/** What people must still hear, as a fold: after a crash nothing is lost and nothing gets another key. */
export const outboxProjection: Projection<Outbox> = { name: 'outbox', initial: EMPTY_OUTBOX, apply: applyToOutbox };

export const pageOf = (outbox: Outbox, key: string): Page | undefined => outbox.pages.find((page) => page.key === key);

const LOUDNESS: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };
export const isLouder = (a: Severity, b: Severity): boolean => LOUDNESS[a] > LOUDNESS[b];
export const louder = (a: Severity, b: Severity): Severity => (isLouder(a, b) ? a : b);

const saying = ({ reason, classification, occasion }: Escalation): string =>
  [reason, classification ?? '', ...(occasion === undefined ? [] : [occasion])].join('/');

/** Whether raising this would be news to a person. */
export function isNewContent(page: Page | undefined, escalation: Escalation): boolean {
  if (page === undefined || page.resolved !== undefined) return true;
  if (isLouder(escalation.severity, page.escalation.severity) || !page.said.includes(saying(escalation))) return true;
  return listsMore(escalation, page.escalation);
}

/** Who is not on the list of a shared cause's page is named by nothing (law L6). */
function listsMore({ channels = [] }: Escalation, before: Escalation): boolean {
  const known = new Set(before.channels);
  return channels.some((id) => !known.has(id));
}

/** It was over before anything is known to have been sent there: a crash may hide the very first message to it. */
export function isBefore({ receivers, startedMs, triedFrom = [] }: Outbox, receiver: string, page: Page): boolean {
  const isTold = page.told.some((one) => one.receiver === receiver);
  const isTried = receivers.includes(receiver);
  const fromMs = isTried ? triedFrom.find((one) => one.receiver === receiver)?.fromMs : startedMs;
  return !isTold && fromMs !== undefined && page.resolved !== undefined && page.resolved.monoMs < fromMs;
}

/** Some receiver knows of the present episode: law L1 is kept. */
export const isDelivered = (page: Page): boolean => page.told.some((last) => isPresent(page, last));

const isPresent = (page: Page, { content }: DeliveredNotice): boolean => content.episode === page.episode;

export function applyToOutbox(outbox: Outbox, entry: JournalEntry): Outbox {
  const { fact } = entry;
  switch (fact.type) {
    case 'escalation.raised':
      return settled(withPage(outbox, raised(pageOf(outbox, fact.escalation.key), fact.escalation, entry)), entry);
    case 'escalation.resolved':
      return changed(outbox, fact.key, entry, (page) =>
        page.resolved === undefined
          ? { ...page, resolved: { at: entry.at, monoMs: entry.monoMs, because: fact.because } }
          : page,
      );
    case 'escalation.acked':
      return changed(outbox, fact.key, entry, (page) =>
        page.resolved === undefined
          ? { ...page, unackedForMs: longestUnackedMs(page, entry.monoMs), acked: { who: fact.who, at: entry.at } }
          : page,
      );
    case 'delivery.done':
      return changed(delivered(outbox, fact.receiver, entry.monoMs), fact.key, entry, (page) =>
        withDelivery(page, fact, entry.monoMs),
      );
    case 'delivery.failed':
      // A test is not tried again, so nothing would ever show that this is over.
      if (fact.key === TEST_KEY) return tried(outbox, fact.receiver);
      return { ...tried(outbox, fact.receiver), failing: failed(outbox.failing, fact, entry.monoMs) };
    case 'reeve.started':
      return { ...outbox, startedMs: entry.monoMs };
    default:
      return outbox;
  }
}

function raised(page: Page | undefined, escalation: Escalation, entry: JournalEntry): Page {
  const raises = (page?.raises ?? 0) + 1;
  if (page !== undefined && !isNewContent(page, escalation)) return { ...page, raises };
  const open = page !== undefined && page.resolved === undefined ? page : undefined;
  const severity = open === undefined ? escalation.severity : louder(escalation.severity, open.escalation.severity);
  const episode = open?.episode ?? entry.seq;
  const { id, reason, classification } = escalation;
  // What is raised without the configuration, as after a crash, is about the same scope.
  const { place = open?.escalation.place } = escalation;
  const content: Content = { id, episode, raises, severity, reason, classification, place };
  return {
    key: escalation.key,
    escalation: { ...escalation, severity, place },
    episode,
    openedAt: open?.openedAt ?? entry.at,
    raisedMs: entry.monoMs,
    unackedForMs: open?.unackedForMs,
    unackedMs: open?.acked === undefined ? (open?.unackedMs ?? open?.raisedMs ?? entry.monoMs) : entry.monoMs,
    raises,
    said: [...new Set([...(open?.said ?? []), saying(escalation)])],
    contents: [...(page?.contents ?? []), content].slice(-CONTENTS_MAX),
    resolved: undefined,
    acked: undefined,
    told: page?.told ?? [],
  };
}

/** The longest that a page was without an acknowledgement until now, in this episode. */
export function longestUnackedMs(page: Page, nowMs: MonoMs): number {
  const presentMs = page.acked === undefined ? nowMs - (page.unackedMs ?? page.raisedMs) : 0;
  return Math.max(page.unackedForMs ?? 0, presentMs);
}

function withDelivery(page: Page, fact: Extract<JournalFact, { type: 'delivery.done' }>, nowMs: MonoMs): Page {
  const before = page.told.find(({ receiver }) => receiver === fact.receiver);
  const others = page.told.filter(({ receiver }) => receiver !== fact.receiver);
  const content = contentSent(page, fact);
  if (fact.what === 'resolve') {
    const covered = { ...(before?.content ?? content), episode: content.episode };
    const never = { receiver: fact.receiver, pagedMs: nowMs - FLOOD_MS, loudest: content.severity, repeats: 0 };
    return { ...page, told: [...others, { ...(before ?? never), state: 'resolved', content: covered, toldMs: nowMs }] };
  }
  const inWindow = before !== undefined && nowMs - before.pagedMs < FLOOD_MS;
  const now: DeliveredNotice = {
    receiver: fact.receiver,
    state: 'open',
    content,
    pagedMs: nowMs,
    toldMs: nowMs,
    loudest: inWindow ? louder(content.severity, before.loudest) : content.severity,
    repeats: fact.what === 'repeat' ? (before?.repeats ?? 0) + 1 : 0,
    late: page.resolved !== undefined,
  };
  return { ...page, told: [...others, now] };
}

function delivered(outbox: Outbox, receiver: string, nowMs: MonoMs): Outbox {
  const failing = outbox.failing.filter((failure) => failure.receiver !== receiver);
  return { ...tried(outbox, receiver), failing, lastDeliveredMs: nowMs };
}

function tried(outbox: Outbox, receiver: string): Outbox {
  if (outbox.receivers.includes(receiver)) return outbox;
  const { receivers, startedMs: fromMs, triedFrom = [] } = outbox;
  const from = fromMs === undefined ? {} : { triedFrom: [...triedFrom, { receiver, fromMs }].slice(-RECEIVERS_MAX) };
  return { ...outbox, ...from, receivers: [...receivers, receiver].slice(-RECEIVERS_MAX) };
}

function failed(
  failing: readonly Failing[],
  { receiver, error }: { readonly receiver: string; readonly error: string },
  nowMs: MonoMs,
): readonly Failing[] {
  const sinceMs = failing.find((failure) => failure.receiver === receiver)?.sinceMs ?? nowMs;
  return [...failing.filter((failure) => failure.receiver !== receiver), { receiver, error, sinceMs }];
}

function changed(outbox: Outbox, key: string, entry: JournalEntry, change: (page: Page) => Page): Outbox {
  const page = pageOf(outbox, key);
  return page === undefined ? outbox : settled(withPage(outbox, change(page)), entry);
}

function withPage(outbox: Outbox, page: Page): Outbox {
  const known = outbox.pages.some(({ key }) => key === page.key);
  const pages = known ? outbox.pages.map((old) => (old.key === page.key ? page : old)) : [...outbox.pages, page];
  return { ...outbox, pages };
}

/** Drops what is over and delivered. An open page is never dropped. */
function settled(outbox: Outbox, { monoMs }: JournalEntry): Outbox {
  const kept = outbox.pages.filter((page) => monoMs - lastChangeMs(page) <= keptMs(page, outbox));
  const over = kept.filter(({ resolved }) => resolved !== undefined);
  const excess = excessOf(over, outbox);
  if (kept.length === outbox.pages.length && excess.size === 0) return outbox;
  const lost = [...excess].filter((page) => !isDelivered(page)).length;
  return { ...outbox, pages: kept.filter((page) => !excess.has(page)), forgotten: outbox.forgotten + lost };
}

/**
 * A receiver that is away has its pages open until it hears their ends (law L1). Not every page goes to each receiver,
 * so what nobody is known to have open goes before that.
 */
function excessOf(over: readonly Page[], outbox: Outbox): ReadonlySet<Page> {
  const count = over.length - CLOSED_MAX;
  if (count <= 0) return new Set();
  const isOwed = (page: Page): boolean => !isDelivered(page) || isOpenSomewhere(page);
  const rank = (page: Page): number => (isOwed(page) ? 2 : isHeardByAll(page, outbox) ? 0 : 1);
  const ranked = over.map((page) => ({ page, rank: rank(page) })).sort((a, b) => a.rank - b.rank);
  return new Set(ranked.slice(0, count).map(({ page }) => page));
}

const isOpenSomewhere = ({ told }: Page): boolean => told.some(({ state }) => state === 'open');

function keptMs(page: Page, outbox: Outbox): number {
  if (page.resolved === undefined || !isDelivered(page)) return Number.POSITIVE_INFINITY;
  if (isHeardByAll(page, outbox)) return CLOSED_KEPT_MS;
  return isOpenSomewhere(page) ? OPEN_KEPT_MS : UNHEARD_KEPT_MS;
}

function isHeardByAll(page: Page, outbox: Outbox): boolean {
  const knows = (receiver: string): boolean =>
    page.told.some((one) => one.receiver === receiver && one.state === 'resolved' && isPresent(page, one));
  return outbox.receivers.every((receiver) => knows(receiver) || isBefore(outbox, receiver, page));
}

const lastChangeMs = (page: Page): MonoMs =>
  Math.max(page.resolved?.monoMs ?? page.raisedMs, ...page.told.map(({ toldMs }) => toldMs));
