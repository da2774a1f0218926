/** One command of the command line, run with a daemon that answers as the test says. */
import { Readable } from 'node:stream';
import { Command } from 'commander';
import type { Client } from '../../src/cli/client.ts';
import type { Cli } from '../../src/cli/context.ts';
import { parseDuration } from '../../src/core/document/duration.ts';
import { ReeveError } from '../../src/core/errors.ts';

export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  /** What was sent to the daemon. */
  readonly posted: readonly { readonly path: string; readonly body: unknown }[];
}

export interface RunOptions {
  readonly json?: boolean;
  /**
   * By path; a path that is not there is answered as one that the daemon does not know. A function is asked, an error is
   * thrown.
   */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly stdin?: readonly (string | Buffer)[];
  /** A person types there. */
  readonly atTerminal?: boolean;
}

/** Rejects as the command does. */
export async function ran(
  add: (program: Command, cli: Cli) => void,
  argv: readonly string[],
  { json = false, answers = {}, stdin = [], atTerminal = false }: RunOptions = {},
): Promise<Ran> {
  const result = { out: '', err: '', code: 0 };
  const posted: { path: string; body: unknown }[] = [];
  const answerTo = (path: string): unknown => {
    if (!Object.hasOwn(answers, path)) throw new ReeveError('NOT_FOUND', `nothing at ${path}`);
    const answer = answers[path];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = {
    get: async (path: string) => answerTo(path),
    post: async (path: string, body: unknown) => {
      posted.push({ path, body });
      const answer = answers[path] ?? { ok: true, said: 'done' };
      return typeof answer === 'function' ? answer(body) : answer;
    },
  } as unknown as Client;
  const cli: Cli = {
    terminal: {
      out: (text) => {
        result.out += text;
      },
      err: (text) => {
        result.err += text;
      },
      stdin: Object.assign(Readable.from(stdin), { isTTY: atTerminal }),
      colours: false,
    },
    flags: () => ({}),
    client: () => client,
    wantsJson: () => json,
    fail: (code) => {
      result.code = code;
    },
    duration: (text, flag) => {
      const parsed = parseDuration(text);
      if ('ok' in parsed && typeof parsed.ok === 'number') return parsed.ok;
      throw new ReeveError('USAGE', `${flag}: no duration`);
    },
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  add(program, cli);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync([...argv], { from: 'user' });
  return { ...result, posted };
}
