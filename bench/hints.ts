// How fast a hint is answered over HTTP, with the journal on the disk and a bundle of the size that is published.
//   node bench/hints.ts [--clusters 350] [--asks 2000]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { redact } from '../src/collect/redact.ts';
import { systemClock } from '../src/core/clock.ts';
import { systemIds } from '../src/core/id.ts';
import { Hints } from '../src/hints/hints.ts';
import { HINTS_SCHEMA, HintStore } from '../src/hints/store.ts';
import { sha256Of } from '../src/http/auth/grants.ts';
import { startServer } from '../src/http/server.ts';
import { DerivedFile } from '../src/journal/derived.ts';
import { Ledger } from '../src/journal/ledger.ts';
import { SqliteStore } from '../src/journal/sqlite.ts';
import { streamOf } from '../src/simulation/random_streams.ts';
import { aDaemon } from '../test/http/support.ts';
import { quantile, sayRow } from './rows.ts';

const { values } = parseArgs({
  options: { clusters: { type: 'string', default: '350' }, asks: { type: 'string', default: '2000' } },
});
const GOAL_MS = 20;
const TOKEN = 'x'.repeat(40);
const WARM_UP = 100;
const WORDS =
  `encoder origin segment playlist buffer bitrate timestamp keyframe packet muxer decoder timeout memory thread
  queue latency drift clock socket cache shard index planner gripper route sensor torque velocity gradient loss batch
  tensor kernel overflow underflow stall retry lock lease token quota disk fan voltage frame audio video subtitle manifest
  diverges oscillates exhausts drops stalls repeats loses reorders saturates leaks flaps`.split(/\s+/);
const stream = streamOf(1, 'bench');
const words = (count: number): string => Array.from({ length: count }, () => stream.pick(WORDS)).join(' ');

function writeBundle(folder: string, count: number): readonly string[] {
  mkdirSync(join(folder, 'code_patterns'), { recursive: true });
  const names = Array.from({ length: count }, () => words(24));
  const clusters = names.map((name, at) => [
    `cluster_${at}`,
    {
      standard_name: name,
      matched_keywords: words(8).split(' '),
      associated_patterns: [`pattern_${at}`],
      cross_domain_analogies: [{ source_domain: 'Other', insight: words(20), action_suggestion: words(20) }],
    },
  ]);
  writeFileSync(join(folder, 'bridge_index.json'), JSON.stringify({ symptom_clusters: Object.fromEntries(clusters) }));
  for (const at of names.keys())
    writeFileSync(join(folder, 'code_patterns', `pattern_${at}.md`), `## Fix\n${words(40)}\n\`\`\`diff\n+a\n\`\`\`\n`);
  return names;
}

/** A log of a stuck agent: much that says nothing, and a line near a cluster. */
const logOf = (name: string): string =>
  [...Array.from({ length: 40 }, (_, at) => `INFO step ${at} ${words(8)}`), `ERROR ${name.slice(0, 90)}`].join('\n');

const state = mkdtempSync(join(tmpdir(), 'reeve-bench-hints-'));
try {
  const folder = join(state, 'hints');
  const names = writeBundle(folder, Number(values.clusters));
  using ledger = new Ledger(SqliteStore.open(join(state, 'journal.db')), systemClock);
  ledger.open();
  using file = DerivedFile.open(join(state, 'hints.db'), HINTS_SCHEMA);
  const deps = {
    ids: systemIds,
    append: ledger.append,
    clock: ledger.clock,
    redact,
    folder,
    backend: 'store',
  } as const;
  const sources = { folder, files: join(state, 'own') };
  const blindSpots = { windowMs: 3_600_000, threshold: 3 };
  const hints = new Hints({
    ...deps,
    sources,
    store: new HintStore(file),
    similarityFloor: 0.2,
    blindSpots,
    factsPerMinuteMax: 1e9,
    version: 'bench',
  });
  ledger.subscribe((entry) => hints.onEntry(entry));
  const first = performance.now();
  hints.reload();
  const loadedMs = performance.now() - first;
  const again = performance.now();
  hints.reload();
  const unchangedMs = performance.now() - again;
  const tokens = [{ name: 'bench', scopes: ['admin' as const], sha256: sha256Of(TOKEN) }];
  await using server = await startServer(
    { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined },
    { daemon: aDaemon({ hints: async () => hints }).daemon, clock: systemClock, onError: console.error },
  );
  const headers = { 'x-api-key': TOKEN, 'content-type': 'application/json' };
  const took: number[] = [];
  let found = 0;
  for (let at = 0; at < Number(values.asks) + WARM_UP; at += 1) {
    const log = logOf(names[stream.int(0, names.length - 1)]!);
    const body = JSON.stringify({ error_log: log, previous_scores: [0.4, 0.47, 0.46], current_iteration: 4 });
    const startedMs = performance.now();
    const answer = await fetch(`${server.url}/api/v1/prompt/build`, { method: 'POST', headers, body });
    const { strategy, injected } = (await answer.json()) as { strategy: string; injected: boolean };
    if (at >= WARM_UP) took.push(performance.now() - startedMs);
    if (strategy === 'CATALYST' && injected) found += 1;
  }
  took.sort((a, b) => a - b);
  const asked = Number(values.asks) + WARM_UP;
  process.stdout.write(`${values.clusters} clusters, ${found} of ${asked} requests were sent a hint\n`);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const ms = quantile(took, share);
    const row = { part: 'hints', measure: `a catalyst over HTTP, ${name}`, figure: `${ms.toFixed(1)} ms` };
    sayRow({ ...row, goal: `${GOAL_MS} ms`, met: ms <= GOAL_MS });
  }
  const say = (measure: string, ms: number) =>
    sayRow({ part: 'hints', measure, figure: `${Math.round(ms)} ms`, goal: '20000 ms', met: ms <= 20_000 });
  say('load the bundle', loadedMs);
  say('reload it unchanged', unchangedMs);
} finally {
  rmSync(state, { recursive: true, force: true });
}
