/** The decision path behind the real inputs: hostile writers before it, channels that play or are dead behind it. */
import fc from 'fast-check';
import type { JournalFact } from '../../src/core/journal.ts';
import { keyOfScope } from '../../src/core/scope.ts';
import { openInputs } from './hostile_inputs.ts';
import { CHANNELS, DEAD, type HostileStream, type HostileWriter } from './hostile_streams.ts';
import { pipelineHarness, type PipelineOptions } from './pipeline_harness.ts';

const REACH_PROBES = ['http', 'tcp', 'status:icecast'] as const;

/** How the channel dies, and who looks. */
export interface Setting {
  readonly death: 'killed' | 'exit_0' | 'frozen' | 'unanswered' | 'source_gone';
  readonly probe: 'playlist' | 'none' | (typeof REACH_PROBES)[number];
  readonly persona: 'system_admin' | 'lab' | 'watcher';
  readonly grouped: boolean;
  readonly expected: 'always' | 'on_demand';
}

/** Only a probe that asks for an answer can miss it. */
const aDeath = fc.oneof(
  fc.record({
    death: fc.constantFrom('killed', 'exit_0', 'frozen', 'source_gone'),
    probe: fc.constantFrom('playlist', ...REACH_PROBES, 'none'),
  }),
  fc.record({ death: fc.constant<'unanswered'>('unanswered'), probe: fc.constantFrom(...REACH_PROBES) }),
);
export const aSetting: fc.Arbitrary<Setting> = fc
  .tuple(
    aDeath,
    fc.record({
      persona: fc.constantFrom('system_admin', 'lab', 'watcher'),
      grouped: fc.boolean(),
      expected: fc.constantFrom('always', 'always', 'on_demand'),
    }),
  )
  .map(([death, rest]) => ({ ...death, ...rest }));

const DIES_MS = 30_000;
const ENDS_MS = 200_000;
/** As often as the output and the engine are looked at. */
const STEP_MS = 1_000;

function optionsOf({ probe, persona, grouped, expected, death }: Setting, isDead: () => boolean): PipelineOptions {
  const groups = grouped ? {} : { groups: Object.fromEntries(CHANNELS.map((id) => [id, `of-${id}`])) };
  const common = { channels: CHANNELS, persona, expected, ...groups, sources: death === 'source_gone' };
  if (probe === 'playlist') return common;
  if (probe === 'none') return { ...common, outputProbe: false };
  return { ...common, reach: { source: probe, answers: (channel) => channel !== DEAD || !isDead() } };
}

/** Plays the stream against the environment: what was restarted, and what was reported about the dead channel. */
export async function playHostile(setting: Setting, stream: HostileStream) {
  let isDead = false;
  const world = pipelineHarness(optionsOf(setting, () => isDead));
  const { clock, pipeline, engine } = world;
  // What is dead stays dead: a start that cures it would end what is to be seen.
  engine.onRestart = async () => 'said yes and did nothing';
  await using doors = openInputs({
    clock,
    onSymptom: (symptom) => pipeline.symptom(symptom),
    onSample: (sample) => pipeline.take(sample),
  });
  for (let passedMs = 0; passedMs < ENDS_MS; passedMs += STEP_MS) {
    if (passedMs === DIES_MS) {
      isDead = true;
      die(engine, setting.death);
    }
    for (const writer of stream.writers) {
      if (isDue(writer, passedMs)) await doors.write(writer, written(writer, passedMs));
    }
    await world.live(STEP_MS, STEP_MS);
  }
  pipeline[Symbol.dispose]();
  return { ...outcomeOf(world, setting), heard: doors.heard, failures: world.failures };
}

const isDue = ({ fromMs, untilMs, everyMs }: HostileWriter, passedMs: number): boolean =>
  passedMs >= fromMs && passedMs < untilMs && (passedMs - fromMs) % everyMs === 0;

function written({ lines, burst, everyMs }: HostileWriter, passedMs: number): readonly string[] {
  const time = `00:${new Date(passedMs).toISOString().slice(14, 22)}`;
  const line = lines[Math.floor(passedMs / everyMs) % lines.length]!.replaceAll('%t', time);
  return Array.from({ length: burst }, () => line);
}

function die(engine: ReturnType<typeof pipelineHarness>['engine'], death: Setting['death']): void {
  if (death === 'killed') engine.kill(DEAD);
  else if (death === 'frozen') engine.freeze(DEAD);
  else if (death === 'exit_0' || death === 'source_gone') {
    engine.kill(DEAD);
    const exitCode = death === 'exit_0' ? 0 : 1;
    Object.assign(engine.channels.get(DEAD)!, { exitSignal: undefined, exitCode });
    if (death === 'source_gone') engine.deadSources.add(DEAD);
  }
}

const isHighRisk = (fact: JournalFact): boolean => fact.type === 'tool.started' && fact.permit.risk === 'high';

function outcomeOf(world: ReturnType<typeof pipelineHarness>, { grouped }: Setting) {
  const group = grouped ? 'encoders' : `of-${DEAD}`;
  const names = ({ scope }: { scope: { kind: string; id?: string } }): boolean =>
    (scope.kind === 'channel' && scope.id === DEAD) || (scope.kind === 'group' && scope.id === group);
  const startedAt = world.entries[0]!.at;
  const diedAt = startedAt + DIES_MS;
  const openPages = new Map<string, number>();
  const takenBack: string[] = [];
  for (const { at, fact } of world.entries) {
    if (fact.type === 'escalation.raised' && names(fact.escalation) && !openPages.has(fact.escalation.key))
      openPages.set(fact.escalation.key, at);
    if (fact.type === 'escalation.resolved' && openPages.delete(fact.key) && at > diedAt)
      takenBack.push(`${fact.key}: ${fact.because}`);
  }
  const restarts = world.engine.restarts.map(({ channel }) => channel);
  return {
    restartsOfPlaying: restarts.filter((channel) => channel !== DEAD).length,
    restartsBeforeDeath: world.entries.filter(({ at, fact }) => at < diedAt && isHighRisk(fact)).length,
    changesOfPlaying: world
      .facts('tool.started')
      .filter(({ permit: { risk, call } }) => risk === 'high' && keyOfScope(call.target) !== `channel:${DEAD}`)
      .map(({ permit: { call } }) => `${call.tool} of ${keyOfScope(call.target)}`),
    /** How long after the death it was first reported, 0 where a page stood already; undefined: it is not. */
    pagedAfterMs: openPages.size === 0 ? undefined : Math.max(0, Math.min(...openPages.values()) - diedAt),
    takenBack,
  };
}
