import { describe, expect, it } from 'vitest';
import { aFieldBudget, Message } from '../../../src/collect/intake/protobuf.ts';

const read = (bytes: readonly number[], budget = aFieldBudget()) => {
  const message = new Message(Buffer.from(bytes), budget);
  const fields: unknown[] = [];
  while (message.next()) fields.push([message.number, message.value, message.text()]);
  return fields;
};

describe('a protobuf message', () => {
  it('has its fields in their order: numbers, texts, and fixed ones by their bytes', () => {
    const bytes = [0x08, 0x96, 0x01, 0x12, 2, 0x68, 0x69, 0x1d, 0x61, 0x62, 0x63, 0x64];
    expect(read(bytes)).toEqual([
      [1, 150, ''],
      [2, 0, 'hi'],
      [3, 0, 'abcd'],
    ]);
    expect(read([0x21, ...Buffer.from('12345678')])).toEqual([[4, 0, '12345678']]);
    expect(read([])).toEqual([]);
  });

  it('ends a message within it where that one ends', () => {
    const outer = new Message(Buffer.from([0x0a, 2, 0x08, 7, 0x10, 9]), aFieldBudget());
    expect(outer.next()).toBe(true);
    const inner = outer.message();
    expect([inner.next(), inner.number, inner.value, inner.next()]).toEqual([true, 1, 7, false]);
    expect([outer.next(), outer.number, outer.value]).toEqual([true, 2, 9]);
  });

  it('may use its budget to the last field, messages within it counted', () => {
    expect(read([0x08, 1, 0x08, 2], { left: 2 })).toHaveLength(2);
    expect(() => read([0x08, 1, 0x08, 2], { left: 1 })).toThrow('send smaller batches');
    const outer = new Message(Buffer.from([0x0a, 2, 0x08, 7]), { left: 1 });
    outer.next();
    expect(() => outer.message().next()).toThrow('send smaller batches');
  });

  it.each([
    ['a field without a number', [0x00, 1]],
    ['a field of kind 3', [0x0b]],
    ['a field that ends too soon', [0x0a, 2, 0x68]],
    ['a field that ends too soon', [0x0d, 1, 2, 3]],
    ['a number that ends too soon', [0x08, 0x80]],
    ['a number that does not end', [0x08, ...Array<number>(10).fill(0x80)]],
  ])('is refused with the reason: %s', (reason, bytes) => {
    expect(() => read(bytes)).toThrow(`expected a protobuf message, got ${reason}`);
  });

  it('takes a number of ten bytes, the longest there is', () => {
    expect(read([0x08, ...Array<number>(9).fill(0x80), 0])).toEqual([[1, 0, '']]);
  });
});
