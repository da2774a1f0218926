/** Drafts the facts that open, end and acknowledge pages. */
import { hash } from 'node:crypto';
import type { Escalation } from '../core/incident.ts';
import type { Draft } from '../core/journal.ts';
import { isNewContent, louder, type Outbox, pageOf } from './outbox.ts';
import { oneLine, plain } from './text.ts';

const KEY_CHARACTERS_MAX = 255;
const SUMMARY_CHARACTERS_MAX = 200;
const DETAILS_CHARACTERS_MAX = 2_000;

/**
 * The drafts that notify a person, for the same append as the decision that needs it (law L1). Empty when the page is
 * open and this says nothing new: the same reason and classification, no louder. Pure.
 */
export function raise(outbox: Outbox, escalation: Escalation): readonly Draft[] {
  const key = boundedKey(escalation.key);
  const page = pageOf(outbox, key);
  if (!isNewContent(page, { ...escalation, key })) return [];
  const open = page !== undefined && page.resolved === undefined;
  const severity = open ? louder(escalation.severity, page.escalation.severity) : escalation.severity;
  const summary = oneLine(escalation.summary, SUMMARY_CHARACTERS_MAX);
  const details = plain(escalation.details, DETAILS_CHARACTERS_MAX);
  const fact = { type: 'escalation.raised', escalation: { ...escalation, key, severity, summary, details } } as const;
  const channel = escalation.scope.kind === 'channel' ? escalation.scope.id : undefined;
  return [{ channel, incident: escalation.incident, fact }];
}

/** The drafts that end a page. Empty when nothing is open under the key. */
export function resolve(outbox: Outbox, key: string, because: string): readonly Draft[] {
  const page = pageOf(outbox, boundedKey(key));
  if (page === undefined || page.resolved !== undefined) return [];
  const fact = {
    type: 'escalation.resolved',
    key: page.key,
    because: oneLine(because, SUMMARY_CHARACTERS_MAX),
  } as const;
  const { scope, incident } = page.escalation;
  return [{ channel: scope.kind === 'channel' ? scope.id : undefined, incident, fact }];
}

/** The drafts that stop the repeats of a page: somebody has it. Empty when it is not open or already taken. */
export function acknowledge(outbox: Outbox, key: string, who: string): readonly Draft[] {
  const page = pageOf(outbox, boundedKey(key));
  if (page === undefined || page.resolved !== undefined || page.acked !== undefined) return [];
  const { scope, incident } = page.escalation;
  const channel = scope.kind === 'channel' ? scope.id : undefined;
  return [{ channel, incident, fact: { type: 'escalation.acked', key: page.key, who: oneLine(who, 100) } }];
}

/** Receivers take 255 characters; a longer key keeps its beginning and stays unique and stable. */
function boundedKey(key: string): string {
  if (key.length <= KEY_CHARACTERS_MAX) return key;
  return `${key.slice(0, KEY_CHARACTERS_MAX - 33)}/${hash('sha256', key, 'hex').slice(0, 32)}`;
}
