// Appends numbered entries to the journal at argv[2], argv[3] times, and writes each acknowledged number to stdout.
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/core/clock.ts';
import { Ledger } from '../../../src/journal/ledger.ts';
import { SqliteStore } from '../../../src/journal/sqlite.ts';

const [, , path = '', count = '0', ending = ''] = process.argv;
const ledger = new Ledger(SqliteStore.open(path), systemClock);
ledger.open();
writeSync(1, 'open\n');
let failures = 0;
for (let i = 1; i <= Number(count); i += 1) {
  try {
    ledger.append([{ fact: { type: 'clock.jumped', byMs: i } }]);
    writeSync(1, failures > 0 ? `took ${i} after a failure\n` : `${i}\n`);
  } catch (thrown) {
    failures += 1;
    if (failures === 1) writeSync(1, `refused ${(thrown as { code?: string }).code}\n`);
  }
}
if (ending === 'kill') process.kill(process.pid, 'SIGKILL');
if (ending === 'wait') setInterval(() => undefined, 1_000);
