import { describe, expect, it } from 'vitest';
import { CLASSIFICATIONS, FAILURE_CLASSES, hasTrait } from '../../src/core/classification.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';

const withTrait = (trait: Parameters<typeof hasTrait>[1]) => FAILURE_CLASSES.filter((name) => hasTrait(name, trait));

describe('the table of classifications', () => {
  it('lists in its rows exactly the classes, in the order of precedence', () => {
    expect(Object.keys(CLASSIFICATIONS)).toEqual([...FAILURE_CLASSES]);
  });

  it('marks as curable by a start exactly what the restart says that it cures', () => {
    const cures = TOOL_SPECS.get('restart_channel')!.cures;
    expect(withTrait('start_may_cure')).toEqual(FAILURE_CLASSES.filter((name) => cures.includes(name)));
  });

  it('leaves behind only what has no cause of its own: a dead process and an output that stands', () => {
    expect(withTrait('leftover')).toEqual(['process_crashed', 'output_stalled']);
  });

  it('spares those whom looking more often would burden: a source that limits, an engine or a host in need', () => {
    expect(withTrait('spared')).toEqual(['control_plane_down', 'host_exhausted', 'upstream_rate_limited']);
  });

  it('waits longest before it opens an incident where an encoder may catch up, and never longer than ten seconds', () => {
    const waits = FAILURE_CLASSES.map((name) => CLASSIFICATIONS[name].openHoldMs);
    expect(Math.max(...waits)).toBe(CLASSIFICATIONS.encode_too_slow.openHoldMs);
    expect(CLASSIFICATIONS.encode_too_slow.openHoldMs).toBe(10_000);
    expect(CLASSIFICATIONS.process_crashed.openHoldMs).toBe(0);
  });
});
