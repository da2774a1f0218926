/** The decision pipeline as one object: facts in, guarded actions and pages out. */
import { withdrawApprovals } from '../../control/approvals.ts';
import { controlProjection, type ControlState } from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import { safely } from '../../core/errors.ts';
import type { Read } from '../../core/journal.ts';
import type { Limits } from '../../core/limits.ts';
import { PATIENCE_MS } from '../../core/persona.ts';
import type { Sample } from '../../core/sample.ts';
import type { ChannelId, EngineId, GroupId, Scope } from '../../core/scope.ts';
import type { Symptom } from '../../core/symptom.ts';
import type { ToolName } from '../../core/tool.ts';
import { FactStore, type OnStart } from '../../ground/facts/facts.ts';
import { viewersOf } from '../../ground/facts/viewers.ts';
import { guardProjection } from '../../guard/state/fold.ts';
import { ClockWatch } from '../../guard/clock_watch.ts';
import { Guard, type Preview } from '../../guard/guard.ts';
import type { GuardState } from '../../guard/state/state.ts';
import { RELAPSE_MS, RESOLVE_HOLD_MS, type TransitionPolicy } from '../lifecycle/transitions.ts';
import { Housekeeping } from './housekeeping.ts';
import { isRelevant } from './relevance.ts';
import { restoreAfterBoot } from '../boot/boot_recovery.ts';
import { Responder } from '../lifecycle/responder.ts';
import type { FleetBudget } from '../pages/budget_page.ts';
import type { PipelineDeps } from './ports.ts';
import { ChannelIndex } from './channel_index.ts';
import { causeScopes, channelsConcerned } from './concerned.ts';
import { Runs } from '../runs/runs.ts';
import { Snapshots } from './snapshots.ts';
import { previewOf } from './preview.ts';
import { nonBlockingIncidents } from './non_blocking.ts';
import { placedNow } from './placed.ts';
import { refusedPlan } from './refused_plan.ts';
import { countsAtFirstSight, noteStart } from './starts.ts';
import { type IncidentState, incidentProjection, openById } from '../lifecycle/state.ts';
import { StartQueue } from '../runs/start_queue.ts';
import { FindingTracker } from './finding_tracker.ts';
import { Sweep } from './sweep.ts';
const LOOK_CLOSER_MS = 30_000;
const UPKEEP_MS = 1_000;

/** The decision path as one thing: facts in, guarded actions and pages out. Built before the journal is opened. */
export class DecisionPipeline implements Disposable {
  readonly guard: Guard;
  readonly factStore: FactStore;
  readonly watch: FindingTracker;
  readonly snapshots: Snapshots;
  readonly control: Read<ControlState>;
  readonly guardState: Read<GuardState>;
  readonly incidents: Read<IncidentState>;
  readonly #deps: PipelineDeps;
  readonly #responder: Responder;
  readonly #runs: Runs;
  readonly channelIndex: ChannelIndex;
  readonly #housekeeping: Housekeeping;
  readonly #startQueue: StartQueue;
  readonly #dirty = new Set<ChannelId>();
  #upkeep: Disposable | undefined;
  /** From `start` on: before the journal is open its clock has not found its place yet. */
  #clockWatch: ClockWatch | undefined;
  readonly #sweep = new Sweep();
  /** When a round of the upkeep, once a second, last went through; undefined before the first. */
  keptUpMs: MonoMs | undefined;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
    this.control = deps.register(controlProjection);
    this.channelIndex = new ChannelIndex(deps.channels, deps.settings, this.control);
    this.guardState = deps.register(guardProjection);
    this.incidents = placedNow(deps.register(incidentProjection), this.channelIndex);
    const setup = { channels: deps.channels, engines: deps.engineSetups };
    this.factStore = new FactStore(setup, (...start) => this.#started(...start));
    const limits = () => deps.settings().limits;
    const onReading = (reading: Symptom): void => this.#responder.heard(reading);
    const own = { factStore: this.factStore, guardState: this.guardState, limits, onReading };
    this.watch = new FindingTracker({ ...deps, ...own, onWants: deps.lookNow });
    const { guardState: guard, control, incidents, factStore, watch } = this;
    const proofOf: FindingTracker['proofOf'] = (scope, nowMs) => watch.proofOf(scope, nowMs);
    const groupOf = (id: ChannelId) => this.channelIndex.channelOf(id)?.group;
    const { channelOf, channelsIn, phaseAt: phaseOf, personaOf } = this.channelIndex;
    this.#startQueue = new StartQueue({ ...deps, guard, incidents, proofOf, groupOf, phaseOf, personaOf });
    const isInCrowd: StartQueue['isInCrowd'] = (scope, nowMs) => this.#startQueue.isInCrowd(scope, nowMs);
    this.snapshots = new Snapshots({
      ...deps,
      ...{ factStore, watch, guard, control, incidents, limits, channelOf, channelsIn, isInCrowd },
      refusedFor: (scope) =>
        scope.kind === 'channel'
          ? this.preview(scope.id, 'restart_channel')?.code
          : refusedPlan(scope, this, this.channelIndex),
    });
    this.guard = this.#createGuard(limits);
    this.#housekeeping = this.#createHousekeeping();
    this.#runs = this.#createRuns();
    this.#responder = this.#createResponder();
  }

