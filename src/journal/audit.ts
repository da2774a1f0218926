import { type ChainReport, verifyChain } from './chain.ts';
import { SqliteStore } from './sqlite.ts';

/**
 * Checks the whole chain of a journal file, also while a daemon writes it: one consistent view is read, so that
 * what is appended or retired meanwhile cannot look like a fault. Throws JOURNAL_BROKEN when it cannot be read.
 */
export function auditJournal(path: string): ChainReport {
  const store = SqliteStore.openForReading(path);
  try {
    return store.consistently(() => verifyChain(store.read({}), { seq: store.highestSeq() }));
  } finally {
    store.close();
  }
}
