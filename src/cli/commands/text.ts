/** The commands that classify text. */
import { readFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Command } from 'commander';
import { numbered } from '../../agent/choices.ts';
import { type PromptFacts, promptFor } from '../../agent/prompt.ts';
import { isCompressed } from '../../collect/compressed.ts';
import { messageOf, ReeveError } from '../../core/errors.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import { CHANGING_TOOLS, TOOL_NAMES } from '../../core/tool.ts';
import type { Catalogue } from '../../detect/patterns/catalogue.ts';
import { specOf } from '../../remediation/catalog.ts';
import { classifyExcerpt, classifyLine } from '../../classifier/excerpt.ts';
import { createPlannerText } from '../../classifier/planner_text.ts';
import { json, plain } from '../output.ts';
import type { Cli } from '../context.ts';

export interface TextDeps {
  /** The pattern catalogue of the configuration, or the shipped one where there is no configuration. */
  readonly catalogue: () => Catalogue;
  readonly clean: (text: string) => string;
  /** The channel that a line names, if any. */
  readonly channelIn: (text: string) => string | undefined;
}

interface Excerpt {
  readonly id: string;
  readonly lines: readonly string[];
}

/** Commands that judge text and touch nothing. */
export function addText(program: Command, cli: Cli, deps: TextDeps): void {
  addPrompt(program, cli, deps);
  program
    .command('classify [file]')
    .description('log lines in (file or stdin), one result per line; no state, no daemon')
    .option('--excerpt', 'the input is JSONL {"id","lines"}: one answer for each excerpt as a whole')
    .addHelpText('after', '\nExample: reeve classify /var/log/ch/news.err')
    .action(async (file: string | undefined, options: { excerpt?: boolean }) => {
      const catalogue = deps.catalogue();
      for await (const { line, at } of linesOf(cli, file)) {
        if (options.excerpt) tellExcerpt(cli, excerptOf(line, at), catalogue);
        else tellLine(cli, deps, { line, catalogue });
      }
    });
}

const LOOKS = TOOL_NAMES.filter((name) => specOf(name).effect === 'observe').toSorted();

function addPrompt(program: Command, cli: Cli, deps: TextDeps): void {
  program
    .command('prompt [channel]')
    .description(
      'the exact prompt and choices that a planner would be sent, about a channel now or an excerpt; none is asked',
    )
    .option('--excerpt', 'the input is JSONL {"id","lines"}; no daemon')
    .addHelpText('after', '\nExample: reeve prompt --excerpt --json < excerpts.jsonl')
    .action(async (channel: string | undefined, { excerpt }: { excerpt?: boolean }) => {
      if ((channel === undefined) === (excerpt !== true))
        throw new ReeveError('USAGE', 'expected a channel, or --excerpt', { hint: 'reeve prompt news' });
      if (channel !== undefined) return tellPrompt(cli, channel);
      const catalogue = deps.catalogue();
      const planner = createPlannerText(catalogue);
      for await (const { line, at } of linesOf(cli, undefined)) {
        const { id, lines } = excerptOf(line, at);
        const { symptom, confidence, remedy } = classifyExcerpt(lines, catalogue);
        // The other remedies are not tools.
        const cure = CHANGING_TOOLS.find((name) => name === remedy);
        const tools = cure === undefined ? LOOKS : [...LOOKS, cure];
        const offered = numbered(tools.map((tool) => ({ tool, target: 'channel', needsApproval: false })));
        const prompt = promptFor(factsOfExcerpt({ symptom, confidence }, planner.templatesOf(lines)), offered);
        const choices = offered.map(({ index, tool, target }) => ({ index, tool, target }));
        if (cli.wantsJson()) json(cli.terminal, { id, prompt, choices });
        else cli.terminal.out(`${prompt}\n\n`);
      }
    });
}

interface WirePrompt {
  readonly prompt: string | null;
  readonly because?: string;
  readonly choices: readonly { readonly index: number; readonly tool: string; readonly target: string }[];
}

async function tellPrompt(cli: Cli, channel: string): Promise<void> {
  const preview = await cli.client().get<WirePrompt>(`/api/v1/prompt/${encodeURIComponent(channel)}`);
  if (cli.wantsJson()) return json(cli.terminal, preview);
  if (preview.prompt !== null) return cli.terminal.out(`${preview.prompt}\n`);
  const offered = preview.choices.map(({ index, tool, target }) => `${index}: ${tool} ${plain(target)}`);
  cli.terminal.out(`${[`nothing would be sent: ${preview.because}`, 'choices now:', ...offered].join('\n')}\n`);
}

