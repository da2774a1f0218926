import { TOKEN_SCOPES } from '../../src/core/access.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import type { Command, Daemon } from '../../src/http/daemon.ts';
import { startServer } from '../../src/http/server.ts';

/** A daemon that writes down what it was asked for, and answers what the test gives it. */
export function aDaemon(with_: Partial<Daemon> = {}) {
  const commands: Command[] = [];
  const listeners = new Set<(entry: JournalEntry) => void>();
  const daemon: Daemon = {
    status: () => ({}),
    channels: () => [],
    incidents: () => [],
    incident: () => undefined,
    exportIncident: () => undefined,
    approvals: () => [],
    pages: () => [],
    tokens: () => [],
    personas: () => [],
    rules: () => [],
    stats: () => ({}),
    patterns: () => [],
    blindSpots: () => [],
    why: () => undefined,
    prompt: () => undefined,
    whyNot: () => undefined,
    journal: () => [],
    command: async (command) => {
      commands.push(command);
      return { ok: true, said: 'done' };
    },
    metrics: async () => ({ contentType: 'text/plain', text: 'reeve_up 1\n' }),
    readiness: () => ({ ready: true, because: [] }),
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    ...with_,
  };
  return { daemon, commands, listeners };
}

/** The token of that name and scope, where `served` serves. */
export const tokenOf = (scope: string): string => `token-of-${scope}-${'x'.repeat(32)}`;

/** Refusals are slowed down by sleeping (test/http/auth/refusals.test.ts); here nobody waits for that. */
export const promptClock: Clock = { ...systemClock, sleep: () => Promise.resolve() };

/** A server over that daemon, with one token for each scope. */
export async function served(daemon: Daemon) {
  const tokens = TOKEN_SCOPES.map((scope) => ({ name: scope, scopes: [scope], sha256: sha256Of(tokenOf(scope)) }));
  const options = { host: '127.0.0.1', port: 0, allowedHosts: ['reeve.example'], tokens, metrics: undefined };
  const server = await startServer(options, { daemon, clock: promptClock, onError: () => undefined });
  const ask = (path: string, init: RequestInit & { scope?: string } = {}): Promise<Response> =>
    fetch(server.url + path, {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...(init.scope && { authorization: `Bearer ${tokenOf(init.scope)}` }),
        ...init.headers,
      },
    });
  return { server, ask };
}
