import { describe, expect, it } from 'vitest';
import { ENVELOPE_FACTS, NULLABLE_FIELDS, promptLines } from '../../src/core/envelope.ts';
import { anEnvelope } from '../support/a.ts';

const factOf = (name: string) => ENVELOPE_FACTS.find((fact) => fact.name === name)!;

describe('what a planner reads of an envelope', () => {
  it('is these fields, none of which holds text of outsiders', () => {
    expect(promptLines(anEnvelope()).map((line) => line.split(':')[0])).toEqual([
      'channel_id',
      'failure_classification',
      'restart_count',
      'restart_velocity',
      'pool_pressure',
      'last_error_type',
      'error_frequency',
      'last_action',
      'cooldown_remaining_ms',
      'confidence',
      'timestamp',
      'containment_mode',
      'channel_healthy',
    ]);
  });

  it('is unknown where a field was left out, and no action where none was taken', () => {
    const lines = promptLines({});
    expect(lines.filter((line) => !line.endsWith(': unknown'))).toEqual(['last_action: none']);
  });

  it('gives ratios with two digits and the reasons of a containment', () => {
    const contained = { active: true, reasons: ['restart_storm', 'breaker_open'] } as const;
    const lines = promptLines({ poolPressure: 0.456, confidence: 0.8, containmentMode: contained });
    expect(lines).toEqual(
      expect.arrayContaining([
        'pool_pressure: 0.46',
        'confidence: 0.80',
        'containment_mode: restart_storm, breaker_open',
      ]),
    );
    expect(promptLines({ containmentMode: { active: false } })).toContain('containment_mode: false');
  });
});

describe('the facts of an envelope', () => {
  it('are listed by kind: texts, numbers, times, truths', () => {
    expect([...new Set(ENVELOPE_FACTS.map(({ kind }) => kind))]).toEqual(['text', 'number', 'milliseconds', 'truth']);
  });

  it('have one name each', () => {
    const names = ENVELOPE_FACTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('read the field of their name, or what the field says', () => {
    const envelope = anEnvelope({ restartCount: 3, poolPressure: undefined });
    expect(factOf('restart_count').read(envelope)).toEqual([3]);
    expect(factOf('pool_pressure').read(envelope)).toEqual([undefined]);
    expect(factOf('containment_mode').read(anEnvelope({ containmentMode: { active: false } }))).toEqual([false]);
    expect(factOf('scope').read(anEnvelope({ scope: { kind: 'group', id: 'pull' } }))).toEqual(['group']);
  });

  it('take symptoms from the strongest one and from every signal', () => {
    const signals = [{ origin: 'log', says: 'said twice', symptom: 'auth_denied', monoMs: 1 }] as const;
    const envelope = anEnvelope({ lastErrorType: 'upstream_timeout', signals });
    expect(factOf('symptom').read(envelope)).toEqual(['upstream_timeout', 'auth_denied']);
    expect(factOf('signal').read(envelope)).toEqual(['said twice']);
  });

  it('do not look at the time of day', () => {
    const early = anEnvelope({ timestamp: 1, takenMs: 1 });
    const late = { ...early, timestamp: 9_000_000_000, takenMs: 9_000_000 };
    const read = (envelope: typeof early) => ENVELOPE_FACTS.map((fact) => fact.read(envelope));
    expect(read(late)).toEqual(read(early));
  });
});

describe('the wire form of an envelope', () => {
  it('has null where one of these is not known', () => {
    expect(NULLABLE_FIELDS).toEqual([
      'channel_id',
      'failure_classification',
      'last_error_type',
      'last_action',
      'pool_pressure',
      'channel_healthy',
    ]);
  });
});
