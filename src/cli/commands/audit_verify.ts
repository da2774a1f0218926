// Checks the journal by itself, and against heads that an outside witness kept.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { messageOf, ReeveError } from '../../core/errors.ts';
import { type AuditReport, auditJournal } from '../../journal/audit.ts';
import { type HeadKey, headKeyFrom, parseHead, statementIn, type WantedHead } from '../../journal/heads.ts';
import type { Cli } from '../context.ts';
import { json, paint } from '../output.ts';

interface VerifyOptions {
  readonly head?: readonly string[];
  readonly heads?: string;
  readonly key?: string;
}

export function addVerify(audit: Command, cli: Cli, journal: () => string): void {
  const every = (value: string, before: readonly string[] = []) => [...before, value];
  audit
    .command('verify')
    .description('check that nothing was changed, removed, reordered or cut off')
    .option(
      '--head <hash>',
      'HASH or SEQ:HASH as a witness outside knows it, several times; 13 hex digits suffice',
      every,
    )
    .option('--heads <file>', "lines of a witness file, or of Reeve's log")
    .option('--key <file>', 'the key that signed them: takes those lines alone whose signature holds')
    .addHelpText('after', '\nExample: reeve audit verify --heads /mnt/witness/reeve.heads --key head.pub')
    .action((options: VerifyOptions) => {
      const report = auditJournal(journal(), headsOf(options));
      if (cli.wantsJson()) json(cli.terminal, wireOf(report));
      else cli.terminal.out(`${textOf(cli, report)}\n`);
      if (!report.ok) cli.fail(1);
    });
}

function headsOf({ head = [], heads, key }: VerifyOptions): readonly WantedHead[] {
  const typed = head.map((text) => {
    const parsed = parseHead(text);
    if (parsed !== undefined) return parsed;
    throw new ReeveError('USAGE', `--head: HASH or SEQ:HASH was expected, 13 to 64 hex digits, got ${text}`);
  });
  if (key !== undefined && heads === undefined)
    throw new ReeveError('USAGE', '--key needs --heads: it checks its lines');
  return heads === undefined ? typed : [...typed, ...statementsOf(heads, key)];
}

/** Throws USAGE for a line whose signature does not hold: somebody else wrote it. */
function statementsOf(file: string, keyFile: string | undefined): readonly WantedHead[] {
  const key = keyFile === undefined ? undefined : keyIn(keyFile);
  const statements = readText('--heads', file)
    .split('\n')
    .flatMap((line) => statementIn(line) ?? []);
  if (statements.length === 0) throw new ReeveError('USAGE', `--heads: ${file} holds no head of a journal`);
  const forged = statements.find((statement) => key?.holds(statement) === false);
  if (forged === undefined) return statements;
  throw new ReeveError(
    'USAGE',
    `--heads: the signature of the head of ${forged.at} (record ${forged.seq}) does not hold`,
    {
      hint: 'Another key signed it, or the file was changed: take the heads from elsewhere.',
    },
  );
}

function keyIn(file: string): HeadKey {
  try {
    return headKeyFrom(readText('--key', file));
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw new ReeveError('USAGE', `--key: ${file}: ${messageOf(thrown)}`);
  }
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ReeveError('USAGE', `${flag}: ${messageOf(cause)}`, { cause, hint: 'Check the path and its owner.' });
  }
}

const wireOf = ({ ok, records, firstBad, because, heads, unwitnessed }: AuditReport) => ({
  ...{ ok, records, first_bad: firstBad ?? null, because: because ?? null },
  heads: heads.map(({ seq, hash, found }) => ({ seq: seq ?? null, hash, found })),
  unwitnessed,
});

/** Says what was proven, and what was not. */
function textOf(cli: Cli, { ok, records, firstBad, because, heads, unwitnessed }: AuditReport): string {
  if (!ok) return `${paint(cli.terminal, 'red', 'the chain is broken')} at record ${firstBad ?? '?'}: ${because}`;
  const holds = `${paint(cli.terminal, 'green', 'the chain holds')}: ${records} records`;
  if (heads.length === 0) {
    return `${holds}\nNobody outside was asked: who may write the file can write a whole new chain (see: --head).`;
  }
  const found = heads.filter((head) => head.found === 'yes').length;
  const gone = heads.filter((head) => head.found === 'gone').length;
  const older = gone === 0 ? '' : `, ${gone} are older than what is kept`;
  const witnessed = `${found} ${found === 1 ? 'head' : 'heads'} found${older}`;
  return `${holds}, ${witnessed}; only the file vouches for the last ${unwitnessed}`;
}
