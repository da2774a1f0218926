/** Runs `reeve ask` in its mode: lists, one question, or one a line. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Ask } from '../../ask/engine.ts';
import { Gate, GateError } from '../../ask/gate.ts';
import { newSession, type Session, type Stamp } from '../../ask/message.ts';
import { ModelReasoner } from '../../ask/reasoner.ts';
import { FileSessionStore, type SessionStore } from '../../ask/sessions.ts';
import { toolsOver } from '../../ask/tools.ts';
import { answerDocument, type TurnResult, toolNamed, Turns } from '../../ask/turns.ts';
import type { Clock } from '../../core/clock.ts';
import { ReeveError } from '../../core/errors.ts';
import type { JournalFact } from '../../core/journal.ts';
import type { Model } from '../../core/model.ts';
import { fromWire } from '../../core/wire.ts';
import type { Cli } from '../context.ts';
import { json, paint, plain, table } from '../output.ts';
import { tellingOf } from '../../journal/telling.ts';
import { daemonPorts } from './daemon_ports.ts';
import { type AskFlags, checkedFlags, type RawFlags } from './flags.ts';

/** A model server that was opened. */
export interface OpenBackend extends Disposable {
  readonly name: string;
  readonly model: Model;
  /** The model that is asked; undefined: the server has none. */
  readonly chosen: string | undefined;
}

/** What `ask` needs from outside. */
export interface AskHost {
  /** Undefined where there is no model: none is configured, and none answers on this machine. */
  open(choice: {
    readonly backend: string | undefined;
    readonly model: string | undefined;
  }): Promise<OpenBackend | undefined>;
  readonly sessions: string;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly uuid: () => string;
}

const LIST_DEADLINE_MS = 5_000;
const REPLY_TOKENS_MAX = 1_024;
const LABEL = '[Reeve]: ';
const GOODBYES = new Set(['exit', 'quit', ':q']);

export async function runAsk(question: string, raw: RawFlags, cli: Cli, host: AskHost): Promise<void> {
  const flags = checkedFlags(raw, (text, flag) => cli.duration(text, flag));
  const store = new FileSessionStore(host.sessions);
  const tools = toolsOver({
    get: (path) => cli.client().get(path),
    tell: (fact) => tellingOf(fromWire<JournalFact>(fact)),
  });
  if (raw.listTools) return listTools(cli, flags, tools);
  if (raw.listSessions) return listNames(cli, flags, { what: 'sessions', names: store.list() });
  if (raw.listModels) return listModels(cli, flags, host);
  if (flags.tool !== undefined) toolNamed(tools, flags.tool, flags.toolArgs);
  const session = sessionFor(flags, store, stampOf(host));
  const prompt = flags.mode === 'single' ? await promptFor(question, cli) : question.trim();
  using backend = flags.backend === 'none' ? undefined : await host.open(flags);
  if (backend === undefined && flags.model !== undefined)
    throw new ReeveError('MODEL_UNREACHABLE', `there is no server to ask for ${plain(flags.model)}`);
  const turns = turnsOver({ flags, cli, host, backend, tools });
  const chat = { flags, cli, turns, session, store };
  // Awaited here: the server is closed when this returns.
  if (flags.mode === 'single') await single(prompt, chat);
  else await converse(prompt, chat);
}

const stampOf = ({ clock, uuid }: AskHost): Stamp => ({ now: () => clock.now(), uuid });

interface Wiring {
  readonly flags: AskFlags;
  readonly cli: Cli;
  readonly host: AskHost;
  readonly backend: OpenBackend | undefined;
  readonly tools: ReturnType<typeof toolsOver>;
}

function turnsOver({ flags, cli, host, backend, tools }: Wiring): Turns {
  const stamp = stampOf(host);
  const { redact, clock } = host;
  const gate = new Gate(flags.grants, { monotonicMs: () => clock.monotonicMs(), redact });
  const options = { model: backend?.chosen, deadlineMs: flags.deadlineMs, tokensMax: REPLY_TOKENS_MAX, stamp };
  const ask = backend && new Ask(new ModelReasoner(backend.model, options), { stamp, redact });
  const note = (text: string): void => cli.terminal.err(`${paint(cli.terminal, 'gray', plain(text))}\n`);
  if (ask === undefined) note('[Model]: none; answers are made from data');
  return new Turns({ flags, tools, gate, ask, stamp, redact, note, ...daemonPorts({ cli, gate, flags, redact }) });
}

interface Chat {
  readonly flags: AskFlags;
  readonly cli: Cli;
  readonly turns: Turns;
  readonly session: Session | undefined;
  readonly store: SessionStore;
}

async function single(prompt: string, chat: Chat): Promise<void> {
  try {
    await oneTurn(prompt, chat);
  } catch (thrown) {
    if (!(thrown instanceof GateError)) throw thrown;
    refuse(chat.cli, thrown);
  }
}

