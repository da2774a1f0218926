/** Finds what retention may delete: the oldest records, up to a snapshot, when their chain holds. */
import type { MonoMs } from '../core/clock.ts';
import { ChainCheck, type ChainReport } from './chain.ts';
import type { JournalStore } from './store.ts';

/** The records that one step of retention may delete. */
export interface Expired {
  readonly throughSeq: number;
  readonly records: number;
  /** There is another stretch behind it. */
  readonly more: boolean;
  /** Of all of them and the snapshot behind them, as they lie on the disk now. */
  readonly chain: ChainReport;
}

/**
 * The oldest records up to the next snapshot that is older than `cutMs`; undefined where there are none. They are
 * checked here, and not only by the patrol: a broken record that is deleted before anybody came by was never found.
 */
export function expiredBefore(store: Pick<JournalStore, 'read'>, cutMs: MonoMs): Expired | undefined {
  const [first] = store.read({ limit: 1 });
  if (first === undefined || first.monoMs > cutMs) return undefined;
  const [cut, after] = store.read({ types: ['snapshot.taken'], sinceSeq: first.seq + 1, limit: 2 });
  if (cut === undefined || cut.monoMs > cutMs) return undefined;
  const check = new ChainCheck();
  for (const row of store.read({ throughSeq: cut.seq })) check.add(row);
  return {
    throughSeq: cut.seq - 1,
    records: cut.seq - first.seq,
    more: after !== undefined && after.monoMs <= cutMs,
    chain: check.report(cut),
  };
}

/** A journal so quiet that no snapshot came for that long needs one, so that the old entries can go before it later. */
export function wantsSnapshot(store: Pick<JournalStore, 'read' | 'last'>, cutMs: MonoMs): boolean {
  const [first] = store.read({ limit: 1 });
  if (first === undefined || first.monoMs > cutMs) return false;
  const [newest] = store.read({ types: ['snapshot.taken'], newestFirst: true, limit: 1 });
  return newest === undefined || (newest.monoMs <= cutMs && newest.seq !== store.last()?.seq);
}
