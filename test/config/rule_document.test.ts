import { describe, expect, it } from 'vitest';
import { RULE_FACTS } from '../../src/config/rule_document.ts';
import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';

describe('the facts that a rule may test', () => {
  it('knows only facts that the envelope has under that name', () => {
    const wireNames: Record<keyof GroundedContextEnvelope, string> = {
      channelId: 'channel_id',
      failureClassification: 'failure_classification',
      restartCount: 'restart_count',
      restartVelocity: 'restart_velocity',
      poolPressure: 'pool_pressure',
      lastErrorType: 'last_error_type',
      errorFrequency: 'error_frequency',
      lastAction: 'last_action',
      cooldownRemaining: 'cooldown_remaining',
      confidence: 'confidence',
      timestamp: 'timestamp',
      containmentMode: 'containment_mode',
      channelHealthy: 'channel_healthy',
      evidence: 'evidence',
      takenMs: 'taken_ms',
      scope: 'scope',
      group: 'group',
      engine: 'engine',
      signals: 'signals',
      fingerprint: 'fingerprint',
      lastingMs: 'lasting_ms',
      channels: 'channels',
      sharedCause: 'shared_cause',
      evidenceDropped: 'evidence_dropped',
      onTrial: 'on_trial',
    };
    const known = new Set([...Object.values(wireNames), 'symptom']);
    expect(RULE_FACTS.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
    expect(RULE_FACTS.map(({ name }) => name)).not.toContain('timestamp');
  });
});
