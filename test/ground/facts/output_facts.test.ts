import { describe, expect, it } from 'vitest';
import type { PlaylistSample, SourceSample } from '../../../src/core/sample.ts';
import {
  type AnswerFacts,
  lagOf,
  nextAnswer,
  nextOutput,
  nextProgress,
  type OutputFacts,
  type ProgressFacts,
  speedsOf,
} from '../../../src/ground/facts/output_facts.ts';

type Look = Partial<PlaylistSample> & { readonly monoMs: number };

const lookOf = (look: Look): PlaylistSample => ({
  kind: 'playlist',
  channel: 'news',
  at: 0,
  source: 'p',
  ok: true,
  ...look,
});

function watched(...looks: readonly Look[]): OutputFacts {
  let facts: OutputFacts | undefined;
  for (const look of looks) facts = nextOutput(facts, lookOf(look));
  return facts!;
}

const written = (monoMs: number, revision: string, newestSegmentBytes?: number): Look => ({
  monoMs,
  revision,
  ...(newestSegmentBytes === undefined ? {} : { newestSegmentBytes }),
});

const failing = (monoMs: number): Look => ({ monoMs, ok: false });

describe('a playlist', () => {
  it('that is seen for the first time is no change', () => {
    const look = { ...written(1_000, 'a', 7), targetDurationMs: 2_000 };
    expect(watched(look)).toEqual({
      last: lookOf(look),
      lastOkMs: 1_000,
      failStreak: 0,
      failSinceMs: undefined,
      revisions: [{ revision: 'a', firstMs: 1_000, lastMs: 1_000, bytes: 7, ended: false }],
      changedMs: 1_000,
      everChanged: false,
      emptyStreak: 0,
      missingStreak: 0,
      unplayableMs: undefined,
      targetDurationMs: 2_000,
    });
  });

  it('that stands on each of several servers that answer in turn has not changed', () => {
    const looks = Array.from({ length: 30 }, (_, at) => written(at * 2_000, ['a', 'b', 'c'][at % 3]!));
    expect(watched(...looks)).toMatchObject({ changedMs: 10_000, lastOkMs: 58_000 });
    expect(watched(...looks, written(60_000, 'd'))).toMatchObject({ changedMs: 60_000 });
  });

  it('that a new process writes again as the one before it did has changed', () => {
    const lists = ['a', 'b', 'c', 'a', 'b', 'c', 'd'];
    const facts = lists.map((_, at) => watched(...lists.slice(0, at + 1).map((list, look) => written(look, list))));
    expect(facts.map(({ changedMs }) => changedMs)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('that cannot be read from the first probe on has reported nothing', () => {
    expect(watched(failing(1_000))).toEqual({
      last: lookOf(failing(1_000)),
      lastOkMs: undefined,
      failStreak: 1,
      failSinceMs: 1_000,
      revisions: [],
      changedMs: undefined,
      everChanged: false,
      emptyStreak: 0,
      missingStreak: 0,
      unplayableMs: undefined,
      targetDurationMs: undefined,
    });
  });

  it('keeps what it reported while it cannot be read, and counts since when', () => {
    const before = [{ ...written(1_000, 'a', 0), targetDurationMs: 2_000 }, written(2_000, 'b', 0)];
    const after = watched(...before, failing(3_000), { ...failing(4_000), revision: 'c' });
    const last = lookOf({ ...failing(4_000), revision: 'c' });
    expect(after).toEqual({ ...watched(...before), last, failStreak: 2, failSinceMs: 3_000 });
    expect(after).toMatchObject({ lastOkMs: 2_000, everChanged: true, changedMs: 2_000, emptyStreak: 2 });
    expect(after.targetDurationMs).toBe(2_000);
    const again = watched(...before, failing(3_000), written(5_000, 'b', 0));
    expect(again).toMatchObject({ lastOkMs: 5_000, failStreak: 0, failSinceMs: undefined, changedMs: 2_000 });
  });

  it('that answers without its content has not changed', () => {
    const { revisions, changedMs, lastOkMs } = watched(written(1_000, 'a'), { monoMs: 2_000 });
    expect({ seen: revisions.map(({ lastMs }) => lastMs), changedMs, lastOkMs }).toEqual({
      seen: [1_000],
      changedMs: 1_000,
      lastOkMs: 2_000,
    });
  });

  it('that is seen again goes on being the same content, and is read anew where its segment is', () => {
    const closed = { ...written(3_000, 'b', 5), ended: true };
    const again = watched(written(1_000, 'a', 9), closed, written(4_000, 'b'), written(5_000, 'b', 6));
    expect(again.revisions).toEqual([
      { revision: 'a', firstMs: 1_000, lastMs: 1_000, bytes: 9, ended: false },
      { revision: 'b', firstMs: 3_000, lastMs: 5_000, bytes: 6, ended: true },
    ]);
    expect(watched(closed, written(4_000, 'b')).revisions.at(-1)?.bytes).toBe(5);
    const third = watched(written(1_000, 'a'), written(2_000, 'b'), written(3_000, 'c'), written(4_000, 'c'));
    expect(third.revisions.map(({ revision, lastMs }) => `${revision} ${lastMs}`)).toEqual([
      'a 1000',
      'b 2000',
      'c 4000',
    ]);
    expect(again).toMatchObject({ changedMs: 3_000, everChanged: true });
    expect(watched(written(1_000, 'a'), written(2_000, 'a'))).toMatchObject({ changedMs: 1_000, everChanged: false });
  });

  it.each([
    ['one', [0], 1],
    ['two in a row', [0, 0], 2],
    ['none since the one that has bytes', [0, 1], 0],
    ['the same ones, where the last was not looked at', [0, 0, undefined], 2],
  ])('counts empty newest segments: %s', (_, sizes, streak) => {
    expect(watched(...sizes.map((bytes, at) => written(at, `r${at}`, bytes))).emptyStreak).toBe(streak);
  });

  const lists = (at: number, segment: 'there' | 'missing' | 'not asked', revision = `r${at}`): Look => ({
    ...written(at, revision, segment === 'there' ? 9 : undefined),
    ...(segment === 'missing' ? { newestSegmentMissing: true } : {}),
  });

  it.each([
    ['two in a row', ['missing', 'missing'], 2],
    ['none since one that is there', ['missing', 'missing', 'there'], 0],
    ['the same ones, where the last was not asked about', ['missing', 'not asked'], 1],
  ] as const)('counts missing newest segments: %s', (_, segments, streak) => {
    expect(watched(...segments.map((segment, at) => lists(at, segment))).missingStreak).toBe(streak);
  });

  it('counts a missing segment once for each content, and not when it comes later than the list', () => {
    const once = watched(lists(1, 'missing', 'a'), lists(2, 'missing', 'a'));
    expect(once.missingStreak).toBe(1);
    expect(watched(lists(1, 'missing', 'a'), lists(2, 'there', 'a')).missingStreak).toBe(0);
  });

  it('remembers since when nothing of it can be played', () => {
    const [empty, gone] = [written(2, 'b', 0), lists(3, 'missing', 'c')];
    expect(watched(written(1, 'a', 9), empty, gone, lists(4, 'not asked', 'd')).unplayableMs).toBe(2);
    expect(watched(empty, gone, written(5, 'c', 0)).unplayableMs).toBe(2);
    expect(watched(empty, gone, lists(5, 'there', 'c')).unplayableMs).toBeUndefined();
    expect(watched(empty, gone, lists(5, 'there', 'd')).unplayableMs).toBeUndefined();
  });

  it('is remembered by its last six contents, and by the length of its segments', () => {
    const looks = Array.from({ length: 8 }, (_, at) => written(at, `r${at}`));
    expect(watched(...looks).revisions.map(({ revision }) => revision)).toEqual(['r2', 'r3', 'r4', 'r5', 'r6', 'r7']);
    const lengths = [2_000, 4_000].map((targetDurationMs, at) => ({ ...written(at, `r${at}`), targetDurationMs }));
    expect(watched(...lengths, written(9, 'r9')).targetDurationMs).toBe(4_000);
  });
});

const answerOf = (monoMs: number, ok: boolean): SourceSample => ({
  kind: 'source',
  channel: 'news',
  at: 0,
  monoMs,
  source: 's',
  host: 'origin:8000',
  ok,
});

/** Looks 1 s apart, `+` for a good answer and `-` for a failure. */
function answers(pattern: string): AnswerFacts<SourceSample> {
  let facts: AnswerFacts<SourceSample> | undefined;
  for (const [at, mark] of [...pattern].entries()) facts = nextAnswer(facts, answerOf((at + 1) * 1_000, mark === '+'));
  return facts!;
}

describe('a probe that answers only yes or no', () => {
  it.each([
    ['+', [1, 1_000, 0, undefined, 1_000, undefined, undefined]],
    ['-', [0, undefined, 1, 1_000, undefined, 1_000, 1_000]],
    ['++', [2, 1_000, 0, undefined, 2_000, undefined, undefined]],
    ['--', [0, undefined, 2, 1_000, undefined, 2_000, 1_000]],
    ['-+', [1, 2_000, 0, undefined, 2_000, 1_000, 1_000]],
    ['+-', [0, undefined, 1, 2_000, 1_000, 2_000, 2_000]],
    ['--++', [2, 3_000, 0, undefined, 4_000, 2_000, 1_000]],
    ['--+--', [0, undefined, 2, 4_000, 3_000, 5_000, 4_000]],
  ])('reports after %s how it stands, since when, and what was before', (pattern, expected) => {
    const { okStreak, okSinceMs, failStreak, failSinceMs, lastOkMs, lastFailMs, lastFailFromMs, ...rest } =
      answers(pattern);
    expect([okStreak, okSinceMs, failStreak, failSinceMs, lastOkMs, lastFailMs, lastFailFromMs]).toEqual(expected);
    expect(rest.last).toEqual(answerOf(pattern.length * 1_000, pattern.endsWith('+')));
    expect(rest.lastFailed).toEqual(lastFailMs === undefined ? undefined : answerOf(lastFailMs, false));
  });
});

/** Reports of an encoder, each as the time of the report and the position in the output. */
function reported(...points: readonly (readonly [monoMs: number, outTimeMs: number])[]): ProgressFacts {
  let facts: ProgressFacts | undefined;
  for (const [monoMs, outTimeMs] of points) {
    const base = { kind: 'progress', channel: 'news', at: 0, source: 's', frame: undefined } as const;
    facts = nextProgress(facts, { ...base, monoMs, outTimeMs });
  }
  return facts!;
}

describe('the reports of an encoder', () => {
  it('begin with the first, and anew when the position falls back', () => {
    const first = (monoMs: number, outTimeMs: number): ProgressFacts => ({
      lastMs: monoMs,
      outTimeMs,
      advancedMs: monoMs,
      resumedMs: monoMs,
      gapMs: 0,
      reports: 1,
      spaced: [{ monoMs, outTimeMs }],
    });
    expect(reported([1_000, 500])).toEqual(first(1_000, 500));
    expect(reported([1_000, 500], [3_000, 2_500], [5_000, 2_499])).toEqual(first(5_000, 2_499));
  });

  it('go on while the position does not fall, and are kept about 2 s apart', () => {
    expect(reported([1_000, 500], [2_899, 500], [2_900, 600], [3_000, 700])).toEqual({
      lastMs: 3_000,
      outTimeMs: 700,
      advancedMs: 3_000,
      resumedMs: 1_000,
      gapMs: expect.closeTo(1_899 * 0.81, 6),
      reports: 4,
      spaced: [
        { monoMs: 1_000, outTimeMs: 500 },
        { monoMs: 2_900, outTimeMs: 600 },
      ],
    });
  });

  it('have advanced only when the position rose', () => {
    expect(reported([1_000, 500], [2_000, 500])).toMatchObject({ advancedMs: 1_000, lastMs: 2_000, reports: 2 });
  });

  it.each([
    [
      '5 s',
      [
        [1_000, 1],
        [6_000, 2],
      ],
      1_000,
    ],
    [
      'more',
      [
        [1_000, 1],
        [6_001, 2],
      ],
      6_001,
    ],
    [
      'more, and a report after it',
      [
        [1_000, 1],
        [6_001, 2],
        [6_500, 3],
      ],
      6_001,
    ],
    [
      'more, of reports that do not advance',
      [
        [1_000, 1],
        [9_000, 1],
      ],
      1_000,
    ],
  ] as const)('are resumed after a pause of %s', (_, points, resumedMs) => {
    expect(reported(...points).resumedMs).toBe(resumedMs);
  });

  it.each([
    [
      'the last pause, where it is the longest',
      [
        [0, 0],
        [1_000, 1],
        [3_000, 2],
      ],
      2_000,
    ],
    [
      'nine tenths of the one before, where that is longer',
      [
        [0, 0],
        [2_000, 1],
        [3_000, 2],
      ],
      1_800,
    ],
    [
      'never more than 10 s',
      [
        [0, 0],
        [60_000, 1],
      ],
      10_000,
    ],
  ] as const)('have a habit: %s', (_, points, gapMs) => {
    expect(reported(...points).gapMs).toBe(gapMs);
  });

  it('show the true speed of each interval, and how far the output has fallen behind its best', () => {
    const one = reported([1_000, 500]);
    expect([speedsOf(one), lagOf(one)]).toEqual([[], 0]);
    const slow = reported([0, 0], [2_000, 2_200], [4_000, 3_200], [8_000, 3_200]);
    expect([speedsOf(slow), lagOf(slow)]).toEqual([[1.1, 0.5, 0], 5_000]);
    const ahead = reported([0, 0], [2_000, 4_000]);
    expect([speedsOf(ahead), lagOf(ahead)]).toEqual([[2], 0]);
  });
});
