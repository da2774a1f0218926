import fc from 'fast-check';
import SnappyJS from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { readAlerts } from '../../../src/collect/intake/alerts.ts';
import { labelsIn, lokiProtobuf } from '../../../src/collect/intake/loki.ts';
import { ndjson } from '../../../src/collect/intake/ndjson.ts';
import { aFieldBudget, Message } from '../../../src/collect/intake/protobuf.ts';
import { IntakeRefused } from '../../../src/collect/intake/refused.ts';
import { unsnappy } from '../../../src/collect/intake/snappy.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { pushRequest } from '../support/protobuf.ts';

const LABELS = ['channel'];
const MEGA = 1 << 20;
const packed = (plain: Buffer): Buffer => Buffer.from(SnappyJS.compress(plain));
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('snappy', () => {
  it('unpacks what another implementation packed, runs and repeats included', () => {
    const words = fc.array(fc.constantFrom('error ', 'a', 'segment 17 ', 'xyz'), { maxLength: 4_000 });
    const plain = fc.oneof(
      words.map((each) => Buffer.from(each.join(''))),
      fc.uint8Array({ maxLength: 70_000 }),
    );
    fc.assert(
      fc.property(plain, (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(unsnappy(packed(buffer), MEGA).equals(buffer)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('unpacks every form of literal and copy', () => {
    const long = Buffer.alloc(300, 'L');
    const block = Buffer.concat([
      Buffer.from([0xba, 0x02]),
      Buffer.from([0xf4, 0x2b, 0x01]),
      long,
      // A copy with a one-byte offset: length 4, 300 back; with two bytes: 5; with four bytes: 5.
      Buffer.from([(1 << 5) | 1, 300 & 0xff]),
      Buffer.from([(4 << 2) | 2, 1, 0]),
      Buffer.from([(4 << 2) | 3, 1, 0, 0, 0]),
    ]);
    expect(unsnappy(block, MEGA).toString()).toBe('L'.repeat(314));
  });

  it.each([
    ['nothing', []],
    ['a length that does not end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a literal that is cut', [4, 0x0c, 0x61]],
    ['a copy from before the beginning', [4, 1, 1]],
    ['a copy of nothing', [8, 0x00, 0x61, 1, 0]],
    ['fewer bytes than it says', [9, 0x00, 0x61]],
    ['more bytes than it says', [1, 0x04, 0x61, 0x62]],
    ['a tag that is cut', [8, 0x00, 0x61, 2, 1]],
  ])('refuses %s', (_, bytes) => {
    expect(() => unsnappy(Buffer.from(bytes), MEGA)).toThrow(IntakeRefused);
  });

  it('makes no room for more than it may, whatever the block says', () => {
    expect(() => unsnappy(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), MEGA)).toThrow(/at most 1048576 bytes/);
  });
});

describe('protobuf', () => {
  it('law: any bytes are read or refused, and never anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const message = new Message(Buffer.from(bytes), aFieldBudget());
          while (message.next()) expect(message.number).toBeGreaterThan(0);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(IntakeRefused);
        }
      }),
    );
  });
});

describe('the limits of one push', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ at: 1, line: `${index}` }));
  const push = (count: number) => packed(pushRequest([{ labels: '{channel="news"}', entries: lines(count) }]));
  const nested = (count: number) => packed(Buffer.alloc(2 * count, Buffer.from([0x0a, 0x00])));
  const read = (body: Buffer) => lokiProtobuf(body, { labels: LABELS, bytesMax: MEGA });

  it('are 20,000 lines', () => {
    expect(read(push(20_000))).toHaveLength(20_000);
    expect(() => read(push(20_001))).toThrow(/at most 20000 lines/);
    const ndjsonOf = (count: number) => Buffer.from('{"line":"x"}\n'.repeat(count));
    expect(ndjson(ndjsonOf(20_000))).toHaveLength(20_000);
    expect(() => ndjson(ndjsonOf(20_001))).toThrow(/at most 20000 lines/);
  });

  it('are 300,000 fields of protobuf', () => {
    expect(read(nested(300_000))).toEqual([]);
    expect(() => read(nested(300_001))).toThrow(/at most 300000 fields/);
  });

  it('are 65,536 characters of labels', () => {
    const labels = (length: number) => `{a="${'x'.repeat(length - 6)}"}`;
    expect(labelsIn(labels(65_536)).get('a')).toHaveLength(65_530);
    expect(() => labelsIn(labels(65_537))).toThrow(/at most 65536 characters of labels/);
  });
});

