/** A daemon's API that answers as a test says, behind the real client of the command line; and what stands around. */
import { Command } from 'commander';
import { Gate } from '../../../src/ask/gate.ts';
import type { Session } from '../../../src/ask/message.ts';
import type { Permission } from '../../../src/ask/tool.ts';
import { type AskFlags, addAskFlags, checkedFlags, type RawFlags } from '../../../src/cli/ask/flags.ts';
import { createClient } from '../../../src/cli/client.ts';
import type { Cli } from '../../../src/cli/context.ts';
import { COMMAND_ROUTES } from '../../../src/http/commands.ts';
import { serve } from '../../support/servers.ts';

export interface Heard {
  readonly path: string;
  readonly body: unknown;
}

export interface ApiDaemon {
  /** With nothing but its client. */
  readonly cli: Cli;
  /** What it took. */
  readonly heard: readonly Heard[];
}

const cliAt = (url: string): Cli => {
  const client = createClient({ state: '/nowhere', url, token: 'given' }, fetch);
  return { client: () => client } as unknown as Cli;
};

/** True for what the daemon takes there. */
const isSound = (path: string, sent: unknown): boolean =>
  COMMAND_ROUTES.find((route) => route.path === path)?.body.safeParse(sent).success ?? true;

/** By path, with its query; 404 for a path that is not there, 400 for a body that the daemon would not take. */
export async function aDaemon(answers: Readonly<Record<string, unknown>>): Promise<ApiDaemon> {
  const heard: Heard[] = [];
  const url = await serve((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const path = request.url ?? '';
      const sent = Buffer.concat(pieces);
      const body: unknown = sent.length === 0 ? undefined : JSON.parse(sent.toString('utf8'));
      const isTaken = sent.length <= 64 * 1024 && isSound(path, body);
      const status = !Object.hasOwn(answers, path) ? 404 : isTaken ? 200 : 400;
      if (status === 200) heard.push({ path, body });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? answers[path] : { message: `refused: ${path}` }));
    });
  });
  return { cli: cliAt(url), heard };
}

/** Nothing listens on port 1. */
export const noDaemon = (): Cli => cliAt('http://127.0.0.1:1');

export const flagsOf = (...args: readonly string[]): AskFlags =>
  checkedFlags(addAskFlags(new Command()).parse(args, { from: 'user' }).opts<RawFlags>(), () => 1_000);

export const gateOf = (...allowed: readonly Permission[]): Gate =>
  new Gate(allowed, { monotonicMs: () => 0, redact: (text) => text });

/** A conversation of these texts: question, answer, question … */
export const aSession = (...texts: readonly string[]): Session => ({
  ...{ id: 'ses-1', created_at: 0 },
  messages: texts.map((content, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    ...{ content, id: `turn-${at}`, timestamp: at },
  })),
});
