import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMetrics, type Gauges } from '../../src/telemetry/metrics.ts';
import { queriesOf, ROWS } from '../../scripts/dashboard.ts';
import { dashboard } from '../../scripts/grafana.ts';
import { ROOT } from './sandbox.ts';

const QUIET: Gauges = {
  restartVelocity: () => 0,
  fleetRestartsLeft: () => 20,
  containments: () => [],
  breakers: () => [],
  cooldowns: () => [],
  secondsSinceLastDeliveryOk: () => undefined,
  lines: () => [],
  refused: () => [],
  journalHead: () => ({ seq: 7, bits: 0 }),
  secondsSinceHeadSent: () => 1,
  loopLagSeconds: () => 0,
  openIncidents: () => 0,
  configOk: () => true,
  heartbeatSeconds: () => 0,
};

/** Every series name that Reeve can expose, histograms with their parts. */
async function exposedNames(): Promise<ReadonlySet<string>> {
  const { text } = await createMetrics('reeve_', { version: '0', node: 'v0' }, QUIET).expose(false);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) => [
      name!,
      ...(type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name! + part) : []),
    ]),
  );
}

const METRIC = /\breeve_[a-z_]+/g;
const queries = queriesOf();
const panels = ROWS.flatMap(([, , specs]) => specs);

describe('grafana/reeve.json', () => {
  it('is what the script writes', () => {
    const written = JSON.parse(readFileSync(join(ROOT, 'grafana/reeve.json'), 'utf8'));
    expect(written).toEqual(JSON.parse(JSON.stringify(dashboard())));
  });

  it.each(queries)('asks for metrics that Reeve exposes: %s', async (query) => {
    const exposed = await exposedNames();
    const asked = query.match(METRIC) ?? [];
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it('shows every metric that Reeve exposes', async () => {
    const shown = new Set(queries.flatMap((query) => query.match(METRIC) ?? []));
    const families = [...(await exposedNames())].filter((name) => !/_(sum|count)$/.test(name));
    const hidden = families.filter((name) => !shown.has(name) && !shown.has(`${name}_bucket`));
    expect(hidden).toEqual([]);
  });

  it('narrows every series to the chosen instances and never counts a raw counter', () => {
    for (const query of queries) {
      expect(query.match(/\{[^}]*\}/g)?.every((labels) => labels.includes('instance=~"$instance"'))).toBe(true);
      for (const [counter] of query.matchAll(/reeve_[a-z_]+_total/g)) {
        expect(query).toMatch(new RegExp(`(rate|increase)\\(${counter}`));
      }
    }
  });

  it('says of every panel what it means, once, within the width of the screen', () => {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(panels.filter(({ says, width }) => says.length < 10 || width > 24)).toEqual([]);
  });
});