/** One question a line until `exit` or the end of the input. What goes wrong with one leaves the next alone. */
async function converse(first: string, chat: Chat): Promise<void> {
  const { cli } = chat;
  const asks = (): void => (cli.terminal.stdinIsTerminal ? cli.terminal.err('> ') : undefined);
  const answer = async (prompt: string): Promise<void> => {
    try {
      await oneTurn(prompt, chat);
    } catch (thrown) {
      if (thrown instanceof GateError) return refuse(cli, thrown);
      if (!(thrown instanceof ReeveError)) throw thrown;
      cli.terminal.err(`${paint(cli.terminal, 'red', 'reeve:')} ${plain(thrown.message)}\n`);
    }
  };
  if (first !== '') await answer(first);
  asks();
  for await (const line of createInterface({ input: Readable.from(cli.terminal.stdin) })) {
    const prompt = line.trim();
    if (GOODBYES.has(prompt.toLowerCase())) return;
    if (prompt !== '') await answer(prompt);
    asks();
  }
}

/** A refused gate: nothing ran, and the command ends with 1. */
function refuse(cli: Cli, error: GateError): void {
  cli.terminal.err(`${paint(cli.terminal, 'red', 'reeve:')} refused: ${plain(error.message)}\n`);
  cli.fail(1);
}

/** Asks, shows, and keeps the conversation before the next question. */
async function oneTurn(prompt: string, { flags, cli, turns, session, store }: Chat): Promise<void> {
  const { terminal } = cli;
  let begun = false;
  const onChunk = (text: string): void => {
    terminal.out(`${begun ? '' : LABEL}${safe(text)}`);
    begun = true;
  };
  const result = await turns.take(prompt, session, flags.stream ? onChunk : undefined);
  if (session !== undefined && flags.saveSession !== undefined) store.save(session, flags.saveSession);
  if (flags.json) return json(terminal, answerDocument(result));
  terminal.out(flags.stream ? '\n' : `${LABEL}${safe(result.response.content)}\n`);
  if (flags.verbose) terminal.out(`[Metadata]: ${JSON.stringify(metadataOf(result))}\n`);
}

/** Lines stay lines; everything else that moves a cursor goes. */
const safe = (text: string): string => text.split('\n').map(plain).join('\n');

const metadataOf = ({ response: { id, model_id, metadata }, cites, uncited }: TurnResult): object => ({
  ...{ id, model_id },
  ...{ ...metadata, cites, uncited },
});

async function promptFor(question: string, { terminal }: Cli): Promise<string> {
  if (question.trim() !== '') return question.trim();
  const hint = 'reeve ask "why did news fail?", or echo … | reeve ask, or reeve ask -i';
  if (terminal.stdinIsTerminal) throw new ReeveError('USAGE', 'a question was expected', { hint });
  const pieces: Buffer[] = [];
  for await (const piece of terminal.stdin) pieces.push(Buffer.from(piece));
  const prompt = Buffer.concat(pieces).toString('utf8').trim();
  if (prompt === '') throw new ReeveError('USAGE', 'a question was expected, and the input is empty', { hint });
  return prompt;
}

/** The conversation that a mode has; undefined for one in which nothing is remembered. */
function sessionFor({ mode, saveSession, resumeSession }: AskFlags, store: SessionStore, stamp: Stamp) {
  if (saveSession !== undefined && saveSession !== resumeSession && store.has(saveSession))
    throw new ReeveError('USAGE', `there is a session ${saveSession} already, and it would be lost`, {
      hint: `Go on with it: --resume-session ${saveSession} --save-session ${saveSession}`,
    });
  if (resumeSession !== undefined) return store.load(resumeSession);
  return mode === 'conversational' ? newSession(stamp) : undefined;
}

function listTools(cli: Cli, flags: AskFlags, tools: ReturnType<typeof toolsOver>): void {
  const all = [...tools.values()];
  if (flags.json) {
    const shown = all.map(({ name, description, requiredPermissions, args }) => ({
      ...{ name, description, args, required_permissions: requiredPermissions },
    }));
    return json(cli.terminal, { tools: shown });
  }
  const rows = all.map(({ name, description, requiredPermissions, args }) => [
    ...[name, requiredPermissions.join(', ') || 'none', args.join(', ') || 'none', description],
  ]);
  cli.terminal.out(`${table(['tool', 'grant', 'arguments', 'what'], rows)}\n`);
}

function listNames(cli: Cli, { json: asJson }: AskFlags, { what, names }: { what: string; names: readonly string[] }) {
  if (asJson) return json(cli.terminal, { [what]: names });
  cli.terminal.out(names.length === 0 ? `no ${what}\n` : `${names.map(plain).join('\n')}\n`);
}

async function listModels(cli: Cli, flags: AskFlags, host: AskHost): Promise<void> {
  using backend = await host.open(flags);
  const names = await backend?.model.list(LIST_DEADLINE_MS);
  if (names !== undefined) return listNames(cli, flags, { what: 'models', names });
  const where = backend?.name ?? flags.backend ?? 'any backend';
  throw new ReeveError('MODEL_UNREACHABLE', `${where} does not say which models it has`, {
    hint: 'Is it running? Name another with --backend.',
  });
}
