import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createNameLookup, nameLookup } from '../../src/resilience/name_lookup.ts';

/** A resolver that answers when it is told to. */
function aResolver() {
  let nowMs = 0;
  const asked: string[] = [];
  const open = new Map<string, PromiseWithResolvers<readonly LookupAddress[]>>();
  const lookup = createNameLookup(
    (name) => {
      asked.push(name);
      const answer = Promise.withResolvers<readonly LookupAddress[]>();
      open.set(name, answer);
      return answer.promise;
    },
    () => nowMs,
  );
  const answer = async (name: string, afterMs = 0): Promise<void> => {
    nowMs += afterMs;
    open.get(name)!.resolve([{ address: '192.0.2.7', family: 4 }]);
    await new Promise(setImmediate);
  };
  const fail = async (name: string, afterMs: number): Promise<void> => {
    nowMs += afterMs;
    open.get(name)!.reject(Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' }));
    await new Promise(setImmediate);
  };
  return { lookup, asked, answer, fail };
}

const asking = (lookup: LookupFunction, name: string, options: LookupOptions = { all: true }) =>
  new Promise<unknown>((resolve) => lookup(name, options, (error, address) => resolve(error?.code ?? address)));

describe('names whose servers are gone', () => {
  it('are asked for once, however many want the answer, and all get it', async () => {
    const { lookup, asked, fail } = aResolver();
    const hundred = Array.from({ length: 100 }, () => asking(lookup, 'origin.example'));
    expect(asked).toEqual(['origin.example']);
    await fail('origin.example', 11_000);
    expect(new Set(await Promise.all(hundred))).toEqual(new Set(['EAI_AGAIN']));
  });

  it('are asked for three at a time once they are known, and hold up no other', async () => {
    const { lookup, asked, answer, fail } = aResolver();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      void asking(lookup, name);
      await fail(name, 1_001);
    }
    asked.length = 0;
    const again = names.map((name) => asking(lookup, name));
    const other = asking(lookup, 'quick');
    expect(asked).toEqual(['a', 'b', 'c', 'quick']);
    await answer('quick');
    expect(await other).toEqual([{ address: '192.0.2.7', family: 4 }]);
    await answer('b');
    expect(asked.at(-1)).toBe('d');
    for (const name of ['a', 'c', 'd', 'e']) await answer(name);
    await Promise.all(again);
    asked.length = 0;
    for (const name of names) void asking(lookup, name);
    expect(asked).toEqual(names);
  });
});

describe('an answer', () => {
  it('is asked for anew by who comes after it', async () => {
    const { lookup, asked, answer } = aResolver();
    const first = asking(lookup, 'edge.example', {});
    await answer('edge.example');
    expect(await first).toBe('192.0.2.7');
    void asking(lookup, 'edge.example', {});
    expect(asked).toHaveLength(2);
  });

  it('is not shared by questions for another family', () => {
    const { lookup, asked } = aResolver();
    for (const family of [4, 6]) void asking(lookup, 'edge.example', { family });
    expect(asked).toHaveLength(2);
  });

  it('about this machine takes no question', async () => {
    const { lookup, asked } = aResolver();
    expect(await asking(lookup, 'LocalHost')).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await asking(lookup, 'localhost', { family: 6 })).toBe('::1');
    expect(asked).toEqual([]);
  });

  it('of the system is what it says: a name that is none has no address', async () => {
    expect(await asking(nameLookup, 'nobody.invalid')).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
  });
});
