/** Tells whose connection a line of nginx's RTMP module is about: a viewer's, a publisher's or one of its own. */
import type { SymptomKind } from '../core/symptom.ts';
import { asLeft, asNoise, type Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';
import { logTimeOf } from './log_time.ts';

/** The worker, the number of its connection, and the message. */
const OF_CONNECTION = / (\d+)#\d+: \*(\d+) ([a-z].*)$/i;
const PLAYS = /^play2?: name='/;
const PUBLISHES = /^publish: name='([^']{0,200})'/;
/** A connection that the server itself opened: it names the target as its client, and no text of a peer. */
const OWN = /, client: ([^\s,"]{1,300}), server: ngx-relay$/;
/** Somebody asks for what the server does not have: while another publishes, it is no setting of the channel's. */
const NOT_SERVED = /^connect: application not found: /;
const ASKED_FOR = /^relay: create (?:push|pull)\b/;

const REFUSED = /^(?:connect|send|recv|read|write)\w*\(\) failed \((?:32|101|104|111|113):/;
/** It had been up, and the other side ended it. */
const BROKEN_OFF = /^(?:recv|send|read|write)\w*\(\) failed \((?:32|104):/;
const SILENT = /^(?:connect|send|recv|read|write)\w*\(\) failed \(110:/;
const BROKE = /^(?:recv|send|read|write)\w*\(\) failed \((?:32|104|110):|^ping: unresponded|^client timed out\b/;
const ENDS_WELL = /^(?:deleteStream|closeStream|FCUnpublish|unpublish)\b/;
const CLOSED = /^disconnect\b/;
/** What it asks a service of its own: neither a viewer nor a publisher speaks there. */
const ASKS = /^(?:notify|netcall|exec|relay): /;
/** It asks whether somebody may publish, or go on. The answer stands nowhere; whom it refuses is closed at once. */
const ASKS_WHETHER = /^notify: (?:publish '|(?:update|push) failed|invalid HTTP retcode)/;
/** Times in this log have no fractions. */
const AT_ONCE_MS = 1_000;

/** What may be wrong with a viewer alone. A full disk is not. */
export const OF_A_VIEWER: ReadonlySet<SymptomKind> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'auth_denied',
  'stalled_output',
  'unknown',
  'benign_noise',
]);
const LOST_SEVERITY = 57;
/** Below what any line gives as a cause: why the service refuses it, or fails, is not said. */
const REJECTED_SEVERITY = 45;

interface ConnectionMessage {
  readonly at: number;
  readonly text: string;
  readonly isError: boolean;
  readonly timeMs: number | undefined;
}

interface Connection {
  readonly messages: readonly ConnectionMessage[];
  readonly role: 'viewer' | 'publisher' | 'own' | undefined;
  /** What it publishes, or where it leads. */
  readonly name: string | undefined;
}

/** Complaints about a viewer are the viewer's; a publisher that broke off is gone; the server's own call has failed. */
export function ofConnections(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const connections = connectionsOf(lines);
  if (!connections.some(({ role }) => role !== undefined)) return evidence;
  const ofViewers = connections
    .filter(({ role }) => role === 'viewer')
    .flatMap(({ messages }) => messages.filter(isOfPeer));
  const isPublishing = connections.some((one) => one.role === 'publisher' && isOn(one));
  const strangers = new Set(isPublishing ? atOf(connections, NOT_SERVED) : []);
  const viewers = new Set(ofViewers.map(({ at }) => at));
  const found = [...ownTroubles(connections), ...publishersLost(connections)];
  const replaced = new Set(found.map(({ at }) => at));
  return [
    ...evidence
      .filter(({ at }) => !replaced.has(at))
      .map((one) =>
        strangers.has(one.at) || (viewers.has(one.at) && OF_A_VIEWER.has(one.symptom)) ? asLeft(one) : one,
      ),
    ...found,
  ];
}

function connectionsOf(lines: readonly ExcerptLine[]): readonly Connection[] {
  const byNumber = new Map<string, { whole: string; message: ConnectionMessage }[]>();
  for (const { at, whole } of lines) {
    const [, worker, number, text] = OF_CONNECTION.exec(whole) ?? [];
    if (text === undefined) continue;
    const key = `${worker}*${number}`;
    const message = { at, text, isError: whole.includes('[error]'), timeMs: logTimeOf(whole)?.atMs };
    byNumber.set(key, [...(byNumber.get(key) ?? []), { whole, message }]);
  }
  return [...byNumber.values()].map((some) => {
    const messages = some.map((one) => one.message);
    const name = messages.map(({ text }) => PUBLISHES.exec(text)?.[1]).find((one) => one !== undefined);
    const target = OWN.exec(some.at(-1)!.whole)?.[1];
    if (target !== undefined) return { messages, role: 'own', name: target };
    if (name !== undefined) return { messages, role: 'publisher', name };
    return { messages, role: messages.some(({ text }) => PLAYS.test(text)) ? 'viewer' : undefined, name };
  });
}

const atOf = (connections: readonly Connection[], wanted: RegExp): readonly number[] =>
  connections.flatMap(({ messages }) => messages.filter(({ text }) => wanted.test(text)).map(({ at }) => at));

const isOfPeer = ({ text, isError }: ConnectionMessage): boolean =>
  isError ? !ASKS.test(text) : BROKE.test(text) || CLOSED.test(text);

/**
 * One refused try that nobody asked for is no more than that: it counts once it is ordered, or tried again. One that
 * had been up and was broken off counts at once.
 */
function ownTroubles(connections: readonly Connection[]): readonly Evidence[] {
  const own = connections.filter(({ role }) => role === 'own');
  const isAsked = connections.some(({ messages }) => messages.some(({ text }) => ASKED_FOR.test(text)));
  const isTried = own.some(({ name }, at) => own.slice(at + 1).some((other) => other.name === name));
  const counts = (text: string): boolean => isAsked || isTried || BROKEN_OFF.test(text);
  const messages = own.flatMap((one) => one.messages);
  return messages.flatMap(({ at, text }) => {
    if (!counts(text)) return [];
    if (REFUSED.test(text)) return [evidenceAt(at, 'upstream_unreachable', 65)];
    return SILENT.test(text) ? [evidenceAt(at, 'upstream_timeout', 64)] : [];
  });
}

/**
 * Who ends a stream says so first. Whom the server rejects, or who came back under the same name, is not gone. Whom a
 * service refused is closed as soon as it was asked about; any later it had agreed.
 */
function publishersLost(connections: readonly Connection[]): readonly Evidence[] {
  return connections.flatMap(({ messages, role, name }, index) => {
    const closed = messages.findIndex(({ text }) => CLOSED.test(text) || BROKE.test(text));
    if (role !== 'publisher' || closed < 1) return [];
    const before = messages.slice(0, closed);
    if (before.some(({ text, isError }) => isError || ENDS_WELL.test(text))) return [];
    const { at } = messages[closed]!;
    const lost = isAnswer(before.at(-1)!, messages[closed]!)
      ? evidenceAt(at, 'unknown', REJECTED_SEVERITY)
      : evidenceAt(at, 'publisher_lost', LOST_SEVERITY);
    const isBack = connections
      .slice(index + 1)
      .some((one) => one.name === name && one.messages[0]!.at > at && isOn(one));
    return [isBack ? asNoise(lost) : lost];
  });
}

const isAnswer = (asked: ConnectionMessage, closed: ConnectionMessage): boolean =>
  ASKS_WHETHER.test(asked.text) &&
  CLOSED.test(closed.text) &&
  !((closed.timeMs ?? 0) - (asked.timeMs ?? 0) > AT_ONCE_MS);

const isOn = ({ messages }: Connection): boolean => !messages.some(({ text, isError }) => isError || CLOSED.test(text));

const evidenceAt = (at: number, symptom: SymptomKind, severity: number): Evidence => ({
  ...{ at, symptom, severity, confidence: 0.8, pattern: `connection_${symptom}` },
  remedy: symptom === 'upstream_unreachable' || symptom === 'unknown' ? 'escalate' : 'none',
});
