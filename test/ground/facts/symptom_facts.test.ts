import { describe, expect, it } from 'vitest';
import { type Origin, type Symptom, SYMPTOMS, type SymptomKind } from '../../../src/core/symptom.ts';
import { nextSymptoms, type SymptomFacts, withoutTrial } from '../../../src/ground/facts/symptom_facts.ts';

const symptom = (monoMs: number, kind: SymptomKind = 'rate_limited', origin: Origin = 'log'): Symptom => ({
  at: monoMs,
  monoMs,
  channel: 'news',
  kind,
  origin,
  countInWindow: 2,
  windowMs: 60_000,
  confidence: 0.8,
  pattern: 'http_429',
  evidence: [],
});

const kept = (...symptoms: readonly Symptom[]): readonly SymptomFacts[] =>
  symptoms.reduce<readonly SymptomFacts[]>(nextSymptoms, []);

describe('what is remembered of symptoms', () => {
  it('is the last of each, with its last three lines', () => {
    const line = (text: string) => ({ source: 'news.err', text });
    const evidence = ['one', 'two', 'three', 'four'].map(line);
    expect(kept(symptom(1_000), { ...symptom(2_000), evidence })).toEqual([
      {
        kind: 'rate_limited',
        origin: 'log',
        at: 2_000,
        firstMs: 1_000,
        lastMs: 2_000,
        count: 2,
        windowMs: 60_000,
        confidence: 0.8,
        pattern: 'http_429',
        evidence: ['two', 'three', 'four'].map(line),
      },
    ]);
  });

  it('keeps apart what a pattern in staging says', () => {
    const onTrial = { ...symptom(2_000), onTrial: true as const };
    expect(kept(symptom(1_000), onTrial, symptom(3_000))).toMatchObject([
      { onTrial: true, lastMs: 2_000 },
      { lastMs: 3_000, firstMs: 1_000 },
    ]);
    expect(withoutTrial(kept(symptom(1_000), onTrial))).toMatchObject([{ lastMs: 1_000 }]);
    const solid = kept(symptom(1_000));
    expect(withoutTrial(solid)).toBe(solid);
  });

  it('keeps apart the symptoms of two origins, and those about two things', () => {
    const all = kept(symptom(1), symptom(2, 'rate_limited', 'probe'), symptom(3, 'tls_failure'));
    expect(all.map(({ origin, kind, firstMs }) => [origin, kind, firstMs])).toEqual([
      ['log', 'rate_limited', 1],
      ['probe', 'rate_limited', 2],
      ['log', 'tls_failure', 3],
    ]);
  });

  it('takes a pause of more than a minute for the end of an occurrence', () => {
    expect(kept(symptom(1_000), symptom(61_000))[0]?.firstMs).toBe(1_000);
    expect(kept(symptom(1_000), symptom(61_001))[0]?.firstMs).toBe(61_001);
  });

  it('does not go back in time for a line that was read late', () => {
    expect(kept(symptom(2_000), symptom(1_000))[0]).toMatchObject({ firstMs: 2_000, lastMs: 2_000 });
  });

  it('is dropped after ten minutes, when another symptom comes', () => {
    const kinds = (atMs: number) => kept(symptom(1_000), symptom(atMs, 'tls_failure')).map(({ kind }) => kind);
    expect(kinds(601_000)).toEqual(['rate_limited', 'tls_failure']);
    expect(kinds(601_001)).toEqual(['tls_failure']);
  });

  it('is the newest two dozen, whatever the symptoms are', () => {
    const symptoms = SYMPTOMS.slice(0, 25).map((kind, at) => symptom(at, kind));
    expect(kept(...symptoms).map(({ kind }) => kind)).toEqual(SYMPTOMS.slice(1, 25));
  });
});
