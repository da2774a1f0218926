import { describe, expect, it } from 'vitest';
import { htmlOf } from '../../src/backtest/html.ts';
import { ndjson, recorded, story, tested } from './support.ts';

describe('the HTML report', () => {
  const name = '<img src=x onerror=alert(1)>';
  const samples = story(name, { diesAt: 60, backAt: 500, until: 100 });

  it('shows text of others as text, runs no script and fetches nothing', async () => {
    const [file] = recorded({ 's.ndjson': ndjson(samples) });
    const result = await tested({ samples: file, against: 'cautious' });
    expect(result.base.incidents).toHaveLength(1);
    const html = htmlOf(result);
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x');
    expect(html).not.toMatch(/<script|javascript:|https?:\/\/|@import|url\(/i);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('<svg');
    expect(html.match(/<rect/g)?.length).toBeGreaterThanOrEqual(2);
  });
});
