/** Makes rows of drafts, and entries of rows. */
import type { Clock } from '../core/clock.ts';
import { invariant, ReeveError } from '../core/errors.ts';
import type { Draft, JournalEntry, JournalFact } from '../core/journal.ts';
import { canonicalJson, fromWire, toWire } from '../core/wire.ts';
import { hashOf } from './chain.ts';
import type { StoredEntry } from './store.ts';

/** Where a chain ends. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Rows for the drafts: numbered, stamped with one moment, each chained on the one before. */
export function stamp(drafts: readonly Draft[], head: Head, clock: Clock): readonly StoredEntry[] {
  const moment = { at: Math.floor(clock.now()), monoMs: clock.monotonicMs(), boot: clock.bootId };
  invariant(Number.isSafeInteger(moment.at) && Number.isSafeInteger(moment.monoMs), `no time: ${moment.monoMs}`);
  let { seq, hash } = head;
  return drafts.map(({ fact, channel, incident, run }) => {
    seq += 1;
    const body = canonicalJson(toWire(fact));
    const row = { seq, ...moment, channel, incident, run, type: fact.type, body };
    hash = hashOf(hash, row);
    return { ...row, hash };
  });
}

/**
 * What a reader of the disk sees. Also what live projections get, so that a rebuilt state is the same state. Throws
 * JOURNAL_BROKEN where the record holds no fact.
 */
export function entryOf(row: StoredEntry): JournalEntry {
  const { seq, at, monoMs, boot, channel, incident, run } = row;
  return { seq, at, monoMs, boot, channel, incident, run, fact: factOf(row) };
}

/** Rot can leave JSON that is no fact, and another version may write what this one does not know as one. */
function factOf({ seq, body }: StoredEntry): JournalFact {
  const parsed = parsedOrNot(body);
  if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && typeof parsed.type === 'string')
    return fromWire<JournalFact>(parsed);
  throw new ReeveError('JOURNAL_BROKEN', `record ${seq} cannot be read: it holds no fact`, {
    hint: 'Ask: reeve audit verify. It is damaged, or another version of Reeve wrote it.',
  });
}

function parsedOrNot(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
