import { withdrawApprovals } from '../control/approvals.ts';
import { controlProjection, type ControlState, phaseOf } from '../control/state.ts';
import type { Clock, MonoMs } from '../core/clock.ts';
import type { Phase } from '../core/control.ts';
import type { Engine } from '../core/engine.ts';
import { InvariantError, messageOf } from '../core/errors.ts';
import type { Ids } from '../core/id.ts';
import type { Escalation } from '../core/incident.ts';
import type { Append, Draft, Projection, Read } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import { PATIENCE_MS } from '../core/persona.ts';
import type { Sample } from '../core/sample.ts';
import { type ChannelId, type EngineId, type GroupId, keyOfScope, sameScope, type Scope } from '../core/scope.ts';
import type { Symptom } from '../core/symptom.ts';
import type { ToolName } from '../core/tool.ts';
import { Board } from '../ground/facts.ts';
import type { Want } from '../ground/row.ts';
import type { ChannelSetup, EngineSetup } from '../ground/setup.ts';
import { viewersOf } from '../ground/viewers.ts';
import { guardProjection } from '../guard/fold.ts';
import { Guard, type Preview } from '../guard/guard.ts';
import type { GuardState } from '../guard/state.ts';
import type { Lanes } from '../resilience/lanes.ts';
import type { DeskPolicy } from './desk.ts';
import { Keeper } from './keeper.ts';
import { isNews } from './news.ts';
import { recall } from './recall.ts';
import { Responder } from './responder.ts';
import { Roster } from './roster.ts';
import { Runs } from './runs.ts';
import type { Settings } from './settings.ts';
import { Sights } from './sights.ts';
import { supposedIncident } from './supposed.ts';
import { noteStart } from './starts.ts';
import { type IncidentState, incidentProjection } from './state.ts';
import { Turns } from './turns.ts';
import { Watch } from './watch.ts';

/** Everything the decision path needs from outside. A simulation hands over simulated ones and runs the same code. */
export interface SpineDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly append: Append;
  readonly register: <State>(projection: Projection<State>) => Read<State>;
  readonly lanes: Lanes;
  readonly settings: () => Settings;
  readonly channels: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  readonly engines: ReadonlyMap<EngineId, Engine>;
  /** Secrets and control characters gone, at most 400 characters. */
  readonly clean: (text: string) => string;
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => readonly Draft[];
  readonly resolve: (key: string, because: string) => readonly Draft[];
  /** Keys of the pages that are open now. */
  readonly openPages: () => readonly string[];
  /** The probes of these channels look often for a while, and at once. */
  readonly lookCloser: (channels: readonly ChannelId[], forMs: number) => void;
  /** One look now would settle a doubt sooner. */
  readonly lookNow: (channel: ChannelId, wants: readonly Want[]) => void;
  /** Something in Reeve itself went wrong. */
  readonly onFailure: (text: string) => void;
  /** Why the journal is broken, whoever found it; undefined while it is whole. */
  readonly journalBroken?: () => string | undefined;
}

const LOOK_CLOSER_MS = 30_000;
const RESOLVE_HOLD_MS = 5_000;
const RELAPSE_MS = 60_000;
const UPKEEP_MS = 1_000;
/** Channels without news are judged again this often: silence is news too. */
const SWEEP_MS = 5_000;

/** The decision path as one thing: facts in, guarded actions and pages out. Built before the journal is opened. */
export class Spine implements Disposable {
  readonly guard: Guard;
  readonly board: Board;
  readonly watch: Watch;
  readonly sights: Sights;
  readonly control: Read<ControlState>;
  readonly guardState: Read<GuardState>;
  readonly incidents: Read<IncidentState>;
  readonly #deps: SpineDeps;
  readonly #responder: Responder;
  readonly #runs: Runs;
  readonly #roster: Roster;
  readonly #keeper: Keeper;
  readonly #turns: Turns;
  readonly #dirty = new Set<ChannelId>();
  #upkeep: Disposable | undefined;
  #sweptMs = 0;

