/** Assembles the decision path around a given envelope. */
import { setImmediate as macrotask } from 'node:timers/promises';
import { safeText } from '../collect/clean.ts';
import { expireApprovals, questionState } from '../control/approvals.ts';
import { type ControlState, controlProjection, frozenNow } from '../control/state.ts';
import type { MonoMs } from '../core/clock.ts';
import { countingIds } from '../core/id.ts';
import type { JournalEntry, Read } from '../core/journal.ts';
import { PATIENCE_MS } from '../core/persona.ts';
import { FactStore, type OnStart } from '../ground/facts/facts.ts';
import { guardProjection } from '../guard/state/fold.ts';
import { Guard } from '../guard/guard.ts';
import type { GuardState } from '../guard/state/state.ts';
import { containmentPage } from '../incident/pages/page.ts';
import { journaledPaging } from '../incident/assembly.ts';
import { Responder } from '../incident/lifecycle/responder.ts';
import { RELAPSE_MS, RESOLVE_HOLD_MS } from '../incident/lifecycle/transitions.ts';
import type { PagingPort } from '../incident/pipeline/ports.ts';
import { ChannelIndex } from '../incident/pipeline/channel_index.ts';
import { Runs } from '../incident/runs/runs.ts';
import { countsAtFirstSight, noteStart } from '../incident/pipeline/starts.ts';
import { type IncidentState, incidentProjection, openById } from '../incident/lifecycle/state.ts';
import { Ledger } from '../journal/ledger.ts';
import { MemoryStore } from '../journal/memory.ts';
import { createKeyedQueues } from '../resilience/keyed_queues.ts';
import type { VirtualClock } from '../replay/virtual_clock.ts';
import { RecordingEngine } from '../replay/recording_engine.ts';
import type { Frame } from './frame.ts';
import { envelopeOf, seenOf, type GivenMoment } from './given_facts.ts';
import { ScriptedEnvironment } from './scripted_environment.ts';

/** Guard, rulebook, transitions and runs of the daemon around one envelope that is given instead of seen. */
export class PolicyHarness {
  readonly ledger: Ledger;
  readonly ids = countingIds();
  readonly entries: JournalEntry[] = [];
  readonly failures: string[] = [];
  readonly guardState: Read<GuardState>;
  readonly responder: Responder;
  readonly #frame: Frame;
  readonly #clock: VirtualClock;
  readonly #control: Read<ControlState>;
  readonly #incidents: Read<IncidentState>;
  readonly #channelIndex: ChannelIndex;
  readonly #factStore: FactStore;
  readonly #guard: Guard;
  readonly #environments: ReadonlyMap<string, ScriptedEnvironment>;
  #well = false;

  constructor(frame: Frame, clock: VirtualClock) {
    this.#frame = frame;
    this.#clock = clock;
    this.ledger = new Ledger(new MemoryStore(), clock, { onSubscriberError: (one) => this.failures.push(String(one)) });
    this.#control = this.ledger.register(controlProjection);
    this.guardState = this.ledger.register(guardProjection);
    this.#incidents = this.ledger.register(incidentProjection);
    const paging = journaledPaging(this.ledger, this.ids);
    this.#channelIndex = new ChannelIndex(frame.channels, () => frame.settings, this.#control);
    const setup = { channels: frame.channels, engines: [frame.engine] };
    this.#factStore = new FactStore(setup, (...start) => this.#started(...start));
    const world = (channel: Frame['channel']) =>
      new ScriptedEnvironment({ channel, given: withOutputDown(frame) }, clock);
    this.#environments = new Map(frame.channels.map((channel) => [channel.id, world(channel)]));
    this.#guard = this.#createGuard(paging);
    this.responder = this.#createResponder(paging);
    this.ledger.open();
    this.ledger.subscribe((entry) => this.entries.push(entry));
  }

