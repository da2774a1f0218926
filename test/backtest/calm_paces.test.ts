import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backtestFiles } from '../../src/app/backtest.ts';
import { policyTestFiles } from '../../src/app/policy_tests.ts';
import { backtest } from '../../src/backtest/run.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { at, ndjson, ORDER, recorded, tested } from './support.ts';

/** Its encoder goes on each second, its source was seen well once, and 55 s later the process is killed by SIGSEGV. */
function samplesOf(): readonly object[] {
  const seconds = Array.from({ length: 100 }, (_, second) => second);
  const looks = seconds.flatMap((second) => {
    const base = { at: at(second), channel: 'news' };
    const reported = second >= 56 ? { state: 'exited', exit_signal: 11 } : { state: 'running', cpu_ms: second * 100 };
    return [
      { kind: 'process', ...base, engine: 'local', generation: '100:1', ...reported, bytes_written: second * 1_000 },
      { kind: 'playlist', ...base, ok: true, revision: `${Math.min(second, 55)}`, target_duration_ms: 2_000 },
    ];
  });
  return [{ kind: 'source', at: at(1), channel: 'news', ok: true }, ...looks];
}

/** The same over a configuration that says how often the source of a calm channel is looked at. */
async function configured(calmEvery: string) {
  const [file, written] = recorded({
    'samples.ndjson': ndjson(samplesOf()),
    'reeve.yaml': [
      'version: 1',
      'engines: [{ id: local, kind: supervisor, socket: /run/nowhere.sock }]',
      'channels:',
      '  - id: news',
      '    engine: local',
      `    source: { url: "http://127.0.0.1:9/news.ts", every: 10s, calm_every: ${calmEvery} }`,
      '    output: { hls: "http://127.0.0.1:9/news.m3u8" }',
    ].join('\n'),
  });
  const tools = [...TOOL_SPECS.values()];
  const files = policyTestFiles({ tools, cwd: dirname(written!), env: {}, flags: { config: written! } });
  return backtest({ ...ORDER, samples: file }, await backtestFiles(files));
}

describe('a backtest of a channel that was looked at seldom', () => {
  it('takes the last good look at its source as the daemon does', async () => {
    const [file] = recorded({ 'samples.ndjson': ndjson(samplesOf()) });
    const { base, failures } = await tested({ samples: file });
    expect(failures).toEqual([]);
    expect(base.incidents).toMatchObject([{ scope: 'channel:news', classification: 'process_crashed' }]);
    expect(base.wouldAct).toMatchObject([{ tool: 'restart_channel', target: 'channel:news' }]);
  });

  it.each([
    ['15s', 'process_crashed'],
    ['10s', 'unknown'],
  ])('goes by the configured pace of a calm channel: %s gives %s', async (calmEvery, classification) => {
    const { base } = await configured(calmEvery);
    expect(base.incidents).toMatchObject([{ scope: 'channel:news', classification }]);
  });
});