  constructor(deps: SpineDeps) {
    this.#deps = deps;
    this.#roster = new Roster(deps.channels, deps.settings);
    this.control = deps.register(controlProjection);
    this.guardState = deps.register(guardProjection);
    this.incidents = deps.register(incidentProjection);
    const setup = { channels: deps.channels, engines: deps.engineSetups };
    this.board = new Board(setup, (channel, generation, engine) => this.#started(channel, generation, engine));
    const limits = () => deps.settings().limits;
    this.watch = new Watch({ board: this.board, limits, onWants: deps.lookNow });
    const { guardState: guard, control, incidents, board, watch } = this;
    this.#turns = new Turns({ ...deps, guard, incidents, phaseOf: (group) => this.phaseOf(group) });
    const isInCrowd = (scope: Scope): boolean => this.#turns.isInCrowd(scope);
    const { channelOf } = this.#roster;
    this.sights = new Sights({ ...deps, board, watch, guard, control, incidents, limits, channelOf, isInCrowd });
    this.guard = this.#createGuard(limits);
    this.#keeper = this.#createKeeper();
    this.#runs = this.#createRuns();
    this.#responder = this.#createResponder();
  }

  /** After the journal is open and recovered. */
  start(): void {
    this.#upkeep = this.#deps.clock.every(UPKEEP_MS, () => this.#safely('upkeep', () => this.#keepUp()));
    this.#safely('resume', () => {
      recall(this.incidents(), this.guardState(), this.board);
      this.#keeper.contain();
      this.#responder.resume();
    });
  }

  [Symbol.dispose](): void {
    this.#upkeep?.[Symbol.dispose]();
    this.#responder[Symbol.dispose]();
  }

  /** Takes a sample; nothing is judged before `settle`. */
  take(sample: Sample): void {
    const channel = 'channel' in sample ? sample.channel : undefined;
    const process = channel === undefined ? undefined : this.board.view(channel)?.process;
    const news = isNews(sample, process, channel === undefined ? undefined : this.watch.watched(channel));
    this.#safely('sample', () => this.board.observe(sample));
    if (!news) return;
    const about =
      'channel' in sample ? [sample.channel] : this.#roster.channelsIn({ kind: 'engine', id: sample.engine });
    for (const id of about) this.#dirty.add(id);
  }

  /** Judges every channel that something new is known of, then what they share, then acts. */
  settle(nowMs: MonoMs = this.#deps.clock.monotonicMs()): void {
    this.#safely('settle', () => {
      const touched = [...this.#dirty].filter((channel) => this.watch.refresh(channel, nowMs));
      this.#dirty.clear();
      for (const { id } of this.#deps.engineSetups) this.watch.refreshEngine(id, nowMs);
      const causesMoved = this.watch.correlate(nowMs);
      if (causesMoved) this.#keeper.contain();
      if (causesMoved || touched.length > 0) this.#lookAtCauses(nowMs);
      const ids = causesMoved ? this.#roster.ids : touched;
      for (const id of ids) this.#responder.look({ kind: 'channel', id }, nowMs);
    });
  }

  observe(sample: Sample): void {
    this.take(sample);
    this.settle();
  }

  symptom(symptom: Symptom): void {
    this.#safely('symptom', () => {
      this.board.symptom(symptom);
      this.#responder.heard(symptom);
    });
    this.#dirty.add(symptom.channel);
    this.settle();
  }

  /** A person has said something: what follows from it happens now, not at the next tick. */
  heed(): void {
    this.#safely('word', () => this.#keepUp());
  }

  /** What the guard would answer now, with nothing reserved. Undefined for a channel or tool that is not known. */
  preview(channel: ChannelId, tool: ToolName): Preview | undefined {
    const ref = this.#roster.channelOf(channel);
    if (ref === undefined || this.watch.watched(channel) === undefined) return undefined;
    const scope: Scope = { kind: 'channel', id: channel };
    const open = this.incidents().open.find(({ incident }) => sameScope(incident.scope, scope));
    const incident = open?.incident ?? supposedIncident(ref, this.#deps.clock);
    return this.guard.preview({
      call: { tool, target: scope, channels: [] },
      envelope: this.sights.envelope(incident),
      persona: this.#deps.settings().personaOf(scope, ref.group),
      incident,
      run: 'run-preview',
      decider: { kind: 'operator', who: 'preview' },
      stepHighRiskUsed: false,
    });
  }

  phaseOf(group: GroupId): Phase {
    return phaseOf(this.control(), group, this.#deps.settings().initialPhase(group));
  }

  #createGuard(limits: () => Limits): Guard {
    const { append, clock, ids, settings, engines, journalBroken } = this.#deps;
    return new Guard({
      journalBroken,
      append,
      clock,
      ids,
      limits,
      guardState: this.guardState,
      control: this.control,
      channelOf: this.#roster.channelOf,
      capabilitiesOf: (engine) => engines.get(engine)?.capabilities ?? new Set(),
      liveFacts: (scope, engine) => this.#liveFacts(scope, engine),
      initialPhase: (group) => settings().initialPhase(group),
      onEscalate: (raised) => this.#keeper.pageOf(raised),
      releaseByPerson: (scope) => this.#keeper.releaseByPerson(scope),
    });
  }

  #createKeeper(): Keeper {
    const { board, watch, guard, guardState, control, incidents } = this;
    const engines = this.#deps.engineSetups.map(({ id }) => id);
    const own = { board, watch, guard, guardState, control, incidents, roster: this.#roster, turns: this.#turns };
    return new Keeper({ ...this.#deps, ...own, engines, healthyHoldMs: RESOLVE_HOLD_MS });
  }

  #createRuns(): Runs {
    const { board, sights, guard, control } = this;
    return new Runs({
      ...this.#deps,
      board,
      sights,
      guard,
      control,
      channelOf: this.#roster.channelOf,
      channelsIn: this.#roster.channelsIn,
      phaseOf: (group) => this.phaseOf(group),
    });
  }

  #createResponder(): Responder {
    const { append, clock, ids, raise, resolve, onFailure, lookCloser } = this.#deps;
    return new Responder({
      append,
      clock,
      ids,
      raise,
      resolve,
      onFailure,
      incidents: this.incidents,
      see: (scope, nowMs) => this.sights.see(scope, nowMs),
      policyOf: ({ scope, group }) => this.#policyOf(scope, group),
      run: (incident, run) => this.#runs.run(incident, run),
      turnMs: (scope, seen, nowMs) => this.#turns.turnMs(scope, seen, nowMs),
      askApproval: (incident, run, envelope) => this.#runs.askApproval(incident, run, envelope),
      withdraw: (incident) => withdrawApprovals(this.control(), incident),
      lookCloser: (scope) => lookCloser(this.#roster.channelsIn(scope), LOOK_CLOSER_MS),
    });
  }

  #safely(what: string, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      if (thrown instanceof InvariantError) throw thrown;
      this.#deps.onFailure(`${what}: ${messageOf(thrown)}`);
    }
  }

  #started(channel: ChannelId, generation: string, engine: EngineId): void {
    const { append, clock } = this.#deps;
    const start = { channel, generation, engine, nowMs: clock.monotonicMs() };
    noteStart(start, { guard: this.guardState, board: this.board, append });
    this.#keeper.contain();
  }

  /** Once a second: what is due by time alone. */
  #keepUp(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#sweptMs >= SWEEP_MS) {
      this.#sweptMs = nowMs;
      for (const id of this.#roster.ids) this.#dirty.add(id);
    }
    this.settle(nowMs);
    this.#keeper.keepUp(nowMs);
    for (const { incident } of this.incidents().open) this.#responder.look(incident.scope, nowMs);
  }

  #lookAtCauses(nowMs: MonoMs): void {
    const open = this.incidents().open.filter(({ incident }) => incident.scope.kind !== 'channel');
    const scopes = [...this.watch.causes.map(({ scope }) => scope), ...open.map(({ incident }) => incident.scope)];
    const byKey = new Map(scopes.map((scope) => [keyOfScope(scope), scope]));
    for (const scope of byKey.values()) this.#responder.look(scope, nowMs);
  }

  #liveFacts(scope: Scope, engine: EngineId) {
    const facts = scope.kind === 'channel' ? this.board.view(scope.id) : undefined;
    const viewers = facts === undefined ? undefined : viewersOf(facts, this.#deps.clock.monotonicMs());
    return { ...this.#keeper.pool(engine), viewers };
  }

  #policyOf(scope: Scope, group: GroupId): DeskPolicy {
    const persona = this.#deps.settings().personaOf(scope, group);
    return { patienceMs: PATIENCE_MS[persona.aggressiveness], resolveHoldMs: RESOLVE_HOLD_MS, relapseMs: RELAPSE_MS };
  }
}
