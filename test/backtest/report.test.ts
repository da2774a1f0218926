import { describe, expect, it } from 'vitest';
import { reportOf } from '../../src/backtest/report.ts';
import { ndjson, recorded, story, tested } from './support.ts';

describe('the JSON report', () => {
  it('has the names that programs read', async () => {
    const [file] = recorded({ 's.ndjson': ndjson(story('news', { diesAt: 60, backAt: 75, until: 160 })) });
    const report = reportOf(await tested({ samples: file, against: 'live_event' })) as Record<string, unknown>;
    expect(report.decisions_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(report).toMatchObject({
      from: '2026-07-28T12:00:00.000Z',
      refused_by_code: {},
      storms: 0,
      viewer_seconds: null,
    });
    expect(report.would_act).toMatchObject([{ tool: 'restart_channel', helped: true }]);
    expect(report.diff).toMatchObject({ other: 1, against: { refused_by_code: { approval_needed: 1 } } });
  });
});
