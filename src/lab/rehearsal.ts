import type { Clock } from '../core/clock.ts';
import type { ProcessSample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import type { Symptom } from '../core/symptom.ts';
import type { Capability } from '../core/tool.ts';
import type { ChannelSetup, EngineSetup } from '../ground/setup.ts';
import type { Settings } from '../incident/settings.ts';
import { Replica } from './backtest/replica.ts';

/** What the daemon would do, as it is set up now, if a channel died. */
export interface Rehearsal {
  readonly channel: string;
  readonly classification: string | undefined;
  /** The call that the guard was asked for; undefined where no rule came to one. */
  readonly call: string | undefined;
  /** `allow`, or the refusal's code. */
  readonly answer: string | undefined;
}

export interface RehearsalSetup {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly channels: readonly ChannelSetup[];
  readonly engines: readonly EngineSetup[];
  readonly capabilities: (engine: EngineId) => ReadonlySet<Capability>;
}

const SIGKILL = 9;
const LOOK_MS = 1_000;
const LOOKS_ALIVE = 10;
/** The engine's own grace, the longest patience of a persona, and a run. */
const LOOKS_DEAD = 45;

/**
 * Plays the death of the first channel through the operator's own persona, rules and limits: in memory, by a clock of
 * its own, with an engine that touches nothing. Whoever starts Reeve reads what it would do, and the first trouble
 * finds the way to its verdict compiled. Undefined where there is no channel.
 */
export async function rehearse(setup: RehearsalSetup): Promise<Rehearsal | undefined> {
  const [channel] = setup.channels;
  const engine = setup.engines.find(({ id }) => id === channel?.engine);
  if (channel === undefined || engine === undefined) return undefined;
  using replica = new Replica({
    settings: setup.settings,
    channels: [{ ...channel, expected: 'always', hasSource: false, hasOutputProbe: false }],
    engines: [{ ...engine, hostEveryMs: undefined, capabilities: setup.capabilities(engine.id) }],
    at: setup.clock.now(),
  });
  replica.spine.start();
  await live(replica, channel, LOOKS_ALIVE, true);
  replica.spine.symptom(deathOf(channel, replica.clock));
  await live(replica, channel, LOOKS_DEAD, false);
  return whatCame(replica, channel.id);
}

async function live(replica: Replica, channel: ChannelSetup, looks: number, alive: boolean): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    if (replica.entries.some(({ fact }) => fact.type === 'run.ended')) return;
    replica.spine.observe(processOf(channel, replica.clock, alive));
    await replica.settle();
    await replica.runUntil(replica.clock.monotonicMs() + LOOK_MS);
  }
}

const processOf = ({ id, engine }: ChannelSetup, clock: Clock, alive: boolean): ProcessSample => ({
  kind: 'process',
  at: clock.now(),
  monoMs: clock.monotonicMs(),
  source: 'rehearsal',
  channel: id,
  engine,
  state: alive ? 'running' : 'exited',
  pid: 1,
  generation: 'rehearsal',
  uptimeMs: alive ? 600_000 : undefined,
  exitCode: undefined,
  exitSignal: alive ? undefined : SIGKILL,
  stoppedOnPurpose: false,
  cpuMs: undefined,
  halted: undefined,
  bytesWritten: undefined,
});

const deathOf = ({ id }: ChannelSetup, clock: Clock): Symptom => ({
  at: clock.now(),
  monoMs: clock.monotonicMs(),
  channel: id,
  kind: 'process_crash',
  origin: 'log',
  countInWindow: 1,
  windowMs: 60_000,
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
  return {
    channel,
    classification: opened?.incident.classification,
    call: decided?.call,
    answer: decision?.verdict === 'deny' ? decision.code : decision?.verdict,
  };
}
