// Bodies that cost a reader the most for their size: at each of its limits, and just past it.
import SnappyJS from 'snappyjs';
import { INTAKE_PLAIN_BYTES_MAX, type IntakeFormat } from '../../../src/http/intake.ts';
import { pushRequest } from './protobuf.ts';

const AT = 1_767_225_600_123;
const NS = `${AT}000000`;
const many = <T>(length: number, each: (index: number) => T): T[] => Array.from({ length }, (_, index) => each(index));
const filled = (unit: string | Buffer): Buffer => Buffer.alloc(INTAKE_PLAIN_BYTES_MAX, unit);
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const packed = (plain: Buffer): Buffer => Buffer.from(SnappyJS.compress(plain.subarray(0, INTAKE_PLAIN_BYTES_MAX)));

/** A field of a length with two bytes of tag and four of length, so that every length fits. */
function field(number: number, bytes: Buffer): Buffer {
  const length = many(4, (at) => ((bytes.length >> (7 * at)) & 0x7f) | (at < 3 ? 0x80 : 0));
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}
const half = (unit: string): Buffer => filled(unit).subarray(0, INTAKE_PLAIN_BYTES_MAX - 16);
const stream = (labels: string, entries: number, text: string) =>
  ({ labels, entries: many(entries, (index) => ({ at: AT, line: `${text}${index}` })) }) as const;

/** JSON that any route may be sent. */
const TREES: Readonly<Record<string, Buffer>> = {
  arrays: Buffer.from(`{"streams":[${'[],'.repeat(600_000)}[]]}`),
  'arrays within the limit': Buffer.from(`{"streams":[${'[],'.repeat(14_990)}[]]}`),
  'one object in another': filled('{"a":'),
  'arrays in arrays': filled('['),
  'objects of names of their own': json({ streams: many(14_900, (index) => ({ [`k${index}`]: 1 })) }),
  'names of their own': json(Object.fromEntries(many(23_900, (index) => [`k${index}`, `v${index}`]))),
  values: json(many(44_900, (index) => `v${index}`)),
  'a wide character and many narrow ones': json({ line: `Ā${'x'.repeat(INTAKE_PLAIN_BYTES_MAX - 20)}` }),
  'no end of newlines': filled('\n'),
};

const value = (index: number) => [NS, `Āline ${index} ${'x'.repeat(20)}`];
const record = (index: number) => ({
  timeUnixNano: NS,
  body: { stringValue: `Āline ${index}` },
  attributes: many(10, (at) => ({ key: `attribute${at}`, value: { stringValue: `v${index}` } })),
});
const alert = (index: number, status: string | number = 'firing') => ({
  status,
  labels: { alertname: 'EncoderSlow', channel: `c${index}` },
});
const logs = (count: number) => json({ resourceLogs: [{ scopeLogs: [{ logRecords: many(count, record) }] }] });
const lines = (count: number) =>
  many(count, (index) => JSON.stringify({ line: `l${index}`, channel: `c${index % 2}` }));

/** For each format first an ordinary body, then the worst. */
export const WORST_BODIES: Readonly<Record<IntakeFormat, Readonly<Record<string, Buffer>>>> = {
  loki_json: {
    ordinary: json({ streams: [{ stream: { channel: 'c' }, values: many(5_000, value) }] }),
    ...TREES,
    lines: json({ streams: [{ stream: { channel: 'c' }, values: many(14_900, value) }] }),
    streams: json({
      streams: many(3_700, (index) => ({ stream: { channel: `c${index % 2}` }, values: [value(index)] })),
    }),
  },
  loki_protobuf: {
    ordinary: packed(pushRequest([stream('{channel="c"}', 5_000, 'line')])),
    'entries of nothing': packed(field(1, half('\x12\x00'))),
    'fields of nothing': packed(field(1, half('\x18\x00'))),
    'streams of nothing': packed(filled('\x0a\x00')),
    'one long label': packed(field(1, field(1, Buffer.from(`{a="${'x'.repeat(2_000_000)}"}`)))),
    labels: packed(field(1, field(1, Buffer.from(`{${many(200_000, (at) => `a${at}=""`).join(',')}}`)))),
    lines: packed(pushRequest([stream('{channel="c"}', 19_900, 'some line of text or other ')])),
    streams: packed(pushRequest(many(19_900, (index) => stream(`{channel="c${index % 2}"}`, 1, 'l')))),
    'a length that is not true': Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0]),
  },
  otlp_json: { ordinary: logs(400), ...TREES, records: logs(640) },
  ndjson: { ordinary: Buffer.from(lines(5_000).join('\n')), ...TREES, lines: Buffer.from(lines(19_900).join('\n')) },
  alerts: {
    ordinary: json({ version: '4', alerts: many(500, (index) => alert(index)) }),
    ...TREES,
    alerts: json({ version: '4', alerts: many(2_400, (index) => alert(index)) }),
    'alerts that are none': json({ version: '4', alerts: many(2_400, (index) => alert(index, 1)) }),
    'labels that are none': json({
      version: '4',
      alerts: [{ status: 'firing', labels: Object.fromEntries(many(9_900, (index) => [`k${index}`, 1])) }],
    }),
  },
};
