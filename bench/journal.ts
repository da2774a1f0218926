// How long a durable decision takes, and how long a start takes behind many records:
//   node bench/journal.ts [DIRECTORY] [RECORDS]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import type { Draft, Projection } from '../src/core/journal.ts';
import { Ledger } from '../src/journal/ledger.ts';
import { SqliteStore } from '../src/journal/sqlite.ts';

const COMMITS = 3_000;
const directory = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'reeve-bench-'));
const records = Number(process.argv[3] ?? 1_000_000);
const elapsedMs = (sinceNs: bigint): number => Number(process.hrtime.bigint() - sinceNs) / 1e6;

/** A state about as large as that of 500 channels, of which each entry changes one. */
const channels: Projection<readonly { readonly channel: string; readonly starts: readonly number[] }[]> = {
  name: 'channels',
  initial: Array.from({ length: 500 }, (_, index) => ({ channel: `ch${index}`, starts: [] })),
  apply: (state, { seq, channel, monoMs }) => {
    const index = seq % 500;
    const old = state[index];
    return old === undefined || channel === undefined
      ? state
      : state.with(index, { ...old, starts: [...old.starts, monoMs].slice(-10) });
  },
};

const decision = (index: number): Draft => ({
  channel: `ch${index % 500}`,
  incident: `inc-${index}`,
  run: `run-${index}`,
  fact: {
    type: 'guard.decided',
    call: `restart_channel on channel:ch${index % 500}`,
    decision: {
      verdict: 'deny',
      code: 'cooldown',
      because: 'the last start ended 12 s ago',
      retryAfterMs: 18_000,
      trace: Array.from({ length: 8 }, (_, id) => ({
        id,
        question: 'cooldown',
        value: '12000',
        threshold: '30000',
        verdict: 'pass',
        code: undefined,
      })),
    },
    tookMs: 0.1,
  },
});

function open(path: string): { readonly ledger: Ledger; readonly tookMs: number; readonly folded: number } {
  const startNs = process.hrtime.bigint();
  const ledger = new Ledger(SqliteStore.open(path), systemClock);
  ledger.register(channels);
  const { folded } = ledger.open();
  return { ledger, tookMs: elapsedMs(startNs), folded };
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(34)} ${value}\n`);
}

try {
  const path = join(directory, 'journal.db');
  let { ledger } = open(path);
  const tookMs: number[] = [];
  for (let index = 0; index < COMMITS; index += 1) {
    const startNs = process.hrtime.bigint();
    ledger.append([decision(index), decision(index + 1)]);
    tookMs.push(elapsedMs(startNs));
  }
  tookMs.sort((a, b) => a - b);
  const at = (share: number): string => `${tookMs[Math.floor(share * (COMMITS - 1))]?.toFixed(2)} ms`;
  print('machine', `${cpus().length} x ${cpus()[0]?.model}, node ${process.version}`);
  print('append of 2 entries, durable', `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`);

  for (let index = ledger.lastSeq; index < records; index += 500) {
    ledger.append(Array.from({ length: 500 }, (_, offset) => decision(index + offset)));
  }
  // A start is slowest just before the next snapshot.
  for (let batch = 0; batch < 9; batch += 1)
    ledger.append(Array.from({ length: 500 }, (_, offset) => decision(offset)));
  const head = ledger.lastSeq;
  ledger[Symbol.dispose]();
  const again = open(path);
  ledger = again.ledger;
  const size = `${Math.round(statSync(path).size / 1e6)} MB`;
  print(`start behind ${head} records`, `${again.tookMs.toFixed(0)} ms (${again.folded} folded, ${size})`);

  const verifyNs = process.hrtime.bigint();
  const report = ledger.verify();
  print('chain of all records', `${report.ok ? 'whole' : 'BROKEN'}, ${elapsedMs(verifyNs).toFixed(0)} ms`);
  const compactNs = process.hrtime.bigint();
  const { deleted } = ledger.compact(0);
  print('one step of retention', `${elapsedMs(compactNs).toFixed(0)} ms (${deleted} deleted)`);
  ledger[Symbol.dispose]();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
