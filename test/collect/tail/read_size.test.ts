import { describe, expect, it } from 'vitest';
import { ReadSize } from '../../../src/collect/tail/read_size.ts';
import { fakeClock } from '../../support/fake_clock.ts';

function fixture(bytesMax = 32_768) {
  let nowMs = 0;
  const size = new ReadSize({ ...fakeClock().clock, monotonicMs: () => nowMs }, bytesMax, 4);
  /** The bytes of a read that takes so long. */
  const read = (tookMs: number): number =>
    size.read((bytes) => {
      nowMs += tookMs;
      return bytes;
    });
  return { read };
}

describe('the size of a read', () => {
  it('is the whole while reads take no longer than they may', () => {
    const { read } = fixture();
    expect([read(4), read(4), read(0)]).toEqual([32_768, 32_768, 32_768]);
  });

  it('is halved after each read that took too long, down to a limit', () => {
    const { read } = fixture();
    expect(Array.from({ length: 7 }, () => read(5))).toEqual([32_768, 16_384, 8_192, 4_096, 2_048, 2_048, 2_048]);
  });

  it('grows again when the reads are quick, and stays where they are neither', () => {
    const { read } = fixture();
    for (let reads = 0; reads < 3; reads += 1) read(5);
    expect([read(1), read(0), read(0), read(0), read(0)]).toEqual([4_096, 4_096, 8_192, 16_384, 32_768]);
  });

  it('is never more than the whole, which may be less than the limit', () => {
    const { read } = fixture(1_000);
    expect([read(0), read(9), read(9)]).toEqual([1_000, 1_000, 1_000]);
  });
});
