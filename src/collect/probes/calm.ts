/** Tells which channels need no close look now, from everything that is seen of them. */
import type { MonoMs } from '../../core/clock.ts';
import type { PlaylistSample, ProcessSample, ProgressSample, Sample, SourceSample } from '../../core/sample.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';

/** A process this old, and a time this long without trouble, may be relied on. */
const SETTLED_MS = 30_000;
/** An encoder that was not seen to go on for this long is in doubt: its reports come each half second. */
const REPORT_MS_MAX = 1_500;
/** And so is one whose bytes, counted at each look at its engine, stand. */
const BYTES_MS_MAX = 2_500;
/** What is in a log that Reeve is this late in reading at most is no doubt: the encoder may have reported since. */
const LATE_MS_MAX = 3_000;
/** A process that the engine did not tell of for this long may be another by now. */
const PROCESS_MS_MAX = 5_000;
/** Good looks in a row before the first is left out. */
const GOOD_LOOKS_MIN = 3;
/** A silent stall is found within this: the longest rest, and the time that the output must have stood after it. */
const STALL_FOUND_MS = 19_000;

/** How seldom a look may be taken at what is in no doubt. */
export interface Rest {
  readonly everyMs: number;
  /** The longest time between two looks. */
  readonly calmEveryMs: number;
  /** Output that has not changed for this long stands still; undefined for a source. */
  readonly stallAfterMs?: number | undefined;
}

/** What is seen of one channel, as far as it says that nothing has changed. */
class Signs {
  engine: EngineId | undefined;
  generation: string | undefined;
  /** Since when its process runs as it does; `Infinity` while it does not. */
  runsSinceMs: MonoMs = Number.POSITIVE_INFINITY;
  processMs: MonoMs = Number.NEGATIVE_INFINITY;
  outTimeMs = Number.NEGATIVE_INFINITY;
  reportMs: MonoMs = Number.NEGATIVE_INFINITY;
  bytes: number | undefined;
  bytesMs: MonoMs = Number.NEGATIVE_INFINITY;
  disturbedMs: MonoMs = Number.NEGATIVE_INFINITY;
  readonly playlist = new PlaylistPace();
  goodSources = 0;
  goodAnswers = 0;
}

/**
 * A channel is calm while its process is as it was, its encoder goes on, nothing complains of it, and its last looks
 * were good. What it does not know of is never calm.
 */
export class Calm {
  readonly #channels: ReadonlyMap<ChannelId, Signs>;
  readonly #failing = new Set<EngineId>();

  readonly #lateMs: () => number;

  /** `lateMs`: how late logs are read now, in milliseconds. */
  constructor(channels: readonly ChannelId[], lateMs: () => number = () => 0) {
    this.#lateMs = lateMs;
    this.#channels = new Map(channels.map((id) => [id, new Signs()]));
  }

  observe(sample: Sample): void {
    if (sample.kind === 'engine') {
      if (sample.ok) this.#failing.delete(sample.engine);
      else this.#failing.add(sample.engine);
    }
    const signs = 'channel' in sample ? this.#channels.get(sample.channel) : undefined;
    if (signs === undefined) return;
    if (sample.kind === 'progress') takeProgress(signs, sample);
    else if (sample.kind === 'process') takeProcess(signs, sample);
    else if (sample.kind === 'playlist') signs.playlist.take(sample);
    else if (sample.kind === 'reach') signs.goodAnswers = sample.ok ? signs.goodAnswers + 1 : 0;
    else if (sample.kind === 'source') signs.goodSources = isGoodSource(sample) ? signs.goodSources + 1 : 0;
  }

  /** Something complains of the channel, or somebody wants to look closer. */
  disturb(channel: ChannelId, nowMs: MonoMs): void {
    const signs = this.#channels.get(channel);
    if (signs !== undefined) signs.disturbedMs = nowMs;
  }

