// Stores everything known of each channel and engine, folded from samples and symptoms.
import type { MonoMs } from '../../core/clock.ts';
import type { StartOrigin } from '../../core/journal.ts';
import type { ProcessSample, ReachSample, Sample, ViewerSample } from '../../core/sample.ts';
import type { ChannelId, EngineId, GroupId } from '../../core/scope.ts';
import { HARMLESS_SYMPTOMS, type Symptom } from '../../core/symptom.ts';
import { type EngineFacts, type HostFacts, nextEngine, nextHost, NO_ENGINE_FACTS } from './engine_facts.ts';
import {
  nextAnswer,
  nextOutput,
  nextProgress,
  type OutputFacts,
  type ProgressFacts,
  type ReachFacts,
  type SourceFacts,
} from './output_facts.ts';
import { type ChannelSample, comesLate, comesLateOfEngine } from './newest.ts';
import { besideRestart, type HalfDone, stillHalfDone } from './half_done.ts';
import { isFirstSight, nextProcess, type ProcessFacts } from './process_facts.ts';
import type { ChannelSetup, EngineSetup } from './setup.ts';
import { nextSymptoms, type SymptomFacts } from './symptom_facts.ts';

/** Everything known of one channel that a decision may rest on. Immutable; absent means not known. */
export interface ChannelFacts {
  readonly setup: ChannelSetup;
  /** Since when the channel is watched. */
  readonly watchedMs: MonoMs | undefined;
  readonly process: ProcessFacts | undefined;
  readonly output: OutputFacts | undefined;
  readonly reach: ReachFacts | undefined;
  readonly source: SourceFacts | undefined;
  /** The server that it publishes to, as a source of its life: undefined where none is known. */
  readonly server?: SourceFacts | undefined;
  readonly progress: ProgressFacts | undefined;
  readonly viewers: ViewerSample | undefined;
  readonly symptoms: readonly SymptomFacts[];
  /** When Reeve last began to change the channel. */
  readonly actedMs: MonoMs | undefined;
  /** An earlier process of Reeve saw its process end, no later than this. */
  readonly endedMs?: MonoMs;
  /** And had it in view until then, down as before. */
  readonly downUntilMs?: MonoMs;
  /** Reeve asked for a restart, and no new process has been seen since: what is stopped now was stopped by it. */
  readonly halfDone?: HalfDone | undefined;
}

/** Nothing known yet. */
export const noFacts = (setup: ChannelSetup): ChannelFacts => ({
  setup,
  watchedMs: undefined,
  process: undefined,
  output: undefined,
  reach: undefined,
  source: undefined,
  progress: undefined,
  viewers: undefined,
  symptoms: [],
  actedMs: undefined,
});

export interface FactStoreSetup {
  readonly channels: readonly ChannelSetup[];
  readonly engines: readonly EngineSetup[];
}

/** A channel whose process was seen to die so long ago, and that was down when this was said. */
export interface SeenDead {
  readonly channel: ChannelId;
  readonly agoMs: number;
}

/**
 * Called for every new process of a channel that was watched before, whoever started it; and with `agoMs` for the one
 * that is found at first sight, where the engine says how old it is.
 */
export type OnStart = (channel: ChannelId, generation: string, engine: EngineId, agoMs?: number) => void;

/**
 * The one store of what was seen: the folds of all samples and symptoms, one record per configured channel and engine.
 * Bounded by configuration; what belongs to no configured channel is counted in `strays`.
 */
export class FactStore {
  #channels = new Map<ChannelId, ChannelFacts>();
  #engines = new Map<EngineId, { setup: EngineSetup; facts: EngineFacts; host: HostFacts | undefined }>();
  /** Each troubled channel asks for those around it, at each look. */
  #groups: ReadonlyMap<GroupId, readonly ChannelSetup[]> = new Map();
  readonly #onStart: OnStart;
  #strays = 0;

  constructor(setup: FactStoreSetup, onStart: OnStart) {
    this.#onStart = onStart;
    this.configure(setup);
  }

