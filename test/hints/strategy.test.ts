import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREE_ATTEMPTS_CLIENT, FREE_ATTEMPTS_PLANNER, strategyFor } from '../../src/hints/strategy.ts';

describe('ROSClaw-How, what it does: three strategies', () => {
  const course = { safety: false, iteration: 4, scores: [0.42, 0.47, 0.47, 0.46], freeAttempts: FREE_ATTEMPTS_CLIENT };

  it('sends a hint on the request of the documented example', () => {
    expect(strategyFor(course)).toBe('CATALYST');
  });

  it('leaves the free attempts alone and not one more, for clients and for the planner', () => {
    expect(strategyFor({ ...course, iteration: 3 })).toBe('FREE_EXPLORATION');
    const own = { ...course, freeAttempts: FREE_ATTEMPTS_PLANNER };
    expect(strategyFor({ ...own, iteration: 1 })).toBe('FREE_EXPLORATION');
    expect(strategyFor({ ...own, iteration: 2 })).toBe('CATALYST');
  });

  it('leaves an improving score alone; a plateau and a rise below the best score get a hint', () => {
    expect(strategyFor({ ...course, scores: [0.4, 0.5, 0.6] })).toBe('FREE_EXPLORATION');
    expect(strategyFor({ ...course, scores: [0.5, 0.5] })).toBe('CATALYST');
    expect(strategyFor({ ...course, scores: [0.9, 0.1, 0.2] })).toBe('CATALYST');
    expect(strategyFor({ ...course, scores: [] })).toBe('FREE_EXPLORATION');
  });

  it('puts safety before everything else', () => {
    const scores = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), scores, (iteration, all) => {
        expect(strategyFor({ ...course, safety: true, iteration, scores: all })).toBe('SAFETY');
      }),
    );
  });

  it('refuses an iteration below 1 and a score that is no number', () => {
    expect(() => strategyFor({ ...course, iteration: 0 })).toThrow('iteration: expected a whole number from 1, got 0');
    expect(() => strategyFor({ ...course, scores: [1, Number.NaN] })).toThrow('score 2: expected a finite number');
    expect(() => strategyFor({ ...course, freeAttempts: -1 })).toThrow('free attempts');
  });
});
