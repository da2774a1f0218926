/** Measures how fast recorded logs are played through the pipeline. */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtestFiles } from '../src/app/backtest.ts';
import { policyTestFiles } from '../src/app/policy_tests.ts';
import { TOOL_SPECS } from '../src/remediation/catalog.ts';
import { backtest } from '../src/backtest/run.ts';
import { quantile, sayRow } from './rows.ts';
import { HOUR_MS } from '../src/core/duration.ts';

/**
 * How many log lines a second go through a backtest, from the files to the report. The log is mostly harmless: segments
 * opened and requests answered, one complaint in a thousand lines, over ten channels and one hour.
 * Usage: node bench/backtest.ts [lines]
 */
const lines = Number(process.argv[2] ?? 2_000_000);
const CHANNELS = 10;
const ascending = (a: number, b: number): number => a - b;
const BEGIN = Date.UTC(2026, 6, 28, 12);

const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
try {
  const logs = Array.from({ length: CHANNELS }, (_, index) => logOf(`ch${index}`, lines / CHANNELS));
  const bytes = logs.reduce((sum, path) => sum + statSync(path).size, 0);
  const files = await backtestFiles(policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd: '/', env: {} }));
  const order = { logs, samples: undefined, persona: undefined, against: undefined, rules: undefined } as const;
  const rates: { wall: number; cpu: number }[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const [startedNs, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
    const result = await backtest({ ...order, phase: 4, offsetMinutes: 0 }, files);
    const seconds = Number(process.hrtime.bigint() - startedNs) / 1e9;
    const used = process.cpuUsage(cpu);
    const cpuSeconds = (used.user + used.system) / 1e6;
    const read = result.sources.reduce((sum, source) => sum + source.lines, 0);
    rates.push({ wall: read / seconds, cpu: read / cpuSeconds });
    const rest = `${(bytes / seconds / 1e6).toFixed(0)} MB/s, ${result.base.incidents.length} incidents`;
    process.stdout.write(`round ${round}: ${read} lines in ${seconds.toFixed(2)} s; ${rest}\n`);
  }
  say('wall time', quantile(rates.map(({ wall }) => wall).sort(ascending), 0.5));
  say('CPU time', quantile(rates.map(({ cpu }) => cpu).sort(ascending), 0.5));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function say(time: string, rate: number): void {
  const figure = Math.round(rate).toLocaleString('en');
  const goal = '≥ 200,000';
  sayRow({ part: 'backtest', measure: `lines per second of ${time}`, figure, goal, met: rate >= 200_000 });
}

function logOf(channel: string, count: number): string {
  const path = join(folder, `${channel}.err`);
  const file = openSync(path, 'w');
  let text = '';
  for (let line = 0; line < count; line += 1) {
    const at = new Date(BEGIN + Math.floor((line / count) * HOUR_MS)).toISOString();
    text += `${at} ${messageOf(line, channel)}\n`;
    if (text.length > 1 << 20) {
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  closeSync(file);
  return path;
}

function messageOf(line: number, channel: string): string {
  if (line % 1_000 === 999) return '[hls @ 0x55d0c8] Packet corrupt (stream = 0, dts = 123456)';
  if (line % 3 === 0) return `[hls @ 0x55d0c8] Opening '/srv/hls/${channel}/seg${line}.ts' for writing`;
  if (line % 3 === 1) return `10.0.0.7 - - "GET /hls/${channel}/index.m3u8 HTTP/1.1" 200 512 "-" "player/1.0"`;
  return `frame=${line} fps=25 q=28.0 size=1024kB time=00:00:10.00 bitrate=838.9kbits/s speed=1.00x`;
}