  /** Takes a new configuration over; what is known of the channels that remain is kept. */
  configure(setup: FactStoreSetup): void {
    const { channels, engines } = setup;
    const known = this.#channels;
    this.#channels = new Map(channels.map((one) => [one.id, { ...(known.get(one.id) ?? noFacts(one)), setup: one }]));
    this.#groups = Map.groupBy(channels, ({ group }) => group);
    const held = this.#engines;
    this.#engines = new Map(
      engines.map((one) => {
        const before = held.get(one.id);
        return [one.id, { setup: one, facts: before?.facts ?? NO_ENGINE_FACTS, host: before?.host }];
      }),
    );
  }

  /** Samples and symptoms of channels or engines that are not configured. */
  get strays(): number {
    return this.#strays;
  }

  get channels(): readonly ChannelSetup[] {
    return [...this.#channels.values()].map(({ setup }) => setup);
  }

  /** What is known of the channels of this group. */
  inGroup(group: GroupId): readonly ChannelFacts[] {
    const known: ChannelFacts[] = [];
    for (const { id } of this.#groups.get(group) ?? []) {
      const facts = this.#channels.get(id);
      if (facts !== undefined) known.push(facts);
    }
    return known;
  }

  observe(sample: Sample): void {
    if (sample.kind === 'engine' || sample.kind === 'host' || sample.kind === 'credential') {
      const held = this.#engines.get(sample.engine);
      if (held === undefined) return this.#stray();
      if (comesLateOfEngine(held, sample)) return;
      if (sample.kind === 'engine') held.facts = nextEngine(held.facts, sample);
      else if (sample.kind === 'host') held.host = nextHost(held.host, sample);
      else held.facts = { ...held.facts, credential: sample };
      return;
    }
    const facts = this.#channels.get(sample.channel);
    if (facts === undefined) return this.#stray();
    if (comesLate(facts, sample)) return;
    const watched = facts.watchedMs === undefined ? { ...facts, watchedMs: sample.monoMs } : facts;
    const next = folded(watched, sample);
    this.#channels.set(sample.channel, next);
    if (sample.kind === 'process') this.#tellStart(facts, next, sample);
  }

  /** Harmless symptoms are forgotten at once: they explain nothing. */
  symptom(symptom: Symptom): void {
    const facts = this.#channels.get(symptom.channel);
    if (facts === undefined) return this.#stray();
    if (HARMLESS_SYMPTOMS.has(symptom.kind)) return;
    this.#channels.set(symptom.channel, { ...facts, symptoms: nextSymptoms(facts.symptoms, symptom) });
  }

  /** Records who started a process that was seen: a start that Reeve made is not a foreign one. */
  started(channel: ChannelId, origin: StartOrigin, generation: string): void {
    const facts = this.#channels.get(channel);
    if (facts?.process === undefined) return;
    const starts = facts.process.starts.map((one) => (one.generation === generation ? { ...one, origin } : one));
    this.#channels.set(channel, { ...facts, process: { ...facts.process, starts } });
  }

  /**
   * Reeve begins to change the channel: what ends now ends by its hand. Call it before the engine is asked. `restarts`:
   * the change stops the process, and is half done until a new one is seen. Any other may stop it on its way (law S6).
   */
  acted(channel: ChannelId, monoMs: MonoMs, restarts = false): void {
    const facts = this.#channels.get(channel);
    if (facts === undefined) return;
    const begun = { generation: facts.process?.generation, sinceMs: monoMs };
    const halfDone = restarts ? begun : besideRestart(facts.halfDone, begun);
    this.#channels.set(channel, { ...facts, actedMs: monoMs, halfDone });
  }

  /**
   * The call ended, and it is known how: what is seen to stop after that is stopped by somebody else. Negative
   * infinity: it never left. Another change says nothing of how a restart before it ended.
   */
  changeEnded(channel: ChannelId, endedMs: MonoMs, restarts: boolean): void {
    const facts = this.#channels.get(channel);
    if (facts?.halfDone === undefined || facts.halfDone.isLost) return;
    if (restarts === (facts.halfDone.startsNothing === true)) return;
    this.#channels.set(channel, { ...facts, halfDone: { ...facts.halfDone, endedMs } });
  }

  /** Whose process has died by itself in the view of this store, and is down still. */
  seenDead(nowMs: MonoMs): readonly SeenDead[] {
    return [...this.#channels.values()].flatMap(({ setup, process }) => {
      const end = process?.state === 'exited' && !process.stoppedOnPurpose ? process.lastEnd : undefined;
      return end?.seen === true && !end.ordered ? [{ channel: setup.id, agoMs: nowMs - end.monoMs }] : [];
    });
  }

  /**
   * What the journal records of an earlier process of Reeve: the channel's process ended, no later than `endedMs`, and
   * was down in its view until `downUntilMs`.
   */
  recallEnd(channel: ChannelId, endedMs: MonoMs, downUntilMs: MonoMs): void {
    const facts = this.#channels.get(channel);
    if (facts !== undefined) this.#channels.set(channel, { ...facts, endedMs, downUntilMs });
  }

  /**
   * What the journal records of an earlier process of Reeve: it began to change the channel, and no new process was
   * seen after that. A channel that is stopped now was stopped by that change until it is seen to run.
   */
  recallChange(channel: ChannelId, sinceMs: MonoMs, startsNothing?: true): void {
    const facts = this.#channels.get(channel);
    if (facts === undefined) return;
    const halfDone = { generation: undefined, sinceMs, ...(startsNothing && { startsNothing }) };
    this.#channels.set(channel, { ...facts, halfDone });
  }

  /** The journal has lost whether there was such a change. */
  supposeChange(channel: ChannelId): void {
    const facts = this.#channels.get(channel);
    if (facts === undefined || facts.halfDone !== undefined) return;
    const halfDone = { generation: undefined, sinceMs: Number.NEGATIVE_INFINITY, certainty: 'maybe' } as const;
    this.#channels.set(channel, { ...facts, halfDone });
  }

  /** Undefined of no channel, too. */
  view(channel: ChannelId | undefined): ChannelFacts | undefined {
    return channel === undefined ? undefined : this.#channels.get(channel);
  }

  engineFacts(engine: EngineId): EngineFacts {
    return this.#engines.get(engine)?.facts ?? NO_ENGINE_FACTS;
  }

  engineSetup(engine: EngineId): EngineSetup | undefined {
    return this.#engines.get(engine)?.setup;
  }

  hostFacts(engine: EngineId): HostFacts | undefined {
    return this.#engines.get(engine)?.host;
  }

  #stray(): void {
    this.#strays += 1;
  }

  #tellStart(before: ChannelFacts, next: ChannelFacts, sample: ProcessSample): void {
    const { id, engine } = next.setup;
    const start = next.process?.starts.at(-1);
    if (start !== undefined && start !== before.process?.starts.at(-1)) this.#onStart(id, start.generation, engine);
    if (!isFirstSight(before.process) || next.process?.hasEnded !== false) return;
    const { generation, uptimeMs, monoMs } = sample;
    if (uptimeMs !== undefined) this.#onStart(id, generation ?? `seen-${monoMs - uptimeMs}`, engine, uptimeMs);
  }
}

