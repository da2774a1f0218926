import { describe, expect, it } from 'vitest';
import type { ContainmentReason } from '../../src/core/envelope.ts';
import type { Scope } from '../../src/core/scope.ts';
import { containmentKey, type GuardState, newGuardState } from '../../src/guard/state/state.ts';
import { envelopeOf, type GivenMoment, lastingOf, seenOf, usualScope } from '../../src/policy_tests/given_facts.ts';
import { aFrame } from './support.ts';

const NOW_MS = 10_000_000;
const moment = (with_: Partial<GivenMoment> = {}): GivenMoment => ({
  ...{ at: 5_000_000, nowMs: NOW_MS, guard: newGuardState(), well: false, approval: 'none' },
  ...with_,
});
const given = (envelope: object = {}) => aFrame({ envelope: { classification: 'process_crashed', ...envelope } });
const contained = (scope: Scope, ...reasons: readonly ContainmentReason[]): GuardState => {
  const held = reasons.map((reason) => [
    containmentKey(scope, reason),
    { scope, reason, detail: '', raisedMs: 0, releaseByPerson: false },
  ]);
  return { ...newGuardState(), containments: Object.fromEntries(held) };
};

describe('the envelope of a case', () => {
  it('has two signals, a minute of trouble and a channel that is down where the case does not say', () => {
    const envelope = envelopeOf(given(), moment());
    expect(envelope).toMatchObject({
      ...{ channelId: 'news', failureClassification: 'process_crashed', confidence: 0.9, errorFrequency: 1 },
      ...{ lastingMs: 60_000, channelHealthy: false, takenMs: NOW_MS, timestamp: 5_000_000, sharedCause: false },
      ...{ containmentMode: { active: false }, restartCount: 0, lastAction: undefined, cooldownRemaining: 0 },
    });
    expect(envelope.signals.map(({ origin, monoMs }) => [origin, monoMs])).toEqual([
      ['process', NOW_MS],
      ['probe', NOW_MS],
    ]);
  });

  it('stays as old as the case says, and its signals are older still', () => {
    const signals = ['log', { origin: 'probe', says: 'still', symptom: 'stalled_output', age: '3s' }];
    const envelope = envelopeOf(given({ age: '2s', lasting: '1h', signals }), moment());
    expect(envelope).toMatchObject({ takenMs: NOW_MS - 2_000, timestamp: 4_998_000, lastingMs: 3_600_000 });
    expect(envelope.signals).toEqual([
      { origin: 'log', says: 'as given', symptom: undefined, monoMs: NOW_MS - 2_000 },
      { origin: 'probe', says: 'still', symptom: 'stalled_output', monoMs: NOW_MS - 5_000 },
    ]);
  });

  it('says of health and of the pool what the case says, and unknown where that is unknown', () => {
    const of = (envelope: object) => {
      const { channelHealthy, poolPressure } = envelopeOf(given(envelope), moment());
      return [channelHealthy, poolPressure];
    };
    expect(of({ healthy: true, pool_pressure: 0 })).toEqual([true, 0]);
    expect(of({ healthy: 'unknown', pool_pressure: 'unknown' })).toEqual([undefined, undefined]);
  });

  it('says that all is well once a change has ended the trouble', () => {
    const envelope = envelopeOf(given(), moment({ well: true }));
    expect(envelope).toMatchObject({
      failureClassification: undefined,
      confidence: 0,
      channelHealthy: true,
      signals: [],
    });
  });

  it('is of no channel where it is about a group', () => {
    expect(envelopeOf(given({ scope: 'group:encoders', channels: ['news', 'sport'] }), moment())).toMatchObject({
      ...{ channelId: undefined, scope: { kind: 'group', id: 'encoders' }, channels: ['news', 'sport'] },
    });
  });
});

describe('the starts in an envelope', () => {
  const started = (...starts: readonly (readonly [channel: string, agoMs: number])[]) => {
    const guard: GuardState = {
      ...newGuardState(),
      starts: starts.map(([channel, agoMs]) => ({ channel, atMs: NOW_MS - agoMs })) as unknown as GuardState['starts'],
    };
    const { restartCount, restartVelocity } = envelopeOf(given(), moment({ guard }));
    return [restartCount, restartVelocity];
  };

  it('are those of the channel in the last hour, and those of all in the last minute', () => {
    expect(started(['news', 3_599_999], ['news', 1_000], ['sport', 1_000])).toEqual([2, 2]);
    expect(started(['news', 3_600_000])).toEqual([0, 0]);
  });
});

describe('containment in an envelope', () => {
  const reasonsIn = (guard: GuardState, envelope: object = {}) =>
    envelopeOf(given(envelope), moment({ guard })).containmentMode;

  it('is what holds for the channel, its group, its engine or everything, each reason once', () => {
    for (const scope of [
      { kind: 'channel', id: 'news' },
      { kind: 'group', id: 'encoders' },
      { kind: 'engine', id: 'local' },
      { kind: 'fleet' },
    ] as const)
      expect(reasonsIn(contained(scope, 'breaker_open'))).toEqual({ active: true, reasons: ['breaker_open'] });
    const both = contained({ kind: 'fleet' }, 'restart_storm', 'clock_anomaly');
    expect(reasonsIn(both)).toEqual({ active: true, reasons: ['restart_storm', 'clock_anomaly'] });
  });

  it('is not what holds for another channel, and for a group not what holds for one of its channels', () => {
    expect(reasonsIn(contained({ kind: 'channel', id: 'sport' }, 'breaker_open'))).toEqual({ active: false });
    const ofChannel = contained({ kind: 'channel', id: 'news' }, 'breaker_open');
    expect(reasonsIn(ofChannel, { scope: 'group:encoders' })).toEqual({ active: false });
  });

  it.each<[ContainmentReason, Scope]>([
    ['breaker_open', { kind: 'channel', id: 'news' }],
    ['shared_cause', { kind: 'group', id: 'encoders' }],
    ['pool_pressure', { kind: 'engine', id: 'local' }],
    ['pool_unknown', { kind: 'engine', id: 'local' }],
    ['restart_storm', { kind: 'fleet' }],
  ])('for %s holds where it usually does', (reason, scope) => {
    expect(usualScope(reason, given())).toEqual(scope);
  });
});

describe('what the transitions see of a case', () => {
  it('is a trouble that has had its name as long as the case says', () => {
    const frame = given({ lasting: '5m', channels: ['news'] });
    expect(lastingOf(frame)).toBe(300_000);
    expect(seenOf(frame, moment({ approval: 'pending' }))).toMatchObject({
      ...{ group: 'encoders', engine: 'local', channels: ['news'] },
      sight: {
        trouble: { classification: 'process_crashed', sinceMs: NOW_MS - 300_000, settling: false },
        ...{ healthy: false, healthySinceMs: undefined, contained: false, approval: 'pending' },
      },
    });
  });

  it('is no trouble where nothing was concluded, and none once it is well', () => {
    expect(seenOf(aFrame({ envelope: {} }), moment()).sight.trouble).toBeUndefined();
    expect(seenOf(given(), moment({ well: true })).sight).toMatchObject({
      ...{ trouble: undefined, healthy: true, healthySinceMs: NOW_MS },
    });
  });

  it('is contained where anything holds, and of the group itself where the case is about one', () => {
    const seen = seenOf(given({ scope: 'group:g' }), moment({ guard: contained({ kind: 'fleet' }, 'restart_storm') }));
    expect([seen.group, seen.sight.contained]).toEqual(['g', true]);
  });
});
