/** `reeve rules …`: rules in force and on trial, their records, and what a person decides about them. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { formatProblem } from '../../config/check.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import { messageOf, type Problem, ReeveError } from '../../core/errors.ts';
import type { Rule, RuleState } from '../../core/rule.ts';
import { fromWire } from '../../core/wire.ts';
import { makeDirectory } from '../../resilience/make_directory.ts';
import { writeWhole } from '../../resilience/write_whole.ts';
import { createRulebook } from '../../rulebook/rulebook.ts';
import { type Answered, exitOf } from '../answer.ts';
import { json, listed, ndjson, paint, plain } from '../output.ts';
import type { Cli } from '../context.ts';
import { similarityLine, type WireSimilarity } from '../similarity_line.ts';

export interface RulesDeps {
  /** The folder that promoted rules are copied to. */
  readonly folder: () => string;
  /** The rules of a file. Throws CONFIG_INVALID with every problem. */
  readonly rulesIn: (file: string) => readonly Rule[];
  /** The rules in force by the files. Throws CONFIG_INVALID. */
  readonly rules: () => readonly Rule[];
}

interface Counted {
  readonly successes: number;
  readonly failures: number;
}
interface WireRule {
  readonly id: string;
  readonly description: string;
  readonly classification: string;
  readonly origin: string;
  readonly state: RuleState;
  readonly record: { readonly treated: Counted; readonly control: Counted; readonly shadowed: number };
  readonly offer: { readonly to: RuleState; readonly because: string; readonly n: number } | null;
  readonly proposal?: { readonly text: string; readonly file: string; readonly sha256: string };
}

/** Adds `rules` with its subcommands. */
export function addRules(program: Command, cli: Cli, deps: RulesDeps): void {
  const rules = program
    .command('rules')
    .description('rules in force and on trial, their records, and what a person decides about them')
    .addHelpText('after', '\nExample: reeve rules list');
  addReads(rules, cli, deps);
  addTest(rules, cli, deps);
  rules
    .command('promote <id>')
    .description('the next state: from shadow to staging (its file is copied among the rules), then to production')
    .requiredOption('--because <reason>', 'why; it is written down')
    .addHelpText('after', '\nExample: reeve rules promote renew_stale_url --because "seen three times"')
    .action(async (id: string, { because }: { because: string }) => promote(cli, deps, id, because));
  for (const [name, to, what] of [
    ['demote', 'demoted', 'take a rule out of use; it can come back'],
    ['retire', 'retired', 'take a rule out of use for good'],
  ] as const) {
    rules
      .command(`${name} <id>`)
      .description(what)
      .requiredOption('--because <reason>', 'why; it is written down')
      .addHelpText('after', `\nExample: reeve rules ${name} renew_stale_url --because "it did not help"`)
      .action(async (id: string, { because }: { because: string }) => say(cli, await setState(cli, id, to, because)));
  }
}

interface WireRules {
  readonly rules: readonly WireRule[];
  /** Files of proposed rules that are not sound. */
  readonly problems?: readonly Problem[];
}

const read = (cli: Cli): Promise<WireRules> => cli.client().get<WireRules>('/api/v1/rules');
const all = async (cli: Cli): Promise<readonly WireRule[]> => (await read(cli)).rules;

async function one(cli: Cli, id: string): Promise<WireRule> {
  const found = (await all(cli)).find((rule) => rule.id === id);
  if (found !== undefined) return found;
  throw new ReeveError('USAGE', `there is no rule ${id}`, { hint: 'reeve rules list names them' });
}

const counted = ({ successes, failures }: Counted): string =>
  successes + failures === 0 ? '–' : `${successes} of ${successes + failures}`;

