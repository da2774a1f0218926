import { describe, expect, it } from 'vitest';
import {
  asLeft,
  asNoise,
  courseOf,
  type Evidence,
  isSerious,
  noise,
  playsAfter,
  ROUTINE_SEVERITY,
  withoutOutlived,
} from '../../src/classifier/course.ts';
import { readExcerpt } from '../../src/classifier/lines.ts';

const patternsOf = (lines: readonly string[]) => courseOf(readExcerpt(lines)).map(({ pattern }) => pattern);
const clock = (timeS: number) => new Date(Math.round(timeS * 1_000)).toISOString().slice(11, 22);
/** A progress report of an encoder. */
const progress = (frame: number, timeS: number, speed?: number) =>
  `frame= ${frame} fps= 25 size= 1kB time=${clock(timeS)} bitrate=1k${speed === undefined ? '' : ` speed=${speed}x`}`;
/** One of an encoder of sound alone. */
const sound = (timeS: number, speed: number) => `size= 12kB time=${clock(timeS)} bitrate=1k speed=${speed}x`;
const times = (count: number, line: string) => Array.from({ length: count }, () => line);

const aReason = (with_: Partial<Evidence> = {}): Evidence => ({
  ...{ at: 0, symptom: 'upstream_timeout', severity: 50, confidence: 0.8, remedy: 'restart_channel', pattern: 'p' },
  ...with_,
});

describe('a reason that is taken back', () => {
  it('as noise or as a viewer who left is no longer serious, and asks for nothing', () => {
    expect(asNoise(aReason())).toMatchObject({ symptom: 'benign_noise', severity: ROUTINE_SEVERITY, remedy: 'none' });
    expect(asLeft(aReason())).toMatchObject({ symptom: 'client_disconnect_benign', severity: 20, remedy: 'none' });
    expect([aReason(), asNoise(aReason()), asLeft(aReason()), noise(0, 'p')].map(isSerious)).toEqual([
      true,
      ...[false, false, false],
    ]);
  });

  it('is serious from one above the severity of the ordinary', () => {
    expect(isSerious(aReason({ severity: ROUTINE_SEVERITY }))).toBe(false);
    expect(isSerious(aReason({ severity: ROUTINE_SEVERITY + 1 }))).toBe(true);
  });
});

describe('an encoder that stands still', () => {
  it('is one that reports the same position four times in a row', () => {
    expect(patternsOf(times(3, progress(100, 4)))).toEqual([]);
    expect(patternsOf(times(4, progress(100, 4)))).toEqual(['course_frozen_progress']);
    expect(courseOf(readExcerpt(times(4, progress(100, 4))))[0]).toMatchObject({
      ...{ at: 3, symptom: 'stalled_output', remedy: 'restart_channel' },
    });
  });

  it('is distinguished from one that moved in between, by its frame or by its time', () => {
    const still = progress(100, 4);
    expect(patternsOf([still, still, progress(101, 4), still, still])).toEqual([]);
    expect(patternsOf([still, still, progress(100, 4.04), still, still])).toEqual([]);
  });

  it('is one after three reports where their speeds show that it lasted ten seconds', () => {
    const stood = (last: number) => [progress(250, 10, 1), progress(250, 10, 0.7), progress(250, 10, last)];
    expect(patternsOf(stood(0.5))).toEqual(['course_frozen_progress']);
    expect(patternsOf(stood(0.51))).toEqual([]);
    expect(patternsOf([progress(250, 10, 1), progress(250, 10, 0.5)])).toEqual([]);
  });

  it('is not known to be one after three reports that say no speed, or none above 0', () => {
    expect(patternsOf([progress(250, 10), progress(250, 10), progress(250, 10, 0.5)])).toEqual([]);
    expect(patternsOf([progress(250, 10, 1), progress(250, 10, 1), progress(250, 10, 0)])).toEqual([]);
  });

  it('is not one that has not begun: its first frame takes as long as it takes', () => {
    expect(patternsOf(times(9, progress(0, 0)))).toEqual([]);
  });
});

