/** The hash chain of the journal. */
import { hash } from 'node:crypto';
import type { StoredEntry } from './store.ts';

/** What the very first entry chains on. */
export const GENESIS = '0'.repeat(64);

/** The state in every snapshot that names the hash before it. */
export const CHAIN_STATE = 'journal.chain';

/** Hex SHA-256 over the previous hash and the canonical JSON of the row. */
export function hashOf(previous: string, row: Omit<StoredEntry, 'hash'>): string {
  const { seq, at, monoMs, boot, channel, incident, run, type, body } = row;
  // In the order of canonical JSON, which is many times as slow: a start does this for each record that it reads.
  const content = JSON.stringify({ at, body, boot, channel, incident, mono_ms: monoMs, run, seq, type });
  return hash('sha256', `${previous}\n${content}`, 'hex');
}

/**
 * What a row may chain on when it is the first that is left. Entry 1 chains on the genesis hash. After retention
 * the first row left is always a snapshot, and that names the hash of the row that went before it, under its own
 * hash. Any other first row means that somebody cut the front off.
 */
export function anchorOf(row: StoredEntry): string | undefined {
  if (row.seq === 1) return GENESIS;
  if (row.type !== 'snapshot.taken') return undefined;
  try {
    const body = JSON.parse(row.body) as { states: readonly { name: string; state: string }[] };
    const state = body.states.find(({ name }) => name === CHAIN_STATE)?.state;
    return state === undefined ? undefined : (JSON.parse(state) as string);
  } catch {
    return undefined;
  }
}

/** `firstBad`: the first seq that is wrong or missing. `records`: how many were read. */
export interface ChainReport {
  readonly ok: boolean;
  readonly records: number;
  readonly firstBad: number | undefined;
  readonly because: string | undefined;
}

/** Checks rows one after another, oldest first, so that a long journal can be walked in small steps. */
export class ChainCheck {
  #previous: { readonly seq: number; readonly hash: string } | undefined;
  #records = 0;
  #fault: { readonly seq: number; readonly because: string } | undefined;

  /** True when the row follows from the one before. After the first wrong row it only counts. */
  add(row: StoredEntry): boolean {
    this.#records += 1;
    if (this.#fault !== undefined) return false;
    const because = this.#faultOf(row);
    if (because !== undefined) this.#fault = { seq: this.#missingBefore(row) ?? row.seq, because };
    this.#previous = { seq: row.seq, hash: row.hash };
    return because === undefined;
  }

  /** `head`: the last row as known from elsewhere, so that a cut tail is found too. */
  report(head?: { readonly seq: number; readonly hash?: string | undefined }): ChainReport {
    const fault = this.#fault ?? this.#tailFault(head);
    return { ok: fault === undefined, records: this.#records, firstBad: fault?.seq, because: fault?.because };
  }

  #missingBefore(row: StoredEntry): number | undefined {
    const expected = this.#previous === undefined ? undefined : this.#previous.seq + 1;
    return expected !== undefined && row.seq > expected ? expected : undefined;
  }

  #faultOf(row: StoredEntry): string | undefined {
    const previous = this.#previous;
    if (previous !== undefined && row.seq !== previous.seq + 1)
      return `expected entry ${previous.seq + 1} after ${previous.seq}, found ${row.seq}`;
    const anchor = previous === undefined ? anchorOf(row) : previous.hash;
    if (anchor === undefined) return `the journal begins with entry ${row.seq}, which is neither 1 nor a snapshot`;
    return hashOf(anchor, row) === row.hash ? undefined : `entry ${row.seq} does not match its hash`;
  }

  #tailFault(head: { readonly seq: number; readonly hash?: string | undefined } | undefined) {
    if (head === undefined || head.seq === 0) return undefined;
    const last = this.#previous;
    if (last === undefined || last.seq < head.seq)
      return { seq: (last?.seq ?? 0) + 1, because: `the journal ends at ${last?.seq ?? 0}, but reached ${head.seq}` };
    const altered = head.hash !== undefined && last.seq === head.seq && last.hash !== head.hash;
    return altered ? { seq: last.seq, because: `entry ${last.seq} is not the one that was written` } : undefined;
  }
}

/**
 * Law S14: finds any change, gap, reordering and a cut front. A cut tail leaves a chain that is whole, so it is
 * found only against `head`, the highest entry that is known to have been written.
 */
export function verifyChain(
  rows: Iterable<StoredEntry>,
  head?: { readonly seq: number; readonly hash?: string | undefined },
): ChainReport {
  const check = new ChainCheck();
  for (const row of rows) check.add(row);
  return check.report(head);
}
