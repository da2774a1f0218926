import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { backtestFiles } from '../../src/app/backtest.ts';
import { policyTestFiles } from '../../src/app/policy_tests.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { type BacktestOrder, backtest } from '../../src/backtest/run.ts';

export const FIXTURES = join(import.meta.dirname, 'fixtures');
export const SHIPPED = policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd: '/', env: {} });
const shipped = backtestFiles(SHIPPED);

export const ORDER: BacktestOrder = {
  logs: [],
  samples: undefined,
  persona: undefined,
  against: undefined,
  rules: undefined,
  phase: 4,
  offsetMinutes: 0,
};

/** A backtest over the shipped personas, rules and patterns. */
export const tested = async (order: Partial<BacktestOrder>) => backtest({ ...ORDER, ...order }, await shipped);

/** Files in a folder that is gone after the test; their paths in order. */
export function recorded(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-backtest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
}

const BEGIN = Date.UTC(2026, 6, 28, 12);
export const at = (seconds: number): number => BEGIN + seconds * 1_000;

/** One channel as its probes saw it, second by second: dead from `diesAt`, alive again from `backAt`. */
export function story(channel: string, times: { diesAt: number; backAt: number; until: number }): readonly object[] {
  const samples: object[] = [];
  let revision = 1;
  for (let second = 0; second < times.until; second += 1) {
    const dead = second >= times.diesAt && second < times.backAt;
    const processNumber = second >= times.backAt ? 2 : 1;
    const base = { at: at(second), channel };
    const reported = dead ? { state: 'exited', exit_signal: 11 } : { state: 'running', cpu_ms: second * 100 };
    samples.push({ kind: 'process', ...base, engine: 'local', generation: `100:${processNumber}`, ...reported });
    if (!dead && second % 2 === 0) revision += 1;
    samples.push({ kind: 'playlist', ...base, ok: true, revision: String(revision), target_duration_ms: 2_000 });
  }
  return samples;
}

export const ndjson = (values: readonly object[]): string => `${values.map((one) => JSON.stringify(one)).join('\n')}\n`;
