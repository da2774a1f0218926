import { describe, expect, it } from 'vitest';
import { triedMs } from '../../../src/guard/checks/tried.ts';
import { newSubject } from '../../../src/guard/state/state.ts';

describe('a fix that was tried', () => {
  const asked = { tool: 'restart_channel', fingerprint: 'f' } as const;
  const tried = (atMs: number, fingerprint = 'f', tool: 'restart_channel' | 'rebuild_playout' = 'restart_channel') => ({
    tool,
    fingerprint,
    atMs,
  });
  const at = { memoryMs: 1_000, nowMs: 5_000 };
  const of = (...all: ReturnType<typeof tried>[]) => triedMs({ ...newSubject(), tried: all }, asked, at);

  it('is known by the last time of the same tool against the same fingerprint', () => {
    expect(of(tried(4_500), tried(4_900), tried(4_950, 'other'), tried(4_960, 'f', 'rebuild_playout'))).toBe(4_900);
  });

  it('is forgotten after exactly the memory', () => {
    expect(of(tried(4_001))).toBe(4_001);
    expect(of(tried(4_000))).toBeUndefined();
  });
});