  /**
   * How long after its last look the channel's output need not be looked at again; 0: look at its own pace. `heardMs`:
   * when its folder last notified of a change, where that is watched.
   */
  outputRestMs(channel: ChannelId, rest: Rest, nowMs: MonoMs, heardMs: MonoMs = nowMs): number {
    const signs = this.#channels.get(channel);
    if (signs === undefined || !this.#isCalm(signs, nowMs)) return 0;
    const { goodLooks, targetMs } = signs.playlist;
    const stallMs = Math.max(rest.stallAfterMs ?? 0, 2 * targetMs + rest.everyMs);
    if (nowMs - heardMs > stallMs - rest.everyMs) return 0;
    return restOf(Math.max(goodLooks, signs.goodAnswers), {
      ...rest,
      calmEveryMs: Math.min(rest.calmEveryMs, STALL_FOUND_MS - stallMs),
    });
  }

  /** The same of its source: while the channel plays, what it reads from is there. */
  sourceRestMs(channel: ChannelId, rest: Rest, nowMs: MonoMs): number {
    const signs = this.#channels.get(channel);
    if (signs === undefined || !this.#isCalm(signs, nowMs)) return 0;
    return restOf(signs.goodSources, rest);
  }

  /** It runs, its encoder goes on and nothing complains, though that may be new: a look need not be a close one. */
  goesOn(channel: ChannelId, nowMs: MonoMs): boolean {
    const signs = this.#channels.get(channel);
    return signs !== undefined && this.#goesOn(signs, nowMs);
  }

  #isCalm(signs: Signs, nowMs: MonoMs): boolean {
    return nowMs - signs.runsSinceMs >= SETTLED_MS && this.#goesOn(signs, nowMs);
  }

  #goesOn(signs: Signs, nowMs: MonoMs): boolean {
    const { engine, runsSinceMs, processMs, reportMs, bytesMs, disturbedMs } = signs;
    if (engine === undefined || this.#failing.has(engine)) return false;
    if (runsSinceMs > nowMs || nowMs - processMs > PROCESS_MS_MAX) return false;
    if (nowMs - disturbedMs < SETTLED_MS) return false;
    const reportAgeMs = nowMs - reportMs;
    if (reportAgeMs <= REPORT_MS_MAX || nowMs - bytesMs <= BYTES_MS_MAX) return true;
    return reportAgeMs <= REPORT_MS_MAX + LATE_MS_MAX && reportAgeMs <= REPORT_MS_MAX + this.#lateMs();
  }
}

/** Twice as long with each good look, up to the longest. */
function restOf(goodLooks: number, { everyMs, calmEveryMs }: Rest): number {
  if (goodLooks < GOOD_LOOKS_MIN) return 0;
  return Math.min(calmEveryMs, everyMs * 2 ** Math.min(goodLooks - GOOD_LOOKS_MIN + 1, 10));
}

const isGoodSource = ({ ok, silentMs = 0 }: SourceSample): boolean => ok && silentMs < REPORT_MS_MAX;

function takeProgress(signs: Signs, { outTimeMs, monoMs }: ProgressSample): void {
  if (outTimeMs > signs.outTimeMs) signs.reportMs = monoMs;
  signs.outTimeMs = outTimeMs;
}

function takeProcess(signs: Signs, sample: ProcessSample): void {
  const { engine, state, generation, halted, monoMs, bytesWritten } = sample;
  const runs = state === 'running' && halted !== true && !sample.stoppedOnPurpose;
  if (!runs) signs.runsSinceMs = Number.POSITIVE_INFINITY;
  else if (generation !== signs.generation || signs.runsSinceMs === Number.POSITIVE_INFINITY) {
    signs.runsSinceMs = monoMs;
  }
  if (bytesWritten !== undefined && bytesWritten > (signs.bytes ?? bytesWritten)) signs.bytesMs = monoMs;
  Object.assign(signs, { engine, generation, bytes: bytesWritten, processMs: monoMs });
}

/** Whether a playlist moves as fast as it must, looked at often or seldom. */
class PlaylistPace {
  goodLooks = 0;
  targetMs = 0;
  #lookedMs: MonoMs = 0;
  #changedMs: MonoMs = 0;
  #revision: string | undefined;
  #sequence = 0;
  /** Where counting began: the mean length of segments since is that of this playlist. */
  #from: { readonly monoMs: MonoMs; readonly sequence: number } | undefined;

  take(sample: PlaylistSample): void {
    const { ok, ended, revision, newestSegmentBytes, mediaSequence, targetDurationMs, monoMs } = sample;
    const isEmpty = newestSegmentBytes === 0 || sample.newestSegmentMissing === true;
    const isReadable = revision !== undefined && mediaSequence !== undefined && targetDurationMs !== undefined;
    if (!ok || ended === true || isEmpty || !isReadable) return this.#begin(undefined);
    const [before, elapsedMs, advance] = [this.#revision, monoMs - this.#lookedMs, mediaSequence - this.#sequence];
    const segmentMs = this.#segmentMs(targetDurationMs);
    const isNew = revision !== before;
    if (isNew) this.#changedMs = monoMs;
    this.targetMs = targetDurationMs;
    this.#revision = revision;
    this.#lookedMs = monoMs;
    this.#sequence = mediaSequence;
    if (before === undefined) return this.#begin({ monoMs, sequence: mediaSequence });
    const behindMs = isNew ? elapsedMs - advance * segmentMs : monoMs - this.#changedMs;
    if (advance < 0 || behindMs > 1.5 * targetDurationMs + 1_000) this.#begin({ monoMs, sequence: mediaSequence });
    else this.goodLooks += 1;
  }

  /** No longer than the playlist says that a segment may be. */
  #segmentMs(targetMs: number): number {
    const from = this.#from;
    const count = from === undefined ? 0 : this.#sequence - from.sequence;
    return from === undefined || count < GOOD_LOOKS_MIN
      ? targetMs
      : Math.min(targetMs, (this.#lookedMs - from.monoMs) / count);
  }

  #begin(from: { readonly monoMs: MonoMs; readonly sequence: number } | undefined): void {
    this.goodLooks = 0;
    this.#from = from;
    if (from === undefined) this.#revision = undefined;
  }
}
