/** Aho and Corasick's multi-string search. */
import type { Hits, Literal, Prefilter } from './prefilter.ts';

const CODES = 256;

interface State {
  readonly next: Int32Array;
  ends: number[];
}

/**
 * Aho and Corasick's automaton over bytes: slower than Wu and Manber's search on ordinary text, but its speed depends
 * neither on the data nor on the shortest literal. For catalogues with very short literals.
 */
export function ahoCorasick(literals: readonly Literal[]): Prefilter {
  const states = buildTrie(literals);
  linkFailures(states);
  const next = new Int32Array(states.length * CODES);
  for (const [at, state] of states.entries()) next.set(state.next, at * CODES);
  const ends = states.map((state) => (state.ends.length === 0 ? undefined : state.ends));
  const lengths = literals.map(({ text }) => text.length);
  return {
    scan(bytes, start, end, hits) {
      let state = 0;
      for (let at = start; at < end; at += 1) {
        state = next[state * CODES + bytes[at]!]!;
        const found = ends[state];
        if (found !== undefined) report(found, lengths, at, hits);
      }
    },
  };
}

function report(found: readonly number[], lengths: readonly number[], at: number, hits: Hits): void {
  for (const literal of found) hits.add(at + 1 - lengths[literal]!, literal);
}

const emptyState = (): State => ({ next: new Int32Array(CODES).fill(-1), ends: [] });

function buildTrie(literals: readonly Literal[]): State[] {
  const states = [emptyState()];
  literals.forEach(({ text, ignoreCase }, literal) => {
    let at = 0;
    for (const byte of Buffer.from(text, 'latin1')) at = step(states, at, byte, ignoreCase);
    states[at]!.ends.push(literal);
  });
  return states;
}

/** Where case is ignored both letters lead to the same place, unless a literal that minds case was there first. */
function step(states: State[], from: number, byte: number, ignoreCase: boolean): number {
  const { next } = states[from]!;
  if (next[byte]! < 0) {
    next[byte] = states.length;
    states.push(emptyState());
  }
  const other = ignoreCase && /[a-z]/i.test(String.fromCharCode(byte)) ? byte ^ 32 : byte;
  if (next[other]! < 0) next[other] = next[byte]!;
  return next[byte]!;
}

function linkFailures(states: readonly State[]): void {
  const failure = new Int32Array(states.length);
  const queue: number[] = [];
  const seen = new Set<number>([0]);
  const root = states[0]!.next;
  for (let code = 0; code < CODES; code += 1) {
    if (root[code]! < 0) root[code] = 0;
    else if (!seen.has(root[code]!)) queue.push(root[code]!) && seen.add(root[code]!);
  }
  for (let head = 0; head < queue.length; head += 1) {
    const at = queue[head]!;
    const { next } = states[at]!;
    const fallback = states[failure[at]!]!;
    states[at]!.ends = [...states[at]!.ends, ...fallback.ends];
    for (let code = 0; code < CODES; code += 1) {
      const to = next[code]!;
      if (to < 0) next[code] = fallback.next[code]!;
      else if (!seen.has(to)) {
        failure[to] = fallback.next[code]!;
        queue.push(to);
        seen.add(to);
      }
    }
  }
}
