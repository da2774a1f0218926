import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/collect/intake/json.ts';

describe('the look at JSON before it is parsed', () => {
  const LIMITS = { depth: 2, containers: 3, names: 2, values: 2 };
  const parse = (text: string) => parseJson(Buffer.from(text), 'a thing', LIMITS);

  it.each(['[[],[]]', '{"a":{"b":1}}', '[1,2,3]', '"[[[[,,,,::::"', '["\\"[[[[,,,,", "{"]', '{"a":"\\\\","b":[]}'])(
    'lets %s through',
    (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    },
  );

  it.each([
    ['[[[]]]', 'at most 2 objects and arrays inside each other'],
    ['[[],[],[]]', 'at most 3 objects and arrays'],
    ['{"a":1,"b":2,"c":3}', 'at most 2 names of members'],
    ['[1,2,3,4]', 'at most 2 values'],
    ['["\\\\",[[]]]', 'inside each other'],
  ])('refuses %s', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  it('refuses what is no JSON with the reason', () => {
    expect(() => parse('{"a"')).toThrow(/expected a thing as JSON: /);
  });
});
