import { describe, expect, it } from 'vitest';
import { fromNanoseconds, isRecord, labelled } from '../../../src/collect/intake/refused.ts';

describe('a time in nanoseconds', () => {
  it('is read from a number and from decimal text, to the millisecond below', () => {
    expect(fromNanoseconds(1_767_225_600_124_000_000)).toBe(1_767_225_600_124);
    expect(fromNanoseconds(1_999_999)).toBe(1);
    expect(fromNanoseconds('1767225600123999999')).toBe(1_767_225_600_123);
    expect(fromNanoseconds('1000000')).toBe(1);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '0', '999999', '-1', '1.5', '', '1'.repeat(21), null, 1n, {}])(
    'is not known from %s',
    (value) => {
      expect(fromNanoseconds(value)).toBeUndefined();
    },
  );
});

describe('a record', () => {
  it('is an object, and neither null nor a list', () => {
    expect([{}, { a: 1 }].every(isRecord)).toBe(true);
    expect([null, [], 'a', 1, undefined].some(isRecord)).toBe(false);
  });
});

describe('the channel among labels', () => {
  it('is the first name in the order asked for that has a text', () => {
    const labels = { channel: '', job: 'sport', app: 'news' };
    expect(labelled(labels, ['channel', 'app', 'job'])).toBe('news');
    expect(labelled(new Map(Object.entries(labels)), ['channel', 'app', 'job'])).toBe('news');
    expect(labelled(labels, ['channel', 'host'])).toBeUndefined();
  });

  it('is no number, and nothing that every object inherits', () => {
    expect(labelled({ channel: 7 }, ['channel'])).toBeUndefined();
    expect(labelled(Object.create({ channel: 'news' }), ['channel'])).toBeUndefined();
  });
});
