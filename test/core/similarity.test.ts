import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { cosine, createTextIndex, similarity, tokensOf, vectorOf } from '../../src/core/similarity.ts';

const word = fc.constantFrom('stream', 'stalled', 'token', 'expired', 'origin', 'refused', '403', 'ffmpeg', 'segment');
const text = fc.oneof(
  fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
  fc.string({ maxLength: 200 }),
);

describe('the n-gram vector of a text', () => {
  property.prop([text, text])('gives a likeness between 0 and 1, the same both ways', (a, b) => {
    const there = similarity(a, b);
    expect(there).toBeGreaterThanOrEqual(0);
    expect(there).toBeLessThanOrEqual(1);
    expect(similarity(b, a)).toBe(there);
  });

  property.prop([text])('is 1 with itself wherever there are words', (a) => {
    const vector = vectorOf(a);
    expect(cosine(vector, vector)).toBeCloseTo(tokensOf(a).length === 0 ? 0 : 1, 9);
  });

  property.prop([text])('does not change with case or punctuation', (a) => {
    fc.pre(/^[\x20-\x7e]*$/.test(a));
    expect(vectorOf(`  ${a.toUpperCase()}!`)).toEqual(vectorOf(a.toLowerCase()));
  });

  it('finds a text with other numbers nearer than one about another trouble', () => {
    const seen = 'HTTP error 403 Forbidden while opening https://cdn.example/live/12/index.m3u8';
    const same = 'HTTP error 403 Forbidden while opening https://cdn.example/live/77/index.m3u8';
    const other = 'Non-monotonous DTS in output stream 0:1; previous: 8812, current: 8790';
    expect(similarity(seen, same)).toBeGreaterThan(0.7);
    expect(similarity(seen, other)).toBeLessThan(0.2);
  });

  it('is empty for a text without letters or digits, and alike to nothing', () => {
    expect(vectorOf(' … --- !').slots).toHaveLength(0);
    expect(similarity(' … --- !', ' … --- !')).toBe(0);
  });

  it('looks at 4,096 characters and no further', () => {
    const start = 'a '.repeat(2_048);
    expect(vectorOf(`${start}beyond`)).toEqual(vectorOf(start));
    expect(vectorOf(`${start.slice(2)}b`)).not.toEqual(vectorOf(start.slice(2)));
  });
});

const documents = fc.uniqueArray(fc.tuple(fc.constantFrom(...'abcdefghij'), text), { selector: ([id]) => id });

describe('the index of terms', () => {
  property.prop([documents, documents, text])('depends on what it holds, not on how it came there', (kept, gone, q) => {
    const fresh = createTextIndex(100);
    for (const [id, body] of kept) fresh.add(id, body);
    const used = createTextIndex(100);
    for (const [id, body] of gone) used.add(id, body);
    for (const [id, body] of [...kept].reverse()) used.add(id, body);
    for (const [id] of gone) if (!kept.some(([one]) => one === id)) used.remove(id);
    expect(used.size).toBe(fresh.size);
    expect(used.query(q, 5)).toEqual(fresh.query(q, 5));
  });

  property.prop([documents, text, fc.nat(12)])(
    'answers the best `limit` of a full ranking, best first',
    (all, q, n) => {
      const index = createTextIndex(100);
      for (const [id, body] of all) index.add(id, body);
      const ranking = index.query(q, 100);
      expect(index.query(q, n)).toEqual(ranking.slice(0, n));
      expect([...ranking].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))).toEqual(ranking);
      expect(ranking.every(({ score }) => score > 0)).toBe(true);
    },
  );

  property.prop([documents, text])('finds exactly the documents that share a word with the query', (all, q) => {
    const index = createTextIndex(100);
    for (const [id, body] of all) index.add(id, body);
    const words = new Set(tokensOf(q));
    const sharing = all.filter(([, body]) => tokensOf(body).some((token) => words.has(token))).map(([id]) => id);
    expect(
      index
        .query(q, 100)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(sharing.sort());
  });

  it('ranks a rare term above a common one', () => {
    const index = createTextIndex(10);
    index.add('common', 'stream error');
    index.add('other', 'stream opened');
    index.add('rare', 'token expired');
    expect(index.query('stream token', 3).map(({ id }) => id)[0]).toBe('rare');
  });

  it('refuses a document past its bound and still takes a new text for one it has', () => {
    const index = createTextIndex(2);
    expect(index.add('a', 'one')).toBe(true);
    expect(index.add('b', 'two')).toBe(true);
    expect(index.add('c', 'three')).toBe(false);
    expect(index.add('a', 'four')).toBe(true);
    expect(index.query('one three', 5)).toEqual([]);
    expect(index.query('four', 5)).toMatchObject([{ id: 'a' }]);
  });

  it('passes over what the caller does not admit', () => {
    const index = createTextIndex(3);
    for (const id of ['a', 'b', 'c']) index.add(id, 'same words');
    expect(index.query('same', 1, (id) => id !== 'a')).toMatchObject([{ id: 'b' }]);
  });
});
