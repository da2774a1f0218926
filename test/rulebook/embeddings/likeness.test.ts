import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/rulebook/rank.ts';
import { createRulebook } from '../../../src/rulebook/rulebook.ts';
import { anEnvelope } from '../../support/a.ts';
import { aRule } from '../support.ts';
import { meaningOf, never, vectorModel } from './support.ts';
import { disk, likenessWith, network, NONE, PROBES, QUERY, RULES } from './two_rules.ts';

describe('likeness by vectors', () => {
  it('finds the rule that means the same in other words', async () => {
    const { likeness, sync, order } = likenessWith();
    expect(order()).toEqual(['a_network', 'b_disk']);
    await sync();
    await likeness.prepare(QUERY);
    expect(order()).toEqual(['b_disk', 'a_network']);
    expect(likeness.state()).toEqual({
      ...{ backend: 'embeddings', model: 'local/embed', rules: 2, embedded: 2, dimensions: 4, because: undefined },
    });
  });

  it('leaves the order to n-grams where the query or one rule has no vector', async () => {
    const { likeness, sync, order } = likenessWith();
    await sync();
    expect(order()).toEqual(['a_network', 'b_disk']);
    await likeness.prepare(QUERY);
    const added = aRule({ id: 'c', description: 'Something else' });
    expect(likeness.of(QUERY, [...RULES, added], (at) => textOf([...RULES, added][at]!))).toBeUndefined();
    expect(order(QUERY, [...RULES, added])).toEqual(['a_network', 'b_disk', 'c']);
  });

  it('asks for a query before a decision only where several rules may fit', async () => {
    const { likeness, model, sync } = likenessWith();
    await sync();
    const before = model.asked.length;
    const envelope = anEnvelope({
      signals: [],
      evidence: [{ id: 'e1', at: 0, origin: 'log', source: 's', text: QUERY }],
    });
    await createRulebook([disk], NONE, likeness).prepare?.(envelope);
    expect(model.asked).toHaveLength(before);
    const book = createRulebook(RULES, NONE, likeness);
    await book.prepare?.(envelope);
    expect(model.asked.slice(before)).toEqual([['no space left on device']]);
    expect(book.answer?.(envelope, [], () => true)?.rule).toBe('b_disk');
    await book.prepare?.(envelope);
    expect(model.asked).toHaveLength(before + 1);
  });

  it('is absent from a rulebook without a model for vectors', () => {
    expect(createRulebook(RULES).prepare).toBeUndefined();
  });

  it('shows the model words, and no number, address, path, host, key or quoted text', async () => {
    const { likeness, model, sync } = likenessWith();
    await sync();
    await likeness.prepare('disk full on db.example.com at /var/log 10.0.0.1 token=abc123 "hunter2" after 17 s');
    expect(model.asked.at(-1)).toEqual(['disk full on at <path> <ip> <hex> <str> after <num> s']);
  });
});

