import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLASSIFICATIONS, CURABLE_BY, FAILURE_CLASSES, hasTrait } from '../../src/core/classification.ts';

const withTrait = (trait: Parameters<typeof hasTrait>[1]) => FAILURE_CLASSES.filter((name) => hasTrait(name, trait));

describe('the table of classifications', () => {
  it('is the table of docs/classification.md, row by row in the order of precedence', () => {
    const page = readFileSync(new URL('../../docs/classification.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, place, name]) => [Number(place), name]);
    expect(rows).toEqual(FAILURE_CLASSES.map((name, index) => [index + 1, name]));
  });

  it('leaves health as it is only for doubts about the observation and for what is wrong beside the picture', () => {
    expect(withTrait('beside_output')).toEqual(['telemetry_untrusted', 'control_plane_down', 'guide_stale']);
  });

  it('lets a start cure only what died, stands, slipped or lost its publisher, and never a trouble of the source', () => {
    expect(CURABLE_BY.start.toSorted()).toEqual([
      'hls_window_slip',
      'output_stalled',
      'process_crashed',
      'publisher_lost',
    ]);
  });

  it('leaves behind only what has no cause of its own: a dead process and an output that stands', () => {
    expect(withTrait('leftover')).toEqual(['process_crashed', 'output_stalled']);
  });

  it('looks no more often where that would be a burden: a source that limits, an engine or a host in need', () => {
    expect(withTrait('spared')).toEqual(['control_plane_down', 'host_exhausted', 'upstream_rate_limited']);
  });

  it('waits longest before it opens an incident where an encoder may catch up, and never longer than ten seconds', () => {
    const waits = FAILURE_CLASSES.map((name) => CLASSIFICATIONS[name].openHoldMs);
    expect(Math.max(...waits)).toBe(CLASSIFICATIONS.encode_too_slow.openHoldMs);
    expect(CLASSIFICATIONS.encode_too_slow.openHoldMs).toBe(10_000);
    expect(CLASSIFICATIONS.process_crashed.openHoldMs).toBe(0);
  });
});
