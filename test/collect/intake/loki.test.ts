import SnappyJS from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { labelsIn, lokiJson, lokiProtobuf } from '../../../src/collect/intake/loki.ts';
import { pushRequest } from '../support/protobuf.ts';

const LABELS = ['channel'];
const packed = (plain: Buffer): Buffer => Buffer.from(SnappyJS.compress(plain));
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const MEGA = 1 << 20;

describe('a push to Loki', () => {
  const at = 1_767_225_600_123;
  const ns = `${at}000000`;

  it('is read from JSON, with the channel from its labels', () => {
    const body = json({
      streams: [
        {
          stream: { job: 'x', channel: 'news' },
          values: [
            [ns, 'one'],
            [ns, 'two', { trace: 't' }],
          ],
        },
        { stream: { job: 'x' }, values: [[ns, 'three']] },
      ],
    });
    expect(lokiJson(body, LABELS)).toEqual([
      { channel: 'news', text: 'one', at },
      { channel: 'news', text: 'two', at },
      { channel: undefined, text: 'three', at },
    ]);
  });

  it('is read from snappy-compressed protobuf, the way promtail sends it', () => {
    const body = packed(
      pushRequest([
        {
          labels: '{job="x", channel="news"}',
          entries: [
            { at, line: 'one' },
            { at: at + 1, line: 'zwei ü' },
          ],
        },
        { labels: '{}', entries: [{ at, line: 'three' }] },
      ]),
    );
    expect(lokiProtobuf(body, { labels: LABELS, bytesMax: MEGA })).toEqual([
      { channel: 'news', text: 'one', at },
      { channel: 'news', text: 'zwei ü', at: at + 1 },
      { channel: undefined, text: 'three', at },
    ]);
  });

  it.each([
    ['text', 'hello', /expected a push of streams as JSON/],
    ['another object', '{"stream":[]}', /expected \{"streams"/],
    ['a stream without values', '{"streams":[{}]}', /streams\[0\]: expected values/],
    ['a value without a line', '{"streams":[{"values":[["1"]]}]}', /streams\[0\]\.values\[0\]/],
  ])('%s is refused with the reason', (_, text, reason) => {
    expect(() => lokiJson(Buffer.from(text), LABELS)).toThrow(reason);
  });

  it('reads labels as Prometheus writes them', () => {
    expect([...labelsIn('{a="1",b_c="x \\"y\\" {,}", service.name="z"}')]).toEqual([
      ['a', '1'],
      ['b_c', 'x "y" {,}'],
      ['service.name', 'z'],
    ]);
    expect([...labelsIn('nonsense')]).toEqual([]);
  });
});
