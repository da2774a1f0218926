import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { QUIET } from '../support/quiet_gauges.ts';

describe('gauges', () => {
  it('tells of each receiver how long it has taken nothing, and how many pages are meant for it', async () => {
    const receivers = () => [
      { receiver: 'mail', failingForMs: 90_500, pages: 2 },
      { receiver: 'chat', failingForMs: undefined, pages: 0 },
    ];
    const metrics = createMetrics('reeve_', { version: '0', node: 'v0' }, { ...QUIET, receivers });
    const { text } = await metrics.expose(false);
    expect(text).toContain('reeve_receiver_failing_seconds{receiver="mail"} 90.5');
    expect(text).toContain('reeve_receiver_failing_seconds{receiver="chat"} 0');
    expect(text).toContain('reeve_receiver_open_pages{receiver="mail"} 2');
    expect(text).toContain('reeve_receiver_open_pages{receiver="chat"} 0');
  });

  it('counts the pages that nobody heard of, from 0 on, each once however often it is scraped', async () => {
    const counted = async (more: { readonly pagesForgotten?: () => number }) => {
      const metrics = createMetrics('reeve_', { version: '0', node: 'v0' }, { ...QUIET, ...more });
      await metrics.expose(false);
      return /^reeve_pages_forgotten_total (.*)$/m.exec((await metrics.expose(false)).text)?.[1];
    };
    expect([await counted({}), await counted({ pagesForgotten: () => 5 })]).toEqual(['0', '5']);
  });

  it('is NaN where there is no value: that nothing was ever delivered is not that it was just now', async () => {
    const metrics = createMetrics(
      'reeve_',
      { version: '0', node: 'v0' },
      { ...QUIET, secondsSinceHeadSent: () => undefined },
    );
    const names = ['seconds_since_last_delivery_ok', 'seconds_since_heartbeat_taken', 'seconds_since_head_told'];
    for (const openMetrics of [false, true, false]) {
      const { text } = await metrics.expose(openMetrics);
      for (const name of [...names, 'llm_needed_ratio', 'hint_clusters', 'hint_blind_spots']) {
        expect(text.match(new RegExp(`^reeve_${name} (.*)$`, 'm'))?.[1]).toMatch(/^nan$/i);
      }
      expect(text).toContain('\nreeve_open_incidents 0\n');
    }
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('tells the phase, and whether people froze it (%s)', async (frozen, value) => {
    const metrics = createMetrics('reeve_', { version: '0', node: 'v0' }, { ...QUIET, isFrozen: () => frozen });
    const { text } = await metrics.expose(false);
    expect(text).toContain('reeve_phase 2\n');
    expect(text).toContain(`reeve_freeze_active ${value}\n`);
  });
});
