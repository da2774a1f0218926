// What the memory costs and how fast it answers:
//   node bench/memory.ts [INCIDENTS]         100,000 incidents of ten facts each by default
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { FAILURE_CLASSES } from '../src/core/classification.ts';
import { systemClock } from '../src/core/clock.ts';
import { countingIds } from '../src/core/id.ts';
import { DerivedFile } from '../src/journal/derived.ts';
import { entryOf } from '../src/journal/entry.ts';
import { Ledger } from '../src/journal/ledger.ts';
import { SqliteStore } from '../src/journal/sqlite.ts';
import { Graph } from '../src/memory/graph.ts';
import { GraphUpdater } from '../src/memory/graph_updater.ts';
import { processTree, tracedNodes } from '../src/memory/process_tree.ts';
import { Reads } from '../src/memory/reads.ts';
import { catchUp } from '../src/memory/rebuild.ts';
import { recallFor, recallForPlanner, searchPlanOf } from '../src/memory/recall.ts';
import { reflect } from '../src/memory/reflection.ts';
import { MEMORY_SCHEMA } from '../src/memory/schema.ts';
import { anEnvelope } from '../test/support/a.ts';
import { incidentId, LINES, writeIncidents } from './incidents.ts';
import { sayRow } from './rows.ts';

/** How bin/reeve.js starts V8: with a larger young generation the process would grow by what it has not collected yet. */
const AS_THE_DAEMON = ['--max-semi-space-size=4', '--memory-saver-mode', '--heap-growing-percent=35'];
const ASKED = 400;
const REFLECTED = 10_000;

await everything(Number(process.argv[2]) || 100_000);

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function timed<T>(work: () => T): { readonly value: T; readonly tookMs: number } {
  const startMs = nowMs();
  return { value: work(), tookMs: nowMs() - startMs };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

async function everything(incidents: number): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'reeve-bench-memory-'));
  const add = (measure: string, value: number, goal: number, unit: string): void => {
    const figure = `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
    sayRow({ part: 'memory', measure, figure, goal: `${goal} ${unit}`, met: value <= goal });
  };
  try {
    const entries = writeIncidents(join(state, 'journal.db'), incidents);
    process.stdout.write(`${entries} entries, ${incidents} incidents\n`);
    const journal = SqliteStore.openForReading(join(state, 'journal.db'));
    const file = DerivedFile.open(join(state, 'memory.db'), MEMORY_SCHEMA, { rebuilding: true });
    const graph = new Graph(file);
    const rebuilt = timed(() => {
      catchUp(graph, journal);
      file.finishRebuild(MEMORY_SCHEMA);
    });
    add('rebuild', rebuilt.tookMs / 1_000, 60, 's');
    add('hash of everything', timed(() => graph.hash()).tookMs / 1_000, 60, 's');
    file[Symbol.dispose]();
    reading(state, journal, incidents, add);
    add('file, per incident', statSync(join(state, 'memory.db')).size / incidents / 1_024, 8, 'KiB');
    journal.close();
    const script = join(import.meta.dirname, 'memory_rss.ts');
    const more = execFileSync(process.execPath, [...AS_THE_DAEMON, '--expose-gc', script, state], { encoding: 'utf8' });
    add('memory of the process, more than without', Number(more) / 1_048_576, 15, 'MB');
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
  await reflecting(add);
}

type Add = (measure: string, value: number, goal: number, unit: string) => void;

function reading(state: string, journal: SqliteStore, incidents: number, add: Add): void {
  using file = DerivedFile.openForReading(join(state, 'memory.db'), MEMORY_SCHEMA);
  const reads = new Reads(file);
  const some = Array.from({ length: ASKED }, (_, index) => (index * 7_919) % incidents);
  const times = (measure: string, goalMs: number, work: (index: number) => unknown): void => {
    const tookMs = some.map((index) => timed(() => work(index)).tookMs);
    add(`${measure}, p99 (p50 ${percentile(tookMs, 0.5).toFixed(1)} ms)`, percentile(tookMs, 0.99), goalMs, 'ms');
  };
  const last = reads.throughSeq();
  times('a page of the list', 100, (index) => reads.list({ type: 'incident', before: last - index * 10, limit: 50 }));
  times('trace from the journal', 200, (index) =>
    processTree(tracedNodes([...journal.read({ incident: incidentId(index) })].map(entryOf))),
  );
  times('trace from the memory', 200, (index) => processTree(reads.island(incidentId(index))));
  times('steps from an incident', 100, (index) => reads.neighbours(incidentId(index), { limit: 50 }));
  times('recall for a question', 50, (index) =>
    recallFor(reads, searchPlanOf(`why did ch${index % 500} fail with ${LINES[index % 7]}`)),
  );
  times('recall for a planner', 50, (index) => {
    const failureClassification = FAILURE_CLASSES[index % FAILURE_CLASSES.length]!;
    const evidence = [{ id: 'e1', at: 0, origin: 'log' as const, source: 'log', text: LINES[index % 7]! }];
    return recallForPlanner(reads, anEnvelope({ channelId: `ch${index % 500}`, failureClassification, evidence }));
  });
}

async function reflecting(add: Add): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'reeve-bench-reflect-'));
  try {
    writeIncidents(join(state, 'journal.db'), REFLECTED);
    using ledger = new Ledger(SqliteStore.open(join(state, 'journal.db')), systemClock);
    ledger.open();
    using file = DerivedFile.open(join(state, 'memory.db'), MEMORY_SCHEMA);
    const graph = new Graph(file);
    const first = SqliteStore.openForReading(join(state, 'journal.db'));
    catchUp(graph, first);
    first.close();
    using keeper = new GraphUpdater({
      ...{ graph, clock: systemClock, read: (query) => ledger.read(query) },
      fail: (text) => process.stderr.write(`${text}\n`),
    });
    const lag = monitorEventLoopDelay({ resolution: 1 });
    lag.enable();
    const startMs = nowMs();
    const { archived } = await reflect({
      ...{ insights: graph.insights, throughSeq: () => file.cursor(), append: ledger.append, clock: systemClock },
      ...{ ids: countingIds(), caughtUp: () => keeper.caughtUp() },
    });
    add(`reflect over ${REFLECTED} insights (${archived} archived)`, (nowMs() - startMs) / 1_000, 10, 's');
    lag.disable();
    add('loop lag while it reflects, p99', lag.percentile(99) / 1e6, 20, 'ms');
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
