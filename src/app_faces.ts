import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accounts } from './app_accounts.ts';
import { createCommands } from './app_commands.ts';
import type { Decisions } from './app_decisions.ts';
import type { Edges } from './app_edges.ts';
import type { People } from './app_people.ts';
import type { World } from './app_world.ts';
import type { Config } from './config/config.ts';
import type { Reloader } from './config/reload.ts';
import { ensureToken, sha256Of } from './http/auth.ts';
import type { Daemon } from './http/daemon.ts';
import { type HttpServer, startServer } from './http/server.ts';
import { Views } from './http/views.ts';
import { exportIncident, type IncidentExport } from './incident/export.ts';
import { readiness, watchLoopLag } from './telemetry/health.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';

/** Everything that the faces show, or that a person may ask of. */
export interface Shown {
  readonly config: Config;
  readonly world: World;
  readonly edges: Edges;
  readonly people: People;
  readonly accounts: Accounts;
  readonly decisions: Decisions;
  readonly reloader: Reloader;
}

/** Metrics, views, commands, and the door to them. Resolves when the port is bound. */
export async function openFaces(shown: Shown, building: AsyncDisposableStack): Promise<HttpServer> {
  const { config, world, edges, people } = shown;
  const metrics = metricsOf(shown, building);
  building.use(edges.ledger.subscribe(metrics.observe));
  building.use(edges.ledger.subscribe(people.courier().onEntry));
  const token = ensureToken(join(edges.state, 'token'), (path) => statSync(path).mode);
  const server = building.use(
    await startServer(
      {
        host: config.http.listen.host,
        port: config.http.listen.port,
        allowedHosts: config.http.allowedHosts,
        tokens: [
          { name: 'operator', scope: 'admin', sha256: sha256Of(token) },
          ...config.collectors.intake.tokens.map(({ name, token: secret }) => ({
            ...{ name, scope: 'ingest' as const, sha256: sha256Of(secret.reveal()) },
          })),
        ],
        metrics: config.http.metricsListen,
      },
      {
        daemon: daemonOf(shown, metrics),
        clock: edges.clock,
        onError: (text) => world.log.warn({}, text),
        intake: shown.decisions.collectors.intake,
      },
    ),
  );
  writeFileSync(join(edges.state, 'address'), `${server.url}\n`, { mode: 0o600 });
  return server;
}

function metricsOf(shown: Shown, building: AsyncDisposableStack): Metrics {
  const { config, world, edges, people, accounts, decisions, reloader } = shown;
  const { clock } = edges;
  const lag = building.use(watchLoopLag());
  return createMetrics(
    config.metricsPrefix,
    { version: world.version, node: process.versions.node },
    {
      ...accounts.gauges(decisions.spine, () => decisions.settings().limits, clock),
      secondsSinceLastDeliveryOk: () => people.courier().secondsSinceLastDeliveryOk(),
      lines: () => decisions.collectors.lines(),
      loopLagSeconds: () => lag.p99Seconds(),
      configOk: () => reloader.problems().length === 0,
      heartbeatSeconds: () => clock.now() / 1000,
    },
  );
}

function viewsOf({ world, edges, people, decisions, reloader }: Shown): Views {
  const { ledger, clock } = edges;
  return new Views({
    version: world.version,
    clock,
    spine: decisions.spine,
    settings: decisions.settings,
    channels: decisions.collectors.channelSetups,
    read: (query) => ledger.read(query),
    secondsSinceLastDeliveryOk: () => people.courier().secondsSinceLastDeliveryOk(),
    receivers: () =>
      people
        .courier()
        .status()
        .map(({ receiver, error }) => ({ id: receiver, error })),
    problems: () => reloader.problems(),
  });
}

function exportOf(id: string, { world, edges, decisions }: Shown): IncidentExport | undefined {
  const { ledger, clock, engines } = edges;
  const { spine, settings, collectors } = decisions;
  return exportIncident(id, {
    version: world.version,
    at: clock.now(),
    read: (query) => ledger.read(query),
    personaOf: ({ scope, group }) => settings().personaOf(scope, group),
    limits: settings().limits,
    phaseOf: ({ group }) => spine.phaseOf(group),
    channels: collectors.channelSetups,
    capabilities: new Map([...engines].map(([engine, { capabilities }]) => [engine, capabilities])),
  });
}

function daemonOf(shown: Shown, metrics: Metrics): Daemon {
  const { world, edges, people, accounts, decisions, reloader } = shown;
  const { ledger, clock } = edges;
  const { collectors, spine, settings } = decisions;
  const views = viewsOf(shown);
  return {
    status: () => views.status(),
    channels: () => views.channels(),
    incidents: (filter) => views.incidents(filter),
    incident: (id) => views.incident(id),
    exportIncident: (id) => exportOf(id, shown),
    approvals: () => views.approvals(),
    personas: () => reloader.current().personas,
    rules: () => settings().rulebook.rules,
    stats: () => accounts.stats(spine),
    blindSpots: () => collectors.blindSpots(),
    why: (channel) => views.why(channel),
    whyNot: (channel, tool) => views.whyNot(channel, tool),
    journal: ({ since, limit }) => [...ledger.read({ sinceSeq: since + 1, limit })],
    command: createCommands({
      spine,
      append: ledger.append,
      clock,
      ids: world.ids,
      outbox: people.outbox,
      courier: people.courier(),
      reload: () => reloader.reload(),
      collectors,
    }),
    metrics: (openMetrics) => metrics.expose(openMetrics),
    readiness: () =>
      readiness([
        [ledger.broken === undefined, `the journal is broken: ${ledger.broken?.because}`],
        [spine.guard.journalError === undefined, `the journal cannot be written: ${spine.guard.journalError}`],
      ]),
    subscribe: (listener) => ledger.subscribe(listener),
  };
}