  /** After the journal is open and recovered. */
  start(): void {
    const { clock, detectStops } = this.#deps;
    this.#clockWatch = new ClockWatch(clock, detectStops === true ? UPKEEP_MS : undefined);
    this.#upkeep = clock.every(UPKEEP_MS, () => {
      this.#safely('upkeep', () => this.#tick());
      // By itself, because while the journal takes nothing the tick ends at the first thing that is to be written.
      this.#safely('page', () => this.#housekeeping.pageUnrecorded(clock.monotonicMs()));
    });
    this.#safely('resume', () => {
      const left = { incidents: this.incidents(), guard: this.guardState(), control: this.control() };
      const seen = { watchedUntilMs: this.#deps.watchedUntilMs?.(), seenDead: this.#deps.seenDead };
      restoreAfterBoot({ ...left, ...seen, nowMs: clock.monotonicMs() }, this.factStore);
      this.#housekeeping.contain();
      this.#responder.resume();
    });
  }

  /** Resolves when the end of every run that is under way is written down, with its page. */
  written(): Promise<void> {
    return this.#responder.written();
  }

  [Symbol.dispose](): void {
    this.#upkeep?.[Symbol.dispose]();
    this.#runs.stop();
    this.#responder[Symbol.dispose]();
  }

  /** Takes a sample; nothing is judged before `settle`. True when it says anything that may change a judgement. */
  take(sample: Sample): boolean {
    const id = 'channel' in sample ? sample.channel : undefined;
    const before = this.factStore.view(id);
    this.#safely('sample', () => this.factStore.observe(sample));
    if (!isRelevant(sample, before, this.factStore.view(id), this.watch.watched(id))) return false;
    const about =
      'channel' in sample ? [sample.channel] : this.channelIndex.channelsIn({ kind: 'engine', id: sample.engine });
    for (const id of about) this.#dirty.add(id);
    return true;
  }

  /** Judges every channel that something new is known of, then what they share, then acts. */
  settle(nowMs: MonoMs = this.#deps.clock.monotonicMs()): void {
    this.#safely('settle', () => {
      const touched = [...this.#dirty].filter((channel) => this.watch.refresh(channel, nowMs));
      this.#dirty.clear();
      for (const { id } of this.#deps.engineSetups) this.watch.refreshEngine(id, nowMs);
      const causesMoved = this.watch.correlate(nowMs);
      if (causesMoved) this.#housekeeping.contain();
      if (causesMoved || touched.length > 0) this.#lookAt(touched, causesMoved, nowMs);
    });
  }

  /** First at what channels share, for an incident of a group speaks for them. */
  #lookAt(touched: readonly ChannelId[], causesMoved: boolean, nowMs: MonoMs): void {
    for (const scope of causeScopes(this.watch.causes, this.incidents().open)) this.#responder.look(scope, nowMs);
    const { open } = this.incidents();
    const channels = causesMoved
      ? channelsConcerned({ touched, open }, this.watch.troubled, this.channelIndex.ids)
      : touched;
    for (const id of channels) this.#responder.look({ kind: 'channel', id }, nowMs);
  }

  /** Raises and clears containment as it stands now. Once it was started it does so by itself, each second. */
  readonly contain = (): void => this.#safely('contain', () => this.#housekeeping.contain());

  /** Takes a sample, and judges where it is news: most say that a healthy channel goes on. */
  observe(sample: Sample): void {
    if (this.take(sample)) this.settle();
  }

  /** Takes a symptom; nothing is judged before `settle`. */
  takeSymptom(symptom: Symptom): void {
    this.#safely('symptom', () => {
      this.factStore.symptom(symptom);
      this.#responder.heard(symptom);
    });
    this.#dirty.add(symptom.channel);
  }

  symptom(symptom: Symptom): void {
    this.takeSymptom(symptom);
    this.settle();
  }

  /** A command of a person is in the journal: what follows from it happens now, not at the next tick. */
  onCommand(): void {
    this.#safely('command', () => this.#keepUp());
  }

  /** What the guard would answer now, with nothing reserved. Undefined for a channel or tool that is not known. */
  preview(channel: ChannelId, tool: ToolName): Preview | undefined {
    const ref = this.channelIndex.channelOf(channel);
    if (ref === undefined || this.watch.watched(channel) === undefined) return undefined;
    const { guard, incidents, snapshots } = this;
    return previewOf(ref, tool, { ...this.#deps, guard, incidents, snapshots });
  }

  /** What the fleet has used of its restarts of 24 h (law S5). */
  fleetBudget(): FleetBudget {
    return this.#housekeeping.budget(this.#deps.clock.monotonicMs());
  }

  #createGuard(limits: () => Limits): Guard {
    const { append, clock, ids, settings, engines, journalBroken } = this.#deps;
    const { channelOf, groupsIn, has, personaOf } = this.channelIndex;
    return new Guard({
      clockNews: () => this.#clockWatch?.look() ?? [],
      ...{ journalBroken, append, clock, ids, limits, personaOf, channelOf },
      guardState: this.guardState,
      control: this.control,
      isConfigured: (scope) => has(scope) || (scope.kind === 'engine' && engines.has(scope.id)),
      groupsOn: (id) => groupsIn({ kind: 'engine', id }, id),
      channelCount: this.#deps.channels.length,
      capabilitiesOf: (engine) => engines.get(engine)?.capabilities ?? new Set(),
      liveFacts: (scope, engine) => this.#liveFacts(scope, engine),
      initialPhase: (group) => settings().initialPhase(group),
      onEscalate: (raised) => this.#housekeeping.pageOf(raised),
      releaseByPerson: (scope) => this.#housekeeping.releaseByPerson(scope),
    });
  }

  #createHousekeeping(): Housekeeping {
    const { factStore, watch, guard, guardState, control, incidents, snapshots } = this;
    const engines = this.#deps.engineSetups.map(({ id }) => id);
    const own = { factStore, watch, guard, guardState, control, incidents, snapshots };
    const queued = { channelIndex: this.channelIndex, startQueue: this.#startQueue };
    return new Housekeeping({ ...this.#deps, ...own, ...queued, engines, healthyHoldMs: RESOLVE_HOLD_MS });
  }

  #createRuns(): Runs {
    const { factStore, snapshots, guard, control } = this;
    const { channelOf, channelsIn, phaseAt, personaOf } = this.channelIndex;
    return new Runs({
      ...this.#deps,
      factStore,
      snapshots,
      guard,
      control,
      ...{ channelOf, channelsIn, personaOf, phaseOf: phaseAt },
      handOver: (_, channels) => this.watch.handOver(channels),
      incidentOf: (id) => openById(this.incidents(), id)?.incident,
    });
  }

  #createResponder(): Responder {
    const { append, clock, ids, raise, resolve, onFailure, lookCloser } = this.#deps;
    return new Responder({
      ...{ append, clock, ids, raise, resolve, onFailure },
      incidents: this.incidents,
      see: (scope, nowMs) => this.snapshots.see(scope, nowMs),
      policyOf: ({ scope, group }) => this.#policyOf(scope, group),
      run: (incident, run) => this.#runs.run(incident, run),
      startDelayMs: (scope, seen, nowMs) => this.#startQueue.startDelayMs(scope, seen, nowMs),
      askApproval: (incident, run, envelope) => this.#runs.askApproval(incident, run, envelope),
      withdraw: (incident) => withdrawApprovals(this.control(), incident),
      listElsewhere: (...asked) => this.#housekeeping.listElsewhere(...asked),
      lookCloser: (scope) => lookCloser(this.channelIndex.channelsIn(scope), LOOK_CLOSER_MS),
    });
  }

  #safely(what: string, work: () => void): void {
    safely(what, work, (text) => this.#deps.onFailure(text));
  }

  #started(...[channel, generation, engine, agoMs]: Parameters<OnStart>): void {
    const { append, clock, settings } = this.#deps;
    const start = { channel, generation, engine, agoMs, nowMs: clock.monotonicMs() };
    if (!countsAtFirstSight(start, this.guardState(), settings().limits.windowMs)) return;
    noteStart(start, { guard: this.guardState, control: this.control, factStore: this.factStore, append });
    this.#housekeeping.contain();
  }

  /** Once a second. */
  #tick(): void {
    const news = this.#clockWatch?.tick() ?? [];
    if (news.length > 0) this.#deps.append(news);
    this.#keepUp();
    this.keptUpMs = this.#deps.clock.monotonicMs();
  }

  /** What is due by time alone. */
  #keepUp(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const id of this.#sweep.due(this.channelIndex.ids, nowMs)) this.#dirty.add(id);
    this.settle(nowMs);
    this.#housekeeping.keepUp(nowMs);
    for (const { incident } of this.incidents().open) this.#responder.look(incident.scope, nowMs);
  }

  #liveFacts(scope: Scope, engine: EngineId) {
    const nowMs = this.#deps.clock.monotonicMs();
    const facts = scope.kind === 'channel' ? this.factStore.view(scope.id) : undefined;
    const viewers = facts === undefined ? undefined : viewersOf(facts, nowMs);
    const nonBlocking = nonBlockingIncidents(this.incidents(), this.watch, facts?.setup);
    return { ...this.#housekeeping.pool(engine), viewers, nonBlocking, causeProof: this.watch.proofOf(scope, nowMs) };
  }

  #policyOf(scope: Scope, group: GroupId): TransitionPolicy {
    const persona = this.channelIndex.personaOf(scope, group);
    return { patienceMs: PATIENCE_MS[persona.aggressiveness], resolveHoldMs: RESOLVE_HOLD_MS, relapseMs: RELAPSE_MS };
  }
}
