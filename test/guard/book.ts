import type { About, JournalFact } from '../../src/core/journal.ts';
import { keyOfScope, type Scope } from '../../src/core/scope.ts';
import type { PermitTerms, ToolName } from '../../src/core/tool.ts';
import { guardProjection } from '../../src/guard/state/fold.ts';
import { type GuardState, subjectAt, subjectsOf } from '../../src/guard/state/state.ts';
import { aCall, anIncident, aResult, aVerification, permitTerms } from '../support/a.ts';
import { freeze } from './bench.ts';

export const NEWS: Scope = { kind: 'channel', id: 'news' };
/** Granted at 10000, to be redeemed until 15000. */
export const aPermit = (with_: Partial<PermitTerms> = {}): PermitTerms =>
  permitTerms({
    id: 'p1',
    grantedMs: 10_000,
    expiresMs: 15_000,
    engine: 'local',
    group: 'encoders',
    fingerprint: 'fp',
    ...with_,
  });
export const callOf = (tool: ToolName, target: Scope = NEWS) => aCall({ tool, target });
export const lowOf = (tool: ToolName, target: Scope = NEWS) => ({ call: callOf(tool, target), risk: 'low' }) as const;

/** The guard's memory and nothing else: entries go in by hand, and what is remembered of them is looked at whole. */
export function book() {
  let state: GuardState = guardProjection.initial;
  let seq = 0;
  const put = (monoMs: number, fact: JournalFact, about: About = {}): void => {
    seq += 1;
    state = guardProjection.apply(state, { seq, at: 0, monoMs, boot: 'boot-1', ...about, fact });
    freeze(state);
  };
  const verified = (atMs: number, permit: PermitTerms, cured: boolean, fingerprint = 'fp'): void =>
    put(atMs, { type: 'attempt.verified', permit, verification: aVerification({ cured }), fingerprint });
  return {
    put,
    state: () => state,
    subject: (key = keyOfScope(NEWS)) => subjectAt(state, key),
    keys: () => subjectsOf(state).map(([key]) => key),
    grant: (permit: PermitTerms) =>
      put(permit.grantedMs, {
        type: 'guard.decided',
        call: '',
        decision: { verdict: 'allow', permit, trace: [] },
        tookMs: 0,
      }),
    start: (atMs: number, permit: PermitTerms) => put(atMs, { type: 'tool.started', permit }),
    finish: (atMs: number, permit: PermitTerms) => put(atMs, { type: 'tool.finished', permit, result: aResult() }),
    lose: (atMs: number, permit: PermitTerms) => put(atMs, { type: 'tool.unknown', permit, because: '' }),
    cure: (atMs: number, permit: PermitTerms, fingerprint?: string) => verified(atMs, permit, true, fingerprint),
    fail: (atMs: number, permit: PermitTerms, fingerprint?: string) => verified(atMs, permit, false, fingerprint),
    relapse: (atMs: number, permit: PermitTerms, fingerprint = 'fp') =>
      put(atMs, { type: 'attempt.relapsed', permit, fingerprint, because: '' }),
    open: (id = 'inc-1', with_: Parameters<typeof anIncident>[0] = {}) =>
      put(1_000, { type: 'incident.opened', incident: anIncident({ id, ...with_ }) }),
    seen: (atMs: number, generation: string, origin: 'reeve' | 'engine' = 'engine', channel = 'news') =>
      put(atMs, { type: 'start.observed', origin, generation, engine: 'local' }, { channel }),
  };
}