function addReads(rules: Command, cli: Cli, deps: RulesDeps): void {
  rules
    .command('list')
    .description('every rule with its state and record')
    .addHelpText('after', '\nExample: reeve rules list --json')
    .action(async () => {
      const { rules: rows, problems = [] } = await read(cli);
      for (const problem of problems) cli.terminal.err(`a proposal is not on trial: ${formatProblem(problem)}\n`);
      if (cli.wantsJson()) return ndjson(cli.terminal, rows);
      const lines = rows.map(({ id, classification, state, record, offer }) => [
        ...[id, classification, state, counted(record.treated), counted(record.control)],
        offer === null ? '' : `ready for ${offer.to}: ${offer.because}`,
      ]);
      const head = ['rule', 'answers', 'state', 'cured', 'left alone', ''];
      cli.terminal.out(`${listed(head, lines)}\n`);
      const { similarity } = await cli.client().get<{ similarity?: WireSimilarity }>('/api/v1/stats');
      if (similarity !== undefined) cli.terminal.out(`${similarityLine(similarity)}\n`);
    });
  rules
    .command('show <id>')
    .description('one rule with all that is known of it')
    .addHelpText('after', '\nExample: reeve rules show process_crashed')
    .action(async (id: string) => {
      const rule = await one(cli, id);
      if (cli.wantsJson()) return json(cli.terminal, rule);
      const { state, record, offer, origin, proposal } = rule;
      const lines = [
        `${id} (${state}), ${plain(origin)}`,
        plain(rule.description),
        `cured ${counted(record.treated)}; left alone it went by itself ${counted(record.control)}`,
        ...(offer === null ? [] : [`ready for ${offer.to}: ${offer.because}; reeve rules promote ${id} --because …`]),
        ...(proposal === undefined ? [] : ['', ...proposal.text.trimEnd().split('\n').map(plain)]),
      ];
      cli.terminal.out(`${lines.join('\n')}\n`);
    });
  rules
    .command('diff <id>')
    .description('a proposed rule against the file of its name among the rules')
    .addHelpText('after', '\nExample: reeve rules diff renew_stale_url')
    .action(async (id: string) => {
      const { proposal } = await one(cli, id);
      if (proposal === undefined) throw new ReeveError('USAGE', `${id} is in force: there is no proposal of it`);
      const present = presentText(deps.folder(), id);
      const changes = linesBetween(present ?? '', proposal.text);
      if (cli.wantsJson()) return json(cli.terminal, { rule: id, present: present ?? null, changes });
      cli.terminal.out(`${changes.map((line) => paintLine(cli, line)).join('\n')}\n`);
    });
}

const paintLine = (cli: Cli, line: string): string =>
  paint(cli.terminal, line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'gray', plain(line));

const fileOf = (folder: string, id: string): string => join(folder, `${id}.rule.yaml`);

