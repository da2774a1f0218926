import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { findProgram } from '../../demo/process.ts';
import { exposedNames } from './exposed_names.ts';
import { ROOT } from './sandbox.ts';

const FILE = join(ROOT, 'deploy/prometheus-alerts.yaml');
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
const rules = (parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

interface Story {
  readonly alert: string;
  /** Values of each minute, as promtool writes series. */
  readonly series: Readonly<Record<string, string>>;
  readonly quietAt: string;
  readonly firesAt: string;
}

const HERE = 'instance="a:7433", job="reeve"';
const STORIES: readonly Story[] = [
  {
    alert: 'ReeveAbsent',
    series: { [`reeve_build_info{${HERE}, version="1"}`]: '1x10 _x30' },
    quietAt: '10m',
    firesAt: '20m',
  },
  {
    alert: 'ReeveCannotPage',
    series: {
      [`reeve_receiver_failing_seconds{${HERE}, receiver="mail"}`]: '0+60x30',
      [`reeve_receiver_failing_seconds{${HERE}, receiver="chat"}`]: '0x10 60+60x30',
    },
    quietAt: '10m',
    firesAt: '15m',
  },
  {
    alert: 'ReeveReceiverFailing',
    series: {
      [`reeve_receiver_failing_seconds{${HERE}, receiver="mail"}`]: '0+60x30',
      [`reeve_receiver_failing_seconds{${HERE}, receiver="chat"}`]: '0x30',
    },
    quietAt: '10m',
    firesAt: '11m',
  },
  {
    alert: 'ReeveConfigurationRefused',
    series: { [`reeve_config_ok{${HERE}}`]: '1x5 0x30' },
    quietAt: '20m',
    firesAt: '22m',
  },
  { alert: 'ReeveFrozen', series: { [`reeve_freeze_active{${HERE}}`]: '0x5 1x90' }, quietAt: '65m', firesAt: '67m' },
  {
    alert: 'ReeveContained',
    series: { [`reeve_containment_active{${HERE}, scope="group:a", reason="shared_cause"}`]: '_x5 1x90' },
    quietAt: '34m',
    firesAt: '36m',
  },
  {
    alert: 'ReeveFleetBudgetSpent',
    series: { [`reeve_fleet_restarts_left{${HERE}}`]: '1x5 0x30' },
    quietAt: '10m',
    firesAt: '12m',
  },
  {
    alert: 'ReeveLoopSlow',
    series: { [`reeve_loop_lag_seconds{${HERE}}`]: '0.02x20 1x40' },
    quietAt: '25m',
    firesAt: '40m',
  },
  {
    alert: 'ReeveLinesDropped',
    series: {
      [`reeve_lines_total{${HERE}, source="log", result="dropped_flood"}`]: '7x20 10+600x40',
      [`reeve_lines_total{${HERE}, source="log", result="dropped_backlog_cut"}`]: '0+600x60',
    },
    quietAt: '20m',
    firesAt: '40m',
  },
  {
    alert: 'ReeveHeartbeatNotTaken',
    series: { [`reeve_seconds_since_heartbeat_taken{${HERE}}`]: '0+60x30' },
    quietAt: '10m',
    firesAt: '11m',
  },
  {
    alert: 'ReeveHeadNotTold',
    series: { [`reeve_seconds_since_head_told{${HERE}}`]: '0+60x130' },
    quietAt: '120m',
    firesAt: '121m',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'reeve-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Says which alerts fire at each of the times, by promtool. Undefined where it agrees with what is expected. */
function disagreement(series: Story['series'], expected: readonly { at: string; alert: string; count: number }[]) {
  const file = join(
    folder,
    `${expected
      .map(({ alert, at }) => `${alert}-${at}`)
      .join('_')
      .slice(0, 100)}.yaml`,
  );
  const promql = (alert: string) => `count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)`;
  const test = {
    rule_files: [FILE],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: expected.map(({ at, alert, count }) => ({
          expr: promql(alert),
          eval_time: at,
          exp_samples: [{ labels: '{}', value: count }],
        })),
      },
    ],
  };
  writeFileSync(file, stringify(test));
  const run = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return run.status === 0 ? undefined : run.stdout + run.stderr;
}

describe('deploy/prometheus-alerts.yaml', () => {
  it.each(rules)('asks for metrics that Reeve exposes: $alert', async ({ expr }) => {
    const exposed = await exposedNames();
    const asked = expr.match(/\breeve_[a-z_]+/g) ?? [];
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it.each(rules)('says what happened and what to do: $alert', ({ labels, annotations }) => {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(annotations.description.length).toBeGreaterThan(20);
  });

  it('has a story for each alert', () => {
    expect(STORIES.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
  });

  describe.skipIf(!findProgram('promtool'))('as Prometheus reads it', () => {
    it.each(STORIES)('$alert is quiet at $quietAt and fires at $firesAt', ({ alert, series, quietAt, firesAt }) => {
      const expected = [
        { at: quietAt, alert, count: 0 },
        { at: firesAt, alert, count: 1 },
      ];
      expect(disagreement(series, expected)).toBeUndefined();
    });

    it('says nothing of a daemon that is well', () => {
      const series = {
        [`reeve_build_info{${HERE}, version="1"}`]: '1x30 _x1 _x60',
        [`reeve_build_info{${HERE}, version="2"}`]: '_x30 1x90',
        [`reeve_receiver_failing_seconds{${HERE}, receiver="mail"}`]: '0x120',
        [`reeve_config_ok{${HERE}}`]: '1x120',
        [`reeve_freeze_active{${HERE}}`]: '0x120',
        [`reeve_fleet_restarts_left{${HERE}}`]: '20x120',
        [`reeve_loop_lag_seconds{${HERE}}`]: '0.003x120',
        [`reeve_lines_total{${HERE}, source="log", result="matched"}`]: '0+600x120',
        [`reeve_lines_total{${HERE}, source="log", result="dropped_flood"}`]: '0x120',
      };
      const expected = rules.flatMap(({ alert }) => ['20m', '33m', '90m'].map((at) => ({ at, alert, count: 0 })));
      expect(disagreement(series, expected)).toBeUndefined();
    });
  });
});
