/** Tries the hints on stuck rollouts in memory: the same scripted agent with hints and without, and what is learned. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import { countingIds } from '../core/id.ts';
import type { Bundle, BundleCluster } from '../hints/bundle.ts';
import { Hints } from '../hints/hints.ts';
import { HINTS_SCHEMA, HintStore } from '../hints/store.ts';
import { DerivedFile } from '../journal/derived.ts';
import { Ledger } from '../journal/ledger.ts';
import { MemoryStore } from '../journal/memory.ts';
import { type Stream, streamOf } from './random_streams.ts';

/** A trouble that an agent is stuck on, with a hint that helps it and one that does harm. */
interface StuckScenario {
  readonly name: string;
  readonly log: string;
  /** What the cluster of the harmful hint says: nearer to the log than that of the helpful one. */
  readonly harmful: string;
  readonly helpful: string;
}

const SCENARIOS: readonly StuckScenario[] = [
  {
    name: 'bitrate oscillates',
    log: 'WARN rate control: bitrate oscillates between 900k and 6000k, buffer overshoot on every keyframe',
    harmful: 'bitrate oscillates and the buffer overshoots on every keyframe',
    helpful: 'rate control oscillates between two bitrates when its buffer is too small',
  },
  {
    name: 'encoder out of memory',
    log: 'ERROR encoder: out of memory, cannot allocate 64 frames of lookahead',
    harmful: 'encoder out of memory, cannot allocate frames of lookahead',
    helpful: 'an encoder cannot allocate memory because its lookahead is too long',
  },
  {
    name: 'origin times out',
    log: 'ERROR segment fetch: timed out after 5000 ms, connection reset by origin',
    harmful: 'segment fetch timed out, connection reset by the origin',
    helpful: 'segments timed out and the origin reset the connection because all were fetched at once',
  },
  {
    name: 'timestamps are not numbers',
    log: 'ERROR muxer: dts is nan after a discontinuity, dropping packets',
    harmful: 'muxer dts is nan after a discontinuity, packets are dropped',
    helpful: 'the timestamps of a muxer are nan when a discontinuity is divided by a zero duration',
  },
  {
    name: 'filter graph does not compile',
    log: 'ERROR filtergraph: compilation failed, undefined symbol overlay_cuda',
    harmful: 'filtergraph compilation failed, undefined symbol overlay',
    helpful: 'a filtergraph has an undefined symbol because its plug-in is of another version',
  },
  {
    name: 'playlist flaps',
    log: 'WARN playlist: media sequence is unstable, flapping between two packagers',
    harmful: 'playlist media sequence unstable, flapping between packagers',
    helpful: 'the media sequence of a playlist is unstable when two packagers write it',
  },
];

/** What became of one scenario. */
export interface ScenarioResult {
  readonly name: string;
  readonly rollouts: number;
  /** Mean last score of the agent without hints, and with them. */
  readonly control: number;
  readonly treatment: number;
  /** The harmful hint ended at priority -1 and is not found any more. */
  readonly harmfulGone: boolean;
  /** The helpful one is in use, and is what the next request gets. */
  readonly helpfulKept: boolean;
  /** Harmful hints that were sent before that. */
  readonly harmfulSent: number;
  readonly pass: boolean;
}

/** Both arms over all scenarios. */
export interface TrialResult {
  readonly seed: number;
  readonly passed: number;
  readonly scenarios: readonly ScenarioResult[];
  readonly control: number;
  readonly treatment: number;
  readonly pass: boolean;
}

const ATTEMPTS = 8;
const STUCK_AT = 0.45;
const BETWEEN_MS = MINUTE_MS;
const HARMFUL = 'pattern_harmful';
const HELPFUL = 'pattern_helpful';

/** Deterministic: the same seed gives the same numbers. `rollouts` for each scenario and arm. */
export function tryHints({ seed, rollouts }: { readonly seed: number; readonly rollouts: number }): TrialResult {
  const scenarios = SCENARIOS.map((scenario) => resultOf(scenario, seed, rollouts));
  const mean = (arm: 'control' | 'treatment') => meanOf(scenarios.map((scenario) => scenario[arm]));
  const passed = scenarios.filter(({ pass }) => pass).length;
  const [control, treatment] = [mean('control'), mean('treatment')];
  return { seed, passed, scenarios, control, treatment, pass: passed === scenarios.length && treatment > control };
}