/** A stream that is not listed says that its server answers. */
function serverAfter({ setup, server }: ChannelFacts, sample: ReachSample): Pick<ChannelFacts, 'server'> {
  if (setup.publishesTo === undefined) return {};
  const { at, monoMs, source, channel, serverFailed = false, failure } = sample;
  const verdict = serverFailed ? { ok: false, ...(failure === undefined ? {} : { failure }) } : { ok: true };
  const look = {
    kind: 'source',
    at,
    monoMs,
    source,
    channel,
    host: setup.publishesTo,
    ofServer: true,
    ...verdict,
  } as const;
  return { server: nextAnswer(server, look) };
}

/** What one more sample makes of the facts. Pure. */
export function folded(facts: ChannelFacts, sample: ChannelSample): ChannelFacts {
  switch (sample.kind) {
    case 'playlist':
      return { ...facts, output: nextOutput(facts.output, sample) };
    case 'process': {
      const process = nextProcess(facts.process, sample, facts);
      return { ...facts, process, halfDone: stillHalfDone(facts.halfDone, process) };
    }
    case 'source':
      return { ...facts, source: nextAnswer(facts.source, sample) };
    case 'reach':
      return { ...facts, reach: nextAnswer(facts.reach, sample), ...serverAfter(facts, sample) };
    case 'progress':
      return { ...facts, progress: nextProgress(facts.progress, sample) };
    case 'viewers':
      return { ...facts, viewers: sample };
  }
}
