// What the daemon makes of an excerpt: its own detector, facts and classification, line by line, in virtual time.
import { parseProgress } from '../src/collect/formats/progress.ts';
import { safeText } from '../src/collect/clean.ts';
import type { FailureClass } from '../src/core/classification.ts';
import type { Clock } from '../src/core/clock.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';
import type { PlaylistSample, ProcessSample } from '../src/core/sample.ts';
import type { SymptomKind } from '../src/core/symptom.ts';
import { createChannelTable } from '../src/detect/channel_table.ts';
import { createDetector, type Detector } from '../src/detect/detector.ts';
import type { Catalogue } from '../src/detect/patterns/catalogue.ts';
import { LastLinesOf } from '../src/detect/last_lines.ts';
import { LogReader } from '../src/classifier/log_reader.ts';
import { FactStore } from '../src/ground/facts/facts.ts';
import { classify } from '../src/ground/rules/classify.ts';
import type { Item } from './score.ts';

/** What becomes of the channel while the lines are written: it plays on, its output stands, or its process ends. */
export const COURSES = ['plays', 'stands', 'dies'] as const;
export type Course = (typeof COURSES)[number];

/** What the daemon calls the channel in the end; undefined: nothing is wrong with it. */
export type Reading = FailureClass | undefined;

/** Health before the first line, and the pause between two lines. */
const WELL_MS = 30_000;
const LINE_EVERY_MS = 100;
const LOOK_EVERY_MS = 1_000;
/** Its output stands for ten seconds when the channel is judged: long enough to be called stalled. */
const STANDS_MS = 10_000;
const ENGINE = 'engine';

export interface Excerpt {
  readonly id: string;
  readonly lines: readonly string[];
}

/**
 * Plays each excerpt to a daemon without a guard, as the log of a channel of its own, and gives the daemon's name for
 * what it sees: ten seconds after the trouble began, or a second after the last line. `asWhole`: of a channel in
 * trouble it also reads the last lines as a whole, as it does when an incident opens.
 */
export function readByDaemon(
  excerpts: readonly Excerpt[],
  catalogue: Catalogue,
  course: Course,
  asWhole = true,
): readonly Reading[] {
  const time = { nowMs: 1_000_000 };
  const clock = { now: () => time.nowMs, monotonicMs: () => time.nowMs } as Clock;
  const channels = excerpts.map(({ id }) => ({
    ...{ id, group: id, engine: ENGINE, expected: 'always' as const, hasSource: false, hasOutputProbe: true },
    ...{ stallAfterMs: 6_000, outputEveryMs: LOOK_EVERY_MS, sourceEveryMs: LOOK_EVERY_MS },
  }));
  const engines = [{ id: ENGINE, pollMs: LOOK_EVERY_MS, autorestartGraceMs: LOOK_EVERY_MS, hostEveryMs: undefined }];
  const facts = new FactStore({ channels, engines }, () => undefined);
  const detector = createDetector({
    ...{ catalogue, clock, parseProgress, clean: safeText },
    channels: createChannelTable(excerpts.map(({ id }) => id)),
    onSymptom: (symptom) => facts.symptom(symptom),
    onProgress: () => undefined,
    onNotice: () => undefined,
  });
  const context = {
    ...{ engine: facts.engineFacts(ENGINE), host: undefined, limits: DEFAULT_LIMITS, sharingSource: 0 },
    autorestartGraceMs: LOOK_EVERY_MS,
  };
  const lastLines = new LastLinesOf();
  const reader = new LogReader({ linesOf: (id) => lastLines.of(id), clean: safeText });
  return excerpts.map((excerpt) => {
    play(excerpt, { course, time, facts, detector, lastLines });
    const { id } = excerpt;
    const finding = classify(facts.view(id)!, context, time.nowMs);
    const moment = { at: time.nowMs, monoMs: time.nowMs };
    const reading = asWhole && finding.trouble ? reader.read(id, catalogue, moment) : undefined;
    if (reading === undefined || reading === 'waits') return finding.classification;
    facts.symptom(reading);
    return classify(facts.view(id)!, context, time.nowMs).classification;
  });
}

interface Stage {
  readonly course: Course;
  readonly time: { nowMs: number };
  readonly facts: FactStore;
  readonly detector: Detector;
  readonly lastLines: LastLinesOf;
}

function play({ id, lines }: Excerpt, { course, time, facts, detector, lastLines }: Stage): void {
  const troubleMs = time.nowMs + WELL_MS;
  const endMs = troubleMs + Math.max(STANDS_MS, lines.length * LINE_EVERY_MS + LOOK_EVERY_MS);
  const pending = lines.map((line) => Buffer.from(`${line.replaceAll('\n', ' ')}\n`));
  for (; time.nowMs < endMs; time.nowMs += LINE_EVERY_MS) {
    const { nowMs } = time;
    const bytes = nowMs < troubleMs ? undefined : pending.shift();
    if (bytes !== undefined) {
      const span = { bytes, start: 0, end: bytes.length, backlog: false };
      const chunk = { source: id, channel: id, ...span, at: nowMs, monoMs: nowMs };
      lastLines.take(chunk);
      detector.accept(chunk);
    }
    if (nowMs % LOOK_EVERY_MS !== 0) continue;
    const isOver = course === 'dies' && pending.length === 0 && nowMs >= troubleMs;
    facts.observe(processAt(id, nowMs, isOver));
    facts.observe(playlistAt(id, course === 'plays' ? nowMs : Math.min(nowMs, troubleMs), nowMs));
  }
}

