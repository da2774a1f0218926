/** Hints over a journal in memory, with the real HTTP server on a free port. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TokenScope } from '../../src/core/access.ts';
import { systemClock } from '../../src/core/clock.ts';
import { countingIds } from '../../src/core/id.ts';
import { redact } from '../../src/collect/redact.ts';
import { Hints, type HintsDeps } from '../../src/hints/hints.ts';
import { HINTS_SCHEMA, HintStore } from '../../src/hints/store.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { startServer } from '../../src/http/server.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { aDaemon } from '../http/support.ts';
import { aBundle, CLUSTERS } from '../support/hint_bundle.ts';
import { fakeClock } from '../support/fake_clock.ts';

export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-hints-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface PipelineOptions {
  readonly directory?: string;
  readonly rows?: MemoryStore;
  /** Undefined: there is no bundle. */
  readonly clusters?: object | undefined;
  readonly deps?: Partial<HintsDeps>;
}

export function aWorld({ directory = temporary(), rows = new MemoryStore(), ...options }: PipelineOptions = {}) {
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(rows, clock);
  ledger.open();
  const file = DerivedFile.open(join(directory, 'hints.db'), HINTS_SCHEMA);
  const close = (): void => file[Symbol.dispose]();
  onTestFinished(close);
  const store = new HintStore(file, (query) => ledger.read(query));
  for (const entry of ledger.read({ sinceSeq: store.cursor() + 1 })) store.take(entry);
  const folder = join(directory, 'bundle');
  const hints = new Hints({
    ...{ store, append: ledger.append, clock, ids: countingIds(), redact, backend: 'store' },
    sources: { folder, files: join(directory, 'own') },
    ...{
      similarityFloor: 0.2,
      blindSpots: { windowMs: 3_600_000, threshold: 3 },
      factsPerMinuteMax: 100_000,
      version: '0.1.0',
    },
    ...options.deps,
  });
  ledger.subscribe((entry) => hints.onEntry(entry));
  const clusters = 'clusters' in options ? options.clusters : CLUSTERS;
  if (clusters !== undefined) {
    aBundle(folder, clusters);
    hints.reload();
  }
  return { hints, file, store, ledger, rows, directory, folder, advance, clock, close };
}

export const keyOf = (scope: TokenScope): string => `token-of-${scope}-${'x'.repeat(32)}`;

/** The real application on a free port; `ask` sends the key of a scope as old clients do. */
export async function aServer(world: ReturnType<typeof aWorld>) {
  const { daemon } = aDaemon({ hints: async () => world.hints });
  const scopes = ['hints', 'read', 'operate', 'metrics'] as const;
  const tokens = scopes.map((scope) => ({ name: scope, scopes: [scope], sha256: sha256Of(keyOf(scope)) }));
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
  const server = await startServer(options, { daemon, clock: systemClock, onError: () => undefined });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const ask = (path: string, scope?: TokenScope, body?: unknown) =>
    fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(scope && { 'x-api-key': keyOf(scope) }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const json = async <T>(path: string, scope?: TokenScope, body?: unknown): Promise<T> =>
    (await (await ask(path, scope, body)).json()) as T;
  return { ask, json, url: server.url };
}
