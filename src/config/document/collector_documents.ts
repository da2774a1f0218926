/** The schemas of intake, syslog, journald, Prometheus and status pages. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { LOG_FORMATS, QUERY_MEANINGS, STATUS_KINDS } from '../../core/collector.ts';
import { HARMLESS_SYMPTOMS, SYMPTOMS, type SymptomKind } from '../../core/symptom.ts';
import { duration } from '../duration.ts';
import { idField, listenField, textField, urlField } from './fields.ts';

export const formatField = z
  .enum(LOG_FORMATS)
  .optional()
  .describe('How its lines are written: text, docker_json (json-file driver) or ffmpeg_progress. Default text.');

/** A stream on the status page of its server. */
export const statusPart = z
  .strictObject({
    kind: z.enum(STATUS_KINDS),
    url: urlField('The server, or the page itself where it is not in its usual place. {id} is the channel.'),
    mount: textField.optional().describe('icecast: the mount, for example /{id}.mp3.'),
    stream: textField
      .optional()
      .describe('nginx_rtmp, srs: app/stream. mediamtx: the path. ersatztv, tunarr: the channel. {id} is the channel.'),
  })
  .describe('Looks through the status page of a streaming server.');

const tokenKeys = {
  token_env: textField.optional().describe('The environment variable that holds the token.'),
  token_file: textField.optional().describe('The file that holds the token; only its owner may read it.'),
};

/** What is trouble: saying that something is harmless is no use here. */
const TROUBLES = SYMPTOMS.filter((kind) => !HARMLESS_SYMPTOMS.has(kind)) as [SymptomKind, ...SymptomKind[]];
const symptomField = z.enum(TROUBLES);
const labelsField = z.array(z.string().min(1).max(100)).min(1).max(8);

export const intakeDocument = z
  .strictObject({
    tokens: z
      .array(z.strictObject({ name: idField('Whose token it is.'), ...tokenKeys }))
      .max(32)
      .optional()
      .describe('Tokens that may hand in lines and alerts, and nothing else.'),
    channel_labels: labelsField
      .optional()
      .describe('Labels or attributes that name the channel, first come first served. Default [channel].'),
    late_after: duration(
      '10s',
      '1h',
      'Lines written longer ago are counted, and are no evidence. Default 2m.',
    ).optional(),
    alerts: z
      .array(
        z.strictObject({
          alertname: textField.max(200),
          means: symptomField.describe('The symptom that it is.'),
          channel_labels: labelsField.optional(),
        }),
      )
      .max(200)
      .optional()
      .describe('What alerts of Prometheus say. Others are ignored.'),
  })
  .describe('Lines and alerts that others push over HTTP.');

const subnetField = z.string().refine((text) => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}, 'expected an address or a subnet such as 10.0.0.0/8');

const channelField = idField('A configured channel.');

export const syslogDocument = z
  .strictObject({
    udp: listenField('Where datagrams are taken, for example 127.0.0.1:5514.').optional(),
    tcp: listenField('Where streams are taken, for example 127.0.0.1:5514.').optional(),
    allow_from: z.array(subnetField).max(64).optional().describe('Who may send, besides this machine.'),
    channels: z
      .array(
        z.strictObject({
          app: textField.max(200).optional().describe('The program (tag) that the message names.'),
          host: textField.max(255).optional().describe('The host that the message names.'),
          channel: channelField,
        }),
      )
      .max(2_000)
      .optional()
      .describe('Whose words they are. A program that bears the name of a channel needs no entry.'),
  })
  .describe('Syslog messages (RFC 5424 and 3164).');

export const journaldDocument = z
  .strictObject({
    units: z.array(textField.max(256)).max(200).optional().describe('Units to follow. Default: everything.'),
    channels: z
      .array(z.strictObject({ unit: textField.max(256), channel: channelField }))
      .max(2_000)
      .optional()
      .describe('Whose words the lines of a unit are.'),
  })
  .describe("systemd's journal, by journalctl.");

export const prometheusDocument = z.strictObject({
  id: idField('The name of this server.'),
  url: urlField('The base address of Prometheus, for example http://127.0.0.1:9090.'),
  every: duration('1s', '1m', 'How often it is asked. Default 10s.').optional(),
  stale_after: duration('5s', '10m', 'Older values are not used (Prometheus 2.43 and later). Default 90s.').optional(),
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