  /** Lets questions expire, and raises and clears containment, as the daemon does once a second. */
  keepUp(): void {
    const expired = expireApprovals(this.#control(), this.#clock.monotonicMs());
    if (expired.length > 0) this.ledger.append(expired);
    const { pool_pressure: pool, shared_cause: shared } = this.#frame.given.envelope ?? {};
    const { id, group } = { id: this.#frame.engine.id, group: this.#frame.channel.group };
    const poolPressure = typeof pool === 'number' ? pool : undefined;
    this.#guard.contain({
      pools: [{ engine: id, poolPressure, reportsPool: pool !== undefined }],
      sharedCauses: shared === true ? [group] : [],
      frozen: frozenNow(this.#control()) !== undefined,
    });
  }

  /** One look at every channel. */
  look(): void {
    for (const world of this.#environments.values())
      for (const sample of world.samples()) this.#factStore.observe(sample);
  }

  /** From now on the channels are as the envelope says. */
  fail(): void {
    for (const [channel, world] of this.#environments) if (this.#isIncluded(channel)) world.fail();
  }

  /** Everything that waits for no time has run afterwards. */
  settle(): Promise<void> {
    return macrotask();
  }

  #isIncluded(channel: string): boolean {
    const { scope, given } = this.#frame;
    return scope.kind === 'channel' ? scope.id === channel : (given.envelope?.channels ?? []).includes(channel);
  }

  #moment(): GivenMoment {
    const nowMs = this.#clock.monotonicMs();
    const approval = questionState(this.#control(), this.#frame.scope);
    return { at: this.#clock.now(), nowMs, guard: this.guardState(), well: this.#well, approval };
  }

  #started(...[channel, generation, engine, agoMs]: Parameters<OnStart>): void {
    const start = { channel, generation, engine, agoMs, nowMs: this.#clock.monotonicMs() };
    if (!countsAtFirstSight(start, this.guardState(), this.#frame.settings.limits.windowMs)) return;
    const { guardState: guard, ledger } = this;
    noteStart(start, { guard, control: this.#control, factStore: this.#factStore, append: ledger.append });
  }

  #changed(channel: string | undefined): void {
    const { given, scope } = this.#frame;
    const then = given.effect ?? 'cured';
    const worlds = channel === undefined ? [...this.#environments.values()] : [this.#environments.get(channel)];
    for (const world of worlds) world?.change(channel);
    this.#well ||= scope.kind === 'channel' && (then === 'cured' || (then === 'fixed' && channel !== undefined));
  }

  #createGuard({ raise: page }: PagingPort): Guard {
    const { settings, engine, given } = this.#frame;
    const { pool_pressure: pool, viewers } = given.envelope ?? {};
    const live = {
      poolPressure: typeof pool === 'number' ? pool : undefined,
      reportsPool: pool !== undefined,
      viewers,
    };
    return new Guard({
      append: this.ledger.append,
      clock: this.ledger.clock,
      ids: this.ids,
      limits: () => settings.limits,
      guardState: this.guardState,
      control: this.#control,
      channelOf: this.#channelIndex.channelOf,
      capabilitiesOf: (id) => (id === engine.id ? engine.capabilities : new Set()),
      liveFacts: () => live,
      initialPhase: (group) => settings.initialPhase(group),
      onEscalate: ({ fact }) =>
        fact.type === 'containment.raised' && fact.reason !== 'shared_cause' ? page(containmentPage(fact)) : [],
      releaseByPerson: () => this.#frame.persona.risk_tolerance === 'low',
    });
  }

  #createRuns({ raise }: PagingPort): Runs {
    const { settings, engine, given } = this.#frame;
    const imagined = {
      works: (given.effect ?? 'cured') !== 'unchanged',
      onChange: (channel: string | undefined) => this.#changed(channel),
    };
    return new Runs({
      raise,
      append: this.ledger.append,
      clock: this.ledger.clock,
      ids: this.ids,
      lanes: createKeyedQueues({}, this.#clock),
      settings: () => settings,
      engines: new Map([[engine.id, new RecordingEngine(engine, this.#clock, imagined)]]),
      clean: (text) => safeText(text, 400),
      lookCloser: () => undefined,
      factStore: this.#factStore,
      snapshots: { envelope: () => envelopeOf(this.#frame, this.#moment()) },
      guard: this.#guard,
      control: this.#control,
      channelOf: this.#channelIndex.channelOf,
      channelsIn: this.#channelIndex.channelsIn,
      phaseOf: this.#channelIndex.phaseAt,
      personaOf: this.#channelIndex.personaOf,
      handOver: () => undefined,
      incidentOf: (id) => openById(this.#incidents(), id)?.incident,
    });
  }

  #createResponder(paging: PagingPort): Responder {
    const { raise, resolve } = paging;
    const runs = this.#createRuns(paging);
    const patienceMs = PATIENCE_MS[this.#frame.persona.aggressiveness];
    return new Responder({
      append: this.ledger.append,
      clock: this.ledger.clock,
      ids: this.ids,
      raise,
      resolve,
      onFailure: (text) => this.failures.push(text),
      incidents: this.#incidents,
      see: (_: unknown, _nowMs: MonoMs) => seenOf(this.#frame, this.#moment()),
      policyOf: () => ({ patienceMs, resolveHoldMs: RESOLVE_HOLD_MS, relapseMs: RELAPSE_MS }),
      run: (incident, run) => runs.run(incident, run),
      askApproval: (incident, run, envelope) => runs.askApproval(incident, run, envelope),
      lookCloser: () => undefined,
    });
  }
}

/** What a channel in trouble looks like from outside, so that a cure can be distinguished from none. */
function withOutputDown({ given, classification }: Frame): Frame['given'] {
  const probes = classification === 'process_crashed' ? { process: 'exited' as const, exit_signal: 9 } : {};
  return { ...given, probes: { ...probes, output: 'still' } };
}
