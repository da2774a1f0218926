// Part by part: its index brings along clusters, gateways, quantiles and OpenTelemetry, a megabyte without use here.
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { FactType, JournalEntry, JournalFact } from '../core/journal.ts';
import type { PermitTerms } from '../core/tool.ts';
import { type Gauges, registerGauges } from './gauges.ts';

export interface Metrics {
  /** Reads one journal entry. No other place in Reeve touches a counter. */
  observe(entry: JournalEntry): void;
  /** `openMetrics` true gives the OpenMetrics text, else Prometheus text 0.0.4. */
  expose(openMetrics: boolean): Promise<{ readonly contentType: string; readonly text: string }>;
}

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const RECOVER_BUCKETS = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

/**
 * Counters and histograms from journal facts, gauges at scrape. `prefix` such as `reeve_`; labels come from closed
 * sets.
 */
export function createMetrics(prefix: string, build: { version: string; node: string }, gauges: Gauges): Metrics {
  const registry = new Registry();
  const counters = countersOf(prefix, registry);
  registerGauges(prefix, registry, gauges);
  const buildGauge = new Gauge({
    name: `${prefix}build_info`,
    help: 'Always 1; the version of Reeve and of its runtime as labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  buildGauge.set(build, 1);
  let lastScrape: Promise<unknown> = Promise.resolve();
  return {
    observe: (entry) => count(counters, entry.fact),
    expose(openMetrics) {
      const scrape = lastScrape.then(() => render(registry, openMetrics));
      lastScrape = scrape.then(
        () => undefined,
        () => undefined,
      );
      return scrape;
    },
  };
}

/**
 * The format is a state of the registry, and prom-client cuts `_total` off its counters for good when it writes
 * OpenMetrics: so one exposition at a time, and the names are put back after each.
 */
async function render(registry: Registry, openMetrics: boolean): Promise<{ contentType: string; text: string }> {
  const target = openMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  registry.setContentType(target as typeof Registry.PROMETHEUS_CONTENT_TYPE);
  const names = (registry.getMetricsAsArray() as { name: string }[]).map((metric) => [metric, metric.name] as const);
  try {
    return { contentType: registry.contentType, text: await registry.metrics() };
  } finally {
    for (const [metric, name] of names) metric.name = name;
  }
}

type Counters = ReturnType<typeof countersOf>;

function countersOf(prefix: string, registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: prefix + name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: prefix + name, help, buckets, registers });
  return {
    envelopes: counter('grounded_envelope_events_total', 'Envelopes taken, by classification.', ['classification']),
    incidents: counter('incidents_total', 'Incidents closed, and runs escalated, by outcome.', ['outcome']),
    incidentSeconds: histogram('incident_duration_seconds', 'From opening to closing an incident.', RECOVER_BUCKETS),
    recoverSeconds: histogram(
      'time_to_recover_seconds',
      'From opening an incident to its end, for incidents that a verified action resolved.',
      RECOVER_BUCKETS,
    ),
    actions: counter('actions_total', 'Tool calls that ended, by tool and result.', ['tool', 'result']),
    denials: counter('guard_denials_total', 'Calls the guard refused, by code.', ['code']),
    restarts: counter('restarts_total', 'Starts of channels, by who began them.', ['origin']),
    plans: counter('planner_decisions_total', 'Plans made, by who made them.', ['by']),
    planRejections: counter('plan_rejections_total', 'Answers of planners that were not usable.', ['reason']),
    modelTokens: counter('llm_tokens_total', 'Tokens of language models, by purpose.', ['purpose', 'direction']),
    viewerSeconds: counter('viewer_seconds_spent_total', 'What began was expected to cost, in viewer-seconds.', []),
    modelCalls: counter('llm_calls_total', 'Calls of language models that ended, by result.', ['purpose', 'result']),
    escalations: counter('escalations_total', 'Deliveries to receivers, by result.', ['receiver', 'result']),
    ruleOutcomes: counter('rule_outcomes_total', 'Verified results of rules.', ['rule', 'result']),
    decisionSeconds: histogram('decision_latency_seconds', 'The guard: question to durable verdict.', LATENCY_BUCKETS),
    hintsSent: counter('hint_injections_total', 'Hints that were sent, by who asked.', ['asker']),
    hintsScored: counter('hint_feedback_total', 'Reports of what came of a hint.', []),
    hintSpots: counter('hint_blind_spots_total', 'Beginnings of errors that crossed the threshold.', []),
    configRejected: counter('config_rejections_total', 'Reloads refused because of problems in files.', []),
  };
}

