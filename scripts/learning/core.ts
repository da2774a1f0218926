/** Reeve of the learning run: the daemon's own parts from log lines to promotion, over a simulated service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { modelPlanner } from '../../src/agent/planner.ts';
import { createLearning, type Learning } from '../../src/rulebook/learning.ts';
import { recognitionFor } from '../../src/app/collectors.ts';
import { compiledOf } from '../../src/config/patterns.ts';
import { openMemory } from '../../src/app/memory.ts';
import { NamingWorker } from '../../src/agent/naming_worker.ts';
import { patternFolder } from '../../src/rulebook/patterns/files.ts';
import { Teaching } from '../../src/rulebook/patterns/teaching.ts';
import { createPlannerText } from '../../src/classifier/planner_text.ts';
import { loadYamlFolder, readYaml } from '../../src/config/files.ts';
import { SHIPPED } from '../../src/config/document/paths.ts';
import { RULE_SUFFIX, rulesFrom } from '../../src/config/rules.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import type { Ids } from '../../src/core/id.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Rule } from '../../src/core/rule.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { patternRecordsProjection } from '../../src/detect/patterns/records.ts';
import { assembleDecisionPath, journaledPaging } from '../../src/incident/assembly.ts';
import type { DecisionPipeline } from '../../src/incident/pipeline/decision_pipeline.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { createGateway } from '../../src/model/gateway.ts';
import { modelUseProjection } from '../../src/model/use.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { createKeyedQueues } from '../../src/resilience/keyed_queues.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { SimulatedProbes } from '../../src/simulation/simulated_probes.ts';
import { settingsOf } from '../../src/simulation/settings.ts';
import { clockOn, SimulatedHost, TimerQueue } from '../../src/simulation/virtual_time.ts';
import { scriptedModel } from './people.ts';
import { CHANNELS, WITHOUT_RULES } from './troubles.ts';
import { World, WorldEngine } from './world.ts';

export interface CoreOptions {
  readonly seed: number;
  readonly days: number;
  /** What was learned from earlier incidents is sent to the model. */
  readonly recall: boolean;
  /** Without a model, and without anybody who promotes: what it would be without learning. */
  readonly learns: boolean;
}

const SAMPLED = { engine: 'e0' } as const;
const QUIET_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const CAPS = {
  callsPerIncident: 9,
  tokensPerIncident: 30_000,
  tokensPerDay: 1_000_000,
  moneyPerIncident: 1,
  moneyPerDay: 10,
};
const PRICE = { promptPerMillion: 0.15, replyPerMillion: 0.6 };

export type Core = Awaited<ReturnType<typeof openCore>>;