describe('an encoder that falls behind', () => {
  const slow = (...speeds: readonly number[]) =>
    patternsOf(speeds.map((speed, at) => progress(300 + at * 10, 10 + at, speed)));

  it('is one that reports a speed under 0.95 three times', () => {
    expect(slow(0.9, 0.9)).toEqual([]);
    expect(slow(0.9, 0.9, 0.9)).toEqual(['course_slow_progress']);
    expect(slow(0.95, 0.95, 0.95)).toEqual([]);
  });

  it('is not one that is slow in fewer than four of five reports', () => {
    expect(slow(0.9, 0.9, 0.9, 0.9, 1)).toEqual([]);
    expect(slow(1, 0.9, 0.9, 0.9, 0.9)).toEqual(['course_slow_progress']);
    expect(slow(1, 1, 0.9, 0.9, 0.9)).toEqual([]);
  });

  it('is not one that gets better, except from a crawl to a crawl', () => {
    expect(slow(0.8, 0.82, 0.85)).toEqual(['course_slow_progress']);
    expect(slow(0.8, 0.82, 0.86)).toEqual([]);
    expect(slow(0.2, 0.3, 0.49)).toEqual(['course_slow_progress']);
    expect(slow(0.2, 0.3, 0.5)).toEqual([]);
  });

  it('is not one in its first ten seconds, unless it has crawled for five', () => {
    const at = (timeS: number, speed: number) =>
      patternsOf([0, 1, 2].map((step) => progress(100 + step, timeS + step / 100, speed)));
    expect([at(9.9, 0.9), at(10, 0.9)]).toEqual([[], ['course_slow_progress']]);
    expect([at(1.9, 0.4), at(2, 0.4)]).toEqual([[], ['course_slow_progress']]);
    expect([at(4, 0.5), at(9, 0.5)]).toEqual([[], []]);
  });

  it('is not one that stands at one position, which is another trouble', () => {
    expect(patternsOf(times(3, progress(300, 12, 0.9)))).toEqual([]);
  });

  it('may encode sound alone', () => {
    expect(patternsOf([10, 11, 12].map((timeS) => sound(timeS, 0.9)))).toEqual(['course_slow_progress']);
  });
});

describe('a reader that loops over a stale playlist', () => {
  const opening = (name: string) => `[hls @ 0x1] Opening 'https://host/${name}' for reading`;

  it('reads its playlist four times, and never a segment', () => {
    expect(patternsOf(times(3, opening('a.m3u8')))).toEqual([]);
    expect(patternsOf(times(4, opening('a.m3u8')))).toEqual(['course_reloading_only']);
    expect(patternsOf(times(4, opening('a.mpd')))).toEqual(['course_reloading_only']);
    expect(patternsOf([...times(4, opening('a.m3u8')), opening('a1.ts')])).toEqual([]);
  });

  it('falls out of the live window by three segments or more, twice', () => {
    const skipping = (count: number) => `skipping ${count} segments ahead, expired from playlists`;
    expect(patternsOf([skipping(3)])).toEqual([]);
    expect(patternsOf([skipping(3), skipping(2)])).toEqual([]);
    expect(patternsOf([skipping(3), skipping(3)])).toEqual(['course_window_slip']);
  });

  it('gets 404 or 410 for a segment of the playlist in the line before', () => {
    const failed = 'Failed to open segment 7 of playlist 0';
    expect(patternsOf(['HTTP error 404 Not Found', failed])).toEqual(['course_segments_gone']);
    expect(patternsOf(['HTTP error 410 Gone', failed])).toEqual(['course_segments_gone']);
    expect(patternsOf(['Server returned 404 Not Found', failed])).toEqual(['course_segments_gone']);
    expect(patternsOf(['HTTP error 503 Busy', failed])).toEqual([]);
    expect(patternsOf(['HTTP error 404 Not Found', 'Opening', failed])).toEqual([]);
    expect(patternsOf([failed])).toEqual([]);
  });
});

