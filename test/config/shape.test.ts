import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { descriptionAt, keysAt } from '../../src/config/shape.ts';

const schema = z.strictObject({
  name: z.string().describe('Its name.').optional(),
  kinds: z
    .array(
      z.union([
        z.strictObject({ kind: z.literal('a'), port: z.number() }),
        z.strictObject({ kind: z.literal('b'), socket: z.string() }),
      ]),
    )
    .default([]),
  access: z.record(z.enum(['restart', 'look']), z.boolean()),
  free: z.record(z.string(), z.strictObject({ deep: z.number().describe('How deep.') })),
});

describe('the keys at a path', () => {
  it('are those of the object, behind defaults, lists and every option of a union', () => {
    expect(keysAt(schema, [])).toEqual(['name', 'kinds', 'access', 'free']);
    expect(keysAt(schema, ['kinds', 0])).toEqual(['kind', 'port', 'socket']);
  });

  it('of a union that goes by kind are those of the kind that the value names, and of every kind where it names none', () => {
    const byKind = z.strictObject({
      list: z.array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('a'), port: z.number() }),
          z.strictObject({ kind: z.enum(['b', 'c']), socket: z.string() }),
        ]),
      ),
    });
    const keysOf = (item: unknown) => keysAt(byKind, ['list', 0], { list: [item] });
    expect([keysOf({ kind: 'a' }), keysOf({ kind: 'c' })]).toEqual([
      ['kind', 'port'],
      ['kind', 'socket'],
    ]);
    for (const item of [{ kind: 'd' }, { kind: 1 }, {}, null, 'a']) {
      expect([item, keysOf(item)]).toEqual([item, ['kind', 'port', 'socket']]);
    }
  });

  it('are the names that a record may have, and none where it may have any', () => {
    expect(keysAt(schema, ['access'])).toEqual(['restart', 'look']);
    expect(keysAt(schema, ['free'])).toEqual([]);
    expect(keysAt(schema, ['free', 'any'])).toEqual(['deep']);
  });

  it('are none of a text, of a path that leads nowhere, and of what every object has', () => {
    for (const path of [['name'], ['nothing'], ['toString'], ['name', 'length']]) {
      expect([path, keysAt(schema, path)]).toEqual([path, []]);
    }
  });
});

describe('the description at a path', () => {
  it('of a union that goes by kind is that of the kind that the value names', () => {
    const byKind = z.strictObject({
      list: z.array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('a'), url: z.string().describe('Where a is.') }),
          z.strictObject({ kind: z.literal('b'), url: z.string().describe('Where b is.') }),
        ]),
      ),
    });
    expect(descriptionAt(byKind, ['list', 0, 'url'], { list: [{ kind: 'b', url: 7 }] })).toBe('Where b is.');
  });

  it('is that of the schema or of what it wraps', () => {
    expect(descriptionAt(schema, ['name'])).toBe('Its name.');
    expect(descriptionAt(schema, ['free', 'x', 'deep'])).toBe('How deep.');
  });

  it('is none where the schema has none or the path leads nowhere', () => {
    expect(descriptionAt(schema, ['kinds'])).toBeUndefined();
    expect(descriptionAt(schema, ['nothing', 'at', 'all'])).toBeUndefined();
  });
});