describe('NDJSON', () => {
  it('takes one object to a line, with its time in either form', () => {
    const body =
      '{"line":"a","channel":"news","at":1767225600123}\n\n{"line":"b","source":"app","at":"2026-01-01T01:00:00+01:00"}\n';
    expect(ndjson(Buffer.from(body))).toEqual([
      { channel: 'news', text: 'a', at: 1_767_225_600_123 },
      { channel: undefined, text: 'app: b', at: 1_767_225_600_000 },
    ]);
  });

  it.each([
    ['no JSON', 'x', /line 1: expected a JSON object/],
    ['a misspelt key', '{"line":"a"}\n{"line":"a","chanel":"b"}', /line 2: .*chanel/],
    ['a time without a zone', '{"line":"a","at":"2026-01-01T00:00:00"}', /line 1: at: /],
    ['a source with a line break', '{"line":"a","source":"x\\ny"}', /line 1: source: /],
  ])('%s is refused whole, with the place', (_, text, reason) => {
    expect(() => ndjson(Buffer.from(text))).toThrow(reason);
  });
});

describe("Alertmanager's webhook", () => {
  const { clock } = fakeClock();
  const options = {
    clock,
    meanings: [{ alertname: 'EncoderSlow', means: 'encoder_overload' as const, channelLabels: ['channel', 'stream'] }],
    channelOf: (name: string) => (name === 'news' ? 'news' : undefined),
    clean: (text: string) => text.replaceAll('\u0007', ''),
  };
  const alert = (labels: Record<string, string>, status = 'firing') => ({
    status,
    labels,
    annotations: { summary: 'speed \u00070.7x' },
  });
  const read = (...alerts: unknown[]) => readAlerts(json({ version: '4', alerts }), options);

  it('makes a symptom of origin metric of a firing alert that has a meaning', () => {
    const { symptoms, ignored } = read(alert({ alertname: 'EncoderSlow', stream: 'news' }));
    expect(ignored).toBe(0);
    expect(symptoms).toMatchObject([
      {
        kind: 'encoder_overload',
        channel: 'news',
        origin: 'metric',
        evidence: [{ source: 'alert:EncoderSlow', text: 'EncoderSlow: speed 0.7x' }],
      },
    ]);
  });

  it('ignores what is resolved, unknown, about no channel, or a page of its own that comes back', () => {
    const { symptoms, ignored } = read(
      alert({ alertname: 'EncoderSlow', channel: 'news' }, 'resolved'),
      alert({ alertname: 'Other', channel: 'news' }),
      alert({ alertname: 'EncoderSlow', channel: 'nobody' }),
      alert({ alertname: 'ReeveEscalation', channel: 'news' }),
    );
    expect(symptoms).toEqual([]);
    expect(ignored).toBe(3);
  });

  it('a page of its own is no evidence even where somebody gave it a meaning', () => {
    const meanings = [{ ...options.meanings[0]!, alertname: 'ReeveEscalation' }];
    const body = json({ version: '4', alerts: [alert({ alertname: 'ReeveEscalation', channel: 'news' })] });
    expect(readAlerts(body, { ...options, meanings }).symptoms).toEqual([]);
  });

  it('refuses another version with the reason', () => {
    expect(() => readAlerts(json({ version: '3', alerts: [] }), options)).toThrow(/version 4: version/);
  });
});
