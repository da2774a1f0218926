import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HintFact } from '../../src/core/hints.ts';
import { HINTS_SCHEMA, HintStore } from '../../src/hints/store.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { temporary } from './support.ts';

type Injected = Extract<HintFact, { type: 'hint.injected' }>;
type Scored = Extract<HintFact, { type: 'hint.scored' }>;

const injected = (injection: string, more: Partial<Injected> = {}): Injected => ({
  ...{ type: 'hint.injected', injection, pattern: 'p', cluster: 'c', symptom: 's', matched: 'm', similarity: 0.5 },
  ...{ staging: false, scores: [0.1, 0.4], iteration: 3, asker: 'client', who: 'somebody' },
  ...more,
});
const scored = (injection: string, postScore: number, more: Partial<Scored> = {}): Scored => ({
  ...{ type: 'hint.scored', injection, postScore, who: 'somebody' },
  ...more,
});
const priority = (to: number, stated?: number): HintFact => ({
  ...{ type: 'hint.priority_set', cluster: 'c', pattern: 'p', from: 0, to, who: 'somebody', because: 'b' },
  ...(stated === undefined ? {} : { stated }),
});
const blindSpot = (prefixHash: string, lastSeenMs: number): HintFact => ({
  ...{ type: 'hint.blind_spot', prefixHash, count: 3, windowMs: 60_000, threshold: 3 },
  ...{ firstSeenMs: 1, lastSeenMs, excerpt: 'x' },
});

/** A store beside a journal; `write` appends facts and hands each entry to the store. */
function aStore() {
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(new MemoryStore(), clock);
  ledger.open();
  const file = DerivedFile.open(join(temporary(), 'hints.db'), HINTS_SCHEMA);
  onTestFinished(() => file[Symbol.dispose]());
  const store = new HintStore(file, (query) => ledger.read(query));
  const append = (fact: HintFact, incident?: string) => {
    ledger.append([{ incident, fact }]);
    return [...ledger.read({ sinceSeq: store.cursor() + 1 })].at(-1)!;
  };
  const write = (fact: HintFact, incident?: string) => store.take(append(fact, incident));
  return { ledger, file, store, append, write, advance };
}

