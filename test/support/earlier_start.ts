// Writes the journal that an earlier start left behind.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';

/** Makes the state directory with a journal of one start in it: Reeve holds no phase there (see control/held_phase). */
export function writeEarlierStart(state: string): void {
  mkdirSync(state, { mode: 0o700 });
  using ledger = new Ledger(SqliteStore.open(join(state, 'journal.db')), systemClock);
  ledger.open();
  ledger.append([{ fact: { type: 'reeve.started', version: 'earlier', configSha: '' } }]);
}
