/** Makes symptoms of chunks of logs. */
import type { Chunk, ChunkCount, ChunkSink, Notice } from '../core/chunk.ts';
import type { Clock, MonoMs } from '../core/clock.ts';
import type { ProgressSample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import { type Symptom, SYMPTOMS, type SymptomKind } from '../core/symptom.ts';
import type { Complaint } from './templates/blind_spots.ts';
import type { Catalogue, Pattern } from './patterns/catalogue.ts';
import type { ChannelTable } from './channel_table.ts';
import { withoutColours } from './colours.ts';
import { countNewlines, countProgress } from './search/count.ts';
import type { Found } from './search/line_regex.ts';
import { newestProgress, type ParsedProgress } from './progress.ts';
import { createScanner, type FoundRecord, type RecordSink } from './search/scanner.ts';
import { SymptomCounts } from './symptom_counts.ts';
import { isVisitorsRequest } from './visitors.ts';
import { WINDOW_MS, Windows } from './windows.ts';

/** A symptom is raised at this many events in the window; 1 by default. One torn packet is no trouble. */
const THRESHOLDS: Partial<Readonly<Record<SymptomKind, number>>> = {
  corrupt_input: 3,
  clock_skew_or_dts: 5,
  buffer_underrun: 3,
  encoder_overload: 2,
  segment_missing: 2,
};

/** After a symptom is raised it is raised again at most this often. */
const EMIT_EVERY_MS = 1000;
const PROGRESS_EVERY_MS = 500;
const EVIDENCE_MAX = 3;
const EVIDENCE_CHARS_MAX = 400;
/** Bytes around what was found that become evidence, before redaction. */
const EVIDENCE_BYTES_BEFORE = 160;
const EVIDENCE_BYTES_MAX = 480;

const KIND_NUMBERS = new Map(SYMPTOMS.map((kind, at) => [kind, at]));

export interface DetectorParts {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly channels: ChannelTable;
  /** Redacts and strips control characters. Everything that leaves the detector as text went through it. */
  readonly clean: (text: string) => string;
  readonly parseProgress: (record: string) => ParsedProgress | undefined;
  readonly thresholds?: Partial<Readonly<Record<SymptomKind, number>>>;
  readonly onSymptom: (symptom: Symptom) => void;
  readonly onProgress: (sample: ProgressSample) => void;
  readonly onNotice: (notice: Notice) => void;
  /**
   * A record that complains and that no pattern fits; cleaned text, at most 400 characters. Called a bounded number
   * of times.
   */
  readonly onUnrecognised?: (complaint: Complaint) => void;
}

/** Totals since start, for metrics and the store. */
export interface DetectorTotals {
  readonly patterns: readonly {
    readonly channel: string | undefined;
    readonly pattern: string;
    readonly count: number;
  }[];
  /** Records that a pattern fitted and that no configured channel owns. */
  readonly unowned: number;
  readonly harmless: number;
  readonly raised: number;
  /** Complaints that were counted and not looked at, because too many came at once. */
  readonly unsampled: number;
  /** Records that no pattern fitted, and for which not every pattern was tried: that would have taken too long. */
  readonly overBudget: number;
}

export interface Detector {
  readonly accept: ChunkSink;
  /** Events of the kind in the last minute. */
  count(channel: string, kind: SymptomKind): number;
  totals(): DetectorTotals;
}

/** Makes symptoms of chunks of logs: bytes in, at most one symptom per channel and kind and second out. */
export function createDetector(parts: DetectorParts): Detector {
  return new ChunkDetector(parts);
}

const SAMPLE_BYTES_MIN = 64 * 1024;
const SAMPLE_BYTES_MAX = 256 * 1024;

/** Text that waits to be shown. */
type Quote = Symptom['evidence'][number] & { readonly monoMs: MonoMs };

/** Complaints that may be looked at per second; the rest is counted. */
const UNRECOGNISED_PER_S_MAX = 200;

class ChunkDetector implements Detector, RecordSink {
  readonly #parts: DetectorParts;
  #scanner;
  /** The search looks where this stream's text is rare, as soon as there is enough of it to decide. */
  #hasSample = false;
  readonly #windows = new Windows(SYMPTOMS.length);
  readonly #tally: SymptomCounts;
  readonly #thresholds: readonly number[];
  /** By channel * kinds + kind: when it was last raised, plus one (0: never), and how many texts wait to be shown. */
  readonly #raisedMs: Float64Array;
  readonly #waiting: Uint8Array;
  readonly #texts = new Map<number, Quote[]>();
  /** By pattern. */
  readonly #kinds: readonly number[];
  readonly #progressAtMs = new Map<number, MonoMs>();
  readonly #totals = { unowned: 0, harmless: 0, raised: 0, unsampled: 0, overBudget: 0 };
  readonly #unrecognised = { sinceMs: 0, count: 0 };
  #chunk: Chunk | undefined;
  #owner: number | undefined;
  /** Whose log it is. */
  #engine: EngineId | undefined;

  constructor(parts: DetectorParts) {
    this.#parts = parts;
    this.#scanner = createScanner(parts.catalogue);
    this.#tally = new SymptomCounts(parts.catalogue.patterns.length);
    const thresholds = { ...THRESHOLDS, ...parts.thresholds };
    this.#thresholds = SYMPTOMS.map((kind) => thresholds[kind] ?? 1);
    this.#kinds = parts.catalogue.patterns.map(({ symptom }) => KIND_NUMBERS.get(symptom)!);
    const cells = parts.channels.size * SYMPTOMS.length;
    this.#raisedMs = new Float64Array(cells);
    this.#waiting = new Uint8Array(cells);
  }

  readonly accept = (written: Chunk): ChunkCount => {
    // One view for all: encoders report twice a second each, and a view is larger than many a report.
    const view = written.bytes.subarray(written.start, written.end);
    const read = withoutColours(view);
    const chunk = read === view ? written : { ...written, bytes: read, start: 0, end: read.length };
    this.#chunk = chunk;
    this.#engine = this.#parts.channels.engineOf(chunk.source);
    this.#owner = chunk.channel === undefined ? undefined : this.#parts.channels.numberOf(chunk.channel);
    if (!this.#hasSample && read.length >= SAMPLE_BYTES_MIN) this.#learnSample(read);
    const matched = this.#scanner.scan(chunk.bytes, chunk.start, chunk.end, this);
    const isTold = !chunk.backlog && chunk.pushed !== true;
    if (isTold && this.#owner !== undefined) this.#readProgress(chunk, read, this.#owner);
    this.#chunk = undefined;
    const lines = countNewlines(read);
    return { lines, matched, unmatched: lines - matched, progress: countProgress(read) };
  };

  #learnSample(bytes: Buffer): void {
    this.#hasSample = true;
    this.#scanner = createScanner(this.#parts.catalogue, bytes.subarray(0, SAMPLE_BYTES_MAX));
  }

  matched(record: FoundRecord, pattern: Pattern, found: Found): void {
    const chunk = this.#chunk!;
    const channel = this.#channelOf(record, found);
    if (pattern.notice !== undefined && !chunk.backlog && channel !== undefined) this.#notice(pattern, channel, found);
    if (channel === undefined) {
      this.#totals.unowned += 1;
      return;
    }
    this.#tally.add(channel, pattern.index);
    if (pattern.harmless) this.#totals.harmless += 1;
    // Whatever they ask for must neither hold back nor add to what the log of the channel says.
    else if (!chunk.backlog && !isVisitorsRequest(chunk.source, pattern.symptom)) {
      this.#observe(channel, pattern, record, found);
    }
  }

  overBudget(): void {
    this.#totals.overBudget += 1;
  }

  complained(record: FoundRecord): void {
    const { onUnrecognised, clean } = this.#parts;
    const chunk = this.#chunk!;
    if (onUnrecognised === undefined || chunk.backlog) return;
    if (chunk.monoMs - this.#unrecognised.sinceMs >= 1000) {
      this.#unrecognised.sinceMs = chunk.monoMs;
      this.#unrecognised.count = 0;
    }
    this.#unrecognised.count += 1;
    if (this.#unrecognised.count > UNRECOGNISED_PER_S_MAX) {
      this.#totals.unsampled += 1;
      return;
    }
    const to = Math.min(record.to, record.from + EVIDENCE_BYTES_MAX);
    const text = clean(chunk.bytes.toString('utf8', record.from, to)).slice(0, EVIDENCE_CHARS_MAX);
    const channel = this.#owner ?? this.#parts.channels.find(record.text, this.#engine);
    onUnrecognised({
      text,
      channel: channel === undefined ? undefined : this.#parts.channels.nameOf(channel),
      at: chunk.at,
      monoMs: chunk.monoMs,
    });
  }

  count(channel: string, kind: SymptomKind): number {
    const number = this.#parts.channels.numberOf(channel);
    if (number === undefined) return 0;
    return this.#windows.count(number, KIND_NUMBERS.get(kind)!, this.#parts.clock.monotonicMs());
  }

  totals(): DetectorTotals {
    const patterns = this.#tally.rows().map(({ channel, pattern, count }) => ({
      channel: this.#parts.channels.nameOf(channel),
      pattern: this.#parts.catalogue.patterns[pattern]!.id,
      count,
    }));
    return { ...this.#totals, patterns };
  }

  #channelOf(record: FoundRecord, found: Found): number | undefined {
    const { channels } = this.#parts;
    const named = found.groups.channel;
    const byName = named === undefined ? undefined : channels.numberOf(named, this.#engine);
    return byName ?? this.#owner ?? channels.find(record.text, this.#engine);
  }

  #notice(pattern: Pattern, channel: number, found: Found): void {
    const pid = Number(found.groups.pid);
    this.#parts.onNotice({
      kind: pattern.notice!,
      channel: this.#parts.channels.nameOf(channel),
      pid: Number.isSafeInteger(pid) && pid > 0 ? pid : undefined,
      monoMs: this.#chunk!.monoMs,
    });
  }

  #observe(channel: number, pattern: Pattern, record: FoundRecord, found: Found): void {
    const nowMs = this.#chunk!.monoMs;
    const kind = this.#kinds[pattern.index]!;
    const countInWindow = this.#windows.add(channel, kind, nowMs);
    const cell = channel * SYMPTOMS.length + kind;
    const raisedMs = this.#raisedMs[cell]! - 1;
    const rested = raisedMs < 0 || nowMs - raisedMs >= EMIT_EVERY_MS;
    if (rested && this.#waiting[cell]! > 0) this.#forgetOld(cell, nowMs);
    const due = rested && countInWindow >= this.#thresholds[kind]!;
    if (due || this.#waiting[cell]! < EVIDENCE_MAX - 1) this.#keep(cell, this.#evidence(record, found));
    if (!due) return;
    const texts = this.#texts.get(cell) ?? [];
    this.#raisedMs[cell] = nowMs + 1;
    this.#waiting[cell] = 0;
    this.#texts.delete(cell);
    this.#emit({ channel, pattern, countInWindow, texts });
  }

  #keep(cell: number, text: Quote): void {
    this.#texts.set(cell, [...(this.#texts.get(cell) ?? []), text]);
    this.#waiting[cell]! += 1;
  }

  /** What waited for longer than the window is none of what is counted now. */
  #forgetOld(cell: number, nowMs: MonoMs): void {
    const fresh = this.#texts.get(cell)?.filter(({ monoMs }) => nowMs - monoMs < WINDOW_MS) ?? [];
    this.#texts.set(cell, fresh);
    this.#waiting[cell] = fresh.length;
  }

  #evidence(record: FoundRecord, found: Found): Quote {
    const { source, bytes, monoMs } = this.#chunk!;
    const from = Math.max(record.from, record.from + found.index - EVIDENCE_BYTES_BEFORE);
    const to = Math.min(record.to, from + EVIDENCE_BYTES_MAX);
    return { source, text: bytes.toString('utf8', from, to), monoMs };
  }

  #emit(raised: {
    readonly channel: number;
    readonly pattern: Pattern;
    readonly countInWindow: number;
    readonly texts: readonly Quote[];
  }): void {
    const { at, monoMs } = this.#chunk!;
    const { pattern, countInWindow } = raised;
    this.#totals.raised += 1;
    this.#parts.onSymptom({
      at,
      monoMs,
      channel: this.#parts.channels.nameOf(raised.channel),
      kind: pattern.symptom,
      origin: 'log',
      countInWindow,
      windowMs: WINDOW_MS,
      confidence: pattern.confidence,
      pattern: pattern.id,
      evidence: raised.texts.map(({ source, text }) => ({
        source,
        text: this.#parts.clean(text).slice(0, EVIDENCE_CHARS_MAX),
      })),
    });
  }

  /** Only in a log that the channel owns: elsewhere a visitor's request may look like a report. */
  #readProgress(chunk: Chunk, view: Buffer, owner: number): void {
    const { channels, parseProgress, onProgress } = this.#parts;
    const { at, monoMs, source } = chunk;
    if (monoMs - (this.#progressAtMs.get(owner) ?? Number.NEGATIVE_INFINITY) < PROGRESS_EVERY_MS) return;
    const progress = newestProgress(view, parseProgress);
    if (progress === undefined) return;
    this.#progressAtMs.set(owner, monoMs);
    onProgress({ kind: 'progress', at, monoMs, source, channel: channels.nameOf(owner), ...progress });
  }
}