type Readers = { [T in FactType]?: (counters: Counters, fact: Extract<JournalFact, { type: T }>) => void };

/** What each kind of fact counts as. A kind that is not named counts nothing. */
const READERS: Readers = {
  'envelope.taken': ({ envelopes }, { envelope }) =>
    envelopes.inc({ classification: envelope.failureClassification ?? 'none' }),
  'plan.made': ({ plans }, { plan }) => plans.inc({ by: plan.by.kind }),
  'plan.rejected': ({ planRejections }, { reason }) => planRejections.inc({ reason }),
  'model.called': ({ modelTokens, modelCalls }, { purpose, failure, promptTokens, replyTokens }) => {
    modelCalls.inc({ purpose, result: failure ?? 'ok' });
    modelTokens.inc({ purpose, direction: 'prompt' }, promptTokens);
    modelTokens.inc({ purpose, direction: 'reply' }, replyTokens);
  },
  'guard.decided': ({ decisionSeconds, denials }, { decision, tookMs }) => {
    decisionSeconds.observe(tookMs / 1000);
    if (decision.verdict === 'deny') denials.inc({ code: decision.code });
  },
  'tool.started': ({ restarts, viewerSeconds }, { permit }) => {
    if (isSingleRestart(permit)) restarts.inc({ origin: 'reeve' });
    viewerSeconds.inc(permit.viewerSeconds ?? 0);
  },
  'tool.finished': ({ actions }, { permit, result }) =>
    actions.inc({ tool: permit.call.tool, result: result.ok ? 'ok' : 'failed' }),
  'tool.unknown': ({ actions }, { permit }) => actions.inc({ tool: permit.call.tool, result: 'unknown' }),
  'attempt.verified': ({ actions }, { permit, verification }) =>
    actions.inc({ tool: permit.call.tool, result: verification.cured ? 'verified' : 'not_verified' }),
  'attempt.scored': ({ ruleOutcomes }, { by, cured }) => {
    if (by.kind === 'rule' && cured !== undefined)
      ruleOutcomes.inc({ rule: by.rule, result: cured ? 'cured' : 'failed' });
  },
  // Reeve's own starts were counted when they began.
  'start.observed': ({ restarts }, { origin }) => {
    if (origin !== 'reeve') restarts.inc({ origin });
  },
  'run.ended': ({ incidents }, { outcome }) => {
    if (outcome.kind === 'escalated') incidents.inc({ outcome: 'escalated' });
  },
  'incident.closed': ({ incidents, incidentSeconds, recoverSeconds }, { ending, openMs }) => {
    incidents.inc({ outcome: ending });
    incidentSeconds.observe(openMs / 1000);
    if (ending === 'resolved') recoverSeconds.observe(openMs / 1000);
  },
  'delivery.done': ({ escalations }, { receiver }) => escalations.inc({ receiver, result: 'delivered' }),
  'delivery.failed': ({ escalations }, { receiver }) => escalations.inc({ receiver, result: 'failed' }),
  'hint.injected': ({ hintsSent }, { asker }) => hintsSent.inc({ asker }),
  'hint.scored': ({ hintsScored }) => hintsScored.inc(),
  'hint.blind_spot': ({ hintSpots }) => hintSpots.inc(),
  'config.rejected': ({ configRejected }) => configRejected.inc(),
};

function count<T extends FactType>(counters: Counters, fact: Extract<JournalFact, { type: T }>): void {
  const reader = READERS[fact.type] as ((counters: Counters, fact: JournalFact) => void) | undefined;
  reader?.(counters, fact);
}

const isSingleRestart = ({ call }: PermitTerms): boolean =>
  call.tool === 'restart_channel' && call.target.kind === 'channel';
