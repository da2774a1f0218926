/** Ids and randomness as ports. */
import { randomBytes } from 'node:crypto';

/** Names that sort by age and never repeat within one source. */
export interface Ids {
  /** For example `next('inc')` gives `inc-7k2m9q01`. */
  next(prefix: IdPrefix): string;
}

export type IdPrefix = 'inc' | 'run' | 'per' | 'esc' | 'apr' | 'req' | 'win' | 'trn' | 'tsk' | 'inj';

/** Numbers in [0, 1), from a source that a test or a simulation can seed. */
export interface Random {
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };

/** Ids from the system's randomness: 48 bits, enough to be unique in one journal. */
export const systemIds: Ids = {
  next: (prefix) => `${prefix}-${randomBytes(6).toString('hex')}`,
};

/** Ids that count up: for tests, simulation and replay, where the same input must give the same bytes. */
export function countingIds(): Ids {
  let last = 0;
  return {
    next: (prefix) => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
