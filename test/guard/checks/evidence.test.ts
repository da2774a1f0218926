import { describe, expect, it } from 'vitest';
import type { GroundedContextEnvelope, Signal } from '../../../src/core/envelope.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { alreadyTried, evidence } from '../../../src/guard/checks/evidence.ts';
import { newGuardState, newSubject } from '../../../src/guard/state/state.ts';
import { aCall, anEnvelope, aPersona } from '../../support/a.ts';
import { anInput, NOW_MS } from './input.ts';

const AGE_MS = DEFAULT_LIMITS.evidenceAgeMsMax;
const signal = (with_: Partial<Signal> = {}): Signal => ({
  ...{ origin: 'process', says: 'gone', symptom: 'process_crash', monoMs: NOW_MS },
  ...with_,
});
const BOTH = [signal(), signal({ origin: 'probe', symptom: 'stalled_output' })];

const asked = (envelope: Partial<GroundedContextEnvelope> | undefined, with_: Parameters<typeof anInput>[0] = {}) =>
  evidence(
    anInput({
      envelope: envelope && anEnvelope({ takenMs: NOW_MS, signals: BOTH, ...envelope }),
      ...with_,
    }),
  );

describe('evidence (question 8)', () => {
  it('passes on two fresh kinds, one of them not log text', () => {
    expect(asked({})).toMatchObject({ verdict: 'pass', value: 'process_crashed by process and probe' });
  });

  it.each([
    ['no envelope', undefined, 'evidence_missing'],
    ['no classification', { failureClassification: undefined }, 'evidence_missing'],
    ['an unknown trouble', { failureClassification: 'unknown' }, 'evidence_missing'],
    ['no signal', { signals: [] }, 'evidence_missing'],
    ['another channel', { scope: { kind: 'channel', id: 'sport' } }, 'evidence_missing'],
    ['a trouble that it does not cure', { failureClassification: 'upstream_unavailable' }, 'wrong_remedy'],
  ] as const)('refuses on %s', (_, envelope, code) => {
    expect(asked(envelope as Partial<GroundedContextEnvelope> | undefined)).toMatchObject({ verdict: 'refuse', code });
  });

  it.each([
    ['low', 0.8],
    ['medium', 0.6],
    ['high', 0.4],
  ] as const)('asks of a persona of %s tolerance a confidence of %d', (risk_tolerance, least) => {
    const persona = aPersona({ risk_tolerance });
    expect(asked({ confidence: least }, { persona })).toMatchObject({ verdict: 'pass' });
    expect(asked({ confidence: least - 0.01 }, { persona })).toMatchObject({ code: 'evidence_missing' });
  });

  it('is stale at its age, to the millisecond, and so is one from the future', () => {
    expect(asked({ takenMs: NOW_MS - AGE_MS + 1 })).toMatchObject({ verdict: 'pass' });
    expect(asked({ takenMs: NOW_MS - AGE_MS })).toMatchObject({ code: 'evidence_stale' });
    expect(asked({ takenMs: NOW_MS + 1 })).toMatchObject({ code: 'evidence_stale' });
  });

  it('is older by the time that the machine slept since', () => {
    const state = { ...newGuardState(), sleeps: [{ atMs: NOW_MS - 10, forMs: AGE_MS }] };
    expect(asked({ takenMs: NOW_MS - 20 }, { state })).toMatchObject({ code: 'evidence_stale' });
    expect(asked({ takenMs: NOW_MS - 5, signals: BOTH }, { state })).toMatchObject({ verdict: 'pass' });
  });

  it('counts only signals that are fresh', () => {
    const old = signal({ origin: 'probe', monoMs: NOW_MS - AGE_MS });
    expect(asked({ signals: [signal(), old] })).toMatchObject({ code: 'uncorroborated' });
    expect(asked({ signals: [old] })).toMatchObject({ code: 'evidence_stale' });
  });

  it('takes all other reports for one kind of evidence, pushed alerts too', () => {
    const signals = [signal({ origin: 'log' }), signal({ origin: 'metric', pushed: true } as Partial<Signal>)];
    expect(asked({ signals })).toMatchObject({ code: 'uncorroborated' });
    expect(asked({ signals: [...signals, signal()] })).toMatchObject({ verdict: 'pass' });
  });

  it('is not asked of a tool that only looks', () => {
    expect(asked(undefined, { call: aCall({ tool: 'get_channel_health' }) })).toMatchObject({ verdict: 'not_asked' });
  });

  it('of a start within a plan is its own state, and a channel that plays needs none', () => {
    const parent = 'per-plan';
    expect(asked({ channelHealthy: true }, { parent })).toMatchObject({ code: 'evidence_missing' });
    expect(asked({ channelHealthy: false }, { parent })).toMatchObject({ verdict: 'pass' });
    expect(asked({ channelHealthy: undefined, signals: [] }, { parent })).toMatchObject({
      code: 'evidence_missing',
      because: 'nothing shows that it is down',
    });
    expect(asked({ channelHealthy: false, takenMs: NOW_MS - AGE_MS }, { parent })).toMatchObject({
      code: 'evidence_stale',
    });
  });
});

describe('already tried (question 9)', () => {
  const memoryMs = DEFAULT_LIMITS.fingerprintMemoryMs;
  const { fingerprint } = anEnvelope();
  const tried = (atMs: number, tool: 'restart_channel' | 'invalidate_cache' = 'restart_channel', of = fingerprint) => ({
    subject: { ...newSubject(), tried: [{ tool, fingerprint: of, atMs }] },
  });

  it('refuses the same fix of the same failure until it is forgotten, to the millisecond', () => {
    expect(alreadyTried(anInput(tried(NOW_MS - memoryMs + 1)))).toMatchObject({
      code: 'already_tried',
      retryAfterMs: 1,
    });
    expect(alreadyTried(anInput(tried(NOW_MS - memoryMs)))).toMatchObject({ verdict: 'pass' });
  });

  it('allows another tool, and the same tool against another failure', () => {
    expect(alreadyTried(anInput(tried(NOW_MS, 'invalidate_cache')))).toMatchObject({ verdict: 'pass' });
    expect(alreadyTried(anInput(tried(NOW_MS, 'restart_channel', 'other|news|')))).toMatchObject({ verdict: 'pass' });
  });

  it('refuses whatever changes something while a change here ended UNKNOWN', () => {
    const target = { ...newSubject(), unknown: { permit: 'per-1', tool: 'restart_channel' as const, sinceMs: 1 } };
    for (const tool of ['restart_channel', 'invalidate_cache'] as const) {
      const answer = alreadyTried(anInput({ call: aCall({ tool }), target }));
      expect(answer).toMatchObject({ code: 'already_tried', threshold: 'seen healthy, or reset' });
    }
    const look = alreadyTried(anInput({ call: aCall({ tool: 'get_channel_health' }), target }));
    expect(look).toMatchObject({ verdict: 'not_asked' });
  });
});
