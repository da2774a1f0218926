import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccounts } from './app_accounts.ts';
import { createCollectors } from './app_collect.ts';
import { createCommands } from './app_commands.ts';
import { settingsOf } from './app_settings.ts';
import { safeText } from './collect/clean.ts';
import { readProcess } from './collect/probes/process.ts';
import type { Config } from './config/config.ts';
import type { Configuration, LoadedConfiguration } from './config/load.ts';
import { type Change, watchConfiguration } from './config/reload.ts';
import type { Clock } from './core/clock.ts';
import type { EngineConfig } from './config/config.ts';
import { messageOf } from './core/errors.ts';
import type { Ids, Random } from './core/id.ts';
import type { SecretReference } from './core/engine-documents.ts';
import type { Escalation } from './core/incident.ts';
import { createEngines } from './engine/engine.ts';
import { Courier } from './escalate/courier.ts';
import { raise, resolve } from './escalate/escalator.ts';
import { outboxProjection } from './escalate/outbox.ts';
import { receiversOf } from './app_receivers.ts';
import type { Daemon } from './http/daemon.ts';
import { ensureToken, sha256Of } from './http/auth.ts';
import { startServer } from './http/server.ts';
import { Views } from './http/views.ts';
import { Spine } from './incident/spine.ts';
import { SqliteCheckpoints } from './journal/checkpoints.ts';
import { Ledger } from './journal/ledger.ts';
import { openWorkProjection, recoveryDrafts } from './journal/recover.ts';
import { SqliteStore } from './journal/sqlite.ts';
import { createLanes } from './resilience/lanes.ts';
import { readiness, watchLoopLag } from './telemetry/health.ts';
import { createMetrics } from './telemetry/metrics.ts';

/** A line for the operator's log. */
export interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** What the outside world provides. Tests pass a fake one; main.ts passes the real one. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
  /** The text of a secret; throws CONFIG_INVALID when it cannot be had. */
  readonly secret: (reference: SecretReference) => string;
  /** Reads the configuration anew. */
  readonly load: () => LoadedConfiguration;
}

export interface App extends AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
  /** Reads the configuration anew and says what came of it. */
  reload(): Change;
}

const DRAIN_MS = 8_000;
const HOUSEKEEPING_MS = 60_000;
const LANES_MAX = 16;

