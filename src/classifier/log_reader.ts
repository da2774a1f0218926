/** Reads the last lines of a channel's log as a whole, as one more witness of a trouble. */
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { ChannelId } from '../core/scope.ts';
import { HARMLESS_SYMPTOMS, type LogReading, type SymptomKind } from '../core/symptom.ts';
import type { LastLines } from '../detect/last_lines.ts';
import type { Catalogue } from '../detect/patterns/catalogue.ts';
import { WINDOW_MS } from '../detect/windows.ts';
import { classifyExcerpt } from './excerpt.ts';

/** That a process has ended or an output stands is seen of the channel itself; the log is asked why. */
const SEEN_OTHERWISE: ReadonlySet<SymptomKind> = new Set([
  'process_crash',
  'process_exit_nonzero',
  'stalled_output',
  'buffer_underrun',
  'clock_skew_or_dts',
]);

/** The others wait: 4 KiB take about 2 ms of a core to read, and 15 where somebody wrote them to take long. */
const READS_PER_S_MAX = 5;
const LINE_CHARS_MAX = 400;
const EVIDENCE_MAX = 3;

export interface LogReaderParts {
  readonly linesOf: (channel: ChannelId) => LastLines | undefined;
  /** Redacts and strips control characters. */
  readonly clean: (text: string) => string;
}

/** The moment of a reading. */
export interface ReadingMoment {
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
}

/**
 * Names the cause that the last lines give as a whole, or nothing: what they call harmless takes nothing away. A
 * reading is as old as the last of its lines.
 */
export class LogReader {
  readonly #parts: LogReaderParts;
  #second = { sinceMs: Number.NEGATIVE_INFINITY, reads: 0 };

  constructor(parts: LogReaderParts) {
    this.#parts = parts;
  }

  read(channel: ChannelId, catalogue: Catalogue, { at, monoMs }: ReadingMoment): LogReading {
    const last = this.#parts.linesOf(channel);
    if (last === undefined || last.lines.length === 0) return undefined;
    if (!this.#mayRead(monoMs)) return 'waits';
    const lines = last.lines.map((line) => line.slice(0, LINE_CHARS_MAX));
    const { symptom: kind, confidence, pattern, at: decided } = classifyExcerpt(lines, catalogue);
    if (HARMLESS_SYMPTOMS.has(kind) || SEEN_OTHERWISE.has(kind)) return undefined;
    return {
      ...{ at: at - (monoMs - last.lastMs), monoMs: last.lastMs, channel, kind, origin: 'log', whole: true },
      ...{ countInWindow: 1, windowMs: WINDOW_MS, confidence, pattern },
      evidence: behind(lines, decided).map((line) => ({ source: last.source, text: this.#parts.clean(line) })),
    };
  }

  #mayRead(nowMs: MonoMs): boolean {
    if (nowMs - this.#second.sinceMs >= 1_000) this.#second = { sinceMs: nowMs, reads: 0 };
    this.#second.reads += 1;
    return this.#second.reads <= READS_PER_S_MAX;
  }
}

/** The newest lines and, as the last of them, the one that decided: where there is room for one, it is that one. */
function behind(lines: readonly string[], decided: number | undefined): readonly string[] {
  if (decided === undefined) return lines.slice(-EVIDENCE_MAX);
  return [...lines.toSpliced(decided, 1).slice(1 - EVIDENCE_MAX), ...lines.slice(decided, decided + 1)];
}
