import type { PlaylistSample, ReachSample, SourceSample, ViewerSample } from '../../src/core/sample.ts';
import type { SymptomKind } from '../../src/core/symptom.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { NO_ENGINE_FACTS } from '../../src/ground/facts/engine_facts.ts';
import { type ChannelFacts, noFacts } from '../../src/ground/facts/facts.ts';
import { type ClassifyContext, type ClassifyInput, classifyInputAt } from '../../src/ground/rules/classify_input.ts';
import type { OutputFacts, ProgressFacts, ReachFacts, SourceFacts } from '../../src/ground/facts/output_facts.ts';
import type { GenerationEnd, ProcessFacts } from '../../src/ground/facts/process_facts.ts';
import type { Match } from '../../src/ground/rules/rule.ts';
import type { ChannelSetup } from '../../src/ground/facts/setup.ts';
import type { SymptomFacts } from '../../src/ground/facts/symptom_facts.ts';
import { setupOf } from './scene.ts';

/*
 * Facts put together by hand, for the edges that a story comes to only by chance: this many milliseconds, and one less.
 * Times are given as "so long ago", seen from `NOW`. Whatever is not given is that of a channel that plays.
 */

export const NOW = 1_000_000;
const LONG_MS = 600_000;

/** So many watched, so long ago. */
export const viewers = (count: number, agoMs = 0): ViewerSample => ({
  kind: 'viewers',
  channel: 'news',
  at: 0,
  monoMs: NOW - agoMs,
  source: 'engine',
  viewers: count,
});

/** A process that has run for ten minutes. */
export const runs = (extra: Partial<ProcessFacts> = {}): ProcessFacts => ({
  lastMs: NOW,
  state: 'running',
  stateSinceMs: NOW - LONG_MS,
  unreadableSinceMs: undefined,
  generation: '1',
  seenMs: NOW - LONG_MS,
  bornMs: NOW - LONG_MS,
  downSinceMs: undefined,
  hasEnded: false,
  stoppedOnPurpose: false,
  stoppedByUs: false,
  lastEnd: undefined,
  ends: [],
  failedProcesses: 0,
  starts: [],
  haltedSinceMs: undefined,
  cpu: undefined,
  bytes: undefined,
  ...extra,
});

/** A process generation that was first seen so long ago, after another one. */
export const born = (agoMs: number, extra: Partial<ProcessFacts> = {}): ProcessFacts =>
  runs({
    seenMs: NOW - agoMs,
    bornMs: NOW - agoMs,
    starts: [{ monoMs: NOW - agoMs, generation: '1', origin: 'unknown' }],
    ...extra,
  });

/** It uses no CPU time any more. */
export const idleFor = (ms: number) => ({ cpu: { value: 1, movedMs: NOW - ms } });

export const endOf = (agoMs: number, end: Partial<GenerationEnd> = { exitCode: 1 }): GenerationEnd => ({
  monoMs: NOW - agoMs,
  exitCode: undefined,
  exitSignal: undefined,
  ordered: false,
  seen: true,
  ...end,
});

/** A process that died so long ago, with exit 1 by default. */
export const died = (agoMs: number, end?: Partial<GenerationEnd>, extra: Partial<ProcessFacts> = {}): ProcessFacts =>
  runs({
    state: 'exited',
    stateSinceMs: NOW - agoMs,
    downSinceMs: NOW - agoMs,
    hasEnded: true,
    lastEnd: endOf(agoMs, end),
    ends: [NOW - agoMs],
    failedProcesses: 1,
    ...extra,
  });

const base = { channel: 'news', at: 0, monoMs: NOW, source: 'probe' } as const;
export const looked = (extra: Partial<PlaylistSample> = {}): PlaylistSample => ({
  ...base,
  kind: 'playlist',
  ok: true,
  ...extra,
});

/** A playlist that changed so long ago and was read well a moment ago. */
export const playlist = (changedAgoMs = 1_000, extra: Partial<OutputFacts> = {}): OutputFacts => ({
  last: looked(),
  lastOkMs: NOW,
  failStreak: 0,
  failSinceMs: undefined,
  revisions: [
    { revision: 'r1', firstMs: NOW - LONG_MS, lastMs: NOW - changedAgoMs, bytes: 9, ended: false },
    { revision: 'r2', firstMs: NOW - changedAgoMs, lastMs: NOW, bytes: 9, ended: false },
  ],
  changedMs: NOW - changedAgoMs,
  everChanged: true,
  emptyStreak: 0,
  missingStreak: 0,
  unplayableMs: undefined,
  targetDurationMs: 2_000,
  ...extra,
});

/** A playlist that could not be read, this many times in a row. */
export const unread = (failStreak: number, last: Partial<PlaylistSample>, extra: Partial<OutputFacts> = {}) =>
  playlist(1_000, { failStreak, failSinceMs: NOW - 4_000, last: looked({ ok: false, ...last }), ...extra });

