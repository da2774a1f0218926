import { describe, expect, it } from 'vitest';
import { TurnSize } from '../../../src/collect/tail/turn_size.ts';
import { fakeClock } from '../../support/fake_clock.ts';

function fixture(bytesMax = 32_768) {
  let nowMs = 0;
  const size = new TurnSize({ ...fakeClock().clock, monotonicMs: () => nowMs }, bytesMax, 4);
  /** The bytes of a turn that takes so long. */
  const turn = (tookMs: number): number =>
    size.turn((bytes) => {
      nowMs += tookMs;
      return bytes;
    });
  return { turn };
}

describe('the size of a turn', () => {
  it('is the whole while turns take no longer than they may', () => {
    const { turn } = fixture();
    expect([turn(4), turn(4), turn(0)]).toEqual([32_768, 32_768, 32_768]);
  });

  it('is halved after each turn that took too long, down to a limit', () => {
    const { turn } = fixture();
    expect(Array.from({ length: 7 }, () => turn(5))).toEqual([32_768, 16_384, 8_192, 4_096, 2_048, 2_048, 2_048]);
  });

  it('grows again when the turns are quick, and stays where they are neither', () => {
    const { turn } = fixture();
    for (let turns = 0; turns < 3; turns += 1) turn(5);
    expect([turn(1), turn(0), turn(0), turn(0), turn(0)]).toEqual([4_096, 4_096, 8_192, 16_384, 32_768]);
  });

  it('is never more than the whole, which may be less than the limit', () => {
    const { turn } = fixture(1_000);
    expect([turn(0), turn(9), turn(9)]).toEqual([1_000, 1_000, 1_000]);
  });
});
