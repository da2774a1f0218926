/** The commands that check the journal. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { auditPlans } from '../../agent/audit.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { toWire } from '../../core/wire.ts';
import { entryOf } from '../../journal/entry.ts';
import { SqliteStore } from '../../journal/sqlite.ts';
import { json } from '../output.ts';
import type { Cli } from '../context.ts';
import { addVerify } from './audit_verify.ts';

function readJournal<T>(path: string, read: (entries: Iterable<JournalEntry>) => T): T {
  const store = SqliteStore.openForReading(path);
  try {
    return store.consistently(() => read(entriesIn(store)));
  } finally {
    store.close();
  }
}

function* entriesIn(store: SqliteStore): Iterable<JournalEntry> {
  for (const row of store.read({})) yield entryOf(row);
}

/** Reads the journal's file by itself: the audit of a daemon must not depend on that daemon. */
export function addAudit(program: Command, cli: Cli, stateDirectory: () => string): void {
  const journal = () => join(stateDirectory(), 'journal.db');
  const audit = program
    .command('audit')
    .description('the hash chain of the journal')
    .addHelpText('after', '\nExample: reeve audit verify');
  addVerify(audit, cli, journal);
  audit
    .command('plans')
    .description('hold every piece of evidence that a planner claimed against the journal')
    .addHelpText('after', '\nExample: reeve audit plans --json')
    .action(() => {
      const { ok, plans, claims, rejected, unjudged, bad } = readJournal(journal(), auditPlans);
      if (cli.wantsJson()) json(cli.terminal, { ok, plans, claims, rejected, unjudged, bad });
      else if (ok)
        cli.terminal.out(
          `${plans} choices, ${claims} claims, all borne out; ${rejected} answers rejected${olderText(unjudged)}\n`,
        );
      else
        cli.terminal.out(`${bad.map(({ seq, run, because }) => `record ${seq}, run ${run}: ${because}`).join('\n')}\n`);
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

const olderText = (unjudged: number): string =>
  unjudged === 0 ? '' : `; ${unjudged} choices are not judged: what they rest on is older than the journal keeps`;
