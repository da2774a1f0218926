/** Reads the settings of the collectors. */
import type { z } from 'zod';
import { isOwnAlert } from '../../collect/intake/alerts.ts';
import { intakeDocument } from '../../collect/intake/schema.ts';
import { journaldDocument } from '../../collect/journald/schema.ts';
import { followsUnit } from '../../collect/journald/units.ts';
import { prometheusDocument, type QueryMeaning } from '../../collect/prometheus/schema.ts';
import { syslogDocument } from '../../collect/syslog/schema.ts';
import type { Limits } from '../../core/limits.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import type { Path } from '../yaml.ts';
import type { ChannelDraft } from './channels.ts';
import { type Address, isLoopback } from './fields.ts';
import type { Reading } from './reading.ts';
import type { Secret } from './secret.ts';
import { tokenFrom } from './token.ts';

/** What others push over HTTP. Times are milliseconds. */
export interface IntakeConfig {
  readonly tokens: readonly { readonly name: string; readonly token: Secret }[];
  readonly channelLabels: readonly string[];
  readonly lateMs: number;
  readonly alerts: readonly {
    readonly alertname: string;
    readonly means: SymptomKind;
    readonly channelLabels: readonly string[];
  }[];
}

export interface SyslogConfig {
  readonly udp: Address | undefined;
  readonly tcp: Address | undefined;
  readonly allowFrom: readonly string[];
  readonly channels: readonly {
    readonly app: string | undefined;
    readonly host: string | undefined;
    readonly channel: string;
  }[];
}

export interface JournaldConfig {
  readonly units: readonly string[];
  readonly channels: readonly { readonly unit: string; readonly channel: string }[];
}

export interface PrometheusConfig {
  readonly id: string;
  readonly url: string;
  readonly everyMs: number;
  readonly staleAfterMs: number;
  readonly token: Secret | undefined;
  readonly queries: readonly {
    readonly query: string;
    readonly means: QueryMeaning;
    readonly symptom: SymptomKind | undefined;
    readonly channel: string | undefined;
    readonly channelLabels: readonly string[];
    readonly engine: string | undefined;
  }[];
}

/** Ways in besides files and probes. */
export interface CollectorsConfig {
  readonly intake: IntakeConfig;
  readonly syslog: SyslogConfig | undefined;
  readonly journald: JournaldConfig | undefined;
  readonly prometheus: readonly PrometheusConfig[];
}

const CHANNEL_LABELS = ['channel'] as const;
const LATE_MS = 120_000;
const PROMETHEUS_EVERY_MS = 10_000;
const PROMETHEUS_STALE_MS = 90_000;

export function readCollectors(
  reading: Reading,
  { drafts, limits }: { readonly drafts: readonly ChannelDraft[]; readonly limits: Limits },
): CollectorsConfig {
  const ids = new Set(drafts.map(({ id }) => id));
  const known = (path: Path, channel: string | undefined): void => {
    if (channel === undefined || ids.has(channel)) return;
    reading.note(path, `there is no channel ${channel}`, 'add it under channels:');
  };
  return {
    intake: intakeOf(reading),
    syslog: syslogOf(reading, known),
    journald: journaldOf(reading, known),
    prometheus: prometheusOf(reading, known, limits),
  };
}

type Known = (path: Path, channel: string | undefined) => void;

function intakeOf(reading: Reading): IntakeConfig {
  const document: z.output<typeof intakeDocument> = reading.part('intake', intakeDocument) ?? {};
  const channelLabels = document.channel_labels ?? CHANNEL_LABELS;
  checkAlerts(reading, document.alerts ?? []);
  return {
    tokens: (document.tokens ?? []).flatMap((each, index) => {
      const token = tokenFrom(reading, ['intake', 'tokens', index], each);
      return token === undefined ? [] : [{ name: each.name, token }];
    }),
    channelLabels,
    lateMs: document.late_after ?? LATE_MS,
    alerts: (document.alerts ?? []).map(({ alertname, means, channel_labels: own }) => ({
      ...{ alertname, means, channelLabels: own ?? channelLabels },
    })),
  };
}

