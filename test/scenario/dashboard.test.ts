import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findProgram } from '../../demo/process.ts';
import { MAIN, type Reeve, startReeve } from '../../demo/reeve.ts';
import { openStage, type Stage } from '../../demo/stage.ts';
import { queriesOf } from '../../scripts/dashboard.ts';

const can = existsSync(MAIN) && ['ffmpeg', 'supervisord', 'prometheus', 'promtool'].every(findProgram);
const WITHIN = { timeout: 45_000, interval: 500 };

/** As Grafana would send it. */
const asSent = (query: string): string => query.replaceAll('$__rate_interval', '30s').replaceAll('$instance', '.*');

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

describe.skipIf(!can)('a real Prometheus that scrapes a real run (needs ffmpeg, supervisor, prometheus)', () => {
  let stage: Stage;
  let reeve: Reeve;
  beforeAll(async () => {
    stage = await openStage({ generated: 2, pulled: 1, prometheus: true });
    reeve = await startReeve(stage);
    const isSo = async (query: string) => expect(await ask(query)).toHaveLength(1);
    // Scraped before and after something happened, or no counter would have moved for the panels to show.
    await vi.waitFor(() => isSo('sum(count_over_time(reeve_open_incidents[1m])) > 0'), WITHIN);
    await stage.faults.killed('gen1');
    await vi.waitFor(() => isSo('sum(reeve_incidents_total{outcome="resolved"}) > 0'), WITHIN);
    await vi.waitFor(() => isSo('sum(rate(reeve_time_to_recover_seconds_count[1h])) > 0'), WITHIN);
  }, 180_000);
  afterAll(async () => {
    await reeve?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
  }, 60_000);

  async function ask(query: string) {
    const url = `${stage.urls.prometheus}/api/v1/query?query=${encodeURIComponent(query)}`;
    const answer = (await (await fetch(url)).json()) as Answer;
    if (answer.status !== 'success') throw new Error(`${query}: ${answer.error}`);
    return answer.data!.result;
  }

  it.each(queriesOf())('answers %s', async (query) => {
    await expect(ask(asSent(query))).resolves.toBeInstanceOf(Array);
  });

  it.each([
    'time() - max(reeve_heartbeat_timestamp_seconds)',
    'sum(reeve_open_incidents)',
    'max(reeve_restart_velocity)',
    'sum(reeve_lines_total)',
    'sum(reeve_restarts_total{origin="reeve"})',
    'histogram_quantile(0.99, sum by (le) (rate(reeve_decision_latency_seconds_bucket[1h])))',
    'histogram_quantile(0.5, sum by (le) (rate(reeve_time_to_recover_seconds_bucket[1h])))',
  ])('has a number for %s', async (query) => {
    const [first] = await ask(query);
    expect(Number(first?.value[1])).toBeGreaterThanOrEqual(0);
  });

  it('counts the one restart that the supervisor was really asked for', async () => {
    const [restarts] = await ask('sum(reeve_restarts_total{origin="reeve"})');
    expect(restarts?.value[1]).toBe('1');
    expect(stage.asked.filter(({ method }) => method === 'startProcess')).toHaveLength(1);
  });

  it('finds nothing to complain about in the exposition (promtool check metrics)', async () => {
    const text = await (await fetch(stage.urls.metrics)).text();
    const checked = await new Promise<{ code: number | null; printed: string }>((resolve) => {
      const child = spawn('promtool', ['check', 'metrics']);
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
      child.on('close', (code) => resolve({ code, printed }));
      child.stdin.end(text);
    });
    expect(checked).toEqual({ code: 0, printed: '' });
  });
});