/** Builds the house, bottom storey first, and opens the door last. What was built is taken down in reverse. */
export async function createApp(configuration: Configuration, world: World): Promise<App> {
  await using building = new AsyncDisposableStack();
  const { config } = configuration;
  const { log } = world;

  // edges
  const state = prepareState(config);
  const store = SqliteStore.open(join(state, 'journal.db'));
  const onSubscriberError = (thrown: unknown) =>
    log.error({ error: messageOf(thrown) }, 'a reader of the journal failed');
  const ledger = building.use(new Ledger(store, world.clock, { onSubscriberError }));
  const { clock, append } = ledger;
  const checkpoints = building.use(new SqliteCheckpoints(join(state, 'collect.db')));
  const lag = building.use(watchLoopLag());
  const engines = building.use(createEngines(enginesOf(config), { clock, secret: world.secret, readProcess }));
  const lanes = createLanes({ concurrentMax: LANES_MAX }, clock);

  // what people are told
  const outbox = ledger.register(outboxProjection);
  const openWork = ledger.register(openWorkProjection);
  const accounts = createAccounts(ledger);
  const page = (draft: Omit<Escalation, 'id' | 'at'>): Escalation => ({
    ...draft,
    id: world.ids.next('esc'),
    at: clock.now(),
  });

  // the decision path
  let settings = settingsOf(configuration);
  const collectors = createCollectors(configuration, {
    clock,
    checkpoints,
    engines: engines.byId,
    log,
    onSample: (sample) => spine.observe(sample),
    onPolled: (samples) => {
      for (const sample of samples) spine.take(sample);
      spine.settle();
    },
    onSymptom: (symptom) => spine.symptom(symptom),
  });
  const spine: Spine = new Spine({
    clock,
    ids: world.ids,
    append,
    register: (projection) => ledger.register(projection),
    lanes,
    settings: () => settings,
    channels: collectors.channelSetups,
    engineSetups: collectors.engineSetups,
    engines: engines.byId,
    clean: (text) => safeText(text, 400),
    raise: (draft) => raise(outbox(), page(draft)),
    resolve: (key, because) => resolve(outbox(), key, because),
    openPages: () =>
      outbox()
        .pages.filter(({ resolved }) => resolved === undefined)
        .map(({ key }) => key),
    lookCloser: (channels, forMs) => collectors.lookCloser(channels, forMs),
    lookNow: (channel, wants) => collectors.lookNow(channel, wants),
    onFailure: (text) => fail(text),
  });

  const recovered = ledger.open();
  const receivers = receiversOf(config, { clock, building });
  const courier = building.use(
    new Courier({
      outbox,
      receivers,
      append,
      clock,
      random: world.random,
      ids: world.ids,
      repeatMs: config.escalation.repeatEveryMs,
      report: (message) => log.error({}, message),
    }),
  );
  /** Nothing goes wrong quietly: what Reeve itself fails at is paged, journaled where that is possible. */
  const fail = (text: string): void => {
    log.error({}, text);
    const internal = page({
      key: 'reeve/internal',
      severity: 'critical',
      reason: ledger.broken === undefined ? 'internal' : 'journal_broken',
      scope: { kind: 'fleet' },
      incident: undefined,
      classification: undefined,
      summary: `Reeve itself failed: ${text}`.slice(0, 200),
      details: `${text}\nReeve restarts nothing that it cannot write down. See its log and: reeve status`.slice(
        0,
        2_000,
      ),
    });
    try {
      append(raise(outbox(), internal));
    } catch {
      courier.pageUnjournaled(internal);
    }
  };

  const broken = recovered.chain.ok ? ledger.broken : { because: recovered.chain.because ?? 'the chain is broken' };
  if (broken !== undefined) {
    spine.guard.distrustJournal(broken.because);
    fail(`the journal is broken: ${broken.because} (reeve audit verify)`);
  }
  append([
    ...recoveryDrafts(openWork(), { at: clock.now(), nowMs: clock.monotonicMs(), ids: world.ids }),
    { fact: { type: 'reeve.started', version: world.version, configSha: configuration.sha256 } },
  ]);

  // edits of files
  const reloader = building.use(
    watchConfiguration({
      clock,
      load: world.load,
      current: configuration,
      onChange: (change) => {
        if (change.ok) {
          settings = settingsOf(change.configuration);
          collectors.recompile(change.configuration);
        }
        noteChange(change, { append, log, fail });
      },
    }),
  );

  // faces
  const views = new Views({
    version: world.version,
    clock,
    spine,
    settings: () => settings,
    channels: collectors.channelSetups,
    read: (query) => ledger.read(query),
    secondsSinceLastDeliveryOk: () => courier.secondsSinceLastDeliveryOk(),
    receivers: () => courier.status().map(({ receiver, error }) => ({ id: receiver, error })),
    problems: () => reloader.problems(),
  });
  const metrics = createMetrics(
    config.metricsPrefix,
    { version: world.version, node: process.versions.node },
    {
      ...accounts.gauges(spine, () => settings.limits, clock),
      secondsSinceLastDeliveryOk: () => courier.secondsSinceLastDeliveryOk(),
      lines: () => collectors.lines(),
      loopLagSeconds: () => lag.p99Seconds(),
      configOk: () => reloader.problems().length === 0,
      heartbeatSeconds: () => clock.now() / 1000,
    },
  );
  building.use(ledger.subscribe(metrics.observe));
  building.use(ledger.subscribe(courier.onEntry));
  const commands = createCommands({
    spine,
    append,
    clock,
    ids: world.ids,
    outbox,
    courier,
    reload: () => reloader.reload(),
    collectors,
  });
  const daemon: Daemon = {
    status: () => views.status(),
    channels: () => views.channels(),
    incidents: (filter) => views.incidents(filter),
    incident: (id) => views.incident(id),
    approvals: () => views.approvals(),
    personas: () => reloader.current().personas,
    rules: () => settings.rulebook.rules,
    stats: () => accounts.stats(spine),
    blindSpots: () => collectors.blindSpots(),
    why: (channel) => views.why(channel),
    whyNot: (channel, tool) => views.whyNot(channel, tool),
    journal: ({ since, limit }) => [...ledger.read({ sinceSeq: since + 1, limit })],
    command: commands,
    metrics: (openMetrics) => metrics.expose(openMetrics),
    readiness: () =>
      readiness([
        [ledger.broken === undefined, `the journal is broken: ${ledger.broken?.because}`],
        [spine.guard.journalError === undefined, `the journal cannot be written: ${spine.guard.journalError}`],
      ]),
    subscribe: (listener) => ledger.subscribe(listener),
  };
  const token = ensureToken(join(state, 'token'), (path) => statSync(path).mode);
  const server = building.use(
    await startServer(
      {
        host: config.http.listen.host,
        port: config.http.listen.port,
        allowedHosts: config.http.allowedHosts,
        tokens: [{ name: 'operator', scope: 'admin', sha256: sha256Of(token) }],
        metrics: config.http.metricsListen,
      },
      { daemon, clock, onError: (text) => log.warn({}, text) },
    ),
  );
  writeFileSync(join(state, 'address'), `${server.url}\n`, { mode: 0o600 });

  building.use(clock.every(HOUSEKEEPING_MS, () => keepHouse(ledger, config, fail)));
  courier.start();
  building.use(spine);
  spine.start();
  building.use(collectors);
  collectors.start();
  log.info({ url: server.url, channels: config.channels.length, entries: ledger.lastSeq }, 'Reeve watches');

  const running = building.move();
  return {
    url: server.url,
    metricsUrl: server.metricsUrl,
    reload: () => reloader.reload(),
    async [Symbol.asyncDispose]() {
      const left = await lanes.drain(DRAIN_MS);
      if (left > 0) log.warn({ left }, 'runs were cut off; their channels count as UNKNOWN at the next start');
      if (ledger.broken === undefined) append([{ fact: { type: 'reeve.stopped', because: 'asked to stop' } }]);
      await running.disposeAsync();
    },
  };
}

