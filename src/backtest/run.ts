/** Runs a backtest: reads, plays, compares. */
import type { Configuration } from '../config/load.ts';
import type { Phase } from '../core/control.ts';
import type { EngineId } from '../core/scope.ts';
import type { Capability } from '../core/tool.ts';
import type { ChannelSetup } from '../ground/facts/setup.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import type { CreateDetector } from '../policy_tests/by_logs.ts';
import type { PolicySet } from '../policy_tests/frame.ts';
import type { LogTally } from './batches.ts';
import { type Decided, decidedIn } from './decisions.ts';
import { type Diff, diffOf } from './diff.ts';
import { type Played, play } from './play.ts';
import { type Policy, policyAgainst, policyOf, settingsFor } from './policies.ts';
import { readSamples } from './samples.ts';
import { type FollowedLog, sceneOf, type Scene } from './scene.ts';
import { type ViewerSeconds, viewerSecondsOf } from './viewers.ts';

export interface BacktestOrder {
  readonly logs: readonly string[];
  readonly samples: string | undefined;
  readonly persona: string | undefined;
  readonly against: string | undefined;
  readonly rules: string | undefined;
  readonly phase: Phase;
  /** Of times without a zone, in minutes east of UTC. */
  readonly offsetMinutes: number;
}

/** What the operator has configured, or what is shipped. */
export interface BacktestFiles extends PolicySet {
  readonly configuration: Configuration | undefined;
  /** As the daemon would take them from the configuration. */
  readonly settings: Settings | undefined;
  /** The configured channels, as the daemon takes them. */
  readonly setups: readonly ChannelSetup[];
  /** The log files that it follows. */
  readonly followed: readonly FollowedLog[];
  /** Of those that are an engine's log, by their source. */
  readonly sourceEngines: ReadonlyMap<string, EngineId>;
  readonly capabilities: ReadonlyMap<EngineId, ReadonlySet<Capability>>;
  readonly createDetector: CreateDetector;
}

/** One policy's course through the recording. */
export interface Course extends Decided {
  readonly policy: string;
  readonly viewerSeconds: ViewerSeconds | undefined;
}

export interface Backtest {
  readonly from: number;
  readonly to: number;
  readonly channels: readonly string[];
  readonly phase: Phase;
  readonly samples: number;
  readonly sources: readonly LogTally[];
  /** Sources without times; their lines were placed at an even pace. */
  readonly undated: readonly string[];
  readonly base: Course;
  readonly against: Course | undefined;
  readonly diff: Diff | undefined;
  /** What went wrong in Reeve itself while it replayed. */
  readonly failures: readonly string[];
}

/** What would have happened on recorded logs and samples: nothing is touched, and the world goes on as recorded. */
export async function backtest(order: BacktestOrder, files: BacktestFiles): Promise<Backtest> {
  const samples = order.samples === undefined ? [] : readSamples(order.samples);
  const { logs, offsetMinutes, phase } = order;
  const { configuration, followed } = files;
  const scene = sceneOf({ logs, samples, configuration, followed, offsetMinutes });
  const base = policyOf(order, files);
  const other = order.against === undefined ? undefined : policyAgainst(order.against, base, files);
  const first = await courseOf(base, scene, { phase, files });
  const second = other === undefined ? undefined : await courseOf(other, scene, { phase, files });
  const { from, to, tallies } = first.played;
  return {
    from,
    to,
    channels: scene.channels,
    phase,
    samples: samples.length,
    sources: tallies,
    undated: scene.undated,
    base: first.course,
    against: second?.course,
    diff: second === undefined ? undefined : diffOf(first.course.incidents, second.course.incidents),
    failures: [...first.played.replica.failures, ...(second?.played.replica.failures ?? [])],
  };
}

async function courseOf(
  policy: Policy,
  scene: Scene,
  { phase, files }: { readonly phase: Phase; readonly files: BacktestFiles },
): Promise<{ readonly course: Course; readonly played: Played }> {
  const settings = settingsFor(policy, { limits: files.limits, phase, otherwise: files.settings });
  const played = await play({ ...files, scene, settings });
  const decided = decidedIn(played.replica.entries);
  const viewerSeconds = viewerSecondsOf(scene.samples, decided, played.to);
  return { course: { policy: policy.name, ...decided, viewerSeconds }, played };
}
