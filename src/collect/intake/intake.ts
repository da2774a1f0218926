/** Takes log lines and alerts that senders push over HTTP. */
import type { ChannelId } from '../../core/scope.ts';
import type { Symptom } from '../../core/symptom.ts';
import type { LineFeed } from '../feed/feed.ts';
import { type AlertsOptions, readAlerts } from './alerts.ts';
import { lokiJson, lokiProtobuf } from './loki.ts';
import { ndjson } from './ndjson.ts';
import { otlpJson } from './otlp.ts';
import { IntakeRefused, type SentLine } from './refused.ts';

export type IntakeFeeds = Readonly<Record<'loki' | 'otlp' | 'ndjson', LineFeed>>;

export interface IntakeOptions extends AlertsOptions {
  readonly feeds: IntakeFeeds;
  /** The labels or attributes in which senders name the channel, first come first served. */
  readonly channelLabels: readonly string[];
  readonly bytesMax: number;
  readonly onSymptom: (symptom: Symptom) => void;
}

export type Taken =
  | { readonly kind: 'taken'; readonly lines: number; readonly ignored: number }
  | { readonly kind: 'full' };

/** Takes bodies that senders push: lines into feeds, alerts as symptoms. Throws `IntakeRefused` for nonsense. */
export function createIntake(options: IntakeOptions) {
  const { feeds, channelOf, channelLabels: labels } = options;
  const offer = (feed: LineFeed, sent: readonly SentLine[], owned: (name: string) => ChannelId | undefined): Taken => {
    const lines = feed.offer(Map.groupBy(sent, ({ channel }) => (channel === undefined ? undefined : owned(channel))));
    return lines === undefined ? { kind: 'full' } : { kind: 'taken', lines, ignored: 0 };
  };
  return {
    take(format: 'loki_json' | 'loki_protobuf' | 'otlp_json' | 'ndjson' | 'alerts', body: Buffer): Taken {
      switch (format) {
        case 'loki_json':
          return offer(feeds.loki, lokiJson(body, labels), channelOf);
        case 'loki_protobuf':
          return offer(feeds.loki, lokiProtobuf(body, { labels, bytesMax: options.bytesMax }), channelOf);
        case 'otlp_json':
          return offer(feeds.otlp, otlpJson(body, labels), channelOf);
        case 'ndjson':
          // This form is ours alone: a channel that is not configured is a mistake, and its sender gets an error.
          return offer(feeds.ndjson, ndjson(body), (name) => channelOf(name) ?? unknownChannel(name));
        case 'alerts': {
          const { symptoms, ignored } = readAlerts(body, options);
          symptoms.forEach(options.onSymptom);
          return { kind: 'taken', lines: symptoms.length, ignored };
        }
      }
    },
  };
}

function unknownChannel(name: string): never {
  throw new IntakeRefused(`there is no channel ${JSON.stringify(name)}`);
}
