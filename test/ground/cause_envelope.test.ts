import { describe, expect, it } from 'vitest';
import type { Signal } from '../../src/core/envelope.ts';
import type { Assessment, Finding } from '../../src/ground/rules/classify.ts';
import type { SharedCause } from '../../src/ground/correlate/correlate.ts';
import { causeEnvelope } from '../../src/ground/envelope.ts';
import { COMMON, COUNTS, down, factsOf, LOG, MOMENT, PROBE, symptomOf } from './enveloped.ts';
import { trouble, WELL } from './fleet.ts';

describe('the envelope of a shared cause', () => {
  const CAUSE: SharedCause = {
    key: 'group:pull|upstream',
    scope: { kind: 'group', id: 'pull' },
    family: 'upstream',
    classification: 'upstream_unavailable',
    channels: ['a', 'b'],
    because: 'upstream_unavailable: 2 of 2 channels at once',
    sinceMs: 0,
    lastMs: 0,
    phase: 'active',
    down: [],
  };
  const OVER: Partial<SharedCause> = { phase: 'over', down: ['a', 'b'] };
  const of = (
    cause: Partial<SharedCause>,
    members: readonly { facts: ReturnType<typeof factsOf>; finding: Finding }[],
    assessment?: Assessment,
  ) => {
    const about = {
      cause: { ...CAUSE, ...cause },
      members,
      engine: 'local',
      group: 'pull',
      poolPressure: 0.5,
      assessment,
    };
    return causeEnvelope(about, COUNTS, MOMENT);
  };
  const sure = (id: string, confidence: number, extra: Partial<Assessment> = {}) => ({
    facts: factsOf(id, [symptomOf('upstream_timeout', 10, `line of ${id}`)]),
    finding: down({ confidence, ...extra }),
  });

  it('is on trial where patterns in staging alone gave each of its channels the name', () => {
    const solid = sure('a', 0.5);
    const staged = sure('b', 0.5, { onTrial: true });
    expect(of({}, [solid, staged]).onTrial).toBeUndefined();
    expect(of({ channels: ['b'] }, [staged]).onTrial).toBe(true);
    const otherwise = sure('a', 0.5, { onTrial: true, classification: 'upstream_not_found' });
    expect(of({}, [otherwise]).onTrial).toBe(true);
    expect(of({}, [staged], down({ classification: 'control_plane_down' })).onTrial).toBe(true);
    expect(of({}, []).onTrial).toBeUndefined();
  });

  it('describes the cause while it is active, for the channels that it touched and no others', () => {
    const stranger = sure('z', 0.9, { errorFrequency: 100 });
    const first = sure('a', 0.5, { errorFrequency: 2, lastErrorType: 'upstream_timeout', signals: [LOG] });
    const second = sure('b', 0.6, { errorFrequency: 3, signals: [LOG] });
    const well = { facts: factsOf('c'), finding: WELL };
    expect(of({ channels: ['a', 'b', 'c'] }, [stranger, first, second, well])).toEqual({
      ...COMMON,
      sharedCause: true,
      channelId: undefined,
      failureClassification: 'upstream_unavailable',
      lastErrorType: 'upstream_timeout',
      errorFrequency: 5,
      confidence: 0.7,
      channelHealthy: false,
      signals: [LOG],
      fingerprint: 'upstream_unavailable|upstream|group:pull',
      poolPressure: 0.5,
      scope: { kind: 'group', id: 'pull' },
      group: 'pull',
      engine: 'local',
      channels: ['a', 'b', 'c'],
      evidence: [
        { id: 'e1', at: 10, origin: 'log', source: 'news.err', text: 'line of a' },
        { id: 'e2', at: 10, origin: 'log', source: 'news.err', text: 'line of b' },
      ],
      evidenceDropped: 0,
    });
  });

  it('shows the channels that are down, in their present state, when it is over', () => {
    const dead = { classification: 'process_crashed' } as const;
    const members = [sure('a', 0.5, dead), sure('b', 0.6, dead), sure('c', 0.1, dead)];
    expect(of({ ...OVER, channels: ['a', 'b', 'c'] }, members)).toMatchObject({
      sharedCause: false,
      failureClassification: 'process_crashed',
      confidence: 0.5,
      channelHealthy: false,
      fingerprint: 'process_crashed|upstream|group:pull',
      channels: ['a', 'b'],
    });
  });

  it('says that all is well when it is over and no channel is down', () => {
    expect(of({ phase: 'over', channels: ['a'] }, [{ facts: factsOf('a'), finding: WELL }])).toMatchObject({
      failureClassification: undefined,
      lastErrorType: undefined,
      errorFrequency: 0,
      confidence: 0,
      channelHealthy: true,
      signals: [],
      fingerprint: 'upstream_unavailable|upstream|group:pull',
      channels: [],
    });
  });

  it('is about an engine whose channels all play, and does not know of their health', () => {
    const full = { ...trouble('host_exhausted'), confidence: 0.8, signals: [PROBE] };
    expect(of({ channels: [], classification: 'host_exhausted' }, [], full)).toMatchObject({
      failureClassification: 'host_exhausted',
      confidence: 0.8,
      channelHealthy: undefined,
      signals: [PROBE],
      evidence: [{ id: 'e1', text: PROBE.says }],
    });
  });

  it.each<[readonly number[], 'active' | 'over', number]>([
    [[], 'active', 0],
    [[0.5], 'active', 0.5],
    [[0.5, 0.6], 'active', 0.7],
    [[0.6, 0.1234], 'active', 0.7],
    [[0.1, 0.2], 'active', 0.3],
    [[0.9, 0.6], 'active', 0.95],
    [[0.6, 0.5], 'over', 0.5],
  ])('of findings that are %j sure is, while %s, %d sure', (each, phase, expected) => {
    const ids = each.map((_, at) => `c${at}`);
    const members = each.map((confidence, at) => sure(ids[at]!, confidence));
    expect(of({ phase, channels: ids, down: ids }, members).confidence).toBe(expected);
  });

  it('names each kind of evidence once before any twice, and each sentence once', () => {
    const says = (one: Signal, text: string): Signal => ({ ...one, says: text });
    const many = Array.from({ length: 8 }, (_, at) => says(LOG, `log ${at}`));
    const signals = [many.slice(0, 4), [...many.slice(2), says(PROBE, 'probe')]];
    const members = signals.map((own, at) => sure(at === 0 ? 'a' : 'b', 0.5, { signals: own }));
    const spoken = of({}, members).signals.map((one) => one.says);
    expect(spoken).toEqual(['log 7', 'probe', 'log 0', 'log 1', 'log 2', 'log 3', 'log 4', 'log 5']);
  });

  it('names as many channels as fit into 3,000 bytes to the byte', () => {
    const ids = Array.from({ length: 400 }, (_, at) => `c${String(at).padStart(6, '0')}`);
    expect(of({ channels: ids }, []).channels).toEqual(ids.slice(0, 300));
    expect(of({ channels: ['x'.repeat(2_997)] }, []).channels).toHaveLength(1);
    expect(of({ channels: ['x'.repeat(2_998)] }, []).channels).toHaveLength(0);
  });

  it('has a fingerprint of at most 200 characters', () => {
    expect(of({ scope: { kind: 'group', id: 'g'.repeat(300) } }, []).fingerprint).toHaveLength(200);
  });
});