describe('an encoder that was ordered to stop', () => {
  const stop = 'Exiting normally, received signal 15.';

  it('before it wrote anything was in trouble before', () => {
    expect(patternsOf([progress(0, 0), stop])).toEqual(['course_stopped_empty']);
    expect(patternsOf([progress(1, 0), stop])).toEqual([]);
    expect(patternsOf([sound(0, 0), stop])).toEqual(['course_stopped_empty']);
    expect(patternsOf([sound(0.5, 1), stop])).toEqual([]);
  });

  it('was in no trouble where it reported nothing, or was not stopped', () => {
    expect(patternsOf([stop])).toEqual([]);
    expect(patternsOf([progress(0, 0)])).toEqual([]);
  });
});

describe('a complaint about a source', () => {
  const timedOut = 'https://host/a.ts: Connection timed out';
  const again = 'Will reconnect at 4096 in 1 second(s), error=Connection timed out.';
  const grows = [progress(500, 20, 1), progress(600, 24, 1)];
  const symptomsAfter = (lines: readonly string[], reasons: readonly Evidence[] = [aReason()]) =>
    withoutOutlived(readExcerpt(lines), reasons).map(({ symptom }) => symptom);

  it('becomes noise where the reader tried again and the output then grew at full speed to the end', () => {
    expect(symptomsAfter([timedOut, again, ...grows])).toEqual(['benign_noise']);
    expect(symptomsAfter([again, ...grows])).toEqual(['benign_noise']);
  });

  it('stays where no retry follows at once', () => {
    expect(symptomsAfter([timedOut, ...grows])).toEqual(['upstream_timeout']);
    expect(symptomsAfter([timedOut, 'it plays', 'trying again', ...grows])).toEqual(['upstream_timeout']);
  });

  it('stays where the output grows too slowly, not at all, or without a reported speed', () => {
    const ends = (last: string) => symptomsAfter([again, progress(500, 20, 1), last]);
    expect(ends(progress(600, 24, 0.95))).toEqual(['benign_noise']);
    expect(ends(progress(600, 24, 0.94))).toEqual(['upstream_timeout']);
    expect(ends(progress(600, 24))).toEqual(['upstream_timeout']);
    expect(ends(progress(500, 24, 1))).toEqual(['upstream_timeout']);
    expect(ends(progress(600, 20, 1))).toEqual(['upstream_timeout']);
    expect(symptomsAfter([again])).toEqual(['upstream_timeout']);
  });

  it('stays where another complaint came after it', () => {
    expect(symptomsAfter([again, ...grows, 'https://host/a.ts: Connection refused'])).toEqual(['upstream_timeout']);
  });

  it('stays where something else is wrong, or is not over by then', () => {
    const lines = [again, ...grows];
    const other = aReason({ symptom: 'encoder_overload' });
    expect(symptomsAfter(lines, [aReason(), other])).toEqual(['upstream_timeout', 'encoder_overload']);
    expect(symptomsAfter(lines, [aReason({ at: 1 })])).toEqual(['upstream_timeout']);
    const ordinary = aReason({ symptom: 'encoder_overload', severity: ROUTINE_SEVERITY });
    expect(symptomsAfter(lines, [aReason(), ordinary])).toEqual(['benign_noise', 'encoder_overload']);
  });

  it('is over without a second try where two segments came through after it', () => {
    const done = ['segment 8 complete', 'segment 9 complete'];
    expect(symptomsAfter([timedOut, ...done])).toEqual(['benign_noise']);
    expect(symptomsAfter([timedOut, done[0]!])).toEqual(['upstream_timeout']);
    expect(symptomsAfter([timedOut, done[0]!, 'Connection refused', done[1]!])).toEqual(['upstream_timeout']);
  });

  it('is over where output of sound alone, which has no frames, goes on after it', () => {
    expect(symptomsAfter([again, sound(20, 1), sound(24, 1)])).toEqual(['benign_noise']);
  });
});

describe('an excerpt that ends with growing output', () => {
  it('plays after each line before the growth, and not after the line where it begins', () => {
    const lines = readExcerpt(['Connection refused', progress(500, 20, 1), progress(600, 24, 1)]);
    expect([playsAfter(lines, 0), playsAfter(lines, 1)]).toEqual([true, false]);
    expect(playsAfter(readExcerpt(['Connection timed out']), 0)).toBe(false);
  });
});
