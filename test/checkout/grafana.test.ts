import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queriesOf, ROWS } from '../../scripts/dashboard.ts';
import { dashboard } from '../../scripts/grafana.ts';
import { exposedNames } from './exposed_names.ts';
import { ROOT } from './sandbox.ts';

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
