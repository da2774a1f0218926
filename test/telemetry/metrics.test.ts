import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { QUIET as NOTHING } from '../support/quiet_gauges.ts';

const QUIET: typeof NOTHING = {
  ...NOTHING,
  lines: () => [{ source: 'a', result: 'matched', lines: 3 }],
  refused: () => [{ reason: 'no_token', count: 2 }],
};

const entry = (fact: unknown): JournalEntry => ({ seq: 1, at: 0, monoMs: 0, boot: 'b', fact: fact as JournalFact });

const create = () => createMetrics('reeve_', { version: '0', node: 'v0' }, QUIET);

describe('the exposition', () => {
  it('gives the same Prometheus text before, after and beside an OpenMetrics scrape', async () => {
    const metrics = create();
    metrics.observe(entry({ type: 'config.rejected', problems: 1, first: '' }));
    const before = (await metrics.expose(false)).text;
    const [open, beside] = await Promise.all([metrics.expose(true), metrics.expose(false)]);
    expect(before).toContain('\nreeve_config_rejections_total 1\n');
    expect(before).toContain('reeve_lines_total{source="a",result="matched"} 3');
    expect(beside.text).toBe(before);
    expect((await metrics.expose(false)).text).toBe(before);
    expect(open.text).toContain('# TYPE reeve_config_rejections counter\n');
    expect(open.text).toMatch(/# EOF\n$/);
  });

  it('counts a start of its own once, though it is also seen from outside', async () => {
    const metrics = create();
    const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'a' }, channels: [] };
    metrics.observe(entry({ type: 'tool.started', permit: { call } }));
    metrics.observe(entry({ type: 'start.observed', origin: 'reeve', generation: 'g', engine: 'e' }));
    metrics.observe(entry({ type: 'start.observed', origin: 'engine', generation: 'h', engine: 'e' }));
    const { text } = await metrics.expose(false);
    expect(text).toContain('reeve_restarts_total{origin="reeve"} 1');
    expect(text).toContain('reeve_restarts_total{origin="engine"} 1');
  });

  it('sums what the calls that began were expected to cost in viewer-seconds', async () => {
    const metrics = create();
    const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'a' }, channels: [] };
    expect((await metrics.expose(false)).text).toContain('reeve_viewer_seconds_spent_total 0');
    for (const viewerSeconds of [120, undefined, 30.5])
      metrics.observe(entry({ type: 'tool.started', permit: { call, viewerSeconds } }));
    expect((await metrics.expose(false)).text).toContain('reeve_viewer_seconds_spent_total 150.5');
  });
});