describe('the store of hints', () => {
  it('keeps what was sent, with the score before it, and what came of it', () => {
    const { store, write } = aStore();
    write(injected('one'), 'inc-1');
    expect(store.outcome('one')).toMatchObject({ preScore: 0.4, postScore: null, deltaScore: null, incident: 'inc-1' });
    write(scored('one', 0.9, { iterations: 2, notes: 'helped' }));
    expect(store.outcome('one')).toMatchObject({ postScore: 0.9, iterationsToResolve: 2, notes: 'helped' });
    expect(store.outcome('one')?.deltaScore).toBeCloseTo(0.5);
    expect(store.outcome('two')).toBeUndefined();
  });

  it('judges a hint by what was sent since it was taken back, also in a file that an earlier version made', () => {
    const { store, write, file } = aStore();
    file.advance(store.cursor(), () => file.run('DROP TABLE back'));
    write(injected('one'));
    write(injected('late'));
    write(scored('one', 0.1));
    expect(store.judged('p', 'c')).toHaveLength(1);
    write(priority(-1));
    write({ ...priority(0), from: -1 } as HintFact);
    write(scored('late', 0.1));
    expect(store.judged('p', 'c')).toEqual([]);
    write(injected('two'));
    write(scored('two', 0.1));
    write(priority(1));
    expect([store.judged('p', 'c'), store.judged('p', 'other'), store.scored('p')].map(({ length }) => length)).toEqual(
      [1, 3, 3],
    );
  });

  it('judges what is sent after the journal began anew, whatever was taken back in the one before', () => {
    const { store, file, write } = aStore();
    write(injected('one'));
    write({ ...priority(0), from: -1 } as HintFact);
    store.startOver(1);
    const { append } = aStore();
    const fresh = new HintStore(file);
    fresh.take(append(injected('two')));
    fresh.take({ ...append(scored('two', 0.1)), seq: fresh.cursor() + 1 });
    expect(fresh.judged('p', 'c')).toHaveLength(1);
  });

  it('takes each entry once, and none but those of hints', () => {
    const { store, append, ledger } = aStore();
    const entry = append(injected('one'));
    expect([store.take(entry), store.take(entry)]).toEqual([true, false]);
    ledger.append([{ fact: { type: 'clock.jumped', byMs: 1, because: 'a test' } as never }]);
    const other = [...ledger.read({ sinceSeq: store.cursor() + 1 })].at(-1)!;
    expect(store.take(other)).toBe(false);
    expect(store.outcomes(0, 10)).toHaveLength(1);
  });

  it('reads what it missed while its file could not be written, in the order of the journal', () => {
    const { store, file, append, write } = aStore();
    const advance = file.advance.bind(file);
    file.advance = () => {
      throw new Error('the disk is full');
    };
    expect(() => store.take(append(injected('one')))).toThrow('the disk is full');
    append(scored('one', 0.9));
    file.advance = advance;
    write(injected('two'));
    expect(store.outcomes(0, 10).map(({ injection, postScore }) => [injection, postScore])).toEqual([
      ['one', 0.9],
      ['two', null],
    ]);
  });

  it('lists outcomes from a time on, that time included, oldest first and no more than asked for', async () => {
    const { store, write, advance } = aStore();
    write(injected('one'));
    await advance(1_000);
    write(injected('two'));
    const { at } = store.outcome('two')!;
    const ids = (since: number, limit: number) => store.outcomes(since, limit).map(({ injection }) => injection);
    expect([ids(0, 10), ids(at, 10), ids(at + 1, 10), ids(0, 1)]).toEqual([['one', 'two'], ['two'], [], ['one']]);
  });

  it('counts only outcomes with a score, of one hint or of all', () => {
    const { store, write } = aStore();
    for (const [id, pattern] of [
      ['a', 'p'],
      ['b', 'q'],
      ['c', 'p'],
    ] as const)
      write(injected(id, { pattern }));
    write(scored('a', 1));
    write(scored('b', 0));
    const kept = (pattern?: string) => store.scored(pattern).map(({ patternId, postScore }) => [patternId, postScore]);
    expect([kept(), kept('p')]).toEqual([
      [
        ['p', 1],
        ['q', 0],
      ],
      [['p', 1]],
    ]);
  });

  it('gives the newest hint of an incident that the planner waits for', () => {
    const { store, write } = aStore();
    write(injected('one', { asker: 'planner' }), 'inc-1');
    write(injected('two', { asker: 'planner' }), 'inc-1');
    write(injected('of a client'), 'inc-1');
    expect(store.pendingOf('inc-1')?.injection).toBe('two');
    write(scored('two', 1));
    expect(store.pendingOf('inc-1')?.injection).toBe('one');
    expect(store.pendingOf('inc-2')).toBeUndefined();
  });

  it('keeps the last priority that was set, and what the bundle stated then', () => {
    const { store, write } = aStore();
    write(priority(1));
    expect(store.priorities().get('c')).toEqual({ stated: undefined, priority: 1 });
    write(priority(-1, 0));
    expect(store.priorities().get('c')).toEqual({ stated: 0, priority: -1 });
  });

  it('knows when each blind spot was last seen, after a time', () => {
    const { store, write } = aStore();
    for (const [hash, lastMs] of [
      ['x', 100],
      ['x', 300],
      ['y', 200],
    ] as const)
      write(blindSpot(hash, lastMs));
    expect([...store.crossings(0)].sort()).toEqual([
      ['x', 300],
      ['y', 200],
    ]);
    expect([...store.crossings(200)]).toEqual([['x', 300]]);
  });

  it('forgets the oldest beyond its bound', () => {
    const { store, write } = aStore();
    for (const id of ['one', 'two', 'three']) write(injected(id));
    store.prune(3);
    expect(store.outcomes(0, 10)).toHaveLength(3);
    store.prune(2);
    expect(store.outcomes(0, 10).map(({ injection }) => injection)).toEqual(['two', 'three']);
  });

  it('writes rows of a bundle and deletes others, or neither', () => {
    const { store } = aStore();
    const row = (id: string, document = 'd') => ({ id, sha256: 'h', document });
    const none = { put: [], gone: [] };
    store.load({ cluster: { put: [row('a'), row('b')], gone: [] }, pattern: none });
    const bad = { put: [row('c', null as never)], gone: ['a'] };
    expect(() => store.load({ cluster: bad, pattern: none })).toThrow();
    expect(store.loaded('cluster')).toEqual([row('a'), row('b')]);
    store.load({ cluster: { put: [row('b', 'new')], gone: ['a'] }, pattern: none });
    expect([store.loaded('cluster'), store.loaded('pattern')]).toEqual([[row('b', 'new')], []]);
  });
});
