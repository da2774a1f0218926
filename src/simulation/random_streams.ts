/** Deterministic random streams. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Random } from '../core/id.ts';

/** Thirty-two well mixed bits of any numbers: the same on every machine and in every release of the runtime. */
export function mix(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ (number | 0), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) ^ Math.floor(number / 2 ** 32);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

/** A number for a name, to be mixed with others. */
export function numberOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A fraction in [0, 1) that depends on these numbers and on nothing that was drawn before. */
export const fractionOf = (...numbers: readonly number[]): number => mix(...numbers) / 2 ** 32;

/** One stream of chance. Each actor has its own, so that one more actor shifts no other's numbers. */
export interface Stream extends Random {
  /** A whole number in [from, to]. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  /** Waiting time of a memoryless process, in the unit of its mean. */
  exponential(mean: number): number;
  pick<T>(items: readonly T[]): T;
}

export function streamOf(seed: number, name: string): Stream {
  const generator = xoroshiro128plus(mix(seed, numberOf(name)));
  const next = (): number => (generator.next() >>> 0) / 2 ** 32;
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    exponential: (mean) => -Math.log(1 - next()) * mean,
    pick: (items) => items[int(0, items.length - 1)]!,
  };
}
