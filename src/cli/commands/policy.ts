/** The command `reeve test`. */
import type { Command } from 'commander';
import { toWire } from '../../core/wire.ts';
import { json, paint, plain } from '../output.ts';
import type { Cli } from '../context.ts';

/** One policy test and what came of it, ready to be shown. */
export interface PolicyCaseAnswer {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly persona: string;
  readonly ok: boolean;
  readonly differences: readonly { readonly what: string; readonly expected: string; readonly got: string }[];
  readonly answer:
    | {
        readonly classification: string | undefined;
        readonly plan: string | undefined;
        readonly decision: GuardAnswer | undefined;
        readonly tools: readonly string[];
        readonly outcome: string | undefined;
        readonly pages: readonly string[];
      }
    | undefined;
}

interface GuardAnswer {
  readonly call: string;
  readonly verdict: string;
  readonly code: string | undefined;
  readonly because: string;
  readonly checks: readonly {
    readonly id: number;
    readonly question: string;
    readonly value: string;
    readonly threshold: string;
    readonly verdict: string;
  }[];
}

export interface PolicyAnswer {
  readonly cases: readonly PolicyCaseAnswer[];
}

/** Runs the policy tests of a folder or file; undefined: the usual place. */
export type PolicyTests = (place: string | undefined) => Promise<PolicyAnswer>;

/** `reeve test`: given a situation, does Reeve decide what the operator expects? */
export function addPolicyTests(program: Command, cli: Cli, run: PolicyTests): void {
  program
    .command('test [directory]')
    .description('policy tests: given a situation, expect a decision (test/policy/*.yaml)')
    .addHelpText('after', '\nExample: reeve test test/policy')
    .action(async (directory: string | undefined) => {
      const { cases } = await run(directory);
      const failed = cases.filter(({ ok }) => !ok).length;
      if (cli.wantsJson()) {
        const report = { ok: failed === 0, passed: cases.length - failed, failed, cases };
        json(cli.terminal, toWire(report));
      } else cli.terminal.out(`${tap(cli, cases)}\n`);
      if (failed > 0) cli.fail(1);
    });
}

/** TAP 14, so that a person reads it and a harness does too. */
function tap(cli: Cli, cases: readonly PolicyCaseAnswer[]): string {
  const lines = cases.flatMap((one, index) => {
    const head = `${one.ok ? 'ok' : 'not ok'} ${index + 1} - ${tapText(`${one.persona}: ${one.name}`)}`;
    if (one.ok) return [paint(cli.terminal, 'green', head)];
    return [paint(cli.terminal, 'red', head), ...storyOf(one).map((line) => `  ${line}`)];
  });
  const failed = cases.filter(({ ok }) => !ok).length;
  const counts = `# ${cases.length - failed} passed, ${failed} failed`;
  return ['TAP version 14', `1..${cases.length}`, ...lines, counts].join('\n');
}

/** `#` begins a directive in TAP, and a name holds none. */
const tapText = (text: string): string => plain(text).replaceAll('#', '\\#');

function storyOf({ file, line, differences, answer }: PolicyCaseAnswer): readonly string[] {
  const described = differences.map(
    ({ what, expected, got }) => `${what}: expected ${yamlText(expected)}, got ${yamlText(got)}`,
  );
  return ['---', `at: ${plain(file)}:${line}`, 'differences:', ...described.map((one) => `  - ${quoted(one)}`)]
    .concat(answer === undefined ? [] : answerLines(answer))
    .concat('...');
}

const yamlText = (text: string): string => plain(text);
const quoted = (text: string): string => JSON.stringify(plain(text));

function answerLines(answer: NonNullable<PolicyCaseAnswer['answer']>): readonly string[] {
  const { classification, plan, decision, tools, outcome, pages } = answer;
  return [
    'answered:',
    `  classification: ${classification ?? 'none'}`,
    `  plan: ${quoted(plan ?? 'none: no run began')}`,
    ...(decision === undefined ? ['  guard: "was not asked"'] : guardLines(decision)),
    `  tools: [${tools.join(', ')}]`,
    `  outcome: ${quoted(outcome ?? 'none')}`,
    ...pages.map((page) => `  page: ${quoted(page)}`),
  ];
}

function guardLines({ call, verdict, code, because, checks }: GuardAnswer): readonly string[] {
  const rows = checks.map(({ id, question, value, threshold, verdict: checkVerdict }) => {
    const mark = checkVerdict === 'pass' ? 'yes' : checkVerdict === 'refuse' ? 'NO ' : ' - ';
    const limit = threshold === '' ? '' : ` (${plain(threshold)})`;
    return `    ${String(id).padStart(2)} ${mark} ${question}: ${plain(value)}${limit}`;
  });
  const answer = `${verdict}${code === undefined ? '' : ` (${code})`}: ${call}: ${because}`;
  return [`  guard: ${quoted(answer)}`, '  trace: |', ...rows];
}
