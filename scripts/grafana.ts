/** Writes grafana/reeve.json: `npm run grafana`. The dashboard is data; a test asks a real Prometheus every query of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS } from './dashboard.ts';
import type { PanelSpec } from './dashboard_parts.ts';

const COLUMNS = 24;
const SOURCE = { type: 'prometheus', uid: '${datasource}' };
/** The whole dashboard as Grafana imports it. The same call gives the same bytes. */
export function dashboard(): unknown {
  return {
    uid: 'reeve-overview',
    title: 'Reeve',
    description: 'What Reeve saw, concluded, did and refused, and whether anybody was notified.',
    tags: ['reeve', 'streaming'],
    schemaVersion: 39,
    editable: true,
    refresh: '10s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasourceVariable, instanceVariable] },
    annotations: { list: [] },
    panels: layOut(),
  };
}

const datasourceVariable = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
const instanceVariable = {
  name: 'instance',
  label: 'Reeve',
  type: 'query',
  datasource: SOURCE,
  query: { query: 'label_values(reeve_build_info, instance)', refId: 'instance' },
  refresh: 2,
  includeAll: true,
  multi: true,
  current: { text: 'All', value: '$__all' },
};

/** Rows from top to bottom, panels from left to right, wrapped at 24 columns. */
function layOut(): readonly unknown[] {
  const panels: unknown[] = [];
  let y = 0;
  for (const [title, height, specs] of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    for (const spec of specs) {
      if (x + spec.width > COLUMNS) {
        x = 0;
        y += height;
      }
      panels.push({ id: panels.length + 1, ...panelOf(spec), gridPos: { x, y, w: spec.width, h: height } });
      x += spec.width;
    }
    y += height;
  }
  return panels;
}

function panelOf(spec: PanelSpec): object {
  const isTable = spec.kind === 'table';
  const isNow = isTable || spec.kind === 'stat';
  const steps = (spec.thresholds ?? [{ from: null, colour: 'green' }]).map(({ from, colour }) => ({
    value: from,
    color: colour,
  }));
  const custom =
    spec.kind === 'timeseries' ? { fillOpacity: 20, stacking: { mode: spec.stacked ? 'normal' : 'none' } } : {};
  return {
    type: spec.kind,
    title: spec.title,
    description: spec.says,
    datasource: SOURCE,
    fieldConfig: {
      defaults: {
        unit: spec.unit,
        min: 0,
        thresholds: { mode: 'absolute', steps },
        mappings: spec.mappings ?? [],
        custom,
      },
      overrides: [],
    },
    options: spec.kind === 'stat' ? { colorMode: 'background', reduceOptions: { calcs: ['lastNotNull'] } } : {},
    targets: spec.queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: SOURCE,
      expr,
      ...(legend ? { legendFormat: legend } : {}),
      ...(isNow ? { instant: true } : {}),
      ...(isTable ? { format: 'table' } : {}),
    })),
    ...(isTable ? { transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }] } : {}),
  };
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '../grafana/reeve.json');
  writeFileSync(path, `${JSON.stringify(dashboard(), null, 2)}\n`);
}
