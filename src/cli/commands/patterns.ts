/** `reeve teach` and `reeve patterns …`: a person names a trouble, and decides what becomes of the pattern. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { messageOf, ReeveError } from '../../core/errors.ts';
import { SYMPTOMS } from '../../core/symptom.ts';
import { makeDirectory } from '../../resilience/make_directory.ts';
import { writeWhole } from '../../resilience/write_whole.ts';
import { type Answered, exitOf } from '../answer.ts';
import type { Cli } from '../context.ts';
import { json, listed, ndjson, paint, plain, table } from '../output.ts';
import { counted, standing, type WirePattern } from '../pattern_standing.ts';

export interface PatternsDeps {
  /** The folder that promoted patterns are copied to. */
  readonly folder: () => string;
}

interface WireLine {
  readonly text: string;
  readonly count: number;
  readonly channel: string | null;
}
interface WireDraft {
  readonly id: string;
  readonly regex: string;
  readonly lines: readonly WireLine[];
  readonly would_match: { readonly lines: number; readonly examples: readonly { readonly text: string }[] };
  readonly text: string;
}
interface Answer extends Answered {
  readonly said?: string;
  readonly because?: string;
  readonly hint?: string;
  readonly more?: WireDraft;
}

/** Adds `teach` and `patterns` with its subcommands. */
export function addPatterns(program: Command, cli: Cli, deps: PatternsDeps): void {
  addTeach(program, cli);
  const patterns = program
    .command('patterns')
    .description('patterns that a person or a model proposed, and what became of them')
    .addHelpText('after', '\nExample: reeve patterns list');
  addReads(patterns, cli, deps);
  patterns
    .command('promote <id>')
    .description('the next state: into the configuration with your own rights, then from staging to production')
    .option('--to <state>', 'staging or production; default: the next one')
    .requiredOption('--because <reason>', 'why; it is written down')
    .addHelpText('after', '\nExample: reeve patterns promote taught_mux_desync --because "seen twice"')
    .action((id: string, flags: PromoteFlags) => promote(cli, deps, id, flags));
  patterns
    .command('demote <id>')
    .description('hear a promoted pattern no longer; its file stays')
    .requiredOption('--because <reason>', 'why; it is written down')
    .addHelpText('after', '\nExample: reeve patterns demote taught_mux_desync --because "too broad"')
    .action(async (id: string, { because }: { because: string }) =>
      say(cli, await setState(cli, id, 'demoted', because)),
    );
  patterns
    .command('retire <id>')
    .description('try a proposed pattern no more')
    .requiredOption('--because <reason>', 'why; it is written down')
    .addHelpText('after', '\nExample: reeve patterns retire taught_mux_desync --because "too broad"')
    .action(async (id: string, { because }: { because: string }) =>
      say(cli, await setState(cli, id, 'retired', because)),
    );
}

const NAMEABLE = SYMPTOMS.filter((symptom) => symptom !== 'unknown');

function addTeach(program: Command, cli: Cli): void {
  program
    .command('teach <incident>')
    .description('name what the unrecognised lines of an incident say: Reeve drafts a pattern and asks')
    .requiredOption('--symptom <symptom>', `one of ${NAMEABLE.join(', ')}`)
    .option('--line <n>', 'which line, from 1; several times for several. Default 1', collect, [] as string[])
    .option('--yes', 'write the proposal without asking')
    .addHelpText('after', '\nExample: reeve teach inc-3f2a9c --symptom stalled_output --line 2')
    .action(async (incident: string, flags: TeachFlags) => {
      const order = { incident, symptom: symptomOf(flags.symptom), lines: linesOf(flags.line) };
      const draft = await teach(cli, { ...order, write: false });
      if (!cli.wantsJson()) show(cli, draft);
      if (!draft.ok) return refuse(cli, draft);
      const sure = flags.yes === true || (!cli.wantsJson() && (await asked(cli)));
      if (!sure) return cli.wantsJson() ? json(cli.terminal, draft) : cli.terminal.out('nothing was written\n');
      const written = await teach(cli, { ...order, write: true });
      if (cli.wantsJson()) json(cli.terminal, written);
      else cli.terminal.out(`${written.said ?? written.because}\n${written.ok ? nextOf(draft) : ''}`);
      if (!written.ok) cli.fail(1);
    });
}

const nextOf = ({ more }: Answer): string => `next: reeve patterns promote ${more?.id} --because "…"\n`;

interface TeachFlags {
  readonly symptom: string;
  readonly line: readonly string[];
  readonly yes?: boolean;
}

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

const teach = (cli: Cli, order: object): Promise<Answer> => cli.client().post<Answer>('/api/v1/teach', order);

function symptomOf(text: string): string {
  const found = NAMEABLE.find((symptom) => symptom === text);
  if (found !== undefined) return found;
  throw new ReeveError('USAGE', `--symptom is one of ${NAMEABLE.join(', ')}, got ${text}`);
}

function linesOf(texts: readonly string[]): readonly number[] {
  const numbers = texts.map(Number);
  const wrong = numbers.findIndex((number) => !Number.isInteger(number) || number < 1);
  if (wrong >= 0) throw new ReeveError('USAGE', `--line takes a number from 1, got ${texts[wrong]}`);
  return numbers.length === 0 ? [1] : numbers;
}

function show(cli: Cli, { more }: Answer): void {
  if (more === undefined) return;
  const rows = more.lines.map(({ text, count, channel }, at) => [`${at + 1}`, `${count}`, channel ?? '-', plain(text)]);
  const { lines, examples } = more.would_match;
  const out = [
    table(['line', 'times', 'channel', 'text'], rows),
    '',
    more.text.trimEnd(),
    '',
    `it would have matched ${lines} recorded lines${lines > examples.length ? ', among them' : ''}:`,
    ...examples.map(({ text }) => `  ${plain(text)}`),
  ];
  cli.terminal.out(`${out.join('\n')}\n`);
}

