/** Gives logs whose times name no year (syslog) the one that puts them next to the other records. */
import type { EpochMs } from '../core/clock.ts';
import type { Sample } from '../core/sample.ts';
import { firstAt, lastAt, type LogFile, type TimedLine } from './batches.ts';
import type { StampSetting } from './stamps.ts';

/** What is known of a log when its year is looked for. */
type Recorded = Pick<LogFile, 'path' | 'format'> & { readonly lines: readonly TimedLine[] | undefined };

/** From the first to the last record. */
interface Span {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

const hasNoYear = ({ format, lines }: Recorded): boolean => lines === undefined && format?.name === 'syslog';

/**
 * The year in which each of the logs begins; undefined for those that say it themselves. Where no record does, the
 * first of them begins in the year of the setting: nothing depends on today.
 */
export function yearsOf(
  logs: readonly Recorded[],
  samples: readonly Sample[],
  { offsetMinutes, year: otherwise }: StampSetting,
): readonly (number | undefined)[] {
  const spanIn = (log: Recorded, year: number): Span | undefined => spanOf(log, { offsetMinutes, year });
  const [first, last] = [samples[0]?.at, samples.at(-1)?.at];
  const sampled = first === undefined || last === undefined ? [] : [{ from: first, until: last }];
  const dated = logs.filter((log) => !hasNoYear(log)).flatMap((log) => spanIn(log, otherwise) ?? []);
  const open = logs.filter(hasNoYear).flatMap((log) => spanIn(log, otherwise) ?? []);
  const others = dated.length + sampled.length > 0 ? [...dated, ...sampled] : open.slice(0, 1);
  const known: Span = {
    from: Math.min(...others.map(({ from }) => from)),
    until: Math.max(...others.map(({ until }) => until)),
  };
  return logs.map((log) => (hasNoYear(log) ? yearNear(known, (year) => spanIn(log, year)) : undefined));
}

/** Of the years around the other records the one with the smallest gap; undefined where the log has no times. */
function yearNear(known: Span, spanIn: (year: number) => Span | undefined): number | undefined {
  if (!Number.isFinite(known.until)) return undefined;
  const newest = new Date(known.until).getUTCFullYear();
  let best: { readonly year: number; readonly gapMs: number } | undefined;
  for (const year of [newest, newest - 1, newest + 1]) {
    const span = spanIn(year);
    if (span === undefined) return undefined;
    const gapMs = Math.max(0, span.from - known.until, known.from - span.until);
    if (best === undefined || gapMs < best.gapMs) best = { year, gapMs };
  }
  return best?.year;
}

function spanOf({ path, format, lines }: Recorded, setting: StampSetting): Span | undefined {
  if (lines !== undefined) {
    const times = lines.map(({ at }) => at);
    const from = times.reduce<number>((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const until = times.reduce<number>((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
    return times.length === 0 ? undefined : { from, until };
  }
  const from = firstAt(path, { format }, setting);
  if (from === undefined) return undefined;
  const last = lastAt(path, { format }, setting) ?? from;
  // Its last lines may lie in the next year; that it went on for longer cannot be seen.
  const until = last < from ? lastAt(path, { format }, { ...setting, year: setting.year + 1 }) : last;
  return { from, until: Math.max(from, until ?? from) };
}
