import { describe, expect, it } from 'vitest';
import { ndjson } from '../../../src/collect/intake/ndjson.ts';

const read = (text: string) => ndjson(Buffer.from(text));

describe('pushed lines as JSON', () => {
  it('are one to a line, blank lines between them or not, the last one without an end', () => {
    expect(read('{"line":"a"}\n\n  \r\n{"line":"b"}').map(({ text }) => text)).toEqual(['a', 'b']);
    expect(read('')).toEqual([]);
  });

  it('have channel and time where the sender gives them, the source before the text', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(read(`{"line":"a","channel":"news","source":"box/1","at":${at}}`)).toEqual([
      { channel: 'news', text: 'box/1: a', at },
    ]);
    expect(read('{"line":"a","at":"2026-01-02T04:04:05+01:00"}')[0]!.at).toBe(at);
    expect(read('{"line":"a"}')).toEqual([{ channel: undefined, text: 'a', at: undefined }]);
  });

  it('are refused as a whole, with the number of the line that is wrong', () => {
    expect(() => read('{"line":"a"}\n\n{"lime":"b"}')).toThrow(/^line 3: /);
    expect(() => read('{"line":"a","source":"a b"}')).toThrow('line 1: source: expected letters');
    expect(() => read('{"line":"a","at":"2026-01-02T03:04:05"}')).toThrow('line 1: at: ');
    expect(() => read('not json')).toThrow('line 1: expected a JSON object as JSON');
  });

  it('are refused with at most five problems', () => {
    const problems = (count: number): number => {
      try {
        read('[]\n'.repeat(count));
      } catch (thrown) {
        return (thrown as Error).message.split('; ').length;
      }
      return 0;
    };
    expect([problems(4), problems(5), problems(6)]).toEqual([4, 5, 5]);
  });

  it('are at most 20,000', () => {
    expect(read('{"line":""}\n'.repeat(20_000))).toHaveLength(20_000);
    expect(() => read('{"line":""}\n'.repeat(20_001))).toThrow('expected at most 20000 lines in one push');
  });
});