function refuse(cli: Cli, answer: Answer): void {
  if (cli.wantsJson()) json(cli.terminal, answer);
  else cli.terminal.out(`${paint(cli.terminal, 'red', 'no')}: ${plain(answer.because ?? '')}\n${answer.hint ?? ''}\n`);
  cli.fail(exitOf(answer));
}

/** A yes on the terminal; anything else, and no terminal at all, is a no. */
async function asked(cli: Cli): Promise<boolean> {
  const { stdin } = cli.terminal;
  if ((stdin as { isTTY?: boolean }).isTTY !== true) {
    cli.terminal.err('not a terminal: --yes writes it\n');
    return false;
  }
  const lines = createInterface({ input: stdin as NodeJS.ReadableStream, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question('write this proposal? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}

const all = async (cli: Cli): Promise<readonly WirePattern[]> =>
  (await cli.client().get<{ patterns: WirePattern[] }>('/api/v1/patterns')).patterns;

async function one(cli: Cli, id: string): Promise<WirePattern> {
  const found = (await all(cli)).find((pattern) => pattern.id === id);
  if (found !== undefined) return found;
  throw new ReeveError('USAGE', `there is no proposed pattern ${id}`, { hint: 'reeve patterns list names them' });
}

function addReads(patterns: Command, cli: Cli, deps: PatternsDeps): void {
  patterns
    .command('list')
    .description('every proposed pattern with its state, and the lines that it fitted on trial')
    .addHelpText('after', '\nExample: reeve patterns list --json')
    .action(async () => {
      const rows = await all(cli);
      if (cli.wantsJson()) return ndjson(cli.terminal, rows);
      const lines = rows.map(({ id, state, shadowed, who, record, offer }) => [
        ...[
          id,
          state,
          `${shadowed}`,
          record?.named_by ?? who ?? '-',
          counted(record?.treated),
          counted(record?.control),
        ],
        offer === null ? '-' : `ready for ${offer.to}: ${offer.because}`,
      ]);
      const head = ['pattern', 'state', 'fitted', 'named by', 'cured', 'left alone', 'offered'];
      cli.terminal.out(`${listed(head, lines)}\n`);
    });
  patterns
    .command('show <id>')
    .description('one proposed pattern: its state, its record, and its file')
    .addHelpText('after', '\nExample: reeve patterns show taught_mux_desync')
    .action(async (id: string) => {
      const pattern = await one(cli, id);
      if (cli.wantsJson()) json(cli.terminal, pattern);
      else
        cli.terminal.out(
          `${[...standing(pattern), '', ...pattern.text.trimEnd().split('\n').map(plain)].join('\n')}\n`,
        );
    });
  patterns
    .command('diff <id>')
    .description('a proposed pattern against the file of its name in the configuration')
    .addHelpText('after', '\nExample: reeve patterns diff taught_mux_desync')
    .action(async (id: string) => {
      const { text } = await one(cli, id);
      const target = join(deps.folder(), `${id}.yaml`);
      const present = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
      if (cli.wantsJson()) return json(cli.terminal, { id, target, present: present ?? null, proposed: text });
      const state =
        present === undefined ? `${target} does not exist yet` : present === text ? 'the same' : 'another text';
      cli.terminal.out(
        `${state}\n${text
          .trimEnd()
          .split('\n')
          .map((line) => `+ ${plain(line)}`)
          .join('\n')}\n`,
      );
    });
}

const setState = (cli: Cli, pattern: string, to: string, because: string): Promise<Answer> =>
  cli.client().post<Answer>('/api/v1/patterns/state', { pattern, to, because });

function say(cli: Cli, answer: Answer): void {
  if (cli.wantsJson()) json(cli.terminal, answer);
  else cli.terminal.out(`${answer.ok ? (answer.said ?? 'done') : `no: ${answer.because}`}\n`);
  if (!answer.ok) cli.fail(exitOf(answer));
}

interface PromoteFlags {
  readonly to?: string;
  readonly because: string;
}

/** The file first: what the daemon reads is what counts, and a copy that fails must leave no record of one. */
async function promote(cli: Cli, deps: PatternsDeps, id: string, how: PromoteFlags): Promise<void> {
  const { text, file, state, next, moves } = await one(cli, id);
  const to = how.to ?? next;
  if ((to !== 'staging' && to !== 'production') || !moves.includes(to))
    throw new ReeveError(
      'USAGE',
      `${id} is in ${state}: ${to === null ? 'no promotion leads further' : `not to ${to}`}`,
      {
        hint: `from ${state} it may go to ${moves.join(', ')}`,
      },
    );
  const target = join(deps.folder(), `${id}.yaml`);
  try {
    makeDirectory(deps.folder());
    const isThere = existsSync(target) && readFileSync(target, 'utf8') === text && COPIED.has(state);
    if (!isThere) {
      writeWhole(target, text, { flag: 'wx', mode: 0o644 });
      cli.terminal.err(`copied to ${target}; the daemon reads it by itself\n`);
    }
  } catch (thrown) {
    throw new ReeveError('USAGE', `${target} cannot be written: ${messageOf(thrown)}`, {
      cause: thrown,
      hint: `Run it as a user who may write there, or add ${file} to what the folder is made from.`,
    });
  }
  say(cli, await setState(cli, id, to, how.because));
}

/** In these its file may lie in the configuration. */
const COPIED: ReadonlySet<string> = new Set(['staging', 'production', 'demoted', 'retired']);