const answers = {
  okStreak: 9,
  okSinceMs: NOW - LONG_MS,
  failStreak: 0,
  failSinceMs: undefined,
  lastOkMs: NOW,
  lastFailMs: undefined,
  lastFailed: undefined,
  lastFailFromMs: undefined,
};
const failing = { okStreak: 0, okSinceMs: undefined, lastOkMs: undefined, lastFailMs: NOW };

const sourceSample = (extra: Partial<SourceSample>): SourceSample => ({
  ...base,
  kind: 'source',
  host: 'origin:80',
  ok: true,
  ...extra,
});
/** A source that has answered well for ten minutes, the last time so long ago. */
export const source = (agoMs = 0, extra: Partial<SourceFacts> = {}): SourceFacts => ({
  ...answers,
  last: sourceSample({ monoMs: NOW - agoMs }),
  lastOkMs: NOW - agoMs,
  ...extra,
});

/** A source that failed for so long, until so long ago, and has answered well from then on; or that fails still. */
export const failed = (fromAgoMs: number, toAgoMs: number, backAgoMs?: number, how: Partial<SourceSample> = {}) => {
  const lastFailed = sourceSample({ ok: false, failure: 'refused', monoMs: NOW - toAgoMs, ...how });
  const stretch = { lastFailMs: NOW - toAgoMs, lastFailed, lastFailFromMs: NOW - fromAgoMs };
  return backAgoMs === undefined
    ? source(toAgoMs, { ...failing, failStreak: 2, failSinceMs: NOW - fromAgoMs, last: lastFailed, ...stretch })
    : source(0, { okStreak: 2, okSinceMs: NOW - backAgoMs, ...stretch });
};

const reachSample = (extra: Partial<ReachSample>): ReachSample => ({ ...base, kind: 'reach', ok: true, ...extra });
/** An output that is only asked whether it answers; `failStreak` 0: it does. */
export const reach = (failStreak: number, agoMs = 0, extra: Partial<ReachSample> = {}): ReachFacts =>
  failStreak === 0
    ? { ...answers, last: reachSample({ monoMs: NOW - agoMs, ...extra }) }
    : {
        ...answers,
        ...failing,
        failStreak,
        last: reachSample({ monoMs: NOW - agoMs, ok: false, failure: 'refused', ...extra }),
      };

/** An encoder whose position last advanced so long ago, and that reports each second still. */
export const reports = (advancedAgoMs = 0, extra: Partial<ProgressFacts> = {}): ProgressFacts => ({
  lastMs: NOW,
  outTimeMs: 50_000,
  advancedMs: NOW - advancedAgoMs,
  resumedMs: NOW - LONG_MS,
  gapMs: 1_000,
  reports: 100,
  spaced: [],
  ...extra,
});

/** Reports at 2 s intervals of these speeds, the last one so long ago. */
export const speeds = (all: readonly number[], lastAgoMs = 0, extra: Partial<ProgressFacts> = {}): ProgressFacts => {
  const fromMs = NOW - lastAgoMs - all.length * 2_000;
  let outTimeMs = 10_000;
  const spaced = [{ monoMs: fromMs, outTimeMs }];
  for (const [at, speed] of all.entries()) {
    outTimeMs += speed * 2_000;
    spaced.push({ monoMs: fromMs + (at + 1) * 2_000, outTimeMs });
  }
  return reports(lastAgoMs, { lastMs: NOW - lastAgoMs, spaced, outTimeMs, ...extra });
};

/** Lines of this kind, the last one so long ago. */
export const symptomOf = (kind: SymptomKind, agoMs = 0, extra: Partial<SymptomFacts> = {}): SymptomFacts => ({
  kind,
  origin: 'log',
  at: 0,
  firstMs: NOW - agoMs,
  lastMs: NOW - agoMs,
  count: 1,
  windowMs: 60_000,
  confidence: 0.9,
  pattern: `p_${kind}`,
  evidence: [],
  ...extra,
});

export type Given = Partial<Omit<ChannelFacts, 'setup'>> & { readonly setup?: Partial<ChannelSetup> };

export const factsOf = ({ setup = {}, ...given }: Given = {}): ChannelFacts => ({
  ...noFacts(setupOf('news', setup)),
  watchedMs: NOW - LONG_MS,
  process: runs(),
  output: playlist(),
  ...given,
});

/** The channel at `NOW`, looked at as it is when it is judged. */
export const lookOf = (given: Given = {}, context: Partial<ClassifyContext> = {}): ClassifyInput =>
  classifyInputAt(
    factsOf(given),
    {
      engine: NO_ENGINE_FACTS,
      host: undefined,
      limits: DEFAULT_LIMITS,
      autorestartGraceMs: 1_000,
      sharingSource: 0,
      ...context,
    },
    NOW,
  );

/** What a row says, in short: its reason, and each witness with its origin. */
export const gist = (match: Match | undefined): readonly string[] =>
  match === undefined ? [] : [match.because, ...match.signals.map(({ origin, says }) => `${origin}: ${says}`)];