/** Time, service and daemon of one run. Nothing moves before `agenda` is worked off. */
export async function openCore(options: CoreOptions, building: AsyncDisposableStack) {
  const { seed, days } = options;
  const state = mkdtempSync(join(tmpdir(), 'reeve-learning-'));
  building.defer(() => rmSync(state, { recursive: true, force: true }));
  const agenda = new TimerQueue(seed);
  const time = { nowMs: 0, active: 0 };
  const host = new SimulatedHost(() => time.nowMs);
  const clock = clockOn(host, agenda);
  const ledger = new Ledger(new MemoryStore(), clock);
  const at = (atMs: number, run: () => void): void =>
    void agenda.add(host.monotonicMs() + Math.max(0, atMs - time.nowMs), run);
  const ids = idsOf();
  let heard = (_channel: string, _line: string): void => undefined;
  const world = new World({ seed, days, nowMs: () => time.nowMs, at, onLine: (channel, line) => heard(channel, line) });
  const learning = createLearning({ state, ledger, clock });
  const paging = journaledPaging(ledger, ids);
  const use = ledger.register(modelUseProjection);
  const patternRecords = ledger.register(patternRecordsProjection);
  const promoted = join(state, 'patterns.d');
  mkdirSync(promoted);
  const calls = { all: 0 };
  const scripted = scriptedModel(
    seed,
    (channel) => world.present.get(channel)?.trouble,
    () => (calls.all += 1),
  );
  const model = options.learns
    ? createGateway({ primary: { model: scripted, price: PRICE }, caps: CAPS, clock, append: ledger.append, use })
    : undefined;
  const files = settingsOf(scenarioOf(world, options), {});
  const persona = {
    ...files.persona,
    tool_access_policy: { ...files.persona.tool_access_policy, rebuild_playout: 'require_evidence' as const },
  };
  const rules = { promoted: [] as readonly Rule[], shipped: shippedRules() };
  const patterns = () => [...shippedPatterns(), ...loadYamlFolder(promoted, '.yaml')];
  let loaded = { patterns: patterns() };
  let memory: ReturnType<typeof openMemory>;
  const bookOf = () => createRulebook([...rules.shipped, ...rules.promoted], learning.standingOf);
  const settingsNow = () => ({
    limits: DEFAULT_LIMITS,
    rulebook: bookOf(),
    planner:
      model === undefined
        ? undefined
        : {
            planner: modelPlanner({
              model,
              templateOf: createPlannerText(compiledOf(loaded.patterns).catalogue).templateOf,
              recall: (envelope) => memory?.insightsFor(envelope) ?? [],
            }),
            mode: 'after_rules' as const,
            deadlineMs: 8_000,
            replyTokensMax: 256,
          },
    personaOf: () => persona,
    initialPhase: () => 4 as const,
  });
  let settings = settingsNow();
  const table = createChannelTable(
    CHANNELS,
    CHANNELS.map((id) => ({ name: id, channel: id })),
  );
  const seen = () =>
    recognitionFor(loaded, table, {
      clock,
      onSymptom: (symptom) => pipeline.symptom(symptom),
      onSample: (sample) => pipeline.observe(sample),
      onNotice: () => undefined,
      onUnrecognised: (text, channel) => teaching.heard(text, channel),
      isHeard: (pattern) => teaching.isHeard(pattern),
    });
  const reload = (): void => {
    loaded = { patterns: patterns() };
    settings = settingsNow();
    sight = seen();
  };
  const teaching: Teaching = new Teaching({
    folder: patternFolder(state),
    clock,
    append: ledger.append,
    records: patternRecords,
    read: (query) => ledger.read(query),
    catalogue: () => compiledOf(loaded.patterns).catalogue,
    names: CHANNELS,
    unrecognised: (channels, from, until) => sight.blindSpots.heard(channels, from, until),
    onSilenced: () => reload(),
  });
  let sight = seen();
  const engine = new WorldEngine(world, clock, () => probes.report(SAMPLED.engine));
  const { pipeline }: { pipeline: DecisionPipeline } = assembleDecisionPath({
    ...{ ledger, paging, ids, settings: () => settings, lanes: createKeyedQueues({ concurrentMax: 16 }, clock) },
    observations: {
      channels: files.channels,
      engineSetups: files.engineSetups,
      engines: new Map([[SAMPLED.engine, engine]]),
      lookCloser: (channels, forMs) => probes.lookCloser(channels, forMs),
      lookNow: (channel, wants) => probes.lookNow(channel, wants),
    },
    onFailure: (text) => {
      throw new Error(text);
    },
  });
  const probes = building.use(
    new SimulatedProbes({
      ...{ seed, clock, service: world.service, engines: [SAMPLED.engine] },
      probe: () => 'well',
      engineUp: () => true,
      pool: () => ({ pressure: 0.2 }),
      take: (sample) => pipeline.take(sample),
      settle: () => pipeline.settle(),
    }),
  );
  heard = (channel, line) => {
    const bytes = Buffer.from(`${line}\n`);
    const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
    sight.detector.accept({ source: channel, channel, bytes, start: 0, end: bytes.length, backlog: false, ...moment });
  };
  ledger.open();
  ledger.append([{ fact: { type: 'reeve.started', version: 'simulated', configSha: 'none' } }]);
  building.use(ledger.subscribe(() => (time.active += 1)));
  building.use(
    ledger.subscribe(({ fact }) => {
      if (fact.type === 'escalation.raised' && fact.escalation.scope.kind === 'channel')
        world.paged(fact.escalation.scope.id);
    }),
  );
  learning.start(building);
  building.use(teaching.start());
  building.use(ledger.subscribe((entry) => teaching.onEntry(entry)));
  if (model !== undefined) {
    const naming = building.use(new NamingWorker({ model, teaching, wanted: () => true, log: QUIET_LOG }));
    building.use(ledger.subscribe((entry) => naming.onEntry(entry)));
  }
  if (options.recall) {
    const infrastructure = { state, ledger, clock } as never;
    const config = { memory: { enabled: true, reflectEveryMs: 6 * HOUR_MS, wordInsights: false } } as never;
    memory = openMemory(
      { config, infrastructure, host: { ids, log: QUIET_LOG } as never, model: undefined, fail: () => undefined },
      building,
    );
  }
  return {
    ...{
      agenda,
      time,
      host,
      clock,
      ledger,
      world,
      learning,
      teaching,
      pipeline,
      probes,
      calls,
      patternRecords,
      rules,
      reload,
    },
    /** As `reeve rules promote` does: the file is copied with a person's rights, and the daemon reads it. */
    useRule(text: string): void {
      const file = join(state, `person-${rules.promoted.length}${RULE_SUFFIX}`);
      writeFileSync(file, text);
      const read = rulesFrom([readYaml(file)], [...TOOL_SPECS.values()], []);
      const others = rules.promoted.filter(({ id }) => !read.rules.some((rule) => rule.id === id));
      rules.promoted = [...others, ...read.rules];
      reload();
    },
    /** As `reeve patterns promote` does. */
    usePattern(id: string, text: string): void {
      writeFileSync(join(promoted, `${id}.yaml`), text);
      reload();
    },
    patternFolder: patternFolder(state),
    dayMs: DAY_MS,
  };
}

export type { Learning };

let shippedOnce: ReturnType<typeof loadYamlFolder> | undefined;
const shippedPatterns = () => {
  shippedOnce ??= loadYamlFolder(resolve(SHIPPED, 'config/patterns'), '.yaml');
  return shippedOnce;
};

const OWN_RULE = `id: guide_waits
description: The guide is renewed within minutes.
classification: guide_stale
priority: 50
then:
  - wait: { escalate_after: 10m }
`;

function shippedRules(): readonly Rule[] {
  const files = loadYamlFolder(resolve(SHIPPED, 'config/rules'), RULE_SUFFIX);
  const { rules } = rulesFrom(files, [...TOOL_SPECS.values()], []);
  const folder = mkdtempSync(join(tmpdir(), 'reeve-learning-rules-'));
  const file = join(folder, `own${RULE_SUFFIX}`);
  writeFileSync(file, OWN_RULE);
  const own = rulesFrom([readYaml(file)], [...TOOL_SPECS.values()], []).rules;
  rmSync(folder, { recursive: true });
  return [...rules.filter(({ classification }) => !WITHOUT_RULES.has(classification)), ...own];
}

function scenarioOf(world: World, { seed, days }: CoreOptions) {
  const channels = [...world.service.channels.values()].map(({ plan }) => plan);
  return {
    seed,
    days,
    channels,
    persona: 'system_admin',
    phase: 4,
    limits: {},
    kinds: [],
    injections: [],
    startCost: false,
  } as const;
}

/** Names that count up, so that a seed gives the same journal. */
function idsOf(): Ids {
  let last = 0;
  return {
    next: (prefix) => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
