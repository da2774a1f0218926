import type { PlannerSettings } from '../../src/agent/decide.ts';
import type { Rule } from '../../src/core/rule.ts';
import { loadPersonas } from '../../src/config/personas.ts';
import { loadRules } from '../../src/config/rules.ts';
import { countingIds, type Ids } from '../../src/core/id.ts';
import type { Escalation } from '../../src/core/incident.ts';
import type { FactType, JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import type { Persona } from '../../src/core/persona.ts';
import type { ControlFact, Phase } from '../../src/core/control.ts';
import type { ChannelSetup } from '../../src/ground/facts/setup.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { bootAheadOf } from '../../src/guard/clock_watch.ts';
import { assembleDecisionPath, journaledPaging } from '../../src/incident/assembly.ts';
import type { Settings } from '../../src/incident/pipeline/settings.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { createKeyedQueues } from '../../src/resilience/keyed_queues.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import type { LogReading } from '../../src/core/symptom.ts';
import type { Sample } from '../../src/core/sample.ts';
import { FakeEngine } from './fake_engine.ts';
import { fakeClock } from './fake_clock.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

export interface PipelineOptions {
  readonly channels?: readonly string[];
  readonly group?: string;
  readonly phase?: Phase;
  /** Of groups that have one of their own. */
  readonly groupPhases?: Readonly<Record<string, Phase>>;
  readonly persona?: string;
  /** What differs from the shipped persona. */
  readonly personaWith?: Partial<Persona>;
  /** What differs for single channels. */
  readonly personas?: Readonly<Record<string, Partial<Persona>>>;
  /** A group for some channels; the others are in `group`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** An engine for some channels; the others are on `local`. */
  readonly engines?: Readonly<Record<string, string>>;
  /** Each channel, or each of these, reads from a source that is looked at once a second. */
  readonly sources?: boolean | readonly string[];
  readonly outputProbe?: boolean;
  /** Default `always`. */
  readonly expected?: ChannelSetup['expected'];
  /**
   * Instead of playlists: whether the output of a channel answers, as probes of these kinds report; and whether the
   * server that all of them publish to does.
   */
  readonly reach?: {
    readonly source: string;
    readonly answers: (channel: string) => boolean;
    readonly serverFails?: () => boolean;
  };
  /** How its output is looked at; default once a second. */
  readonly looks?: Pick<ChannelSetup, 'outputEveryMs' | 'outputCalmEveryMs'>;
  readonly limits?: Partial<Limits>;
  /** Instead of the shipped rules. */
  readonly rules?: readonly Rule[];
  readonly planner?: PlannerSettings;
  readonly store?: MemoryStore;
  readonly time?: ReturnType<typeof fakeClock>;
  readonly engine?: FakeEngine;
  /** The next process goes on counting: an id is never used twice. */
  readonly ids?: Ids;
  /** What the last lines of a channel's log say as a whole; default: it cannot be read. */
  readonly readLog?: (channel: string, moment: { readonly at: number; readonly monoMs: number }) => LogReading;
}

/** The whole decision path over a fake engine, a memory journal and a standing clock. */
export function pipelineHarness(options: PipelineOptions = {}) {
  const time = options.time ?? fakeClock();
  const store = options.store ?? new MemoryStore();
  const ledger = new Ledger(store, time.clock);
  const { clock } = ledger;
  const names = options.channels ?? ['news'];
  const engine = options.engine ?? new FakeEngine(clock, names);
  const personas = loadPersonas(`${ROOT}personas`);
  const rules = loadRules(`${ROOT}config/rules`, [...TOOL_SPECS.values()]);
  if (personas.problems.length + rules.problems.length > 0) throw new Error('the shipped files have problems');
  const shipped = personas.personas.find(({ id }) => id === (options.persona ?? 'system_admin'))!;
  let persona: Persona = { ...shipped, ...options.personaWith };
  let whole: Partial<Persona> = {};
  const ids = options.ids ?? countingIds();
  const paging = journaledPaging(ledger, ids);
  const { outbox } = paging;
  const failures: string[] = [];
  const unjournaled: (Omit<Escalation, 'id' | 'at'> | { readonly key: string; readonly because: string })[] = [];
  let phase: Phase = options.phase ?? 4;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const rulebook = createRulebook(options.rules ?? rules.rules);
  const { sources = false } = options;
  const hasSource = (name: string): boolean => (typeof sources === 'boolean' ? sources : sources.includes(name));
  const closer: string[] = [];
  const channels = names.map(
    (id): ChannelSetup => ({
      id,
      group: options.groups?.[id] ?? options.group ?? 'encoders',
      engine: options.engines?.[id] ?? 'local',
      expected: options.expected ?? 'always',
      hasSource: hasSource(id),
      hasOutputProbe: options.outputProbe ?? true,
      stallAfterMs: 6_000,
      outputEveryMs: 1_000,
      sourceEveryMs: 1_000,
      ...(options.reach?.serverFails === undefined ? {} : { publishesTo: 'radio:8000' }),
      ...options.looks,
    }),
  );
  const settings = (): Settings => ({
    limits,
    rulebook,
    planner: options.planner,
    personaOf: (scope) =>
      scope.kind === 'channel' ? { ...persona, ...options.personas?.[scope.id] } : { ...persona, ...whole },
    initialPhase: (group) => ({ fleet: phase, group: options.groupPhases?.[group] }),
  });
  const engineIds = [...new Set(channels.map((channel) => channel.engine))];
  const lanes = createKeyedQueues({ concurrentMax: 16 }, clock);
  const { pipeline, recover } = assembleDecisionPath({
    ...{ ledger, ids, paging },
    unjournaled: {
      raise: (page) => unjournaled.push(page),
      resolve: (key, because) => unjournaled.push({ key, because }),
    },
    lanes,
    settings,
    observations: {
      channels,
      engineSetups: engineIds.map((id) => ({ id, pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined })),
      engines: new Map(engineIds.map((id) => [id, engine])),
      lookCloser: (ids) => closer.push(...ids),
      lookNow: () => undefined,
      readLog: (id) => options.readLog?.(id, { at: clock.now(), monoMs: clock.monotonicMs() }),
    },
    onFailure: (text) => failures.push(text),
  });
  ledger.open();
  const entries: JournalEntry[] = [];
  ledger.subscribe((entry) => entries.push(entry));
  ledger.append([
    ...recover(),
    { fact: { type: 'reeve.started', version: '0', configSha: 'x', ...bootAheadOf(clock) } },
  ]);
  pipeline.start();

  const outputOf = (channel: string): Sample => {
    if (options.reach === undefined) return engine.playlistOf(channel);
    const { source, answers, serverFails } = options.reach;
    const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
    const base = { kind: 'reach', channel, source, ...moment } as const;
    if (serverFails?.() === true) return { ...base, ok: false, failure: 'refused', serverFailed: true };
    if (answers(channel)) return { ...base, ok: true };
    return { ...base, ok: false, failure: serverFails === undefined ? 'refused' : 'unreachable' };
  };
  const silentEngines = new Set<string>();
  const look = async () => {
    const report = await engine.observe();
    for (const id of engineIds) pipeline.take({ ...report.engine, engine: id, ok: !silentEngines.has(id) });
    for (const sample of report.processes) pipeline.take(sample);
    for (const name of names) if (options.outputProbe !== false) pipeline.take(outputOf(name));
    for (const name of names) if (hasSource(name)) pipeline.take(engine.sourceOf(name));
    pipeline.settle();
  };

  return {
    lanes,
    ...time,
    clock,
    pipeline,
    channels,
    settings,
    engine,
    ledger,
    store,
    outbox,
    failures,
    /** Pages that the journal could not take, and the ends of such pages. */
    unjournaled,
    entries,
    /** Channels that the probes were asked to look at more often, once for each time they were. */
    closer,
    /** Those of these names answer nothing. */
    silentEngines,
    /** A reload brings another persona or phase; `whole`: another persona of groups and engines alone. */
    reload(change: { readonly persona?: Partial<Persona>; readonly whole?: Partial<Persona>; readonly phase?: Phase }) {
      persona = { ...persona, ...change.persona };
      whole = { ...whole, ...change.whole };
      phase = change.phase ?? phase;
    },
    /** A person's command, as the daemon takes it. */
    say(fact: ControlFact) {
      const scope = 'scope' in fact ? fact.scope : undefined;
      ledger.append([{ channel: scope?.kind === 'channel' ? scope.id : undefined, fact }]);
      pipeline.onCommand();
    },
    /** Lets time pass, with a look at everything so often. */
    async live(ms: number, everyMs = 250) {
      for (let passed = 0; passed < ms; passed += everyMs) {
        await look();
        await time.advance(everyMs);
      }
    },
    facts: <T extends FactType>(type: T) =>
      entries.map(({ fact }) => fact).filter((fact): fact is Extract<JournalFact, { type: T }> => fact.type === type),
  };
}
