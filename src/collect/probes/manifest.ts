/** Parses DASH manifests. */
import { createHash } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import { isRecord } from '../intake/refused.ts';
import { listOf, numberOf } from '../status/kinds.ts';

/** What one DASH manifest says of its newest segment. */
export interface Manifest {
  /** Changes whenever a segment is added; undefined where the manifest does not list them (numbered by the clock). */
  readonly revision: string | undefined;
  readonly targetDurationMs: number | undefined;
  /** A recording: nothing will be added. */
  readonly ended: boolean;
  /**
   * The newest segment and the one before it, or the addresses that the newest may have where it is numbered by the
   * clock; newest first, relative to the manifest. Empty where not stated.
   */
  readonly newest: readonly string[];
  /** Where segments are numbered by the clock: earlier ones, which are there though the encoder is far behind it. */
  readonly earlier: readonly string[];
  readonly newestNumber: number | undefined;
}

type Node = Readonly<Record<string, unknown>>;

const xml = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  processEntities: false,
});

/**
 * Reads a manifest of ISO 23009-1: segment timelines, numbered templates (whose newest number follows from the time of
 * the server, `serverMs`) and segment lists. Undefined for what is none.
 */
export function parseManifest(text: string, serverMs: number | undefined): Manifest | undefined {
  let document: unknown;
  try {
    document = xml.parse(text);
  } catch {
    return undefined;
  }
  const mpd = isRecord(document) ? document.MPD : undefined;
  if (!isRecord(mpd)) return undefined;
  const ended = mpd.type !== 'dynamic';
  // A period that is only announced has nothing in it yet.
  const period = listOf(mpd.Period).findLast((each) => setIn(each) !== undefined);
  const set = period && setIn(period);
  const representation = listOf(set?.Representation)[0];
  if (period === undefined || set === undefined || representation === undefined) return undefined;
  const base = [mpd, period, set, representation].flatMap((node) => baseOf(node.BaseURL)).join('');
  const place = { mpd, period, representation, base, serverMs };
  const template = merged([period, set, representation].map((node) => node.SegmentTemplate));
  if (template !== undefined) return { ended, ...fromTemplate(template, place) };
  const list = merged([period, set, representation].map((node) => node.SegmentList));
  if (list !== undefined) return { ended, ...fromList(list, base) };
  return { ended, revision: hashOf(String(mpd.publishTime ?? '')), ...UNTOLD };
}

/** The first with sound or picture, else the first: subtitles may be silent for minutes, and thumbnails come seldom. */
function setIn({ AdaptationSet }: Node): Node | undefined {
  const sets = listOf(AdaptationSet).filter(({ Representation }) => listOf(Representation).length > 0);
  return sets.find(isMedia) ?? sets[0];
}

const isMedia = ({ contentType, mimeType, Representation }: Node): boolean =>
  /^(?:video|audio)\b/.test(String(contentType ?? mimeType ?? listOf(Representation)[0]?.mimeType ?? ''));

const UNTOLD = { targetDurationMs: undefined, newest: [], earlier: [], newestNumber: undefined };
/** So many segments behind the clock, where none of the newest is there. */
const EARLIER = [4, 8, 16];

/** What stands further in goes before what stands further out. */
function merged(nodes: readonly unknown[]): Node | undefined {
  const found = nodes.filter(isRecord);
  return found.length === 0 ? undefined : Object.assign({}, ...found);
}