const processAt = (channel: string, nowMs: number, isOver: boolean): ProcessSample => ({
  ...{ kind: 'process', channel, engine: ENGINE, source: ENGINE, at: nowMs, monoMs: nowMs },
  ...{ state: isOver ? 'exited' : 'running', pid: isOver ? undefined : 1, generation: '1' },
  ...{ uptimeMs: isOver ? undefined : nowMs, exitCode: isOver ? 1 : undefined, exitSignal: undefined },
  ...{ stoppedOnPurpose: false, cpuMs: isOver ? undefined : nowMs, halted: false, bytesWritten: undefined },
});

const playlistAt = (channel: string, movedMs: number, nowMs: number): PlaylistSample => ({
  ...{ kind: 'playlist', channel, source: 'output', at: nowMs, monoMs: nowMs, ok: true },
  ...{ revision: `${movedMs}`, targetDurationMs: 2_000, newestSegmentBytes: 100_000 },
});

const UPSTREAM: readonly FailureClass[] = ['upstream_unavailable'];
const REFUSED: readonly FailureClass[] = ['upstream_auth_expired', 'upstream_url_expired', 'publish_rejected'];
const SETTING: readonly FailureClass[] = ['encoder_misconfigured'];
const DEAD: readonly FailureClass[] = ['process_crashed', 'item_churn'];

/**
 * The classifications that a symptom leads to (docs/classification.md). Those of a process, a standing output and a
 * clock are not named by log text alone: what is seen of the channel names them.
 */
const CLASSES_OF: Partial<Readonly<Record<SymptomKind, readonly FailureClass[]>>> = {
  ...{ upstream_unreachable: UPSTREAM, upstream_timeout: UPSTREAM, dns_failure: UPSTREAM, tls_failure: UPSTREAM },
  ...{ upstream_not_found: ['upstream_not_found'], rate_limited: ['upstream_rate_limited'] },
  ...{ auth_expired: REFUSED, auth_denied: REFUSED, corrupt_input: ['media_unplayable'] },
  ...{ codec_unsupported: SETTING, config_error: SETTING, permission_denied: SETTING, port_in_use: SETTING },
  ...{ hw_accel_failure: ['encoder_misconfigured', 'encoder_session_limit'], encoder_overload: ['encode_too_slow'] },
  ...{ disk_full: ['host_exhausted'], fd_exhaustion: ['host_exhausted'], process_killed_oom: ['host_exhausted'] },
  ...{ db_locked: ['datastore_contention'], db_pool_exhaustion: ['datastore_contention', 'pool_exhausted'] },
  ...{ playout_gap: ['playout_empty'], segment_missing: ['hls_window_slip'], guide_stale: ['guide_stale'] },
  ...{ ghost_publisher: ['ghost_publisher'], publisher_lost: ['publisher_lost'] },
  tuner_slots_exhausted: ['tuner_slots_exhausted'],
};
/** What is right where log text names nothing: the name of what is seen. */
const SEEN: Readonly<Record<Course, readonly Reading[]>> = {
  plays: [undefined],
  stands: ['output_stalled', 'unknown'],
  dies: [...DEAD, 'unknown'],
};

/** Whether the reading is right for an excerpt that people labelled so. Of a channel that plays, none is right as well. */
function isRightReading(labels: readonly string[], course: Course, reading: Reading): boolean {
  if (course === 'plays' && reading === undefined) return true;
  return labels.some((label) => (CLASSES_OF[label as SymptomKind] ?? SEEN[course]).includes(reading));
}

/** What the readings are worth, in excerpts. */
export interface DaemonScores {
  readonly items: number;
  /** Share of readings that are right. */
  readonly accuracy: number;
  /** A trouble that log text names, and the daemon does not. */
  readonly missed_rate: number;
  /** A trouble that log text names, called by the name of another. */
  readonly wrong_class_rate: number;
  /** Log text that names nothing (harmless, unknown, or only what is seen anyway), and the daemon names a cause. */
  readonly false_alarm_rate: number;
}

export function daemonScoresOf(items: readonly Item[], readings: readonly Reading[], course: Course): DaemonScores {
  const judged = items.map(({ label, also_accept = [] }, at) => ({
    isNamed: label in CLASSES_OF,
    isRight: isRightReading([label, ...also_accept], course, readings[at]),
    saysNothing: SEEN[course].includes(readings[at]),
  }));
  const named = judged.filter(({ isNamed }) => isNamed);
  const others = judged.filter(({ isNamed }) => !isNamed);
  const share = (some: typeof judged, of: typeof judged): number =>
    of.length === 0 ? 0 : Math.round((some.length / of.length) * 10_000) / 10_000;
  const wrong = named.filter(({ isRight }) => !isRight);
  return {
    items: items.length,
    accuracy: share(
      judged.filter(({ isRight }) => isRight),
      judged,
    ),
    missed_rate: share(
      wrong.filter(({ saysNothing }) => saysNothing),
      named,
    ),
    wrong_class_rate: share(
      wrong.filter(({ saysNothing }) => !saysNothing),
      named,
    ),
    false_alarm_rate: share(
      others.filter(({ isRight, saysNothing }) => !isRight && !saysNothing),
      others,
    ),
  };
}
