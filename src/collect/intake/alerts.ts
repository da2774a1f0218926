/** Reads Alertmanager's webhook. */
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Symptom, SymptomKind } from '../../core/symptom.ts';
import { parseJson } from './json.ts';
import { IntakeRefused, labelled } from './refused.ts';

/** What an alert of this name says about the channel in its label. */
export interface AlertMeaning {
  readonly alertname: string;
  readonly means: SymptomKind;
  readonly channelLabels: readonly string[];
}

export interface AlertsOptions {
  readonly meanings: readonly AlertMeaning[];
  readonly channelOf: (name: string) => ChannelId | undefined;
  readonly clean: (text: string) => string;
  readonly clock: Clock;
}

export interface AlertsRead {
  readonly symptoms: readonly Symptom[];
  /** Firing, but with no meaning here, or about no channel that is configured. */
  readonly ignored: number;
}

const alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()).default({}),
});

const webhook = z.object({ version: z.literal('4'), alerts: z.array(alert).max(10_000) });

/** A thousand alerts with fifteen labels. What is wrong with each of them takes more memory than the alert. */
const LIMITS = { depth: 8, containers: 10_000, names: 10_000, values: 10_000 };

/** Reeve's own pages come back when Alertmanager sends everything to everybody: they are no evidence. */
export const isOwnAlert = (alertname: string): boolean => alertname.startsWith('Reeve');
const CONFIDENCE = 0.9;
const WINDOW_MS = MINUTE_MS;
const TEXT_MAX = 400;

/**
 * Alertmanager's webhook, version 4 (prometheus.io/docs/alerting, `webhook_config`): each firing alert with a meaning
 * is a symptom of origin metric, pushed: as a witness it is no more than a log line (law S10), for its sender can push
 * those, too, and a rule may have made it of log text. A resolved one is nothing: probes report health.
 */
export function readAlerts(body: Buffer, options: AlertsOptions): AlertsRead {
  const parsed = webhook.safeParse(parseJson(body, "Alertmanager's webhook", LIMITS));
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new IntakeRefused(`expected Alertmanager's webhook, version 4: ${issue.path.join('.')}: ${issue.message}`);
  }
  const firing = parsed.data.alerts.filter(({ status }) => status === 'firing');
  const symptoms = firing.flatMap((each) => symptomOf(each, options));
  return { symptoms, ignored: firing.length - symptoms.length };
}

function symptomOf({ labels, annotations }: z.output<typeof alert>, options: AlertsOptions): Symptom[] {
  const name = labelled(labels, ['alertname']) ?? '';
  const meaning = options.meanings.find(({ alertname }) => alertname === name);
  if (meaning === undefined || isOwnAlert(name)) return [];
  const named = labelled(labels, meaning.channelLabels);
  const channel = named === undefined ? undefined : options.channelOf(named);
  if (channel === undefined) return [];
  const summary = labelled(annotations, ['summary', 'description', 'message']) ?? 'it fires';
  const text = options.clean(`${name}: ${summary}`).slice(0, TEXT_MAX);
  const reading = { channel, kind: meaning.means, source: `alert:${options.clean(name)}`, text };
  return [{ ...metricSymptom(reading, options.clock), pushed: true }];
}

/** A symptom that a measurement reports. */
export const metricSymptom = (
  reading: { readonly channel: ChannelId; readonly kind: SymptomKind; readonly source: string; readonly text: string },
  clock: Clock,
): Symptom => ({
  at: clock.now(),
  monoMs: clock.monotonicMs(),
  channel: reading.channel,
  kind: reading.kind,
  origin: 'metric',
  countInWindow: 1,
  windowMs: WINDOW_MS,
  confidence: CONFIDENCE,
  pattern: undefined,
  evidence: [{ source: reading.source, text: reading.text }],
});