/** The first entry of a name is the one that counts. */
function checkAlerts(reading: Reading, alerts: readonly { readonly alertname: string }[]): void {
  const names = alerts.map(({ alertname }) => alertname);
  for (const [index, name] of names.entries()) {
    const path = ['intake', 'alerts', index, 'alertname'];
    if (names.indexOf(name) !== index) {
      reading.note(path, `the alert ${name} stands here a second time`, 'keep one: channel_labels may name several');
    } else if (isOwnAlert(name)) {
      reading.note(path, `${name} is an alert of Reeve's own, which is no evidence`, 'take it out');
    }
  }
}

function syslogOf(reading: Reading, known: Known): SyslogConfig | undefined {
  const document = reading.part('syslog', syslogDocument);
  if (document === undefined) return undefined;
  const { udp, tcp, allow_from: allowFrom = [], channels = [] } = document;
  if (udp === undefined && tcp === undefined) {
    reading.note(['syslog'], 'expected udp, tcp or both, got neither', 'for example udp: 127.0.0.1:5514');
  }
  for (const [kind, address] of [
    ['udp', udp],
    ['tcp', tcp],
  ] as const) {
    if (address === undefined || isLoopback(address.host) || allowFrom.length > 0) continue;
    const message = `listening on ${address.host} is open to other machines, and no sender is allowed`;
    reading.note(['syslog', kind], message, 'name the senders in allow_from, or listen on 127.0.0.1');
  }
  for (const [index, { app, host, channel }] of channels.entries()) {
    const path = ['syslog', 'channels', index];
    known([...path, 'channel'], channel);
    if (app === undefined && host === undefined) {
      reading.note(path, 'expected app, host or both, got neither', 'say which messages are meant');
    }
  }
  return { udp, tcp, allowFrom, channels: channels.map(({ app, host, channel }) => ({ app, host, channel })) };
}

function journaldOf(reading: Reading, known: Known): JournaldConfig | undefined {
  const document = reading.part('journald', journaldDocument);
  if (document === undefined) return undefined;
  const { units = [], channels = [] } = document;
  for (const [index, { unit, channel }] of channels.entries()) {
    const path = ['journald', 'channels', index];
    known([...path, 'channel'], channel);
    if (units.length === 0 || units.some((pattern) => followsUnit(pattern, unit))) continue;
    reading.note([...path, 'unit'], `${unit} is none of the units that are followed`, 'add it to units:');
  }
  return { units, channels };
}

function prometheusOf(reading: Reading, known: Known, { evidenceAgeMsMax }: Limits): readonly PrometheusConfig[] {
  reading.unique('prometheus');
  const engines = reading.idsOf('engines');
  return reading.entries('prometheus', prometheusDocument).map(({ path, value }) => ({
    id: value.id,
    url: value.url,
    everyMs: value.every ?? PROMETHEUS_EVERY_MS,
    // A value is dated when it is answered: one that is older than evidence may be would pass for it.
    staleAfterMs: Math.min(value.stale_after ?? PROMETHEUS_STALE_MS, evidenceAgeMsMax),
    token:
      value.token_env === undefined && value.token_file === undefined ? undefined : tokenFrom(reading, path, value),
    queries: value.queries.map((query, index) => {
      const at = [...path, 'queries', index];
      const { means, symptom, channel, engine } = query;
      known([...at, 'channel'], channel);
      if ((means === 'symptom') !== (symptom !== undefined)) {
        reading.note(
          at,
          `expected symptom with means: symptom${symptom === undefined ? '' : ' only'}`,
          'say which one',
        );
      }
      if ((means === 'pool_pressure') !== (engine !== undefined)) {
        const only = engine === undefined ? '' : ' only';
        reading.note(at, `expected engine with means: pool_pressure${only}`, 'say whose pool it is');
      } else if (engine !== undefined && !engines.has(engine)) {
        reading.note([...at, 'engine'], `there is no engine ${engine}`, 'add it under engines:');
      }
      return {
        query: query.query,
        means,
        symptom,
        channel,
        engine,
        channelLabels: query.channel_labels ?? CHANNEL_LABELS,
      };
    }),
  }));
}
