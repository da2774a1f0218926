/** `reeve dataset export`: what was decided, asked and learned, as JSON lines with a card that says what they are. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ReeveError } from '../../core/errors.ts';
import { toWire } from '../../core/wire.ts';
import { makeDirectory } from '../../resilience/make_directory.ts';
import type { Cli } from '../context.ts';
import { type DatasetShown, dataCard } from '../data_card.ts';
import { json, plain } from '../output.ts';
import { unwritten, writeOutput } from '../output_file.ts';

const FILE_MODE = 0o600;

export function addDataset(program: Command, cli: Cli, read: () => Promise<DatasetShown>): void {
  const dataset = program
    .command('dataset')
    .description('whole chains of decisions, dialogues and insights')
    .addHelpText('after', '\nExample: reeve dataset export --out golden');
  dataset
    .command('export')
    .description('JSON lines: each split by time and by role, redacted, and checked by replay; 1 when a row differs')
    .option('--out <directory>', 'one file for each role and split, and card.md (default: every row to stdout)')
    .addHelpText('after', '\nExample: reeve dataset export --out golden')
    .action(async ({ out }: { out?: string }) => {
      const found = await read();
      const { different } = found.replay;
      if (out === undefined) for (const row of found.rows) json(cli.terminal, toWire(row));
      else {
        const files = write(out, found);
        if (cli.wantsJson()) json(cli.terminal, toWire({ files, rows: found.rows.length, replay: found.replay }));
        else cli.terminal.out(`${found.rows.length} rows in ${files.length} files; read ${join(out, 'card.md')}\n`);
      }
      for (const { id, step, because } of different)
        cli.terminal.err(`${plain(id)}, step ${step + 1}: ${plain(because)}\n`);
      if (different.length > 0) cli.fail(1);
    });
}

/** What an export writes beside its card. */
const ROWS_FILE = /^(?:planner|synthesizer|crystallizer)\.(?:train|validation|test)\.jsonl$/;

/** Only its owner may read it: it holds excerpts of logs and what people asked. */
function write(directory: string, found: DatasetShown): readonly string[] {
  const files = Map.groupBy(found.rows, ({ role, split }) => `${role}.${split}.jsonl`);
  const what = `--out: the dataset could not be written to ${directory}`;
  const documents = [...files].map(([name, rows]) => ({
    path: join(directory, name),
    text: rows.map((row) => `${JSON.stringify(toWire(row))}\n`).join(''),
  }));
  try {
    makeDirectory(directory, 0o700);
    writeOutput([...documents, { path: join(directory, 'card.md'), text: dataCard(found) }], { what, mode: FILE_MODE });
    // Of an earlier export: a row that was tested on then may be learned from now.
    const old = readdirSync(directory).filter((name) => ROWS_FILE.test(name) && !files.has(name));
    for (const name of old) rmSync(join(directory, name));
  } catch (thrown) {
    throw thrown instanceof ReeveError ? thrown : unwritten(what, thrown);
  }
  return [...files.keys()].sort().concat('card.md');
}
