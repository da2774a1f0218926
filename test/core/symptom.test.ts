import { describe, expect, it } from 'vitest';
import { evidenceKindOf, HARMLESS_SYMPTOMS, ORIGINS, SYMPTOMS } from '../../src/core/symptom.ts';

describe('who can have written a piece of evidence', () => {
  it('is anybody, for a log line and for whatever was pushed through the intake', () => {
    for (const origin of ORIGINS) expect(evidenceKindOf({ origin, pushed: true })).toBe('forgeable');
    expect(evidenceKindOf({ origin: 'log' })).toBe('forgeable');
  });

  it('is the origin itself for what Reeve measured', () => {
    for (const origin of ORIGINS.filter((one) => one !== 'log')) {
      expect(evidenceKindOf({ origin })).toBe(origin);
      expect(evidenceKindOf({ origin, pushed: false })).toBe(origin);
    }
  });
});

describe('the symptoms', () => {
  it('are named once each, the harmless ones among them', () => {
    expect(new Set(SYMPTOMS).size).toBe(SYMPTOMS.length);
    expect([...HARMLESS_SYMPTOMS].filter((kind) => !SYMPTOMS.includes(kind))).toEqual([]);
  });
});
