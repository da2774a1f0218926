// The audit of a journal file: its own chain, and what outside witnesses know of it.
import { anchorOf, ChainCheck, type ChainReport } from './chain.ts';
import { HEAD_DIGITS_MIN, type WantedHead } from './heads.ts';
import { SqliteStore } from './sqlite.ts';
import type { StoredEntry } from './store.ts';

/** `gone`: retention has deleted the record, so nothing is known of it. */
export interface HeadFinding extends WantedHead {
  readonly found: 'yes' | 'no' | 'gone';
}

export interface AuditReport extends ChainReport {
  readonly heads: readonly HeadFinding[];
  /** Records behind the newest head that was found: only the file vouches for them. */
  readonly unwitnessed: number;
}

const digitsOf = (hash: string): string => hash.slice(0, HEAD_DIGITS_MIN);

/** Looks out for the heads while the rows go by. */
class HeadSearch {
  readonly #wanted: readonly WantedHead[];
  /** By the digits that each head has at least: a witness keeps one for each minute. */
  readonly #byDigits = new Map<string, WantedHead[]>();
  readonly #found = new Map<WantedHead, number>();
  #first: number | undefined;
  last = 0;

  constructor(wanted: readonly WantedHead[]) {
    this.#wanted = wanted;
    for (const head of wanted) {
      const digits = digitsOf(head.hash);
      const known = this.#byDigits.get(digits);
      if (known === undefined) this.#byDigits.set(digits, [head]);
      else known.push(head);
    }
  }

  add(row: StoredEntry): void {
    if (this.#first === undefined) {
      this.#first = row.seq;
      const before = anchorOf(row);
      if (before !== undefined && row.seq > 1) this.#match(row.seq - 1, before);
    }
    this.last = row.seq;
    this.#match(row.seq, row.hash);
  }

  findings(): readonly HeadFinding[] {
    return this.#wanted.map((head) => {
      if (this.#found.has(head)) return { ...head, seq: this.#found.get(head), found: 'yes' };
      const isGone = head.seq !== undefined && head.seq < (this.#first ?? 1) - 1;
      return { ...head, found: isGone ? 'gone' : 'no' };
    });
  }

  newest(): number {
    return this.#found.values().reduce((newest, seq) => Math.max(newest, seq), 0);
  }

  #match(seq: number, hash: string): void {
    for (const head of this.#byDigits.get(digitsOf(hash)) ?? []) {
      if ((head.seq ?? seq) === seq && hash.startsWith(head.hash)) this.#found.set(head, seq);
    }
  }
}

/**
 * Checks the whole chain of a journal file, also while a daemon writes it: one consistent view is read, so that
 * what is appended or retired meanwhile cannot look like a fault. The chain finds what somebody did who could not
 * rewrite all of it; `heads`, known from elsewhere, find what somebody did who could. Throws JOURNAL_BROKEN when it
 * cannot be read.
 */
export function auditJournal(path: string, heads: readonly WantedHead[] = []): AuditReport {
  const store = SqliteStore.openForReading(path);
  try {
    return store.consistently(() => {
      const check = new ChainCheck();
      const search = new HeadSearch(heads);
      for (const row of store.read({})) {
        check.add(row);
        search.add(row);
      }
      const chain = check.report({ seq: store.highestSeq() });
      const findings = search.findings();
      return { ...judged(chain, findings), heads: findings, unwitnessed: search.last - search.newest() };
    });
  } finally {
    store.close();
  }
}

/** A head that is missing is a fault of the whole; one that retention took away proves nothing either way. */
function judged(chain: ChainReport, heads: readonly HeadFinding[]): ChainReport {
  if (!chain.ok || heads.length === 0) return chain;
  const missing = heads.find(({ found }) => found === 'no');
  if (missing !== undefined) {
    const { seq, hash } = missing;
    const what = seq === undefined ? `no record has the hash ${hash}` : `record ${seq} has not the hash ${hash}`;
    return { ...chain, ok: false, firstBad: seq, because: `${what}: the journal was rewritten since that head left` };
  }
  if (heads.some(({ found }) => found === 'yes')) return chain;
  return { ...chain, ok: false, because: 'every head is older than the oldest record that is kept: nothing is known' };
}
