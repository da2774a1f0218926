import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENVELOPE_BYTES_MAX, type EnvelopeHistory } from '../../src/core/envelope.ts';
import { SYMPTOMS } from '../../src/core/symptom.ts';
import { SeenChannels } from '../../src/ground/correlate/seen_channel.ts';
import { correlate } from '../../src/ground/correlate/correlate.ts';
import { causeEnvelope, channelEnvelope, envelopeWire } from '../../src/ground/envelope.ts';
import { nextSymptoms, type SymptomFacts } from '../../src/ground/facts/symptom_facts.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { EPOCH, Scene } from './scene.ts';

const COUNTS: EnvelopeHistory = {
  restartCount: 2,
  restartVelocity: 3,
  lastAction: 'restart_channel',
  cooldownRemaining: 1_500,
  containmentMode: { active: true, reasons: ['restart_storm'] },
  sharedCause: false,
  lastingMs: 4_000,
};

const killed = (): Scene => {
  const scene = new Scene();
  scene.die({ code: -1, signal: 9 }).log('process_exit_nonzero').look().lookAtHost().advance(1_500);
  return scene;
};

const envelopeOf = (scene: Scene) =>
  channelEnvelope({ facts: scene.facts(), finding: scene.find(), poolPressure: undefined }, COUNTS, {
    at: EPOCH,
    nowMs: scene.nowMs,
  });

describe('the envelope', () => {
  it('has the twelve fields of the plan, health and evidence under their names, absent ones as null', () => {
    const wire = envelopeWire(envelopeOf(killed()));
    expect(wire).toMatchObject({
      channel_id: 'gen1',
      failure_classification: 'process_crashed',
      restart_count: 2,
      restart_velocity: 3,
      pool_pressure: null,
      last_error_type: 'process_exit_nonzero',
      last_action: 'restart_channel',
      cooldown_remaining: 1_500,
      timestamp: EPOCH,
      containment_mode: { active: true, reasons: ['restart_storm'] },
      channel_healthy: false,
    });
    expect(wire.error_frequency).toBe(1);
    expect(wire.confidence).toBeGreaterThan(0.8);
    expect(wire.evidence).toHaveLength(2);
  });

  it('gives its excerpts ids and the origin of what they show', () => {
    const { evidence } = envelopeOf(killed());
    expect(evidence.map(({ id, origin }) => [id, origin])).toEqual([
      ['e1', 'process'],
      ['e2', 'log'],
    ]);
  });

  it('of a channel that is fine has no classification and says that it is healthy', () => {
    expect(envelopeOf(new Scene())).toMatchObject({
      failureClassification: undefined,
      channelHealthy: true,
      confidence: 0,
      signals: [],
    });
  });

  it('fits into 8 KiB on the wire whatever was logged, and counts what it cut', () => {
    const text = fc.string({ unit: 'binary', maxLength: 500 });
    const line = fc.record({ source: text, text });
    const anySymptom = fc.record({ kind: fc.constantFrom(...SYMPTOMS), lines: fc.array(line, { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(anySymptom, { maxLength: 40 }), (all) => {
        const scene = killed();
        let symptoms: readonly SymptomFacts[] = scene.facts().symptoms;
        for (const { kind, lines } of all) {
          const symptom = {
            at: EPOCH,
            monoMs: scene.nowMs,
            channel: 'gen1',
            kind,
            origin: 'log',
            countInWindow: 1,
          } as const;
          symptoms = nextSymptoms(symptoms, {
            ...symptom,
            windowMs: 60_000,
            confidence: 0.9,
            pattern: 'p',
            evidence: lines,
          });
        }
        const facts = { ...scene.facts(), symptoms };
        const about = { facts, finding: scene.find(), poolPressure: 0.5 };
        const envelope = channelEnvelope(about, COUNTS, { at: EPOCH, nowMs: scene.nowMs });
        const bytes = Buffer.byteLength(JSON.stringify(envelopeWire(envelope)));
        const lines = symptoms.flatMap(({ evidence }) => evidence).length;
        expect(bytes).toBeLessThanOrEqual(ENVELOPE_BYTES_MAX);
        expect(envelope.evidence.every((one) => one.text.length <= 400)).toBe(true);
        expect(envelope.evidence.length + envelope.evidenceDropped).toBe(lines + 1);
      }),
      { numRuns: 60 },
    );
  });

  it('takes control characters out of what it quotes', () => {
    const scene = killed();
    const [symptom] = scene.facts().symptoms;
    const facts = {
      ...scene.facts(),
      symptoms: [{ ...symptom!, evidence: [{ source: 's', text: 'a\u001b[31mb\u0000c' }] }],
    };
    const { evidence } = channelEnvelope({ facts, finding: scene.find(), poolPressure: undefined }, COUNTS, {
      at: EPOCH,
      nowMs: 1,
    });
    expect(evidence.at(-1)?.text).toBe('a [31mb c');
  });
});

describe('the envelope of a shared cause', () => {
  const fleetOf = (ids: readonly string[], phase: 'active' | 'over') => {
    const scenes = ids.map((id) =>
      new Scene({}, id).die({ code: -1, signal: 9 }).log('process_exit_nonzero').look().lookAtHost().advance(2_000),
    );
    const seen = scenes.map((scene) => ({
      ref: scene.setup,
      finding: scene.find(),
      firstSeenMs: scene.nowMs,
      sourceHost: undefined,
      isAbsent: false,
    }));
    const input = { seen: new SeenChannels(seen), engines: [], limits: DEFAULT_LIMITS };
    const nowMs = scenes[0]!.nowMs;
    let causes = correlate(input, [], nowMs);
    if (phase === 'over') causes = correlate(input, causes, nowMs + 40_000);
    const members = scenes.map((scene) => ({ facts: scene.facts(), finding: scene.find() }));
    const about = {
      cause: causes[0]!,
      members,
      engine: 'local',
      group: 'group',
      poolPressure: undefined,
      assessment: undefined,
    };
    return causeEnvelope(about, COUNTS, { at: EPOCH, nowMs });
  };

  it('names all channels, and the cause while it is active', () => {
    const envelope = fleetOf(['a', 'b', 'c'], 'active');
    expect(envelope).toMatchObject({
      channelId: undefined,
      scope: { kind: 'group', id: 'group' },
      failureClassification: 'process_crashed',
      channels: ['a', 'b', 'c'],
      sharedCause: true,
      channelHealthy: false,
    });
    expect(envelopeWire(envelope).channel_id).toBeNull();
  });

  it('shows the channels that are down when the cause is over, so that a staged start can be planned', () => {
    const envelope = fleetOf(['a', 'b', 'c'], 'over');
    expect(envelope).toMatchObject({
      failureClassification: 'process_crashed',
      sharedCause: false,
      channels: ['a', 'b', 'c'],
    });
    expect(new Set(envelope.signals.map(({ origin }) => origin)).size).toBeGreaterThanOrEqual(2);
  });

  it('fits for hundreds of channels', () => {
    const many = Array.from({ length: 300 }, (_, index) => `channel-with-a-long-name-${index}`);
    const envelope = fleetOf(many, 'active');
    expect(Buffer.byteLength(JSON.stringify(envelopeWire(envelope)))).toBeLessThanOrEqual(ENVELOPE_BYTES_MAX);
    expect(envelope.channels.length).toBeGreaterThan(50);
  });
});