describe('a model for vectors that fails', () => {
  const BAD: readonly (readonly [
    string,
    (texts: readonly string[]) => ReturnType<Parameters<typeof vectorModel>[0] & {}>,
  ])[] = [
    ['gives none', () => undefined],
    ['gives too few', (texts) => texts.slice(1).map(meaningOf)],
    [
      'gives vectors of different lengths',
      (texts) => texts.map((text, at) => [...meaningOf(text), ...(at ? [1] : [])]),
    ],
    ['gives numbers that are not finite', (texts) => texts.map(() => [1, Number.POSITIVE_INFINITY])],
    ['gives numbers whose length is not finite', (texts) => texts.map(() => [1e300, 1e300])],
    ['gives vectors without a length', (texts) => texts.map(() => [0, 0, 0])],
    ['gives endless vectors', (texts) => texts.map(() => new Array<number>(8_193).fill(1))],
    ['throws', () => Promise.reject(new Error('no'))],
  ];

  it.each(BAD)('and %s is reported once, and n-grams decide', async (_, embed) => {
    const { likeness, sync, order, notes, advance } = likenessWith({ model: vectorModel(embed) });
    // One text at a time would hide that rows of one answer differ.
    await sync([disk, network, aRule({ id: 'c', description: 'Something else' })]);
    await advance(3 * 60_000);
    await likeness.prepare(QUERY);
    expect(likeness.state()).toMatchObject({ backend: 'ngrams', because: expect.stringMatching(/./) });
    expect(order()).toEqual(['a_network', 'b_disk']);
    expect(notes).toEqual([expect.stringContaining('rules are compared by n-grams, not by vectors: ')]);
  });

  it('is given up after half a minute when it hangs, asked again a minute later, and used when it answers', async () => {
    const model = vectorModel(never);
    const { likeness, order, notes, advance } = likenessWith({ model });
    likeness.sync(RULES, (at) => textOf(RULES[at]!));
    await advance(29_999);
    expect(notes).toEqual([]);
    await advance(2);
    expect(notes).toHaveLength(1);
    model.embed = (texts) => texts.map(meaningOf);
    await advance(59_000);
    expect(likeness.state()).toMatchObject({ backend: 'ngrams', embedded: 0 });
    await advance(2_000);
    expect(likeness.state()).toMatchObject({ backend: 'embeddings', embedded: 2 });
    expect(notes).toEqual([expect.any(String), 'rules are compared by vectors again']);
    await likeness.prepare(QUERY);
    expect(order()).toEqual(['b_disk', 'a_network']);
  });

  it('holds up a decision half a second at most, and the next ones for a minute not at all', async () => {
    const model = vectorModel();
    const { likeness, sync, notes, clock, advance } = likenessWith({ model });
    await sync();
    model.embed = never;
    const startedMs = clock.monotonicMs();
    const took: number[] = [];
    const one = () => likeness.prepare(QUERY).then(() => took.push(clock.monotonicMs() - startedMs));
    const all = [one(), one(), likeness.prepare('another query')];
    await advance(499);
    expect(took).toEqual([]);
    await advance(1);
    await Promise.all(all);
    expect(took).toEqual([500, 500]);
    // Two who asked for one text waited for one call.
    const calls = model.asked.length;
    await likeness.prepare('a third query');
    expect(clock.monotonicMs() - startedMs).toBe(500);
    expect(model.asked).toHaveLength(calls);
    expect(notes).toHaveLength(1);
    model.embed = (texts) => texts.map(meaningOf);
    await advance(61_000);
    await likeness.prepare(QUERY);
    expect(likeness.state().backend).toBe('embeddings');
  });

  it('does not keep a run that is cut off', async () => {
    const model = vectorModel();
    const { likeness, sync } = likenessWith({ model });
    await sync();
    model.embed = never;
    const controller = new AbortController();
    const waiting = likeness.prepare(QUERY, controller.signal);
    controller.abort();
    await waiting;
    await likeness.prepare(QUERY, controller.signal);
  });

  it('has no more than four queries in flight', async () => {
    const model = vectorModel();
    const { likeness, sync } = likenessWith({ model });
    await sync();
    const before = model.asked.length;
    model.embed = never;
    for (const query of ['one', 'two', 'three', 'four', 'five', 'six']) void likeness.prepare(query);
    expect(model.asked).toHaveLength(before + 4);
  });

  it('is not used for a query whose vector has another length', async () => {
    const model = vectorModel();
    const { likeness, sync, order, notes } = likenessWith({ model });
    await sync();
    model.embed = (texts) => texts.map(() => [1, 2]);
    await likeness.prepare(QUERY);
    expect(order()).toEqual(['a_network', 'b_disk']);
    expect(notes).toEqual([expect.stringContaining('a vector of 2 numbers, not of 4')]);
  });

  it('is not used where its vectors would fill the memory', async () => {
    const rules = Array.from({ length: 2_049 }, (_, at) => aRule({ id: `r${at}`, description: wordsOf(at) }));
    const model = vectorModel((texts) => texts.map(() => new Array<number>(8_192).fill(1)));
    const { likeness, sync } = likenessWith({ model });
    await sync(rules);
    expect(likeness.state()).toMatchObject({
      backend: 'ngrams',
      embedded: 0,
      because: expect.stringContaining('2049'),
    });
    expect(model.asked.flat()).toHaveLength(PROBES);
  });
});

/** A description of its own, without a digit: those are not shown. */
const wordsOf = (at: number): string => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join(' ');