/** The state directory, readable by its owner only. */
function prepareState(config: Config): string {
  mkdirSync(config.stateDirectory, { recursive: true, mode: 0o700 });
  chmodSync(config.stateDirectory, 0o700);
  return config.stateDirectory;
}

function enginesOf(config: Config) {
  return config.engines.map((document: EngineConfig) => ({
    document,
    channels: config.channels.filter(({ engine }) => engine === document.id).map(({ id, name }) => ({ id, name })),
  }));
}

interface ChangeSinks {
  readonly append: Ledger['append'];
  readonly log: Log;
  readonly fail: (text: string) => void;
}

function noteChange(change: Change, { append, log, fail }: ChangeSinks): void {
  try {
    if (change.ok) {
      const named = (names: readonly string[]) => names.join(', ') || 'nothing';
      const because = `applied: ${named(change.applied)}; at the next start: ${named(change.needsRestart)}`;
      append([{ fact: { type: 'config.loaded', configSha: change.configuration.sha256, because } }]);
      return log.info({}, `configuration read again; ${because}`);
    }
    const [first] = change.problems;
    const where = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${first.message}`;
    append([{ fact: { type: 'config.rejected', problems: change.problems.length, first: where.slice(0, 400) } }]);
    log.error({ problems: change.problems.length }, `edit refused, the last good set stays: ${where} (reeve check)`);
  } catch (thrown) {
    fail(`a reload could not be written down: ${messageOf(thrown)}`);
  }
}

/** Retention in small steps, and a walk along the hash chain. */
function keepHouse(ledger: Ledger, config: Config, fail: (text: string) => void): void {
  try {
    ledger.compact(config.journal.keepMs);
    if (!ledger.patrol()) fail(`the journal's chain is broken: ${ledger.broken?.because ?? 'unknown'}`);
  } catch (thrown) {
    fail(`housekeeping: ${messageOf(thrown)}`);
  }
}
