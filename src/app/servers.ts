/** Opens what people and programs reach: metrics, views, commands and the HTTP server. */
import { randomUUID } from 'node:crypto';
import { createDialogue } from '../memory/dialogue.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '../http/auth/access.ts';
import type { Statistics } from '../incident/statistics.ts';
import { createCommands } from '../http/dispatch.ts';
import type { Decisions } from './decisions.ts';
import type { HintsOfDaemon } from './hints.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Learning } from '../rulebook/learning.ts';
import type { Memory } from './memory.ts';
import type { Models } from './models.ts';
import type { Paging } from './paging.ts';
import type { HeadWitness } from '../journal/head_witness.ts';
import type { HostEnvironment } from './host_environment.ts';
import type { Config } from '../config/config.ts';
import type { Teaching } from '../rulebook/patterns/teaching.ts';
import type { Reloader } from '../config/reload.ts';
import type { Daemon } from '../http/daemon.ts';
import { type HttpServer, startServer } from '../http/server.ts';
import { Views } from '../http/views.ts';
import { exportIncident, type IncidentExport } from '../incident/export.ts';
import { neededRatio } from '../model/use.ts';
import type { Heartbeat } from '../escalate/heartbeat.ts';
import { headBits } from '../journal/heads.ts';
import { readiness, watchLoopLag } from '../telemetry/health.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { tellingOf } from '../journal/telling.ts';
import { messageOf } from '../core/errors.ts';
import { fromWire } from '../core/wire.ts';

/** Everything that the faces show, or that a person may ask of. */
export interface Shown {
  readonly config: Config;
  readonly host: HostEnvironment;
  readonly infrastructure: Infrastructure;
  readonly paging: Paging;
  readonly access: Access;
  readonly witness: HeadWitness;
  /** Undefined where none is configured. */
  readonly heartbeat: Heartbeat | undefined;
  readonly statistics: Statistics;
  readonly models: Models;
  readonly learning: Learning;
  readonly memory: Memory | undefined;
  readonly hints: Omit<HintsOfDaemon, 'hintFor'>;
  readonly decisions: Decisions;
  readonly teaching: Teaching;
  readonly reloader: Reloader;
}

/** Metrics, views, commands, and the door to them. Resolves when the port is bound. */
export async function openServers(shown: Shown, building: AsyncDisposableStack): Promise<HttpServer> {
  const { config, host, infrastructure, paging, access } = shown;
  let refused: HttpServer['refused'] = () => [];
  const metrics = metricsOf(shown, { building, refused: () => refused() });
  building.use(infrastructure.ledger.subscribe(metrics.observe));
  building.use(infrastructure.ledger.subscribe(paging.dispatcher().onEntry));
  const server = building.use(
    await startServer(
      {
        ...config.http.listen,
        socket: config.http.socket,
        tls: config.http.tls,
        trustedProxies: config.http.trustedProxies,
        allowedHosts: config.http.allowedHosts,
        tokens: access.fixed(),
        namedTokens: access.named,
        metrics: config.http.metricsListen,
        metricsNeedToken: config.http.metricsToken !== undefined,
      },
      {
        daemon: daemonOf(shown, metrics),
        clock: infrastructure.clock,
        onError: (text) => host.log.warn({}, text),
        onRefusal: (text) => host.log.warn({}, text),
        intake: shown.decisions.collectors.intake,
        onUse: access.noteUse,
        onCertificate: ({ cert }) => noteDown('certificate', cert, shown),
      },
    ),
  );
  refused = server.refused;
  noteDown('address', `${server.url}\n`, shown);
  return server;
}

/** For commands on this machine, which is no reason to watch nothing. */
function noteDown(name: string, text: string, { host, infrastructure }: Shown): void {
  const path = join(infrastructure.state, name);
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (thrown) {
    host.log.warn({}, `commands need --url: ${path} cannot be written: ${messageOf(thrown)}`);
  }
}

interface MetricsDeps {
  readonly building: AsyncDisposableStack;
  readonly refused: HttpServer['refused'];
}

function metricsOf(shown: Shown, { building, refused }: MetricsDeps): Metrics {
  const { config, host, infrastructure, paging, statistics, models, decisions, reloader } = shown;
  const { ledger, clock } = infrastructure;
  const { witness, heartbeat } = shown;
  const lag = building.use(watchLoopLag());
  return createMetrics(
    config.metricsPrefix,
    { version: host.version, node: process.versions.node },
    {
      ...statistics.gauges(decisions.pipeline, () => decisions.settings().limits, clock),
      secondsSinceLastDeliveryOk: () => paging.dispatcher().secondsSinceLastDeliveryOk(),
      receivers: () => paging.dispatcher().status(),
      pagesForgotten: () => paging.outbox().forgotten,
      lines: () => decisions.collectors.lines(),
      syslogClosed: () => decisions.collectors.syslogClosed(),
      refused,
      journalHead: () => ({ seq: ledger.head.seq, bits: headBits(ledger.head.hash) }),
      secondsSinceHeadSent: () => witness.secondsSinceSent(),
      secondsSinceHeartbeatTaken: () => heartbeat?.secondsSinceTaken(),
      loopLagSeconds: () => lag.p99Seconds(),
      hints: () => shown.hints.loaded()?.figures(),
      configOk: () => reloader.problems().length === 0,
      llmNeededRatio: () => (models.model === undefined ? undefined : neededRatio(models.use())),
      heartbeatSeconds: () => clock.now() / 1000,
    },
  );
}

