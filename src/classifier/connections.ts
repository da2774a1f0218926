/** Tells whose connection a line of nginx's RTMP module is about: a viewer's, a publisher's or one of its own. */
import type { SymptomKind } from '../core/symptom.ts';
import { asLeft, asNoise, type Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';

/** The worker, the number of its connection, and what is said. */
const OF_CONNECTION = / (\d+)#\d+: \*(\d+) ([a-z].*)$/i;
const PLAYS = /^play2?: name='/;
const PUBLISHES = /^publish: name='([^']{0,200})'/;
/** A connection that the server itself opened: it names the target as its client, and no text of a peer. */
const OWN = /, client: ([^\s,"]{1,300}), server: ngx-relay$/;
const ASKED_FOR = /^relay: create (?:push|pull)\b/;

const REFUSED = /^(?:connect|send|recv|read|write)\w*\(\) failed \((?:32|101|104|111|113):/;
const SILENT = /^(?:connect|send|recv|read|write)\w*\(\) failed \(110:/;
const BROKE = /^(?:recv|send|read|write)\w*\(\) failed \((?:32|104|110):|^ping: unresponded|^client timed out\b/;
const ENDS_WELL = /^(?:deleteStream|closeStream|FCUnpublish|unpublish)\b/;
const CLOSED = /^disconnect\b/;
/** What it asks a service of its own: neither a viewer nor a publisher speaks there. */
const ASKS = /^(?:notify|netcall|exec|relay): /;

/** What may be wrong with a viewer alone. A full disk is not. */
const OF_A_VIEWER: ReadonlySet<SymptomKind> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'auth_denied',
  'stalled_output',
  'unknown',
  'benign_noise',
]);
const LOST_SEVERITY = 57;

interface Said {
  readonly at: number;
  readonly words: string;
  readonly isError: boolean;
}

interface Connection {
  readonly said: readonly Said[];
  readonly role: 'viewer' | 'publisher' | 'own' | undefined;
  /** What it publishes, or where it leads. */
  readonly name: string | undefined;
}

/** Complaints about a viewer are the viewer's; a publisher that broke off is gone; the server's own call has failed. */
export function ofConnections(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const connections = connectionsOf(lines);
  if (!connections.some(({ role }) => role !== undefined)) return evidence;
  const ofViewers = connections.filter(({ role }) => role === 'viewer').flatMap(({ said }) => said.filter(isOfPeer));
  const viewers = new Set(ofViewers.map(({ at }) => at));
  const found = [...ownTroubles(connections), ...publishersLost(connections)];
  const replaced = new Set(found.map(({ at }) => at));
  return [
    ...evidence
      .filter(({ at }) => !replaced.has(at))
      .map((one) => (viewers.has(one.at) && OF_A_VIEWER.has(one.symptom) ? asLeft(one) : one)),
    ...found,
  ];
}

function connectionsOf(lines: readonly ExcerptLine[]): readonly Connection[] {
  const byNumber = new Map<string, { whole: string; said: Said }[]>();
  for (const { at, whole } of lines) {
    const [, worker, number, words] = OF_CONNECTION.exec(whole) ?? [];
    if (words === undefined) continue;
    const key = `${worker}*${number}`;
    const said = { at, words, isError: whole.includes('[error]') };
    byNumber.set(key, [...(byNumber.get(key) ?? []), { whole, said }]);
  }
  return [...byNumber.values()].map((some) => {
    const said = some.map((one) => one.said);
    const name = said.map(({ words }) => PUBLISHES.exec(words)?.[1]).find((one) => one !== undefined);
    const target = OWN.exec(some.at(-1)!.whole)?.[1];
    if (target !== undefined) return { said, role: 'own', name: target };
    if (name !== undefined) return { said, role: 'publisher', name };
    return { said, role: said.some(({ words }) => PLAYS.test(words)) ? 'viewer' : undefined, name };
  });
}

const isOfPeer = ({ words, isError }: Said): boolean =>
  isError ? !ASKS.test(words) : BROKE.test(words) || CLOSED.test(words);

/** One refused try that nobody asked for is no more than that: it counts once it is ordered, or tried again. */
function ownTroubles(connections: readonly Connection[]): readonly Evidence[] {
  const own = connections.filter(({ role }) => role === 'own');
  const isAsked = connections.some(({ said }) => said.some(({ words }) => ASKED_FOR.test(words)));
  const isTried = own.some(({ name }, at) => own.slice(at + 1).some((other) => other.name === name));
  if (!isAsked && !isTried) return [];
  const said = own.flatMap((one) => one.said);
  return said.flatMap(({ at, words }) => {
    if (REFUSED.test(words)) return [evidenceAt(at, 'upstream_unreachable', 65)];
    return SILENT.test(words) ? [evidenceAt(at, 'upstream_timeout', 64)] : [];
  });
}

/** Who ends a stream says so first. Whom the server turned away, or who came back under the same name, is not gone. */
function publishersLost(connections: readonly Connection[]): readonly Evidence[] {
  return connections.flatMap(({ said, role, name }, index) => {
    const closed = said.findIndex(({ words }) => CLOSED.test(words) || BROKE.test(words));
    if (role !== 'publisher' || closed < 1) return [];
    const before = said.slice(0, closed);
    if (before.some(({ words, isError }) => isError || ENDS_WELL.test(words))) return [];
    // A service was asked about it and it was closed at once: that is an answer.
    if (ASKS.test(before.at(-1)!.words)) return [];
    const { at } = said[closed]!;
    const isBack = connections.slice(index + 1).some((one) => one.name === name && one.said[0]!.at > at && isOn(one));
    const lost = evidenceAt(at, 'publisher_lost', LOST_SEVERITY);
    return [isBack ? asNoise(lost) : lost];
  });
}

const isOn = ({ said }: Connection): boolean => !said.some(({ words, isError }) => isError || CLOSED.test(words));

const evidenceAt = (at: number, symptom: SymptomKind, severity: number): Evidence => ({
  ...{ at, symptom, severity, confidence: 0.8, pattern: `connection_${symptom}` },
  remedy: symptom === 'upstream_unreachable' ? 'escalate' : 'none',
});
