import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReeveError } from '../core/errors.ts';

/** How the command line reaches the running daemon. */
export interface Client {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
}

export interface ClientOptions {
  /** Where the daemon keeps its state: `address` and `token` stand there. */
  readonly state: string;
  readonly url: string | undefined;
  readonly token: string | undefined;
}

const HINT = 'Is it running? Start it with: reeve run. Elsewhere? Give --url, and --token-file or REEVE_TOKEN.';

function readState(options: ClientOptions, name: string): string {
  const path = join(options.state, name);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ReeveError('DAEMON_UNREACHABLE', `no daemon has left its ${name} at ${path}`, { cause, hint: HINT });
  }
}

/** Throws DAEMON_UNREACHABLE when nobody answers, USAGE when the daemon refuses the question. */
export function createClient(options: ClientOptions, fetcher: typeof fetch): Client {
  const url = () => options.url ?? readState(options, 'address');
  const token = () => options.token ?? readState(options, 'token');
  const ask = async <T>(path: string, init: RequestInit): Promise<T> => {
    const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
    const address = new URL(path, url());
    const answer = await fetcher(address, { ...init, headers, redirect: 'error' }).catch((cause: unknown) => {
      throw new ReeveError('DAEMON_UNREACHABLE', `no answer from ${address.origin}`, { cause, hint: HINT });
    });
    const body = (await answer.json().catch(() => undefined)) as Refusal | undefined;
    if (answer.ok || answer.status === 409) return body as T;
    throw new ReeveError('USAGE', `${path}: ${refusalText(body) ?? `HTTP ${answer.status}`}`);
  };
  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

interface Refusal {
  readonly message?: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
}

const refusalText = (body: Refusal | undefined): string | undefined =>
  body?.problems?.map(({ path, message }) => `${path}: ${message}`).join('; ') ?? body?.message;