function presentText(folder: string, id: string): string | undefined {
  const file = fileOf(folder, id);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Lines of the longest common sequence are kept; others go (-) or come (+). */
function linesBetween(before: string, after: string): readonly string[] {
  const a = before === '' ? [] : before.trimEnd().split('\n');
  const b = after.trimEnd().split('\n');
  const kept = a.map(() => new Array<number>(b.length + 1).fill(0)).concat([new Array<number>(b.length + 1).fill(0)]);
  const at = (i: number, j: number): number => kept[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (kept[i] ?? [])[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j < b.length && (i >= a.length || at(i, j + 1) >= at(i + 1, j))) {
      lines.push(`+ ${b[j]}`);
      j += 1;
    } else {
      lines.push(`- ${a[i]}`);
      i += 1;
    }
  }
  return lines;
}

interface Entry {
  readonly fact: { readonly type: string; readonly envelope?: unknown };
}

function addTest(rules: Command, cli: Cli, deps: RulesDeps): void {
  rules
    .command('test <file-or-id>')
    .description('what a rule (of a file, or in force) says of the envelopes of a recorded incident')
    .requiredOption('--incident <incident>', 'the incident')
    .addHelpText('after', '\nExample: reeve rules test ./mine.rule.yaml --incident inc-3f2a9c')
    .action(async (named: string, { incident }: { incident: string }) => {
      const chosen = existsSync(named)
        ? deps.rulesIn(named)
        : deps.rules().filter(({ id, name }) => [id, name].includes(named));
      if (chosen.length === 0) throw new ReeveError('USAGE', `there is no rule and no file ${named}`);
      const book = createRulebook(chosen);
      const story = await cli.client().get<{ entries: Entry[] }>(`/api/v1/incidents/${encodeURIComponent(incident)}`);
      const taken = story.entries.filter(({ fact }) => fact.type === 'envelope.taken');
      const traces = taken.flatMap(({ fact }) => book.matchAll(fromWire<GroundedContextEnvelope>(fact.envelope)));
      const matched = traces.some((trace) => trace.matched);
      if (cli.wantsJson()) json(cli.terminal, { matched, envelopes: taken.length, traces });
      else {
        const lines = traces.flatMap((trace) => [
          `${trace.rule}: ${trace.matched ? 'fits' : 'does not fit'}`,
          ...trace.facts.map(
            ({ fact, test, value, held }) => `  ${held ? 'yes' : 'NO '} ${fact} ${test}: ${plain(value)}`,
          ),
        ]);
        cli.terminal.out(`${lines.length === 0 ? `of ${taken.length} envelopes it answers none` : lines.join('\n')}\n`);
      }
      if (!matched) cli.fail(1);
    });
}

interface Answer extends Answered {
  readonly said?: string;
  readonly because?: string;
}

const setState = (cli: Cli, rule: string, to: RuleState, because: string): Promise<Answer> =>
  cli.client().post<Answer>('/api/v1/rules/state', { rule, to, because });

function say(cli: Cli, answer: Answer): void {
  if (cli.wantsJson()) json(cli.terminal, answer);
  else cli.terminal.out(`${answer.ok ? (answer.said ?? 'done') : `no: ${answer.because}`}\n`);
  if (!answer.ok) cli.fail(exitOf(answer));
}

const NEXT: Readonly<Record<RuleState, RuleState>> = {
  proposed: 'shadow',
  shadow: 'staging',
  staging: 'production',
  production: 'production',
  demoted: 'staging',
  retired: 'staging',
};

/**
 * The state is set before the file is there: a file without a state would count as written by a person, and be used
 * without trial. Where the file cannot be copied, the state is set back.
 */
async function promote(cli: Cli, deps: RulesDeps, id: string, because: string): Promise<void> {
  const { state, proposal } = await one(cli, id);
  const to = NEXT[state];
  if (proposal === undefined || to !== 'staging') return say(cli, await setState(cli, id, to, because));
  const folder = deps.folder();
  const target = fileOf(folder, id);
  refuseUnlessNew(folder, target, proposal.file);
  const answer = await setState(cli, id, to, because);
  if (answer.ok) {
    try {
      writeWhole(target, proposal.text, { flag: 'wx', mode: 0o644 });
    } catch (thrown) {
      await setState(cli, id, 'shadow', `its file could not be copied: ${messageOf(thrown)}`);
      throw readOnly(folder, proposal.file, messageOf(thrown));
    }
    cli.terminal.err(`copied to ${target}; the daemon reads it by itself\n`);
  }
  say(cli, answer);
}

function refuseUnlessNew(folder: string, target: string, source: string): void {
  if (existsSync(target))
    throw new ReeveError('USAGE', `${target} exists already, and is not written over`, {
      hint: 'compare them with reeve rules diff, and move the old one away',
    });
  try {
    makeDirectory(folder);
    readdirSync(folder);
    accessSync(folder, constants.W_OK);
  } catch (thrown) {
    throw readOnly(folder, source, messageOf(thrown));
  }
}

const readOnly = (folder: string, source: string, because: string): ReeveError =>
  new ReeveError('USAGE', `${folder} cannot be written: ${because}`, {
    hint: `Run it as a user who may write there, or add ${source} to what the folder is made from.`,
  });
