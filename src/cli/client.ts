/** The HTTP client of the command line. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, deadline, systemClock } from '../core/clock.ts';
import { type ErrorCode, messageOf, ReeveError } from '../core/errors.ts';
import { fetchOwn, type OwnDaemon, parseOwnDaemon } from './own_daemon.ts';

/** How the command line reaches the running daemon. */
export interface Client {
  get<T>(path: string): Promise<T>;
  /** `withinMs`: how long the daemon may take. Default 30 s. */
  post<T>(path: string, body: unknown, withinMs?: number): Promise<T>;
  /** What is no JSON document: NDJSON. */
  text(path: string): Promise<string>;
}

export interface ClientOptions {
  /** Where the daemon keeps its state: `address` and `token` stand there. */
  readonly state: string;
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** The address is there before the watching begins: who wants to stop a daemon that starts is in time. */
const HINT = [
  'Is it running? Start it with: reeve run.',
  'Starting? It changes nothing before it answers: ask again in a few seconds.',
  'Elsewhere, or its configuration cannot be read now? Give its --config or --state; or --url, and --token-file or',
  'REEVE_TOKEN.',
].join(' ');

/** Who forgot to become another user must not go and start a second daemon. */
const RIGHTS_HINT = [
  'A daemon may well run. Ask as the user that it runs as, or as root; or with a token of your own: --url and',
  '--token-file or REEVE_TOKEN (made there: reeve tokens add).',
].join(' ');

/** A test page waits 10 s for a receiver; but for a reflection, nothing else takes a daemon that works as long. */
const ANSWER_WITHIN_MS = 30_000;
/** From its first byte to its last; a long list takes seconds. */
const WHOLE_WITHIN_MS = 120_000;

const HUNG_HINT = [
  'Something listens there, so it runs and does not get to it: is its process stopped (state T in ps), its disk or its',
  'machine stuck? Its log says what it did last. Restarting it loses nothing: its state is on the disk.',
].join(' ');

/** What was sent to a daemon that hangs may lie in its socket, and is done when it goes on. */
function hung(where: string, method: string | undefined, withinMs: number): ReeveError {
  const sent = method === 'POST' ? '; what was asked for may still be done, once it goes on' : '';
  const message = `no answer from ${where} in ${withinMs / 1_000} s${sent}`;
  return new ReeveError('DAEMON_UNREACHABLE', message, { hint: HUNG_HINT });
}

/** Whatever answers there well, and in another language. */
function noReeve(path: string, text: string): ReeveError {
  const got = text === '' ? 'nothing' : JSON.stringify(text.slice(0, 40));
  return new ReeveError('USAGE', `${path}: what answers is no Reeve: JSON was expected, got ${got}`, {
    hint: 'Check --url.',
  });
}

/** What began to come and did not come whole. */
function brokenOff(where: string, cause?: unknown): ReeveError {
  const message = `the answer of ${where} began and did not come to its end`;
  return new ReeveError('DAEMON_UNREACHABLE', message, { cause, hint: 'Did it end or hang just then? Ask again.' });
}

function readState(options: ClientOptions, name: string): string {
  const path = join(options.state, name);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '');
    const message = isGone ? `no daemon has left its ${name} at ${path}` : `cannot read ${path}: ${messageOf(cause)}`;
    throw new ReeveError('DAEMON_UNREACHABLE', message, { cause, hint: isGone ? HINT : RIGHTS_HINT });
  }
}

/** The daemon of the state directory, as it left its address there. Throws DAEMON_UNREACHABLE. */
function ownDaemon(options: ClientOptions): OwnDaemon {
  const address = readState(options, 'address');
  const path = join(options.state, 'certificate');
  const own = parseOwnDaemon(address, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  if (own !== undefined) return own;
  throw new ReeveError('DAEMON_UNREACHABLE', `${options.state}/address holds no address: ${address}`, { hint: HINT });
}

interface Target {
  readonly daemon: OwnDaemon;
  readonly token: string;
}

/**
 * Where to ask, and with which token. The token in the state directory is the daemon's own and may do everything, so
 * it goes to the address that this daemon has left beside it and nowhere else. Throws USAGE for any other address.
 */
function targetOf(options: ClientOptions): Target {
  if (options.url === undefined) {
    return { daemon: ownDaemon(options), token: options.token ?? readState(options, 'token') };
  }
  const asked = parseOwnDaemon(options.url, undefined);
  if (asked === undefined) {
    const message = `--url: an address such as http://127.0.0.1:7433 was expected, got ${options.url}`;
    throw new ReeveError('USAGE', message);
  }
  const own = existsSync(join(options.state, 'address')) ? ownDaemon(options) : undefined;
  const isOwn = own?.url.origin === asked.url.origin && own.socketPath === asked.socketPath;
  const daemon = isOwn ? own : asked;
  if (options.token !== undefined) return { daemon, token: options.token };
  if (isOwn) return { daemon, token: readState(options, 'token') };
  const because =
    own === undefined
      ? `no daemon has left its address in ${options.state}, so there is no token for ${options.url}`
      : `the token in ${options.state} is not sent to ${options.url}: it is for its own daemon`;
  throw new ReeveError('USAGE', because, {
    hint: 'Give its --state directory, or a token with --token-file or REEVE_TOKEN (there: reeve tokens add).',
  });
}

/** A header cannot hold anything else: `fetch` fails on it as on a daemon that is not there. */
function refuseNoToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  const got = token === '' ? 'nothing' : 'something with other characters than a token has';
  throw new ReeveError('USAGE', `a token was expected, got ${got}`, {
    hint: 'Look into the file of --token-file, into REEVE_TOKEN, or into the file token in the state directory.',
  });
}

