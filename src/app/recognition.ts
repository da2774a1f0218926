/** What recognises the lines of logs, one by one and as a whole, by one catalogue of patterns. */
import type { PatternTrust } from '../rulebook/patterns/teaching.ts';
import { LogReader } from '../classifier/log_reader.ts';
import { safeText } from '../collect/clean.ts';
import { parseProgress } from '../collect/formats/progress.ts';
import type { Configuration } from '../config/load.ts';
import { compiledOf, heardOf } from '../config/patterns.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';
import type { LogReading, Symptom } from '../core/symptom.ts';
import type { ChannelTable } from '../detect/channel_table.ts';
import { createDetector, type Detector } from '../detect/detector.ts';
import { LastLinesOf } from '../detect/last_lines.ts';
import type { Catalogue } from '../detect/patterns/catalogue.ts';
import { BlindSpots } from '../detect/templates/blind_spots.ts';

export interface RecognitionDeps {
  readonly clock: Clock;
  readonly onSymptom: (symptom: Symptom) => void;
  readonly onSample: (sample: Sample) => void;
  readonly onNotice: (channel: ChannelId) => void;
  /** A complaint that no pattern fits; its text is redacted. */
  readonly onUnrecognised?: (text: string, channel: ChannelId | undefined) => void;
  /** How far each pattern is trusted. Default: in full. */
  readonly trustIn?: (pattern: string) => PatternTrust;
  /** What was heard before a reload; default: nothing. */
  readonly lastLines?: LastLinesOf;
  /** A log could not be read as a whole. */
  readonly onFailure?: (because: string) => void;
}

/** Both, and what remembers the lines that nothing recognised. */
export interface Recognition {
  readonly detector: Detector;
  readonly readLog: (channel: ChannelId) => LogReading;
  readonly blindSpots: BlindSpots;
}

/** A replay uses it too: it must hear what the daemon would. */
export function recognitionFor(
  { patterns }: Pick<Configuration, 'patterns'>,
  channels: ChannelTable,
  deps: RecognitionDeps,
): Recognition {
  const { trustIn = () => 'full' as const, lastLines = new LastLinesOf() } = deps;
  const { catalogue } = compiledOf(heardOf(patterns, (id) => trustIn(id) !== 'none'));
  const blindSpots = new BlindSpots(catalogue);
  const clean = (text: string): string => safeText(text);
  const asTrusted = (symptom: Symptom): Symptom =>
    symptom.pattern !== undefined && trustIn(symptom.pattern) === 'trial' ? { ...symptom, onTrial: true } : symptom;
  const detector = createDetector({
    catalogue,
    clock: deps.clock,
    channels,
    clean,
    parseProgress,
    onSymptom: (symptom) => deps.onSymptom(asTrusted(symptom)),
    onProgress: deps.onSample,
    onNotice: ({ channel }) => deps.onNotice(channel),
    onUnrecognised: (complaint) => {
      blindSpots.observe(complaint);
      deps.onUnrecognised?.(complaint.text, complaint.channel);
    },
  });
  const reader = new LogReader({ linesOf: (channel) => lastLines.of(channel), clean });
  return {
    detector: keeping(detector, lastLines),
    readLog: (channel) => asRead(readWith(reader, catalogue, channel, deps), asTrusted),
    blindSpots,
  };
}

/** The last lines are kept of what is searched. */
const keeping = (detector: Detector, lastLines: LastLinesOf): Detector => ({
  accept: (chunk) => {
    lastLines.take(chunk);
    return detector.accept(chunk);
  },
  count: (channel, kind) => detector.count(channel, kind),
  totals: () => detector.totals(),
});

/** A judgement must not fail for want of a witness. */
function readWith(
  reader: LogReader,
  catalogue: Catalogue,
  channel: ChannelId,
  { clock, onFailure }: RecognitionDeps,
): LogReading {
  try {
    return reader.read(channel, catalogue, { at: clock.now(), monoMs: clock.monotonicMs() });
  } catch (thrown) {
    onFailure?.(`the log of ${channel} could not be read as a whole: ${messageOf(thrown)}`);
    return undefined;
  }
}

const asRead = (reading: LogReading, asTrusted: (symptom: Symptom) => Symptom): LogReading =>
  reading === undefined || reading === 'waits' ? reading : asTrusted(reading);
