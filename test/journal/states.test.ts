import { describe, expect, it } from 'vitest';
import type { JournalEntry, Projection } from '../../src/core/journal.ts';
import { States } from '../../src/journal/states.ts';

const entry = (seq: number): JournalEntry => ({ seq, fact: { type: 'reeve.stopped' } }) as unknown as JournalEntry;
const counting = (name: string): Projection<number> => ({ name, initial: 0, apply: (count) => count + 1 });
const holding = (value: unknown): Projection<unknown> => ({ name: 'held', initial: value, apply: (state) => state });

describe('the states of all projections', () => {
  it('advance together, and only when they are put in force', () => {
    const states = new States();
    const [one, two] = [states.register(counting('one'), () => true), states.register(counting('two'), () => true)];
    const next = states.after([entry(1), entry(2)]);
    expect([one(), two()]).toEqual([0, 0]);
    states.put(next);
    expect([one(), two()]).toEqual([2, 2]);
  });

  it('stay as they are where a projection throws, and name it with the entry', () => {
    const states = new States();
    const one = states.register(counting('one'), () => true);
    const apply = () => {
      throw new Error('no such thing');
    };
    states.register({ name: 'broken', initial: 0, apply }, () => true);
    expect(() => states.after([entry(7)])).toThrow(
      'projection broken failed on entry 7 (reeve.stopped): no such thing',
    );
    expect(one()).toBe(0);
    expect(states.applying).toBe(false);
  });

  it('advance alone those that a snapshot did not hold', () => {
    const states = new States();
    const [old, added] = [states.register(counting('old'), () => true), states.register(counting('added'), () => true)];
    const saved = [
      { name: 'old', state: '5' },
      { name: 'gone', state: '9' },
    ];
    states.load(saved);
    expect(states.missingFrom(saved)).toEqual(new Set(['added']));
    states.put(states.after([entry(1)], states.missingFrom(saved)));
    expect([old(), added()]).toEqual([5, 1]);
  });

  it('refuse a second projection of one name, and a reading before the journal is open', () => {
    const states = new States();
    const read = states.register(counting('one'), () => false);
    expect(() => states.register(counting('one'), () => true)).toThrow('two projections are called one');
    expect(() => read()).toThrow('one was read before the journal was open');
  });

  it.each([
    ['a number without end', { a: Number.POSITIVE_INFINITY }, 'held.a is Infinity, which JSON cannot say'],
    ['a map', { a: new Map() }, 'held.a is a Map, which JSON cannot say'],
    ['a function', [() => 1], 'held.0 is a function, which JSON cannot say'],
  ])('refuse to be saved with %s, which would be another state after a restart', (_, value, because) => {
    const states = new States();
    states.register(holding(value), () => true);
    expect(() => states.save()).toThrow(because);
  });

  it('are saved as JSON, members that are undefined left out', () => {
    const states = new States();
    states.register(holding({ a: 1, b: undefined, c: [null, 'x', true] }), () => true);
    expect(states.save()).toEqual([{ name: 'held', state: '{"a":1,"c":[null,"x",true]}' }]);
  });
});