/**
 * Throws DAEMON_UNREACHABLE when no server answers in time, NOT_FOUND where the daemon knows no such thing, QUEUE_FULL
 * when it has no room now, USAGE when it refuses the question or when there is no token for the address,
 * JOURNAL_UNWRITABLE when it could not write it down, CONFIG_INVALID or DERIVED_BROKEN for files of its own that are
 * not sound, DAEMON_FAILED when it failed to answer.
 */
export function createClient(options: ClientOptions, fetcher: typeof fetch, clock: Clock = systemClock): Client {
  const send = async (path: string, init: RequestInit, withinMs = ANSWER_WITHIN_MS): Promise<Answer> => {
    const { daemon, token } = targetOf(options);
    refuseNoToken(token);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const address = new URL(path, daemon.url);
    const where = daemon.socketPath ?? address.origin;
    using whole = deadline(clock, withinMs + WHOLE_WITHIN_MS, () => brokenOff(where));
    using limit = deadline(clock, withinMs, () => hung(where, init.method, withinMs));
    const signal = AbortSignal.any([limit.signal, whole.signal]);
    const request = { ...init, headers, redirect: 'error' as const, signal };
    const { ok, status, body } = await fetchOwn(daemon, fetcher)(address, request).catch((cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof ReeveError) throw cause;
      throw new ReeveError('DAEMON_UNREACHABLE', `no answer from ${where}`, { cause, hint: HINT });
    });
    limit[Symbol.dispose]();
    const said = await textOf(body, whole.signal).catch((cause: unknown) => {
      throw whole.signal.aborted ? whole.signal.reason : brokenOff(where, cause);
    });
    return { ok, status, text: said };
  };
  const ask = async <T>(path: string, init: RequestInit, withinMs?: number): Promise<T> => {
    const { ok, status, text } = await send(path, init, withinMs);
    const body = jsonOf(text);
    if (!ok && status !== 409) throw refusal(path, status, body as Refusal | undefined);
    if (body === undefined && status !== 204) throw noReeve(path, text);
    return body as T;
  };
  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body, withinMs) => ask(path, { method: 'POST', body: JSON.stringify(body) }, withinMs),
    async text(path) {
      const { ok, status, text } = await send(path, { method: 'GET' });
      if (ok) return text;
      throw refusal(path, status, jsonOf(text) as Refusal | undefined);
    },
  };
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
}

/** Also of what the signal of the request does not end: a daemon's own socket. */
async function textOf(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  await body?.pipeTo(
    new WritableStream({
      write(bytes) {
        text += decoder.decode(bytes, { stream: true });
      },
    }),
    { signal },
  );
  return text + decoder.decode();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Refusal {
  /** What kind of refusal, in one word. */
  readonly error?: string;
  readonly message?: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

const refusalText = (body: Refusal | undefined): string | undefined =>
  body?.problems?.map(({ path, message }) => `${path}: ${message}`).join('; ') ?? body?.message;

/** What a script has to tell from a mistyped command: that there is no such thing, or no room for it now. */
const KNOWN: Readonly<Record<number, ErrorCode>> = { 404: 'NOT_FOUND', 429: 'QUEUE_FULL' };

/** What is wrong with the daemon's disk or with its files, in its own word. */
const FAULTS: Readonly<Record<string, ErrorCode>> = {
  journal_unwritable: 'JOURNAL_UNWRITABLE',
  config_invalid: 'CONFIG_INVALID',
  derived_broken: 'DERIVED_BROKEN',
};

/** The question was right, and the daemon or its disk is not: whoever asks by a script has to be able to tell. */
function refusal(path: string, status: number, body: Refusal | undefined): ReeveError {
  const said = refusalText(body);
  // Where the daemon says what is wrong, the path that it was asked by is no help to who typed a command.
  const text = said === undefined ? `${path}: HTTP ${status}` : status < 500 ? said : `${path}: ${said}`;
  const fault = FAULTS[body?.error ?? ''];
  if (fault !== undefined) return new ReeveError(fault, text);
  // Of these only Reeve itself says so: another program at that address knows none of its paths.
  const known = body?.error === undefined ? undefined : KNOWN[status];
  if (known !== undefined) return new ReeveError(known, text);
  const saysWhy = body?.error !== undefined && body.error !== 'internal';
  return new ReeveError(status >= 500 && !saysWhy ? 'DAEMON_FAILED' : 'USAGE', text);
}
