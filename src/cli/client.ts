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

/**
 * The token to send to `url`. The one in the state directory is the daemon's own and may do everything, so it goes to
 * the address that this daemon has left beside it and nowhere else. Throws USAGE for any other address.
 */
function tokenFor(url: URL, options: ClientOptions): string {
  if (options.token !== undefined) return options.token;
  const own = readState(options, 'address');
  if (!URL.canParse(own) || new URL(own).origin !== url.origin) {
    throw new ReeveError('USAGE', `the token in ${options.state} belongs to ${own}; it is not sent to ${url.origin}`, {
      hint: 'Give the token of that daemon with --token-file or REEVE_TOKEN (there: reeve tokens add).',
    });
  }
  return readState(options, 'token');
}

function addressOf(path: string, text: string): URL {
  if (URL.canParse(path, text) && /^https?:$/.test(new URL(text).protocol)) return new URL(path, text);
  throw new ReeveError('USAGE', `--url: an address such as http://127.0.0.1:7433 was expected, got ${text}`);
}

/**
 * Throws DAEMON_UNREACHABLE when nobody answers, USAGE when the daemon refuses the question or when there is no token
 * for the address.
 */
export function createClient(options: ClientOptions, fetcher: typeof fetch): Client {
  const url = () => options.url ?? readState(options, 'address');
  const ask = async <T>(path: string, init: RequestInit): Promise<T> => {
    const address = addressOf(path, url());
    const headers = { authorization: `Bearer ${tokenFor(address, options)}`, 'content-type': 'application/json' };
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
