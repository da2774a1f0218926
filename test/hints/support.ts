/** Hints over a journal in memory, with the real HTTP server on a free port. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { fakeClock } from '../support/fake_clock.ts';

const CLAMP = `---
pattern_id: output_saturation_clamp
---
# Commanded velocity diverges
## Fix
Clamp every command to the rated range before it is sent.
## Patch
\`\`\`diff
-v = step(error)
+v = clamp(step(error), -V_MAX, V_MAX)
\`\`\`
`;

/** A cluster as a bundle has it. */
export const aCluster = (standardName: string, pattern: string, more: object = {}) => ({
  standard_name: standardName,
  domain: 'Control',
  matched_keywords: ['velocity', 'diverges', 'overflow', 'torque'],
  cross_domain_analogies: [
    { source_domain: 'Memory', insight: 'cap the running state', action_suggestion: 'bound the integrator itself' },
  ],
  associated_patterns: [pattern],
  ...more,
});

export const CLUSTERS = {
  output_saturation_clamp: aCluster(
    'Commanded velocity or torque overflow diverges to ±∞ when the controller does not clamp its output',
    'pattern_output_saturation_clamp',
  ),
  '20260518_1bfb99e13c': aCluster('The planner loses its route after a map update', 'pattern_20260518_1bfb99e13c', {
    matched_keywords: ['planner', 'route', 'map'],
    priority: 0,
  }),
  bad_habit: aCluster('The gripper drops its part when it is turned', 'pattern_bad_habit', {
    matched_keywords: ['gripper', 'part'],
    priority: -1,
  }),
};

export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-hints-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes a bundle and gives its folder. */
export function aBundle(folder: string, clusters: object = CLUSTERS): string {
  mkdirSync(join(folder, 'code_patterns'), { recursive: true });
  writeFileSync(join(folder, 'bridge_index.json'), JSON.stringify({ symptom_clusters: clusters }));
  // Files of curated hints leave out the prefix.
  writeFileSync(join(folder, 'code_patterns', 'output_saturation_clamp.md'), CLAMP);
  return folder;
}

export interface WorldOptions {
  readonly directory?: string;
  readonly rows?: MemoryStore;
  /** Undefined: there is no bundle. */
  readonly clusters?: object | undefined;
  readonly deps?: Partial<HintsDeps>;
}

/** The request of the documented example. */
export const EXAMPLE = {
  error_log: 'ERROR: torque overflow on joint 2',
  previous_scores: [0.42, 0.47, 0.47, 0.46],
  current_iteration: 4,
};

export function aWorld({ directory = temporary(), rows = new MemoryStore(), ...options }: WorldOptions = {}) {
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(rows, clock);
  ledger.open();
  const file = DerivedFile.open(join(directory, 'hints.db'), HINTS_SCHEMA);
  const close = (): void => file[Symbol.dispose]();
  onTestFinished(close);
  const store = new HintStore(file);
  for (const entry of ledger.read({ sinceSeq: store.cursor() + 1 })) store.take(entry);
  const folder = join(directory, 'bundle');
  const hints = new Hints({
    ...{ store, append: ledger.append, clock, ids: countingIds(), redact, folder, backend: 'store' },
    ...{ similarityFloor: 0.2, blindSpots: { windowMs: 3_600_000, threshold: 3 }, version: '0.1.0' },
    ...options.deps,
  });
  ledger.subscribe((entry) => hints.onEntry(entry));
  const clusters = 'clusters' in options ? options.clusters : CLUSTERS;
  if (clusters !== undefined) {
    aBundle(folder, clusters);
    hints.reload();
  }
  return { hints, store, ledger, rows, directory, folder, advance, clock, close };
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
