import { join } from 'node:path';
import type { Command } from 'commander';
import { toWire } from '../../core/wire.ts';
import { auditJournal } from '../../journal/audit.ts';
import { entryOf } from '../../journal/entry.ts';
import { SqliteStore } from '../../journal/sqlite.ts';
import { json, paint } from '../output.ts';
import type { Cli } from '../context.ts';

/** Reads the journal's file by itself: the audit of a daemon must not depend on that daemon. */
export function addAudit(program: Command, cli: Cli, stateDirectory: () => string): void {
  const journal = () => join(stateDirectory(), 'journal.db');
  const audit = program
    .command('audit')
    .description('the hash chain of the journal')
    .addHelpText('after', '\nExample: reeve audit verify');
  audit
    .command('verify')
    .description('check that nothing was changed, removed, reordered or cut off')
    .addHelpText('after', '\nExample: reeve audit verify --json')
    .action(() => {
      const { ok, records, firstBad, because } = auditJournal(journal());
      if (cli.wantsJson()) json(cli.terminal, { ok, records, first_bad: firstBad ?? null, because: because ?? null });
      else if (ok) cli.terminal.out(`${paint(cli.terminal, 'green', 'the chain holds')}: ${records} records\n`);
      else cli.terminal.out(`${paint(cli.terminal, 'red', 'the chain is broken')} at record ${firstBad}: ${because}\n`);
      if (!ok) cli.fail(1);
    });
  audit
    .command('export')
    .description('every record as NDJSON, oldest first')
    .addHelpText('after', '\nExample: reeve audit export > journal.jsonl')
    .action(() => {
      const store = SqliteStore.openForReading(journal());
      try {
        store.consistently(() => {
          for (const row of store.read({})) json(cli.terminal, { ...(toWire(entryOf(row)) as object), hash: row.hash });
        });
      } finally {
        store.close();
      }
    });
}