/** Lines alone give a symptom and its confidence; everything else of an envelope is unknown. */
function factsOfExcerpt(
  { symptom, confidence }: { readonly symptom: SymptomKind; readonly confidence: number },
  shapes: readonly string[],
): PromptFacts {
  return {
    fields: { lastErrorType: symptom, confidence },
    witnesses: [],
    shapes: shapes.map((shape, index) => ({ id: `e${index + 1}`, origin: 'log', shape })),
    attempts: [],
    recalled: [],
    hint: undefined,
  };
}

function tellExcerpt(cli: Cli, { id, lines }: Excerpt, catalogue: Catalogue): void {
  const { symptom, confidence, pattern, remedy } = classifyExcerpt(lines, catalogue);
  if (cli.wantsJson()) return json(cli.terminal, { id, symptom, confidence, pattern: pattern ?? null, remedy });
  cli.terminal.out(`${plain(id)}  ${symptom}  ${confidence.toFixed(2)}  ${pattern ?? '-'}  ${remedy}\n`);
}

function tellLine(cli: Cli, deps: TextDeps, { line, catalogue }: { line: string; catalogue: Catalogue }): void {
  const excerpt = deps.clean(line);
  const { symptom, confidence, pattern } = classifyLine(line, catalogue);
  const channel = deps.channelIn(line);
  if (cli.wantsJson()) {
    const answer = { line: excerpt, channel: channel ?? null, symptom, confidence, pattern: pattern ?? null, excerpt };
    return json(cli.terminal, answer);
  }
  cli.terminal.out(`${symptom}  ${confidence.toFixed(2)}  ${pattern ?? '-'}  ${plain(excerpt)}\n`);
}

/** Those with anything in them, each with its place. */
async function* linesOf(cli: Cli, file: string | undefined): AsyncIterable<{ line: string; at: string }> {
  let number = 0;
  for await (const line of textLines(cli, file)) {
    number += 1;
    if (line !== '') yield { line, at: `${file ?? 'stdin'}:${number}` };
  }
}

/** Split on \n only: \r and other line separators belong to the line. */
async function* textLines(cli: Cli, file: string | undefined): AsyncIterable<string> {
  if (file !== undefined) {
    yield* readAll(file).split('\n');
    return;
  }
  let rest = '';
  let isFirst = true;
  // A character may come in two pieces.
  const decoder = new StringDecoder('utf8');
  for await (const piece of cli.terminal.stdin) {
    const bytes = Buffer.from(piece);
    if (isFirst) refuseCompressed(bytes, 'stdin');
    isFirst = false;
    const lines = (rest + decoder.write(bytes)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest + decoder.end();
}

function readAll(file: string): string {
  try {
    const bytes = readFileSync(file);
    refuseCompressed(bytes, file);
    return bytes.toString('utf8');
  } catch (cause) {
    if (cause instanceof ReeveError) throw cause;
    throw new ReeveError('USAGE', `${file} cannot be read: ${messageOf(cause)}`, {
      cause,
      hint: 'Check the path, or give the text on stdin.',
    });
  }
}

function refuseCompressed(bytes: Buffer, from: string): void {
  if (!isCompressed(bytes)) return;
  throw new ReeveError('USAGE', `lines were expected, and ${from} is compressed`, {
    hint: 'Unpack it: zcat FILE | reeve classify (xzcat, bzcat, zstdcat).',
  });
}

function excerptOf(line: string, at: string): Excerpt {
  const wrong = (cause?: unknown): ReeveError =>
    new ReeveError('USAGE', `${at}: an excerpt was expected, got ${line.slice(0, 60)}`, {
      cause,
      hint: 'One JSON object per line: {"id": "a", "lines": ["…"]}',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw wrong(cause);
  }
  const { id, lines } = (parsed ?? {}) as Partial<Excerpt>;
  const sound = typeof id === 'string' && Array.isArray(lines) && lines.every((one) => typeof one === 'string');
  if (!sound) throw wrong();
  return { id, lines };
}
