import { describe, expect, it } from 'vitest';
import { ENVELOPE_BYTES_MAX, type GroundedContextEnvelope, type Signal } from '../../src/core/envelope.ts';
import type { Finding } from '../../src/ground/rules/classify.ts';
import { channelEnvelope, envelopeWire } from '../../src/ground/envelope.ts';
import { noFacts } from '../../src/ground/facts/facts.ts';
import type { SymptomFacts } from '../../src/ground/facts/symptom_facts.ts';
import { COMMON, COUNTS, down, factsOf, LOG, MOMENT, PROBE, symptomOf } from './enveloped.ts';
import { WELL } from './fleet.ts';
import { EPOCH, setupOf } from './scene.ts';

const envelopeOf = (finding: Finding, symptoms: readonly SymptomFacts[] = []): GroundedContextEnvelope =>
  channelEnvelope({ facts: factsOf('news', symptoms), finding, poolPressure: 0.5 }, COUNTS, MOMENT);

describe('the envelope of a channel', () => {
  const BASE = {
    ...COMMON,
    channelId: 'news',
    poolPressure: 0.5,
    scope: { kind: 'channel', id: 'news' },
    group: 'pull',
    engine: 'local',
    channels: [],
    sharedCause: false,
    evidenceDropped: 0,
  };

  it('says what was found, by which signals, and with which lines: those of the signals first, then the newest', () => {
    const symptoms = [
      symptomOf('buffer_underrun', 30, 'underrun'),
      symptomOf('upstream_timeout', 10, 'older', 'newer'),
      symptomOf('disk_full', 40, 'full'),
      symptomOf('stalled_output', 20, 'stalled'),
    ];
    const finding = down({
      signals: [PROBE, LOG],
      lastErrorType: 'upstream_timeout',
      errorFrequency: 7,
      fingerprint: 'upstream_unavailable|origin:80|news',
    });
    const line = { origin: 'log', source: 'news.err' };
    expect(envelopeOf(finding, symptoms)).toEqual({
      ...BASE,
      failureClassification: 'upstream_unavailable',
      lastErrorType: 'upstream_timeout',
      errorFrequency: 7,
      confidence: 0.9,
      channelHealthy: false,
      signals: [PROBE, LOG],
      fingerprint: 'upstream_unavailable|origin:80|news',
      evidence: [
        { id: 'e1', at: EPOCH, origin: 'probe', source: 'probe', text: 'playlist unchanged for 14 s' },
        { ...line, id: 'e2', at: 20, text: 'stalled' },
        { ...line, id: 'e3', at: 10, text: 'newer' },
        { ...line, id: 'e4', at: 10, text: 'older' },
        { ...line, id: 'e5', at: 40, text: 'full' },
        { ...line, id: 'e6', at: 30, text: 'underrun' },
      ],
    });
  });

  it.each<[string, Finding, object]>([
    ['that plays', WELL, { channelHealthy: true, fingerprint: 'none|-|news' }],
    [
      'that rests',
      { ...WELL, classification: 'expected_quiet', healthy: undefined, quiet: true } as Finding,
      { failureClassification: 'expected_quiet', fingerprint: 'expected_quiet|-|news' },
    ],
  ])('%s states no classification, no signals and no evidence', (_, finding, own) => {
    const nothing = { failureClassification: undefined, lastErrorType: undefined, channelHealthy: undefined };
    const none = { errorFrequency: 0, confidence: 0, signals: [], evidence: [] };
    expect(envelopeOf(finding)).toEqual({ ...BASE, ...nothing, ...none, ...own });
  });

  it('is on the wire with what is not known as null', () => {
    const { channel_id, failure_classification, last_error_type, channel_healthy } = envelopeWire(
      envelopeOf({ ...WELL, healthy: undefined } as Finding),
    );
    expect({ channel_id, failure_classification, last_error_type, channel_healthy }).toEqual({
      channel_id: 'news',
      failure_classification: null,
      last_error_type: null,
      channel_healthy: null,
    });
  });
});

describe('an envelope quotes', () => {
  const quoted = (text: string, source = 'news.err') => {
    const symptom = { ...symptomOf('rate_limited', 1), evidence: [{ source, text }] };
    return envelopeOf(WELL, [symptom]).evidence[0]!;
  };

  it('without control characters, each run of them as one space', () => {
    expect(quoted('a\u001b\u0000[31mb\u007f\u0080\u009fc\u00a0d').text).toBe('a [31mb c\u00a0d');
  });

  it('at most 400 characters of a line and 120 of its source, and no half of a character', () => {
    expect(quoted('t'.repeat(401), 's'.repeat(121))).toMatchObject({ text: 't'.repeat(400), source: 's'.repeat(120) });
    expect(quoted(`${'t'.repeat(399)}😀`).text).toBe(`${'t'.repeat(399)}\ufffd`);
  });

  it('at most eight signals with 200 characters each, and of the fingerprint as many', () => {
    const signals = Array.from({ length: 9 }, (_, at): Signal => ({ ...PROBE, says: `${at}${'w'.repeat(200)}` }));
    const envelope = envelopeOf(down({ signals, fingerprint: 'f'.repeat(201) }));
    expect(envelope.signals.map(({ says }) => says)).toEqual(
      Array.from({ length: 8 }, (_, at) => `${at}${'w'.repeat(199)}`),
    );
    expect(envelope.fingerprint).toBe('f'.repeat(200));
  });

  it('at most 24 pieces, and counts the others', () => {
    const lines = Array.from({ length: 26 }, (_, at) => `line ${at}`);
    const { evidence, evidenceDropped } = envelopeOf(WELL, [symptomOf('rate_limited', 1, ...lines)]);
    expect(evidence.map(({ id, text }) => `${id} ${text}`)).toEqual(
      Array.from({ length: 24 }, (_, at) => `e${at + 1} line ${25 - at}`),
    );
    expect(evidenceDropped).toBe(2);
  });

  it('as many lines as fit into 8 KiB to the byte, and counts the others', () => {
    const bytes = (envelope: GroundedContextEnvelope) => Buffer.byteLength(JSON.stringify(envelopeWire(envelope)));
    // The oldest line comes last, and pads the envelope.
    const padded = (chars: number) =>
      envelopeOf(WELL, [
        symptomOf('rate_limited', 1, 'p'.repeat(chars), ...Array.from({ length: 16 }, () => 'l'.repeat(400))),
      ]);
    const room = ENVELOPE_BYTES_MAX - bytes(padded(0));
    expect(room).toBeGreaterThan(0);
    expect(room).toBeLessThan(400);
    expect(padded(room)).toMatchObject({ evidenceDropped: 0, evidence: { length: 17 } });
    expect(bytes(padded(room))).toBe(ENVELOPE_BYTES_MAX);
    expect(padded(room + 1)).toMatchObject({ evidenceDropped: 1, evidence: { length: 16 } });
  });

  it('nothing where the required fields fill it by themselves', () => {
    const facts = {
      ...noFacts(setupOf('news', { group: 'g'.repeat(9_000) })),
      symptoms: [symptomOf('rate_limited', 1, 'a', 'b')],
    };
    const envelope = channelEnvelope({ facts, finding: WELL, poolPressure: undefined }, COUNTS, MOMENT);
    expect(envelope).toMatchObject({ evidence: [], evidenceDropped: 2 });
  });
});