function resultOf(scenario: StuckScenario, seed: number, rollouts: number): ScenarioResult {
  using world = openEnvironment(scenario);
  const { hints, tick } = world;
  const last = (withHints: boolean): number =>
    meanOf(
      Array.from({ length: rollouts }, (_, at) => {
        // Both arms draw the same numbers: what differs is the hint.
        const stream = streamOf(seed, `${scenario.name}/${at}`);
        return rollout(scenario, withHints ? hints : undefined, { stream, tick });
      }),
    );
  const control = last(false);
  const treatment = last(true);
  const harmfulGone = hints.clusters().find(({ id }) => id === 'harmful')?.priority === -1;
  const next = hints.find(scenario.log)?.pattern;
  const helpfulKept = next === HELPFUL;
  const harmfulSent = hints.outcomes(0, 100_000).filter(({ pattern }) => pattern === HARMFUL).length;
  const pass = harmfulGone && helpfulKept && treatment > control;
  return { name: scenario.name, rollouts, control, treatment, harmfulGone, helpfulKept, harmfulSent, pass };
}

interface Arm {
  readonly stream: Stream;
  readonly tick: () => void;
}

/** One agent at one trouble: it wavers about its plateau until a hint moves it. Gives its last score. */
function rollout(scenario: StuckScenario, hints: Hints | undefined, { stream, tick }: Arm): number {
  const scores: number[] = [];
  let level = STUCK_AT;
  let pending: string | undefined;
  for (let iteration = 1; iteration <= ATTEMPTS; iteration += 1) {
    tick();
    const request = { errorLog: scenario.log, previousScores: scores, currentIteration: iteration };
    const hint = hints?.build(request, 'trial');
    const luck = stream.next();
    if (hint?.patternId === HELPFUL && luck < 0.8) level = Math.min(0.95, level + 0.15);
    if (hint?.patternId === HARMFUL) level = Math.max(0.05, level - 0.08 * luck);
    const score = round(level + (stream.next() - 0.5) * 0.02);
    pending = hint?.injectionId;
    if (pending !== undefined) hints?.feedback({ injectionId: pending, postScore: score }, 'trial');
    scores.push(score);
  }
  return scores.at(-1) ?? 0;
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
const meanOf = (values: readonly number[]): number =>
  round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));

const clusterOf = (id: string, standardName: string, pattern: string): BundleCluster => ({
  ...{ id, standardName, domain: 'Streaming', patterns: [], keywords: [], associatedPatterns: [pattern] },
  ...{ analogies: [], priority: undefined },
});

const bundleOf = ({ harmful, helpful }: StuckScenario): Bundle => ({
  clusters: [clusterOf('harmful', harmful, HARMFUL), clusterOf('helpful', helpful, HELPFUL)],
  patterns: new Map([
    [HARMFUL, '## Fix\nRaise every limit.\n'],
    [HELPFUL, '## Fix\nFind what holds it back, and give it less to do.\n'],
  ]),
  writtenAt: 0,
});

/** The real hints over a journal in memory; only the clock is virtual. */
function openEnvironment(scenario: StuckScenario) {
  using cleanup = new DisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'reeve-trial-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = clockAt(() => nowMs);
  const ledger = cleanup.use(new Ledger(new MemoryStore(), clock));
  ledger.open();
  const store = new HintStore(cleanup.use(DerivedFile.open(join(folder, 'hints.db'), HINTS_SCHEMA)));
  const hints = new Hints({
    ...{ store, append: ledger.append, clock, ids: countingIds(), redact: (text) => text, backend: 'memory' },
    sources: { folder, files: join(folder, 'own') },
    ...{
      similarityFloor: 0.3,
      blindSpots: { windowMs: HOUR_MS, threshold: 3 },
      factsPerMinuteMax: 100_000,
      version: '',
    },
  });
  ledger.subscribe((entry) => hints.onEntry(entry));
  hints.take(bundleOf(scenario));
  const open = cleanup.move();
  const tick = (): void => {
    nowMs += BETWEEN_MS;
  };
  return { hints, tick, [Symbol.dispose]: () => open[Symbol.dispose]() };
}

/** Nothing in a trial waits. */
function clockAt(nowMs: () => number): Clock {
  const never = { [Symbol.dispose]: () => undefined };
  const readings = { bootId: 'trial', now: nowMs, monotonicMs: nowMs };
  return { ...readings, after: () => never, every: () => never, sleep: async () => undefined };
}