function viewsOf({ host, infrastructure, paging, decisions, reloader, heartbeat }: Shown): Views {
  const { ledger, clock } = infrastructure;
  return new Views({
    version: host.version,
    clock,
    pipeline: decisions.pipeline,
    settings: decisions.settings,
    channels: decisions.collectors.channelSetups,
    read: (query) => ledger.read(query),
    count: ledger.count,
    pagesKept: () => paging.dispatcher().pages(),
    secondsSinceLastDeliveryOk: () => paging.dispatcher().secondsSinceLastDeliveryOk(),
    receivers: () =>
      paging
        .dispatcher()
        .status()
        .map(({ receiver, error }) => ({ id: receiver, error })),
    heartbeat: () => heartbeat?.trouble(),
    problems: () => reloader.problems(),
    waiting: () => reloader.waiting(),
  });
}

function exportOf(id: string, { host, infrastructure, decisions }: Shown): IncidentExport | undefined {
  const { ledger, clock, engines } = infrastructure;
  const { pipeline, settings, collectors } = decisions;
  return exportIncident(id, {
    version: host.version,
    at: clock.now(),
    read: (query) => ledger.read(query),
    count: ledger.count,
    personaOf: ({ scope, group }) => pipeline.channelIndex.personaOf(scope, group),
    limits: settings().limits,
    phaseOf: (incident) => pipeline.channelIndex.phaseAt(incident),
    channels: collectors.channelSetups,
    capabilities: new Map([...engines].map(([engine, { capabilities }]) => [engine, capabilities])),
  });
}

const statsOf = ({ statistics, decisions, learning, models }: Shown) => ({
  ...statistics.stats(decisions.pipeline),
  ...learning.figures(),
  similarity: models.similarity.state(),
});

/** The rules, and what answers a question in words. */
const knowledgeOf = ({ learning, decisions, models }: Shown): Pick<Daemon, 'rules' | 'ruleProblems' | 'asking'> => ({
  asking: { model: models.model, tell: (fact) => tellingOf(fromWire(fact)), uuid: randomUUID },
  rules: () => learning.views(decisions.settings().rulebook.rules),
  ruleProblems: () => learning.proposals.problems(),
});

type Shows = 'status' | 'channels' | 'incidents' | 'incident' | 'approvals' | 'pages' | 'why' | 'prompt' | 'whyNot';

const shownBy = (views: Views): Pick<Daemon, Shows> => ({
  status: () => views.status(),
  channels: () => views.channels(),
  incidents: (filter) => views.incidents(filter),
  incident: (id) => views.incident(id),
  approvals: () => views.approvals(),
  pages: () => views.pages(),
  why: (channel) => views.why(channel),
  prompt: (channel) => views.prompt(channel),
  whyNot: (channel, tool) => views.whyNot(channel, tool),
});

function daemonOf(shown: Shown, metrics: Metrics): Daemon {
  const { host, infrastructure, paging, access, decisions, teaching, reloader, learning } = shown;
  const { ledger, clock } = infrastructure;
  const { collectors, pipeline, settings } = decisions;
  return {
    ...shownBy(viewsOf(shown)),
    exportIncident: (id) => exportOf(id, shown),
    tokens: () => access.list(),
    personas: () => reloader.current().personas,
    ...knowledgeOf(shown),
    stats: () => statsOf(shown),
    blindSpots: () => collectors.blindSpots().list(clock.monotonicMs()),
    patterns: () => teaching.views(),
    memory: shown.memory?.face,
    hints: () => shown.hints.face(),
    journal: ({ since, limit }) => [...ledger.read({ sinceSeq: since + 1, limit })],
    command: createCommands({
      pipeline,
      append: ledger.append,
      clock,
      ids: host.ids,
      outbox: paging.outbox,
      dispatcher: paging.dispatcher(),
      reload: () => reloader.reload(),
      learning,
      settings,
      known: {
        channels: new Set(collectors.channelSetups.map(({ id }) => id)),
        groups: new Set(collectors.channelSetups.map(({ group }) => group)),
        engines: new Set(collectors.engineSetups.map(({ id }) => id)),
      },
      access,
      teaching,
      reflect: shown.memory?.reflect,
      dialogue: createDialogue({
        ...{ reads: shown.memory?.reads, append: ledger.append, clock, ids: host.ids },
        channels: collectors.channelSetups.map(({ id }) => id),
      }),
    }),
    metrics: (openMetrics) => metrics.expose(openMetrics),
    readiness: () =>
      readiness([
        [ledger.broken === undefined, `the journal is broken: ${ledger.broken?.because}`],
        [pipeline.guard.journalError === undefined, `the journal cannot be written: ${pipeline.guard.journalError}`],
      ]),
    subscribe: (listener) => ledger.subscribe(listener),
  };
}
