import type { ControlState } from '../../src/control/state.ts';
import { controlProjection } from '../../src/control/state.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Phase } from '../../src/core/control.ts';
import { countingIds } from '../../src/core/id.ts';
import type { Draft, JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import { type ChannelRef, keyOfScope, type Scope } from '../../src/core/scope.ts';
import { CAPABILITIES, type Capability, type Permit, type PermitTerms } from '../../src/core/tool.ts';
import { guardProjection } from '../../src/guard/state/fold.ts';
import { ClockWatch } from '../../src/guard/clock_watch.ts';
import { Guard, type GuardDeps } from '../../src/guard/guard.ts';
import type { GuardRequest, LiveFacts } from '../../src/guard/checks/check_input.ts';
import type { GuardState } from '../../src/guard/state/state.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { aCall, aChannel, anEnvelope, anIncident, aPersona } from '../support/a.ts';

export const START_MS = 1_000_000;

/** A state once shown stays as it is: whoever writes into it, instead of into a copy, is to be caught. */
export function freeze(value: object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
}
freeze(guardProjection.initial);
freeze(controlProjection.initial);

/** A clock that is set by hand, in one step and without promises: laws are tried over thousands of moments. */
export function handClock(startMs = START_MS, bootId = 'boot-1') {
  let nowMs = startMs;
  let wallMs = Date.UTC(2026, 0, 1) - startMs;
  let sleptMs = 0;
  const never = (): never => {
    throw new Error('the guard waits for nothing');
  };
  const clock: Clock = {
    bootId,
    now: () => wallMs + nowMs,
    monotonicMs: () => nowMs,
    bootTimeMs: () => nowMs + sleptMs,
    after: never,
    every: never,
    sleep: never,
  };
  return {
    clock,
    pass: (ms: number) => {
      nowMs += ms;
    },
    jumpWall: (ms: number) => {
      wallMs += ms;
    },
    suspend: (ms: number) => {
      sleptMs += ms;
      wallMs += ms;
    },
  };
}

export interface BenchOptions {
  readonly channels?: readonly ChannelRef[];
  readonly limits?: Partial<Limits>;
  readonly phase?: Phase;
  readonly live?: Partial<LiveFacts>;
  readonly capabilities?: readonly Capability[];
  readonly store?: MemoryStore;
  readonly hand?: ReturnType<typeof handClock>;
  readonly releaseByPerson?: GuardDeps['releaseByPerson'];
  readonly onEscalate?: GuardDeps['onEscalate'];
  readonly isConfigured?: GuardDeps['isConfigured'];
}

/** A page that names what it is about, so that a test can count it. */
export const aPage = (raised: Draft): readonly Draft[] => {
  const { fact } = raised;
  if (fact.type !== 'containment.raised') return [];
  const key = `containment/${keyOfScope(fact.scope)}`;
  return [
    {
      fact: {
        type: 'escalation.raised',
        escalation: {
          id: `esc-${key}`,
          key,
          severity: 'critical',
          reason: 'containment',
          scope: fact.scope,
          incident: undefined,
          classification: undefined,
          summary: `needs an operator: ${fact.detail}`,
          details: '',
          at: 0,
        },
      },
    },
  ];
};

/** The guard on a real journal in memory, with everything that it asks for. */
export function bench(options: BenchOptions = {}) {
  const hand = options.hand ?? handClock();
  const store = options.store ?? new MemoryStore();
  const ledger = new Ledger(store, hand.clock);
  const guardState = ledger.register<GuardState>(guardProjection);
  const control = ledger.register<ControlState>(controlProjection);
  ledger.open();
  ledger.subscribe(() => freeze(guardState()));

  const channels = new Map((options.channels ?? [aChannel()]).map((channel) => [channel.id, channel]));
  const world = {
    limits: { ...DEFAULT_LIMITS, ...options.limits } as Limits,
    phase: options.phase ?? (4 as Phase),
    live: { poolPressure: undefined, reportsPool: false, viewers: undefined, ...options.live } as LiveFacts,
    capabilities: new Set<Capability>(options.capabilities ?? CAPABILITIES),
    /** Engines that can do nothing. */
    lame: new Set<string>(),
    sharedCauses: [] as string[],
    /** What a reload has made of the persona of a scope; undefined: as it was asked with. */
    personaOf: undefined as GuardDeps['personaOf'],
    frozen: false,
  };
  const clockWatch = new ClockWatch(ledger.clock);
  const guard = new Guard({
    append: ledger.append,
    clockNews: () => clockWatch.look(),
    guardState,
    control,
    clock: ledger.clock,
    ids: countingIds(),
    limits: () => world.limits,
    channelOf: (id) => channels.get(id),
    channelCount: channels.size,
    capabilitiesOf: (engine) => (world.lame.has(engine) ? new Set<Capability>() : world.capabilities),
    liveFacts: () => world.live,
    initialPhase: () => world.phase,
    personaOf: (scope, group) => world.personaOf?.(scope, group),
    onEscalate: options.onEscalate ?? aPage,
    ...(options.releaseByPerson === undefined ? {} : { releaseByPerson: options.releaseByPerson }),
    ...(options.isConfigured === undefined ? {} : { isConfigured: options.isConfigured }),
  });
  const nowMs = () => ledger.clock.monotonicMs();
  let runs = 0;

  const record = (fact: JournalFact, channel?: string, incident?: string): JournalEntry =>
    ledger.append([{ channel, incident, fact }])[0]!;
  const recordOf = (terms: PermitTerms, fact: JournalFact): JournalEntry => {
    const { target } = terms.call;
    return ledger.append([
      { channel: target.kind === 'channel' ? target.id : undefined, incident: terms.incident, run: terms.run, fact },
    ])[0]!;
  };

  /** A restart of the channel that nothing speaks against, on fresh evidence, in a run of its own. */
  const request = (channel = 'news', with_: Partial<GuardRequest> = {}): GuardRequest => {
    const ref = channels.get(channel) ?? aChannel({ id: channel });
    const scope: Scope = { kind: 'channel', id: channel };
    runs += 1;
    return {
      call: aCall({ target: scope }),
      envelope: freshEnvelope(ref),
      persona: aPersona({ restart_cap: 10 }),
      incident: anIncident({ id: `inc-${channel}`, scope, group: ref.group, engine: ref.engine }),
      run: `run-${runs}`,
      decider: { kind: 'rule', rule: 'test' },
      stepHighRiskUsed: false,
      ...with_,
    };
  };

  /** Each one shows another fingerprint, unless the test says otherwise: question 9 has tests of its own. */
  const freshEnvelope = (ref: ChannelRef, with_: Parameters<typeof anEnvelope>[0] = {}) =>
    anEnvelope({
      channelId: ref.id,
      scope: { kind: 'channel', id: ref.id },
      group: ref.group,
      engine: ref.engine,
      takenMs: nowMs(),
      fingerprint: `process_crashed|${ref.id}|${runs}`,
      signals: [
        { origin: 'process', says: 'exited by signal 9', symptom: 'process_crash', monoMs: nowMs() },
        { origin: 'probe', says: 'playlist unchanged for 7 s', symptom: 'stalled_output', monoMs: nowMs() },
      ],
      ...with_,
    });

  const started = (terms: PermitTerms) => recordOf(terms, { type: 'tool.started', permit: terms });
  const finished = (terms: PermitTerms, ok = true) =>
    recordOf(terms, {
      type: 'tool.finished',
      permit: terms,
      result: {
        permit: terms.id,
        call: terms.call,
        ok,
        summary: '',
        durationMs: 0,
        code: ok ? undefined : 'TIMED_OUT',
      },
    });
  const verified = (terms: PermitTerms, cured: boolean) =>
    recordOf(terms, {
      type: 'attempt.verified',
      permit: terms,
      verification: { permit: terms.id, cured, because: '', waitedMs: 0 },
      fingerprint: terms.fingerprint ?? '',
    });

  /** Redeems the permit and makes the call, which takes `callMs`; `cured` undefined: without a verdict. */
  const perform = (permit: Permit, how: { callMs?: number; cured?: boolean | undefined } = {}): PermitTerms => {
    const { terms } = permit;
    if (!permit.redeem(nowMs())) throw new Error('the permit is used or has expired');
    started(terms);
    hand.pass(how.callMs ?? 0);
    finished(terms);
    if (how.cured !== undefined) verified(terms, how.cured);
    return terms;
  };

  /** Asks and, when allowed, performs. Throws on a refusal. */
  const restart = (
    channel = 'news',
    how: { callMs?: number; cured?: boolean } = {},
    with_: Partial<GuardRequest> = {},
  ) => {
    const decision = guard.decide(request(channel, with_));
    if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
    return perform(decision.permit, how);
  };

  const foreignStart = (
    channel: string,
    generation: string,
    origin: 'engine' | 'operator' | 'unknown' | 'reeve' = 'engine',
  ) =>
    record({ type: 'start.observed', origin, generation, engine: channels.get(channel)?.engine ?? 'local' }, channel);

  const contain = () =>
    guard.contain({
      pools: [{ engine: 'local', poolPressure: world.live.poolPressure, reportsPool: world.live.reportsPool }],
      sharedCauses: world.sharedCauses,
      frozen: world.frozen,
    });

  return {
    ...hand,
    nowMs,
    guard,
    ledger,
    store,
    world,
    channels,
    guardState,
    control,
    request,
    freshEnvelope,
    record,
    started,
    finished,
    verified,
    perform,
    restart,
    foreignStart,
    contain,
    entries: () => [...ledger.read()],
    facts: <T extends JournalFact['type']>(type: T) =>
      [...ledger.read()]
        .map((entry) => entry.fact)
        .filter((fact): fact is Extract<JournalFact, { type: T }> => fact.type === type),
  };
}

export type Bench = ReturnType<typeof bench>;

/** So many channels, each in a group of its own unless the test says otherwise. */
export const channelsOf = (count: number, with_: Partial<ChannelRef> = {}): readonly ChannelRef[] =>
  Array.from({ length: count }, (_, index) => aChannel({ id: `c${index}`, group: `g${index}`, ...with_ }));
