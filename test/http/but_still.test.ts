import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/core/control.ts';
import { butStill } from '../../src/http/but_still.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const SIGNED = { who: 'ann', because: 'on call' };

function setUp(options: Parameters<typeof pipelineHarness>[0] = {}) {
  const { pipeline, ledger } = pipelineHarness(options);
  return (phase: Phase, group?: string): string => {
    ledger.append([{ fact: { type: 'control.phase_set', phase, group, ...SIGNED } }]);
    return butStill({ name: 'phase', ...SIGNED, fields: { phase, group } }, pipeline);
  };
}

describe('the answer to a phase that is set', () => {
  it('names the groups that stay lower, for the lower of all and of the group holds', () => {
    const set = setUp();
    expect(set(1, 'encoders')).toBe('');
    expect(set(3)).toBe('; group encoders stays at phase 1 (set for it alone: see reeve phase)');
    expect(set(1)).toBe('');
    expect(set(3, 'encoders')).toBe('; group encoders stays at phase 1 (that of all is lower: see reeve phase)');
    expect(set(3)).toBe('');
  });

  it('names five groups at most', () => {
    const channels = Array.from({ length: 7 }, (_, index) => `c${index}`);
    const set = setUp({ channels, groups: Object.fromEntries(channels.map((id) => [id, `g${id}`])) });
    for (const id of channels) set(0, `g${id}`);
    expect(set(4)).toMatch(/group gc4 stays at phase 0, 2 more groups stay lower \(set for/);
  });
});
