import { describe, expect, it } from 'vitest';
import { otlpJson } from '../../../src/collect/intake/otlp.ts';

const LABELS = ['channel'];
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('an export over OTLP', () => {
  it('joins level, body and exception, and looks for the channel in the record, then in its resource', () => {
    const value = (text: string) => ({ stringValue: text });
    const record = {
      timeUnixNano: '1767225600123000000',
      severityText: 'error',
      body: value('it broke'),
      attributes: [{ key: 'exception.message', value: value('ECONNREFUSED') }],
    };
    const own = { ...record, attributes: [{ key: 'channel', value: value('sport') }], severityText: '' };
    const resource = { attributes: [{ key: 'channel', value: value('news') }] };
    const body = json({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record, own] }] }] });
    expect(otlpJson(body, LABELS)).toEqual([
      { channel: 'news', text: '[ERROR] it broke ECONNREFUSED', at: 1_767_225_600_123 },
      { channel: 'sport', text: 'it broke', at: 1_767_225_600_123 },
    ]);
  });

  it('writes a structured body as JSON', () => {
    const map = {
      kvlistValue: {
        values: [
          { key: 'a', value: { intValue: '1' } },
          { key: 'b', value: { arrayValue: { values: [{ stringValue: 'x' }, { boolValue: false }] } } },
        ],
      },
    };
    const body = json({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: map }] }] }] });
    expect(otlpJson(body, LABELS)[0]?.text).toBe('{"a":1,"b":["x",false]}');
  });

  it('an attribute that has no text does no harm', () => {
    const attributes = [{ key: { toString: 1 }, value: { intValue: { toString: 1 } } }];
    const record = { body: { kvlistValue: { values: [{ key: { toString: 1 }, value: {} }] } }, attributes };
    const body = json({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    expect(otlpJson(body, LABELS)).toEqual([{ channel: undefined, text: '{"":null}', at: undefined }]);
  });

  it('refuses what is no export', () => {
    expect(() => otlpJson(Buffer.from('[]'), LABELS)).toThrow(/expected \{"resourceLogs"/);
  });
});
