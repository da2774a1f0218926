/** Reeve of the learning run: the daemon's own parts from log lines to promotion, over a simulated service. */
import { NamingWorker } from '../../src/agent/naming_worker.ts';
import { recognitionFor } from '../../src/app/recognition.ts';
import { openMemory } from '../../src/app/memory.ts';
import { compiledOf } from '../../src/config/patterns.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { assembleDecisionPath } from '../../src/incident/assembly.ts';
import type { DecisionPipeline } from '../../src/incident/pipeline/decision_pipeline.ts';
import { createKeyedQueues } from '../../src/resilience/keyed_queues.ts';
import { patternFolder } from '../../src/rulebook/patterns/files.ts';
import { Teaching } from '../../src/rulebook/patterns/teaching.ts';
import { SimulatedProbes } from '../../src/simulation/simulated_probes.ts';
import { type CoreOptions, type Ground, openGround } from './ground.ts';
import { LoadedFiles } from './loaded_files.ts';
import { CHANNELS } from './troubles.ts';
import { WorldEngine } from './world.ts';

const ENGINE = 'e0';
const QUIET_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

export type Core = Awaited<ReturnType<typeof openCore>>;

/** Time, service and daemon of one run. Nothing moves before `agenda` is worked off. */
export async function openCore(options: CoreOptions, building: AsyncDisposableStack) {
  const ground = openGround(options, (channel, line) => recognition.take(channel, line), building);
  const { state, agenda, time, host, clock, ledger, world, learning, calls, patternRecords } = ground;
  let memory: ReturnType<typeof openMemory>;
  const files = new LoadedFiles(options, ground, (envelope) => memory?.insightsFor(envelope) ?? []);
  const reload = (): void => {
    files.reload();
    recognition.renew();
  };
  const recognition = recognitionOf(ground, files, reload, (): DecisionPipeline => pipeline);
  const { teaching } = recognition;
  const { pipeline, probes } = openDecisions(options, ground, files, building);
  ledger.open();
  ledger.append([{ fact: { type: 'reeve.started', version: 'simulated', configSha: 'none' } }]);
  startLearning(ground, teaching, building);
  if (options.recall) memory = memoryOf(ground, building);
  return {
    ...{ agenda, time, host, clock, ledger, world, learning, teaching, pipeline, probes, calls, patternRecords },
    ...{ files, reload },
    /** As `reeve rules promote` does: the file is copied with a person's rights, and the daemon reads it. */
    useRule(text: string): void {
      files.useRule(text);
      reload();
    },
    /** As `reeve patterns promote` does. */
    usePattern(id: string, text: string): void {
      files.usePattern(id, text);
      reload();
    },
    patternFolder: patternFolder(state),
    dayMs: DAY_MS,
  };
}

/** The detector over the patterns that are loaded now, and the workshop that makes patterns of what it misses. */
function recognitionOf(
  { state, clock, ledger, patternRecords }: Ground,
  files: LoadedFiles,
  reload: () => void,
  pipelineNow: () => DecisionPipeline,
) {
  const table = createChannelTable(
    CHANNELS,
    CHANNELS.map((id) => ({ name: id, channel: id })),
  );
  const opened = () =>
    recognitionFor(files, table, {
      clock,
      onSymptom: (symptom) => pipelineNow().symptom(symptom),
      onSample: (sample) => pipelineNow().observe(sample),
      onNotice: () => undefined,
      onUnrecognised: (text, channel) => teaching.heard(text, channel),
      trustIn: (pattern) => teaching.trustIn(pattern),
    });
  const teaching: Teaching = new Teaching({
    folder: patternFolder(state),
    clock,
    append: ledger.append,
    records: patternRecords,
    read: (query) => ledger.read(query),
    catalogue: () => compiledOf(files.patterns).catalogue,
    names: CHANNELS,
    unrecognised: (channels, from, until) => now.blindSpots.heard(channels, from, until),
    onSilenced: reload,
    fail: failed,
  });
  let now = opened();
  return {
    teaching,
    renew: () => {
      now = opened();
    },
    take(channel: string, line: string): void {
      const bytes = Buffer.from(`${line}\n`);
      const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
      now.detector.accept({ source: channel, channel, bytes, start: 0, end: bytes.length, backlog: false, ...moment });
    },
  };
}

/** The decision path of the daemon, and probes that look at the simulated service. */
function openDecisions({ seed }: CoreOptions, ground: Ground, files: LoadedFiles, building: AsyncDisposableStack) {
  const { clock, ledger, paging, ids, world } = ground;
  const engine = new WorldEngine(world, clock, () => probes.report(ENGINE));
  const { pipeline }: { pipeline: DecisionPipeline } = assembleDecisionPath({
    ...{ ledger, paging, ids, settings: () => files.settings, lanes: createKeyedQueues({ concurrentMax: 16 }, clock) },
    observations: {
      channels: files.scenario.channels,
      engineSetups: files.scenario.engineSetups,
      engines: new Map([[ENGINE, engine]]),
      lookCloser: (channels, forMs) => probes.lookCloser(channels, forMs),
      lookNow: (channel, wants) => probes.lookNow(channel, wants),
    },
    onFailure: (text) => {
      throw new Error(text);
    },
  });
  const probes: SimulatedProbes = building.use(
    new SimulatedProbes({
      ...{ seed, clock, service: world.service, engines: [ENGINE] },
      probe: () => 'well',
      engineAnswers: () => true,
      pool: () => ({ pressure: 0.2 }),
      take: (sample) => pipeline.take(sample),
      settle: () => pipeline.settle(),
    }),
  );
  return { pipeline, probes };
}

function startLearning(
  { ledger, time, world, learning, model }: Ground,
  teaching: Teaching,
  building: AsyncDisposableStack,
): void {
  building.use(ledger.subscribe(() => (time.active += 1)));
  building.use(
    ledger.subscribe(({ fact }) => {
      if (fact.type === 'escalation.raised' && fact.escalation.scope.kind === 'channel')
        world.paged(fact.escalation.scope.id);
    }),
  );
  learning.start(building, failed);
  building.use(teaching.start());
  building.use(ledger.subscribe((entry) => teaching.onEntry(entry)));
  if (model === undefined) return;
  const naming = building.use(new NamingWorker({ model, teaching, wanted: () => true, log: QUIET_LOG }));
  building.use(ledger.subscribe((entry) => naming.onEntry(entry)));
}

function memoryOf(
  { state, ledger, clock, ids }: Ground,
  building: AsyncDisposableStack,
): ReturnType<typeof openMemory> {
  const infrastructure = { state, ledger, clock } as never;
  const config = { memory: { enabled: true, reflectEveryMs: 6 * HOUR_MS, rephraseInsights: false } } as never;
  const host = { ids, log: QUIET_LOG } as never;
  return openMemory({ config, infrastructure, host, model: undefined, fail: () => undefined }, building);
}

/** A journal in memory takes everything. */
const failed = (text: string): never => {
  throw new Error(text);
};
