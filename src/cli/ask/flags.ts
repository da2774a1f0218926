/** The flags of `reeve ask`, and which of them go together. */
import type { Command } from 'commander';
import { PERMISSIONS } from '../../ask/tool.ts';
import { ReeveError } from '../../core/errors.ts';
import { plain } from '../output.ts';

/** As commander reads them. */
export interface RawFlags {
  readonly interactive?: true;
  readonly conversational?: true;
  readonly saveSession?: string;
  readonly resumeSession?: string;
  readonly listSessions?: true;
  readonly stream?: true;
  readonly verbose?: true;
  readonly json?: true;
  readonly tool?: string;
  readonly toolArg: readonly string[];
  readonly listTools?: true;
  readonly grant: readonly string[];
  readonly route?: true;
  readonly routeThreshold?: string;
  readonly model?: string;
  readonly listModels?: true;
  readonly backend?: string;
  readonly deadline: string;
  readonly context: string;
}

/** Checked: no two of them contradict each other. */
export interface AskFlags {
  readonly mode: 'single' | 'interactive' | 'conversational';
  readonly saveSession: string | undefined;
  readonly resumeSession: string | undefined;
  readonly stream: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly tool: string | undefined;
  readonly toolArgs: Readonly<Record<string, string>>;
  readonly grants: readonly string[];
  /** Undefined: nothing is routed. 0 to 1. */
  readonly routeThreshold: number | undefined;
  readonly model: string | undefined;
  readonly backend: string | undefined;
  readonly deadlineMs: number;
  /** How much the model can read at once, in tokens. */
  readonly contextTokens: number;
}

const each = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const addAskFlags = (command: Command): Command =>
  command
    .option('-i, --interactive', 'one question a line; each stands alone')
    .option('-c, --conversational', 'one question a line; each hears what was said before')
    .option('--save-session <name>', 'keep the conversation after each answer (implies -c)')
    .option('--resume-session <name>', 'go on with a conversation that was kept (implies -c)')
    .option('--list-sessions', 'conversations that were kept')
    .option('-s, --stream', 'the answer as it comes, sentence by sentence')
    .option('-v, --verbose', 'what the answer cost, and the whole routing decision')
    .option('-j, --json', 'one JSON document on stdout and nothing else; for a single question')
    .option('--tool <name>', 'look this up first')
    .option('--tool-arg <key=value>', 'an argument for it; may be given again', each, [])
    .option('--list-tools', 'what can be looked up, and which grant it needs')
    .option('--grant <permission>', `allow it to look: read, or ${PERMISSIONS.join(', ')}`, each, [])
    .option('--route', 'choose what to look up by the words of the question')
    .option('--route-threshold <number>', 'how sure the choice must be, 0 to 1 (default 0.5)')
    .option('--model <name>', 'the model to ask; chosen by itself where none is given')
    .option('--list-models', 'models that the backend has')
    .option('--backend <name>', 'a server under models:, or ollama, vllm, llamacpp, lmstudio, none')
    .option('--deadline <duration>', 'wait so long for a model', '2m')
    .option('--context <tokens>', 'how much the model can read at once; the conversation fills 70 % of it', '8192');

const usage = (message: string, hint?: string): ReeveError =>
  new ReeveError('USAGE', message, hint === undefined ? {} : { hint });

/** Throws USAGE for flags that do not go together, naming both. */
export function checkedFlags(raw: RawFlags, duration: (text: string, flag: string) => number): AskFlags {
  const keeps = raw.saveSession !== undefined || raw.resumeSession !== undefined;
  const mode = keeps || raw.conversational ? 'conversational' : raw.interactive ? 'interactive' : 'single';
  refuseTogether([
    [raw.interactive, '--interactive', raw.conversational, '--conversational'],
    [raw.interactive, '--interactive', raw.saveSession, '--save-session'],
    [raw.interactive, '--interactive', raw.resumeSession, '--resume-session'],
    [raw.json, '--json', raw.stream, '--stream'],
    [raw.json, '--json', raw.interactive, '--interactive'],
    [raw.json, '--json', raw.conversational, '--conversational'],
    [raw.json, '--json', raw.saveSession, '--save-session'],
    [raw.json, '--json', raw.resumeSession, '--resume-session'],
    [raw.route, '--route', raw.tool, '--tool'],
  ]);
  if (raw.toolArg.length > 0 && raw.tool === undefined) throw usage('--tool-arg needs --tool');
  if (raw.routeThreshold !== undefined && !raw.route) throw usage('--route-threshold needs --route');
  return {
    ...{ mode, saveSession: raw.saveSession, resumeSession: raw.resumeSession, tool: raw.tool },
    ...{ stream: raw.stream === true, verbose: raw.verbose === true, json: raw.json === true },
    ...{ model: raw.model, backend: raw.backend, toolArgs: toolArgsOf(raw.toolArg), grants: grantsOf(raw.grant) },
    routeThreshold: raw.route ? shareOf(raw.routeThreshold ?? '0.5') : undefined,
    deadlineMs: duration(raw.deadline, '--deadline'),
    contextTokens: tokensOf(raw.context),
  };
}

type Pair = readonly [a: unknown, nameOfA: string, b: unknown, nameOfB: string];

function refuseTogether(pairs: readonly Pair[]): void {
  for (const [a, nameOfA, b, nameOfB] of pairs) {
    if (a !== undefined && b !== undefined) throw usage(`${nameOfA} and ${nameOfB} do not go together`);
  }
}

/** `read` is all of them: each of them only reads. */
function grantsOf(given: readonly string[]): readonly string[] {
  for (const grant of given) {
    if (grant !== 'read' && !PERMISSIONS.some((known) => known === grant))
      throw usage(
        `--grant: there is no permission ${plain(grant)}`,
        `permissions: read (all of them), ${PERMISSIONS.join(', ')}`,
      );
  }
  return given.includes('read') ? PERMISSIONS : given;
}

function toolArgsOf(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.map((pair) => {
    const [, key, value] = /^([a-z_]{1,40})=([\s\S]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) throw usage(`--tool-arg: KEY=VALUE was expected, got ${plain(pair)}`);
    return [key, value] as const;
  });
  return Object.fromEntries(pairs);
}

function shareOf(text: string): number {
  const share = Number(text);
  if (/^\d*\.?\d+$/.test(text) && share <= 1) return share;
  throw usage(`--route-threshold: a number from 0 to 1 was expected, got ${plain(text)}`);
}

function tokensOf(text: string): number {
  if (/^[1-9]\d{2,7}$/.test(text)) return Number(text);
  throw usage(`--context: a number of tokens from 100 to 99999999 was expected, got ${plain(text)}`);
}
