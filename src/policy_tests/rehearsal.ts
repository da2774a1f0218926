/** Rehearses the death of a channel when Reeve starts. */
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Outcome } from '../core/incident.ts';
import type { EngineId } from '../core/scope.ts';
import type { Symptom } from '../core/symptom.ts';
import type { Capability } from '../core/tool.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { Replica } from '../replay/replica.ts';
import type { Given } from './document.ts';
import { ScriptedEnvironment } from './scripted_environment.ts';

/** What the daemon would do, as it is set up now, if a channel died. */
export interface Rehearsal {
  readonly channel: string;
  readonly classification: string | undefined;
  /** The call that the guard was asked for; undefined where no rule came to one. */
  readonly call: string | undefined;
  /** `allow`, or the refusal's code. */
  readonly answer: string | undefined;
  /** Why it came to no call: on a fresh installation, below phase 3, there is nothing else to read. */
  readonly because?: string;
}

export interface RehearsalSetup {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly channels: readonly ChannelSetup[];
  readonly engines: readonly EngineSetup[];
  readonly capabilities: (engine: EngineId) => ReadonlySet<Capability>;
}

const LOOK_MS = 1_000;
const WELL_MS = 10_000;
/** The longest patience of a persona, a run, and a start that is settled and verified. */
const DEAD_MS_MAX = 5 * MINUTE_MS;
/** The engine's own grace, at most: what it leaves to the engine is not the question here. */
const GRACE_MS_MAX = 1_000;

const KILLED: Given = { probes: { process: 'exited', exit_signal: 9, output: 'still' } };

/**
 * Plays the death of the first channel through the operator's own persona, rules and limits: in memory, by a clock of
 * its own, with an engine that touches nothing. The source of the channel is well, the engine has had its own try, and
 * nothing is frozen or contained. Whoever starts Reeve reads what it would do, and the first trouble finds the way to
 * its verdict compiled. Undefined where there is no channel.
 */
export async function rehearse(setup: RehearsalSetup): Promise<Rehearsal | undefined> {
  const [first] = setup.channels;
  const engine = setup.engines.find(({ id }) => id === first?.engine);
  if (first === undefined || engine === undefined) return undefined;
  const channel = { ...first, expected: 'always' } as const;
  const graceMs = Math.min(engine.autorestartGraceMs, GRACE_MS_MAX);
  let world: ScriptedEnvironment | undefined;
  using replica = new Replica({
    settings: setup.settings,
    channels: [channel],
    engines: [
      { ...engine, autorestartGraceMs: graceMs, hostEveryMs: undefined, capabilities: setup.capabilities(engine.id) },
    ],
    at: setup.clock.now(),
    imagined: { works: true, onChange: (id) => world?.change(id) },
  });
  const { clock, pipeline } = replica;
  world = new ScriptedEnvironment({ channel, given: KILLED }, clock);
  const look = (): void => {
    for (const sample of world.samples()) pipeline.take(sample);
    pipeline.settle();
  };
  pipeline.start();
  using _ = clock.every(LOOK_MS, look);
  await replica.runUntil(clock.monotonicMs() + WELL_MS);
  world.fail();
  pipeline.symptom(deathOf(channel, clock));
  look();
  await replica.untilRunEnds(0, clock.monotonicMs() + DEAD_MS_MAX);
  return whatCame(replica, channel.id);
}

/** The line of the supervisor's log. */
const deathOf = ({ id }: ChannelSetup, clock: Clock): Symptom => ({
  at: clock.now(),
  monoMs: clock.monotonicMs(),
  channel: id,
  kind: 'process_crash',
  origin: 'log',
  countInWindow: 1,
  windowMs: MINUTE_MS,
  confidence: 0.9,
  pattern: undefined,
  evidence: [],
});

function whatCame({ entries, failures }: Replica, channel: string): Rehearsal {
  if (failures[0] !== undefined) throw new Error(failures[0]);
  const facts = entries.map(({ fact }) => fact);
  const opened = facts.find((fact) => fact.type === 'incident.opened');
  const decided = facts.find((fact) => fact.type === 'guard.decided');
  const decision = decided?.decision;
  const ended = facts.find((fact) => fact.type === 'run.ended');
  return {
    channel,
    classification: opened?.incident.classification,
    call: decided?.call,
    answer: decision?.verdict === 'deny' ? decision.code : decision?.verdict,
    ...(decided === undefined && ended !== undefined ? { because: saidOf(ended.outcome) } : {}),
  };
}

const saidOf = ({ kind, because }: Outcome): string =>
  kind === 'escalated' ? `a person would be notified: ${because}` : because;