const baseOf = (value: unknown): string[] => {
  const first = Array.isArray(value) ? value[0] : value;
  const text = isRecord(first) ? first['#text'] : first;
  return typeof text === 'string' ? [text] : [];
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

interface Place {
  readonly mpd: Node;
  readonly period: Node;
  readonly representation: Node;
  readonly base: string;
  readonly serverMs: number | undefined;
}

function fromTemplate(template: Node, place: Place): Omit<Manifest, 'ended'> {
  const timescale = numberOf(template.timescale) ?? 1;
  const startNumber = numberOf(template.startNumber) ?? 1;
  const runs = isRecord(template.SegmentTimeline) ? listOf(template.SegmentTimeline.S) : [];
  if (runs.length > 0) {
    const { times, duration, count, fromTime, isOpen } = lastOf(runs);
    if (isOpen && place.mpd.type === 'dynamic') {
      const run = { fromTime, duration, fromNumber: startNumber + count - 1 };
      return fromOpenRun(template, { place, run, timescale });
    }
    const number = startNumber + count - 1;
    const newest = times.map((time, before) => filled(template.media, { ...place, number: number - before, time }));
    return {
      revision: hashOf(`${times[0]} ${number}`),
      targetDurationMs: Math.round((duration / timescale) * 1_000),
      newest: newest.filter((address) => address !== ''),
      earlier: [],
      newestNumber: number,
    };
  }
  const durationMs = ((numberOf(template.duration) ?? 0) / timescale) * 1_000;
  const ended = endedByClock(place, durationMs);
  const addressOf = (index: number) => filled(template.media, { ...place, number: startNumber + index, time: 0 });
  return byClock({ ended, durationMs, startNumber, addressOf });
}

interface OpenRun {
  readonly fromTime: number;
  readonly fromNumber: number;
  readonly duration: number;
}

/** The last run goes on until the manifest is another one: the clock says how far. */
function fromOpenRun(
  template: Node,
  { place, run, timescale }: { readonly place: Place; readonly run: OpenRun; readonly timescale: number },
): Omit<Manifest, 'ended'> {
  const { fromTime, fromNumber, duration } = run;
  const durationMs = (duration / timescale) * 1_000;
  const beforeMs = ((fromTime - (numberOf(template.presentationTimeOffset) ?? 0)) / timescale) * 1_000;
  const ended = endedByClock(place, durationMs, beforeMs);
  const addressOf = (index: number) =>
    filled(template.media, { ...place, number: fromNumber + index, time: fromTime + index * duration });
  return byClock({ ended, durationMs, startNumber: fromNumber, addressOf });
}

interface ByClock {
  /** So many segments have ended, as far as that is known. */
  readonly ended: number | undefined;
  readonly durationMs: number;
  readonly startNumber: number;
  readonly addressOf: (index: number) => string;
}

function byClock({ ended, durationMs, startNumber, addressOf }: ByClock): Omit<Manifest, 'ended'> {
  if (ended === undefined) return { revision: undefined, ...UNTOLD };
  const behind = (segments: readonly number[]): string[] =>
    segments.filter((each) => each < ended).map((each) => addressOf(ended - 1 - each));
  return {
    ...{ revision: undefined, targetDurationMs: Math.round(durationMs), newest: behind([0, 1, 2]) },
    ...{ earlier: behind(EARLIER), newestNumber: startNumber + ended - 1 },
  };
}

/** How many segments have ended by the server's own clock, of those that begin so long after the period does. */
function endedByClock({ mpd, period, serverMs }: Place, durationMs: number, beforeMs = 0): number | undefined {
  const beganMs = Date.parse(String(mpd.availabilityStartTime)) + (isoDurationMs(period.start) ?? 0) + beforeMs;
  if (serverMs === undefined || !Number.isFinite(beganMs) || durationMs <= 0) return undefined;
  const ended = Math.floor((serverMs - beganMs) / durationMs);
  return ended >= 1 ? ended : undefined;
}

const RUNS_MAX = 1_000_000;

interface LastSegment {
  /** When it begins, and the one before it, if there is one. */
  readonly times: readonly number[];
  readonly duration: number;
  readonly count: number;
  /** When the last run begins. */
  readonly fromTime: number;
  /** That run goes on to the end of the period, and only its first segment is counted here. */
  readonly isOpen: boolean;
}

function lastOf(runs: readonly Node[]): LastSegment {
  let [next, count, duration, fromTime] = [0, 0, 0, 0];
  let times: readonly number[] = [];
  for (const [at, run] of runs.entries()) {
    duration = numberOf(run.d) ?? 0;
    fromTime = numberOf(run.t) ?? next;
    const repeats = Math.min(RUNS_MAX, repeatsOf(run, fromTime, runs[at + 1])) + 1;
    next = fromTime + duration * repeats;
    count += repeats;
    times = [next - duration, ...(repeats > 1 ? [next - 2 * duration] : times.slice(0, 1))];
  }
  return { times, duration, count, fromTime, isOpen: (numberOf(runs.at(-1)?.r) ?? 0) < 0 };
}

/** A negative count means up to the next run, or to the end of the period. */
function repeatsOf({ r, d }: Node, fromTime: number, following: Node | undefined): number {
  const [repeats, duration, nextTime] = [numberOf(r) ?? 0, numberOf(d) ?? 0, numberOf(following?.t)];
  if (repeats >= 0) return repeats;
  return nextTime === undefined || duration <= 0 ? 0 : Math.max(0, Math.round((nextTime - fromTime) / duration) - 1);
}

/** A template may name its values any number of times: neither it nor they may be long. */
const ADDRESS_CHARS_MAX = 2_048;
const VALUE_CHARS_MAX = 256;

/** `$RepresentationID$`, `$Number%05d$`, `$Time$`, `$Bandwidth$`, `$$`. */
function filled(written: unknown, place: Place & { readonly number: number; readonly time: number }): string {
  const media = String(written ?? '');
  const values: Readonly<Record<string, string>> = {
    RepresentationID: String(place.representation.id ?? '').slice(0, VALUE_CHARS_MAX),
    Bandwidth: String(place.representation.bandwidth ?? '').slice(0, VALUE_CHARS_MAX),
    Number: String(place.number),
    Time: String(place.time),
  };
  if (media.length + place.base.length > ADDRESS_CHARS_MAX) return '';
  const address = media.replace(
    /\$(?:(RepresentationID|Bandwidth|Number|Time)(?:%0(\d{1,2})d)?)?\$/g,
    (_, name, width) => (name === undefined ? '$' : values[name]!.padStart(Number(width ?? 0), '0')),
  );
  return address === '' || address.length > ADDRESS_CHARS_MAX ? '' : place.base + address;
}

function fromList(list: Node, base: string): Omit<Manifest, 'ended'> {
  const timescale = numberOf(list.timescale) ?? 1;
  const addresses = listOf(list.SegmentURL).map(
    ({ media, mediaRange }) => `${String(media ?? '')}#${String(mediaRange ?? '')}`,
  );
  const newest = addresses.slice(-2).map((address) => address.split('#')[0] ?? '');
  const duration = numberOf(list.duration);
  return {
    revision: hashOf(addresses.join('\n')),
    targetDurationMs: duration === undefined ? undefined : Math.round((duration / timescale) * 1_000),
    newest: newest
      .filter((address) => address !== '')
      .map((address) => base + address)
      .toReversed(),
    earlier: [],
    newestNumber: undefined,
  };
}

/** `PT1H2M3.5S`, `P1D`. */
function isoDurationMs(value: unknown): number | undefined {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(String(value ?? ''));
  if (parts === null) return undefined;
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}
