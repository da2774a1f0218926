import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, fromWire, toWire } from '../../src/core/wire.ts';

describe('the wire form', () => {
  it('renames keys all the way down, leaves values alone and leaves out what is undefined', () => {
    const value = { monoMs: 1, list: [{ openedAt: 'camelCase', gone: undefined }], none: null };
    expect(toWire(value)).toStrictEqual({ mono_ms: 1, list: [{ opened_at: 'camelCase' }], none: null });
    expect(fromWire(toWire(value))).toStrictEqual({ monoMs: 1, list: [{ openedAt: 'camelCase' }], none: null });
  });

  it('comes back the same for any camelCase keys, also when there are more than are remembered', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/).filter((name) => name !== '');
    const value = fc.dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.array(fc.dictionary(key, fc.boolean()))), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(value, (sample) => {
        expect(fromWire(toWire(sample))).toEqual(sample);
      }),
    );
    for (let index = 0; index < 10_000; index += 1) toWire({ [`someKey${index}`]: 1 });
    expect(toWire({ neverSeenBefore: 1, someKey9999: 1 })).toEqual({ never_seen_before: 1, some_key9999: 1 });
  });

  it('cannot be used to change the prototype of what is read', () => {
    const read = fromWire<Record<string, unknown>>(JSON.parse('{"__proto__": {"evil": true}, "a": 1}'));
    expect([read.evil, Object.getPrototypeOf(read)]).toEqual([undefined, Object.prototype]);
  });
});

describe('canonical JSON', () => {
  it('gives the same bytes whatever the order of the keys, and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });

  it('sorts keys by their code units, without white space, leaving out what is undefined', () => {
    expect(canonicalJson({ b: [1, { d: null, c: undefined }], a: 'x', A: true })).toBe(
      '{"A":true,"a":"x","b":[1,{"d":null}]}',
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
