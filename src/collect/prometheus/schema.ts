/** The schema of an entry of `prometheus:` in the configuration, and what its queries may mean. */
import { z } from 'zod';
import { duration } from '../../core/document/duration.ts';
import { idField, textField, urlField } from '../../core/document/fields.ts';
import { channelField, labelsField, symptomField, tokenKeys } from '../document_fields.ts';

/** What the value of a Prometheus query says. `symptom`: that every series of the answer is one. */
const QUERY_MEANINGS = [
  'up',
  'source_up',
  'playlist_age_seconds',
  'output_position',
  'viewers',
  'pool_pressure',
  'symptom',
] as const;
export type QueryMeaning = (typeof QUERY_MEANINGS)[number];

export const prometheusDocument = z.strictObject({
  id: idField('The name of this server.'),
  url: urlField('The base address of Prometheus, for example http://127.0.0.1:9090.'),
  every: duration('1s', '1m', 'How often it is asked. Default 10s.').optional(),
  stale_after: duration(
    '5s',
    '10m',
    'Older values are not used (Prometheus 2.43 and later), nor are any beyond limits.evidence_age_max. Default 90s.',
  ).optional(),
  ...tokenKeys,
  queries: z
    .array(
      z.strictObject({
        query: textField.describe('PromQL, asked as an instant query.'),
        means: z.enum(QUERY_MEANINGS).describe('What its value says.'),
        symptom: symptomField.optional().describe('With means: symptom. Every series of the answer is one.'),
        channel: channelField.optional().describe('The channel that it is about. Default: the labels say.'),
        channel_labels: labelsField.optional().describe('Labels that name the channel. Default [channel].'),
        engine: idField('With means: pool_pressure. The engine whose pool it is.').optional(),
      }),
    )
    .min(1)
    .max(64),
});
