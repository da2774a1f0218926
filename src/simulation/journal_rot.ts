/** Bit rot: a record of the simulated journal changes though nobody writes it. */
import { MINUTE_MS } from '../core/duration.ts';
import type { MemoryStore } from '../journal/memory.ts';
import type { StoredEntry } from '../journal/store.ts';
import { mix } from './random_streams.ts';
import type { Injection } from './scenario.ts';

export interface JournalRotDeps {
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly store: () => MemoryStore;
  /** Ends the process that runs; another begins after that time. */
  readonly die: (downMs: number) => void;
  readonly onRotten: () => void;
  /** A person puts a whole copy in the journal's place, and Reeve begins on it. */
  readonly onMended: () => void;
}

/** What was there, and what a person has a copy of: the journal as it was then. */
interface Rotten {
  readonly original: StoredEntry;
  readonly throughSeq: number;
}

const NEWEST = 50;
/** So many rots come just before a restart. */
const BEFORE_A_RESTART = 0.3;
const RESTART_MS = 3_000;
/** A person who was paged comes after this long, and after what the injection says. */
const MENDED_MS = 10 * MINUTE_MS;

/** Changes one bit of one record, and lets a person put a whole copy in its place later. */
export class JournalRot {
  readonly #deps: JournalRotDeps;
  #rotten: Rotten | undefined;
  /** The present process began on the rotten journal. */
  #beganOnIt = false;

  constructor(deps: JournalRotDeps) {
    this.#deps = deps;
  }

  get rotten(): boolean {
    return this.#rotten !== undefined;
  }

  /** What the present process knows may rest on the rotten record. */
  get beganOnIt(): boolean {
    return this.#beganOnIt;
  }

  /** The number of the record that rotted. */
  get seq(): number | undefined {
    return this.#rotten?.original.seq;
  }

  rot({ variant, forMs }: Injection): void {
    const { store, nowMs, at, die, onRotten } = this.#deps;
    const rows = [...store().read({})];
    const last = rows.at(-1);
    if (this.#rotten !== undefined || last === undefined) return;
    // Half of them among the newest, which a start reads itself.
    const among = (variant * 100) % 1 < 0.5 ? rows : rows.slice(-NEWEST);
    const original = among[Math.floor(((variant * 10_000) % 1) * among.length)]!;
    store().alter(flipped(original, mix(Math.floor(variant * 2 ** 32))));
    this.#rotten = { original, throughSeq: last.seq };
    onRotten();
    if (variant < BEFORE_A_RESTART) die(RESTART_MS);
    at(nowMs() + MENDED_MS + forMs, () => this.mend());
  }

  /** As it was written, whatever the disk says now: for those who know what really happened. */
  asWritten(row: StoredEntry): StoredEntry {
    return this.#rotten?.original.seq === row.seq ? this.#rotten.original : row;
  }

  mend(): void {
    if (this.#rotten !== undefined) this.#deps.onMended();
  }

  /** The rows of the copy; undefined where nothing is rotten. */
  copy(): readonly StoredEntry[] | undefined {
    if (this.#rotten === undefined) return undefined;
    const rows = this.#deps.store().read({ throughSeq: this.#rotten.throughSeq });
    return [...rows].map((row) => this.asWritten(row));
  }

  /** Another process begins, on the copy or on what is there. */
  begun(onCopy: boolean): void {
    if (onCopy) this.#rotten = undefined;
    this.#beganOnIt = this.#rotten !== undefined;
  }
}

const TEXTS = ['body', 'body', 'body', 'hash', 'type', 'boot', 'channel', 'incident', 'run'] as const;
/** Of a time: up to half a minute. A greater one is no less found, and would move the simulation's own clock away. */
const TIME_BITS = 15;

/** One bit of it is another. */
export function flipped(row: StoredEntry, lot: number): StoredEntry {
  const times = (['at', 'monoMs'] as const)[mix(lot, 2) % 8];
  if (times !== undefined) {
    const bit = 2 ** (mix(lot, 3) % TIME_BITS);
    return { ...row, [times]: row[times] + (Math.floor(row[times] / bit) % 2 === 0 ? bit : -bit) };
  }
  const wanted = TEXTS[mix(lot, 4) % TEXTS.length]!;
  const field = row[wanted] === undefined ? 'body' : wanted;
  const text = row[field]!;
  const at = mix(lot, 5) % text.length;
  const other = String.fromCharCode(text.charCodeAt(at) ^ (1 << (mix(lot, 6) % 7)));
  return { ...row, [field]: text.slice(0, at) + other + text.slice(at + 1) };
}
