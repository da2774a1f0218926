import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { classify } from '../../../src/ground/rules/classify.ts';
import { NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';
import type { PlaylistSample } from '../../../src/core/sample.ts';
import { type ChannelFacts, folded } from '../../../src/ground/facts/facts.ts';
import type { ClassifyContext } from '../../../src/ground/rules/classify_input.ts';
import type { ProcessFacts } from '../../../src/ground/facts/process_facts.ts';
import { isSameContext, FindingCache, holdsUntil } from '../../../src/ground/rules/finding_cache.ts';
import { startGraceOf } from '../../../src/ground/facts/setup.ts';
import { viewersOf } from '../../../src/ground/facts/viewers.ts';
import {
  endOf,
  factsOf,
  failed,
  type Given,
  NOW,
  playlist,
  reach,
  reports,
  runs,
  symptomOf,
  source,
  speeds,
  unread,
  viewers,
} from '../given.ts';

const context: ClassifyContext = {
  engine: NO_ENGINE_FACTS,
  host: undefined,
  limits: DEFAULT_LIMITS,
  autorestartGraceMs: 1_000,
  sharingSource: 0,
};
const fullDisk = { path: '/', usedRatio: 0.97 };
const host = {
  last: { kind: 'host', at: 0, monoMs: NOW, source: 'probe', engine: 'local', oomKills: 0, disks: [fullDisk] },
  oomRoseMs: undefined,
} as never;

/** How long ago something was: anything, and more often than by chance a little before it counts no more. */
const LIMITS_MS = [4_000, 6_000, 8_000, 10_000, 20_000, 25_000, 30_000, 60_000, 120_000];
const ago = fc.oneof(
  fc.integer({ min: 0, max: 150_000 }),
  fc.tuple(fc.constantFrom(...LIMITS_MS), fc.integer({ min: -2, max: 9_000 })).map(([at, by]) => Math.max(0, at - by)),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const processes = fc
  .record({
    seen: ago,
    born: ago,
    last: ago,
    bytes: maybe(ago),
    cpu: maybe(ago),
    unreadable: fc.option(ago, { nil: undefined, freq: 2 }),
    ended: fc.option(ago, { nil: undefined, freq: 2 }),
    ends: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom('running', 'running', 'running', 'stopped', 'starting', 'exited'),
    stoppedOnPurpose: fc.boolean(),
    isFirst: fc.boolean(),
  })
  .map(({ seen, born, last, bytes, cpu, unreadable, ended, ends, state, stoppedOnPurpose, isFirst }) =>
    runs({
      ...{ state, stoppedOnPurpose: state === 'stopped' && stoppedOnPurpose, lastMs: NOW - last },
      ...{ seenMs: NOW - seen, bornMs: NOW - Math.max(seen, born), stateSinceMs: NOW - seen },
      unreadableSinceMs: unreadable === undefined ? undefined : NOW - unreadable,
      bytes: bytes === undefined ? undefined : { value: 1, movedMs: NOW - bytes },
      cpu: cpu === undefined ? undefined : { value: 1, movedMs: NOW - cpu },
      starts: isFirst ? [] : [{ monoMs: NOW - seen, generation: '1', origin: 'unknown' }],
      ...(ended === undefined
        ? {}
        : { ends: Array.from({ length: ends }, () => NOW - ended), failedProcesses: ends, lastEnd: endOf(ended) }),
    }),
  );

const outputs = fc.oneof(
  fc.tuple(ago, ago).map(([changed, last]) => {
    const facts = playlist(changed);
    return { ...facts, last: { ...facts.last, monoMs: NOW - last }, lastOkMs: NOW - last };
  }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), ago)
    .map(([streak, okAgo]) => unread(streak, { failure: 'timeout' }, { lastOkMs: NOW - okAgo })),
);
const progresses = fc.oneof(
  fc
    .tuple(ago, ago, fc.integer({ min: 100, max: 9_000 }))
    .map(([advanced, last, gapMs]) => reports(advanced, { gapMs, lastMs: NOW - last })),
  fc.tuple(fc.constantFrom(0.5, 0.9, 1), ago).map(([speed, last]) => speeds([1, speed, speed, speed, speed], last)),
);
const givens: fc.Arbitrary<Given> = fc.record({
  setup: fc.record({
    expected: fc.constantFrom('always', 'always', 'on_demand'),
    hasOutputProbe: fc.boolean(),
    hasSource: fc.boolean(),
    outputEveryMs: fc.constantFrom(2_000, 6_000, 12_000),
    outputCalmEveryMs: fc.constantFrom(undefined, 12_000, 15_000),
    sourceEveryMs: fc.constantFrom(2_000, 10_000),
    stallAfterMs: fc.constantFrom(6_000, 15_000),
  }),
  watchedMs: maybe(ago.map((ms) => NOW - ms)),
  process: maybe(processes),
  output: maybe(outputs),
  reach: maybe(fc.tuple(fc.constantFrom(0, 1, 2), ago).map(([streak, ms]) => reach(streak, ms))),
  source: maybe(
    fc.oneof(
      ago.map((ms) => source(ms)),
      ago.map((ms) => failed(ms + 5_000, ms)),
    ),
  ),
  progress: maybe(progresses),
  viewers: maybe(fc.tuple(fc.constantFrom(0, 9), ago).map(([count, ms]) => viewers(count, ms))),
  symptoms: fc.array(
    fc
      .tuple(fc.constantFrom('upstream_timeout', 'corrupt_input', 'publisher_lost', 'guide_stale'), ago)
      .map(([kind, ms]) => symptomOf(kind as never, ms)),
    { maxLength: 1 },
  ),
});
const worlds = fc.record({
  given: givens,
  around: fc.constantFrom(context, { ...context, host }, { ...context, engine: { ...NO_ENGINE_FACTS, failStreak: 3 } }),
  /** Where between now and the end of what is promised, by thousandths. */
  share: fc.integer({ min: 0, max: 999 }),
  seenAgain: fc.boolean(),
  news: fc.array(
    fc.record({
      kind: fc.constantFrom('playlist', 'playlist', 'progress', 'progress', 'source', 'reach'),
      ok: fc.constantFrom(true, true, true, true, false),
      revision: fc.constantFrom('r2', 'r3', 'r4'),
      /** How far the encoder comes in a second. */
      speed: fc.constantFrom(0, 0.5, 0.9, 1, 1, 1.1),
      agoMs: fc.integer({ min: 0, max: 5_000 }),
      bytes: fc.constantFrom(0, 9, undefined),
      ended: fc.constantFrom(false, false, false, true),
      targetDurationMs: fc.constantFrom(2_000, 2_000, 2_000, 6_000),
    }),
    { maxLength: 6 },
  ),
});
type News = typeof worlds extends fc.Arbitrary<{ readonly news: infer Each }> ? Each : never;

/** The same channel after more looks and reports, none of them before `NOW` or after `nowMs`. */
function lookedAgain(facts: ChannelFacts, news: News, nowMs: number): ChannelFacts {
  let known = facts;
  for (const { kind, agoMs, speed, ...rest } of news.toSorted((a, b) => b.agoMs - a.agoMs)) {
    const monoMs = nowMs - agoMs;
    if (monoMs < NOW) continue;
    const base = { channel: 'news', at: 0, monoMs, source: 'test' } as const;
    const before = known.progress;
    const outTimeMs = (before?.outTimeMs ?? 0) + speed * (monoMs - (before?.lastMs ?? NOW));
    if (kind === 'progress') known = folded(known, { ...base, kind, outTimeMs, frame: undefined });
    else if (kind === 'source') known = folded(known, { ...base, kind, host: 'origin:80', ok: rest.ok });
    else if (kind === 'reach') known = folded(known, { ...base, kind, ok: rest.ok });
    else if (!rest.ok) known = folded(known, { ...base, kind: 'playlist', ok: false, failure: 'timeout' });
    else
      known = folded(known, { ...base, kind: 'playlist', ...rest, newestSegmentBytes: rest.bytes } as PlaylistSample);
  }
  return known;
}

/** The same channel, whose process was looked at again: as it was, a moment later. */
function seenAgain(facts: ChannelFacts, lastMs: number): ChannelFacts {
  const { process } = facts;
  if (process === undefined || process.unreadableSinceMs !== undefined) return { ...facts };
  return { ...facts, process: { ...process, lastMs, cpu: { value: 99, movedMs: lastMs }, haltedSinceMs: lastMs } };
}

describe('a judgement that found no trouble', () => {
  it('stands only while another one would come to the same', () => {
    let stood = 0;
    fc.assert(
      fc.property(worlds, ({ given, around, share, seenAgain: isSeenAgain, news }) => {
        const facts = factsOf(given);
        const finding = classify(facts, around, NOW);
        if (finding.trouble) return;
        const untilMs = holdsUntil(facts, NOW);
        for (const nowMs of [
          NOW + Math.floor(((untilMs - NOW) * share) / 1_000),
          Math.max(NOW, untilMs - 1),
          untilMs + share,
          untilMs + 20 * share,
        ]) {
          const later = lookedAgain(isSeenAgain ? seenAgain(facts, nowMs) : facts, news, nowMs);
          if (!new FindingCache(facts, around, NOW, finding.healthy === true).stands(later, { ...around }, nowMs))
            continue;
          stood += 1;
          expect(classify(later, around, nowMs)).toEqual(finding);
          expect(viewersOf(later, nowMs)).toBe(viewersOf(facts, NOW));
        }
      }),
      { numRuns: 30_000 },
    );
    expect(stood).toBeGreaterThan(1_000);
  });

  const mostly = <T>(usual: T, ...others: readonly T[]) => fc.constantFrom(...Array<T>(9).fill(usual), ...others);
  const courses = fc.record({
    bornAgo: ago,
    gapMs: fc.integer({ min: 100, max: 9_000 }),
    hasOutput: fc.boolean(),
    steps: fc.array(
      fc.record({
        afterMs: fc.integer({ min: 100, max: 5_000 }),
        isSeen: mostly(true, false),
        reports: mostly(1, 0, undefined, 0.9),
        revision: mostly('moves', 'stands', undefined),
      }),
      { minLength: 4, maxLength: 16 },
    ),
  });

  it('stands again and again only while another one would come to the same', () => {
    let stoodLate = 0;
    fc.assert(
      fc.property(courses, ({ bornAgo, gapMs, hasOutput, steps }) => {
        const process = runs({ bornMs: NOW - bornAgo, seenMs: NOW - bornAgo });
        const progress = { ...reports(0, { gapMs }), outTimeMs: 10_000 };
        let facts = factsOf({ output: hasOutput ? playlist(1_000) : undefined, process, progress });
        const finding = classify(facts, context, NOW);
        if (finding.trouble) return;
        const cache = new FindingCache(facts, context, NOW, finding.healthy === true);
        const firstMs = holdsUntil(facts, NOW);
        let monoMs = NOW;
        for (const { afterMs, isSeen, reports: speed, revision } of steps) {
          monoMs += afterMs;
          const base = { channel: 'news', at: 0, monoMs, source: 'test' } as const;
          const outTimeMs = (facts.progress?.outTimeMs ?? 0) + (speed ?? 0) * (monoMs - (facts.progress?.lastMs ?? 0));
          if (speed !== undefined) facts = folded(facts, { ...base, kind: 'progress', outTimeMs, frame: undefined });
          const look = { ...base, kind: 'playlist', ok: true, targetDurationMs: 2_000 } as const;
          if (hasOutput && revision !== undefined)
            facts = folded(facts, { ...look, revision: revision === 'moves' ? `at ${monoMs}` : 'one' });
          if (isSeen) facts = seenAgain(facts, monoMs);
          if (!cache.stands(facts, { ...context }, monoMs)) return;
          if (monoMs >= firstMs) stoodLate += 1;
          expect(classify(facts, context, monoMs)).toEqual(finding);
        }
      }),
      { numRuns: 10_000 },
    );
    expect(stoodLate).toBeGreaterThan(1_000);
  });

  const output = playlist(1_000);
  const process = runs();

  it('stands of a healthy channel whose encoder goes on and whose playlist moves, and of no other', () => {
    const first = factsOf({ output, process, progress: { ...reports(0), outTimeMs: 10_000 } });
    const base = { channel: 'news', at: 0, monoMs: NOW + 500, source: 'test' } as const;
    const moved = folded(folded(first, { ...base, kind: 'progress', outTimeMs: 10_500, frame: undefined }), {
      ...base,
      kind: 'playlist',
      ok: true,
      revision: 'r3',
      targetDurationMs: 2_000,
    });
    expect(new FindingCache(first, context, NOW, true).stands(moved, context, NOW + 600)).toBe(true);
    expect(new FindingCache(first, context, NOW, false).stands(moved, context, NOW + 600)).toBe(false);
  });

  it('stands when its process was seen again and its engine answered again', () => {
    const first = factsOf({ output, process });
    const engine = { ...NO_ENGINE_FACTS, lastOkMs: NOW + 4_000 };
    const again = { ...first, process: { ...process, lastMs: NOW + 4_000 } };
    expect(new FindingCache(first, context, NOW, false).stands(again, { ...context, engine }, NOW + 5_000)).toBe(true);
  });

  it.each<[string, Partial<ChannelFacts>]>([
    ['the setup', { setup: factsOf().setup }],
    ['the output', { output: playlist(1_000) }],
    ['the reach', { reach: reach(0) }],
    ['the source', { source: source() }],
    ['the progress', { progress: reports() }],
    ['the viewers', { viewers: viewers(3) }],
    ['the symptoms', { symptoms: [symptomOf('corrupt_input', 50_000)] }],
    ['an action', { actedMs: NOW }],
    ['the first sight', { watchedMs: NOW }],
    ['no process', { process: undefined }],
    ...(
      [
        { state: 'stopping' },
        { stateSinceMs: NOW },
        { unreadableSinceMs: NOW },
        { seenMs: NOW },
        { bornMs: NOW },
        { downSinceMs: NOW },
        { stoppedOnPurpose: true },
        { stoppedByUs: true },
        { lastEnd: endOf(100_000) },
        { ends: [] },
        { failedProcesses: 1 },
        { starts: [] },
        { bytes: { value: 1, movedMs: NOW } },
      ] satisfies Partial<ProcessFacts>[]
    ).map((extra): [string, Partial<ChannelFacts>] => [
      `its ${Object.keys(extra)[0]}`,
      { process: { ...process, ...extra } },
    ]),
  ])('does not when %s is another', (_what, extra) => {
    const first = factsOf({ output, process });
    const standing = new FindingCache(first, context, NOW, false);
    expect(standing.stands({ ...first, ...extra }, context, NOW + 1)).toBe(false);
    expect(standing.stands(first, context, NOW + 1)).toBe(true);
  });

  it.each<[string, Partial<ClassifyContext>]>([
    ['the engine fails', { engine: { ...NO_ENGINE_FACTS, failStreak: 1 } }],
    ['its credentials fail', { engine: { ...NO_ENGINE_FACTS, credential: { ok: false } as never } }],
    ['the pool fills', { engine: { ...NO_ENGINE_FACTS, last: { poolPressure: 0.9 } as never } }],
    ['its machine was looked at', { host }],
    ['limits are others', { limits: { ...DEFAULT_LIMITS } }],
    ['the engine gets another grace', { autorestartGraceMs: 2_000 }],
    ['others fail on its source', { sharingSource: 1 }],
    ['sources around it failed', { nearby: { failFromMs: 1, okSinceMs: 2 } }],
  ])('does not when %s', (_what, around) => {
    const first = factsOf({ output, process });
    expect(new FindingCache(first, context, NOW, false).stands(first, { ...context, ...around }, NOW + 1)).toBe(false);
  });

  it('does not when a source around it fails longer, or is back', () => {
    const first = factsOf({ output, process });
    const near = { failFromMs: 1, okSinceMs: 2 };
    const stands = (nearby: ClassifyContext['nearby']): boolean =>
      new FindingCache(first, { ...context, nearby: near }, NOW, false).stands(first, { ...context, nearby }, NOW + 1);
    expect([stands({ ...near }), stands({ ...near, failFromMs: 2 }), stands({ ...near, okSinceMs: 3 })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('stands of a channel whose process is not reported, until it is', () => {
    const first = factsOf({ output, process: undefined });
    const standing = new FindingCache(first, context, NOW, false);
    expect(standing.stands(first, context, NOW + 1)).toBe(true);
    expect(standing.stands({ ...first, process }, context, NOW + 2)).toBe(false);
  });

  it.each<[string, Given]>([
    ['a process has ended of late', { process: runs({ ends: [NOW - 59_999] }) }],
    ['its encoder stands', { progress: reports(30_000) }],
    ['its log still reports it', { symptoms: [symptomOf('guide_stale', 30_000)] }],
    ['it starts', { process: runs({ state: 'starting' }) }],
    ['Reeve stopped it', { process: runs({ state: 'stopped', stoppedOnPurpose: true, stoppedByUs: true }) }],
  ])('is made anew at each look while %s', (_what, given) => {
    expect(holdsUntil(factsOf(given), NOW)).toBe(NOW);
  });

  it.each<[string, Given]>([
    ['no process has', { process: runs({ ends: [NOW - 60_000] }) }],
    ['its encoder moves', { progress: reports(0) }],
    ['its log is silent', { symptoms: [symptomOf('guide_stale', 30_001)] }],
    ['somebody stopped it', { process: runs({ state: 'stopped', stoppedOnPurpose: true }) }],
  ])('stands for a while when %s', (_what, given) => {
    expect(holdsUntil(factsOf(given), NOW)).toBeGreaterThan(NOW);
  });

  /** The encoder has come on by as much as time has. */
  const goneOn = (facts: ChannelFacts, nowMs: number): ChannelFacts => {
    const outTimeMs = 10_000 + nowMs - NOW;
    const report = { kind: 'progress', channel: 'news', at: 0, source: 'test', frame: undefined } as const;
    return folded(facts, { ...report, monoMs: nowMs, outTimeMs });
  };
  const reporting = factsOf({ output: undefined, process, progress: { ...reports(0), outTimeMs: 10_000 } });

  it('stands past the moment at which silence would count where the encoder has reported since', () => {
    const untilMs = holdsUntil(reporting, NOW);
    const standing = () => new FindingCache(reporting, context, NOW, true);
    expect(untilMs).toBeLessThan(NOW + 5_000);
    expect(standing().stands(reporting, context, untilMs)).toBe(false);
    expect(standing().stands(goneOn(reporting, untilMs), context, untilMs)).toBe(true);
  });

  it('does not stand past a moment that no report has moved on', () => {
    const laterMs = NOW + 4_000;
    const graceMs = startGraceOf(undefined);
    const stands = (bornMs: number): boolean => {
      const first = { ...reporting, process: runs({ bornMs, seenMs: bornMs }) };
      const later = seenAgain(goneOn(first, laterMs), laterMs);
      return new FindingCache(first, context, NOW, true).stands(later, context, laterMs);
    };
    expect([stands(NOW - graceMs + 3_999), stands(NOW - graceMs + 4_000)]).toEqual([false, false]);
    expect([stands(NOW - graceMs + 4_001), stands(NOW - 600_000)]).toEqual([true, true]);
  });

  it('is made anew after half a minute, whatever goes on', () => {
    let facts = reporting;
    const standing = new FindingCache(facts, context, NOW, true);
    const stoodMs: number[] = [];
    for (let ms = 500; ms <= 31_000; ms += 500) {
      facts = seenAgain(goneOn(facts, NOW + ms), NOW + ms);
      if (standing.stands(facts, context, NOW + ms)) stoodMs.push(ms);
    }
    expect([stoodMs.length, stoodMs.at(-1)]).toEqual([59, 29_500]);
  });

  it('is made anew after half a minute, come what may', () => {
    expect(holdsUntil(factsOf({ output: undefined, watchedMs: undefined }), NOW)).toBe(NOW + 30_000);
  });
});

it('the context of trouble is the same only with the very same report of the engine', () => {
  const other = { ...context, engine: { ...NO_ENGINE_FACTS } };
  expect([isSameContext(context, { ...context }), isSameContext(context, other)]).toEqual([true, false]);
  expect(isSameContext(context, { ...context, sharingSource: 1 })).toBe(false);
});
