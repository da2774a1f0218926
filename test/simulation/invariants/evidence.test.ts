import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { Evidence } from '../../../src/simulation/invariants/evidence.ts';
import { aCall, anEnvelope, aVerification, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const NOW_MS = 1_000_000;
const { evidenceAgeMsMax: AGE_MS, betweenToolsMs: GAP_MS, permitMs: PERMIT_MS } = DEFAULT_LIMITS;
const scope = { kind: 'channel', id: 'ch0' } as const;
const permitOf = (with_: Parameters<typeof permitTerms>[0] = {}) =>
  permitTerms({ call: aCall({ target: scope }), grantedMs: NOW_MS, ...with_ });

function evidence(sleptMs = 0) {
  const world = oracleEnvironment();
  const oracle = new Evidence({ ...world.context, sleptSinceMs: (ms) => (ms <= NOW_MS ? sleptMs : 0) });
  const put = (atMs: number, fact: object) => {
    world.at(atMs);
    oracle.entry(world.entry(fact, { run: 'run-1', incident: 'inc-1' }));
  };
  const taken = (with_: Parameters<typeof anEnvelope>[0] = {}) =>
    put(NOW_MS, { type: 'envelope.taken', envelope: anEnvelope({ scope, takenMs: NOW_MS, ...with_ }) });
  const allow = (atMs = NOW_MS, with_: Parameters<typeof permitTerms>[0] = {}) =>
    put(atMs, { type: 'guard.decided', decision: { verdict: 'allow', permit: permitOf(with_) } });
  return { ...world, put, taken, allow };
}
const brokenBy = (act: (world: ReturnType<typeof evidence>) => void) => {
  const world = evidence();
  act(world);
  return world.broken;
};
const signal = (origin: 'log' | 'probe' | 'process', more: object = {}) => ({
  ...{ origin, says: '', symptom: 'process_crash' as const, monoMs: NOW_MS },
  ...more,
});

describe('what a change rests on (S10)', () => {
  it('is an envelope of a trouble that the tool cures', () => {
    const allowed = (with_?: Parameters<typeof anEnvelope>[0]) =>
      brokenBy(({ taken, allow }) => {
        taken(with_);
        allow();
      });
    expect(allowed()).toEqual([]);
    expect(allowed({ failureClassification: 'guide_stale' })).toEqual(['S10']);
    expect(allowed({ failureClassification: 'unknown' })).toEqual(['S10']);
    expect(allowed({ scope: { kind: 'channel', id: 'ch1' } })).toEqual(['S10']);
    expect(brokenBy(({ allow }) => allow())).toEqual(['S10']);
  });

  it('is younger than its age, to the millisecond', () => {
    const at = (ms: number) =>
      brokenBy(({ taken, allow }) => {
        taken();
        allow(ms);
      });
    expect(at(NOW_MS + AGE_MS - 1)).toEqual([]);
    expect(at(NOW_MS + AGE_MS)).not.toEqual([]);
  });

  it('is older by what the machine has slept since (T3)', () => {
    const afterSleep = (sleptMs: number) => {
      const { taken, allow, broken } = evidence(sleptMs);
      taken();
      allow();
      return broken;
    };
    expect(afterSleep(AGE_MS - 1)).toEqual([]);
    expect(afterSleep(AGE_MS)).not.toEqual([]);
  });

  it('is two witnesses for a high risk, and all that one sender can write is one', () => {
    const by = (...signals: readonly ReturnType<typeof signal>[]) =>
      brokenBy(({ taken, allow }) => {
        taken({ signals });
        allow();
      });
    expect(by(signal('log'), signal('probe'))).toEqual([]);
    expect(by(signal('log'))).toEqual(['S10']);
    expect(by(signal('log'), signal('probe', { pushed: true }))).toEqual(['S10']);
    expect(by(signal('probe'), signal('process', { monoMs: NOW_MS - AGE_MS }))).toEqual(['S10']);
  });

  it('is a verified fix before a restart for credentials', () => {
    const restarted = (isFixed: boolean) =>
      brokenBy(({ put, taken, allow }) => {
        taken({ failureClassification: 'upstream_auth_expired' });
        const permit = permitOf({ risk: 'low', call: aCall({ tool: 'refresh_credentials', target: scope }) });
        if (isFixed) put(NOW_MS, { type: 'attempt.verified', permit, verification: aVerification() });
        allow();
      });
    expect([restarted(true), restarted(false)]).toEqual([[], ['S10']]);
  });
});

describe('what a run may spend (S4, S6, S11)', () => {
  const looking = (id: string) =>
    permitOf({ id, risk: 'low', call: aCall({ tool: 'fetch_recent_logs', target: scope }) });
  const run = (...steps: readonly (readonly [atMs: number, type: string, permit: ReturnType<typeof permitOf>])[]) =>
    brokenBy(({ put }) => {
      put(NOW_MS, { type: 'run.started' });
      for (const [atMs, type, permit] of steps) put(atMs, { type, permit: { ...permit, grantedMs: atMs } });
    });

  it('is the distance between two tools, to the millisecond', () => {
    const gapOf = (ms: number) =>
      run(
        [NOW_MS, 'tool.started', looking('a')],
        [NOW_MS, 'tool.finished', looking('a')],
        [NOW_MS + ms, 'tool.started', looking('b')],
      );
    expect([gapOf(GAP_MS), gapOf(GAP_MS - 1)]).toEqual([[], ['S11']]);
  });

  it('is as many steps as the persona plans ahead, and one high risk', () => {
    const starts = (count: number) =>
      run(...Array.from({ length: count }, (_, at) => [NOW_MS + at, 'tool.started', looking(`p${at}`)] as const));
    expect([starts(2), starts(3)]).toEqual([[], ['S11']]);
    expect(run([NOW_MS, 'tool.started', permitOf()], [NOW_MS, 'tool.started', permitOf({ id: 'per-2' })])).toEqual([
      'S4',
    ]);
  });

  it('is a permit that is still fresh', () => {
    const usedAfter = (ms: number) =>
      brokenBy(({ put }) => put(NOW_MS + ms, { type: 'tool.started', permit: permitOf() }));
    expect([usedAfter(PERMIT_MS - 1), usedAfter(PERMIT_MS)]).toEqual([[], ['S6']]);
  });
});
