import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import type { CauseProof } from '../../../src/ground/correlate/proof.ts';
import { containmentKey, type GuardState, newGuardState } from '../../../src/guard/state/state.ts';
import { newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import { leftByFailedPlans } from '../../../src/incident/pipeline/failed_plans.ts';
import { anIncident } from '../../support/a.ts';

const group = { kind: 'group', id: 'g' } as const;
const escalated = { kind: 'escalated', reason: 'not_helping', because: 'not verified', denial: undefined } as const;

function containedBy(scope: Scope): Pick<GuardState, 'containments'> {
  const one = { scope, reason: 'shared_cause', raisedMs: 0 } as unknown as GuardState['containments'][string];
  return { containments: { [containmentKey(scope, 'shared_cause')]: one } };
}

/** What is left of a group of which one channel was tried and another was not. */
function left(with_: {
  readonly last?: Outcome;
  readonly open?: Partial<OpenIncident>;
  readonly phase?: SharedCause['phase'];
  readonly proof?: Partial<CauseProof>;
  readonly contained?: 'group' | 'engine' | 'tried';
}): readonly string[] {
  const held = newlyOpen(anIncident({ scope: group, group: 'g', channels: ['tried', 'other'] }), 0);
  const scopes = { group, engine: { kind: 'engine', id: 'e' }, tried: { kind: 'channel', id: 'tried' } } as const;
  const scope = scopes[with_.contained ?? 'group'];
  const none = newGuardState();
  const contained = { ...none, ...containedBy(scope) };
  const channels = ['tried', 'other'];
  const cause = { scope: group, phase: with_.phase ?? 'over', channels, down: channels } as unknown as SharedCause;
  return leftByFailedPlans([{ ...held, last: with_.last ?? escalated, ...with_.open }], {
    causeOf: () => cause,
    proofOf: () => ({ isProven: true, bySources: true, says: '', atMs: 0, ...with_.proof }),
    channelOf: (id) => ({ id, group: 'g', engine: 'e' }) as never,
    guardState: with_.contained === undefined ? none : contained,
  });
}

describe('an engine whose plan did not help', () => {
  it('leaves to themselves those whose own group is not contained, and whose sources say that the cause is over', () => {
    const scope = { kind: 'engine', id: 'e' } as const;
    const channels = ['a1', 'a2', 'b1'];
    const cause = { scope, phase: 'over', channels, down: ['a1', 'b1'] } as unknown as SharedCause;
    const open = { ...newlyOpen(anIncident({ scope, channels }), 0), last: escalated };
    const asked: unknown[] = [];
    const leftOf = (proven: string, contained?: string): readonly string[] => {
      const held = contained === undefined ? {} : containedBy({ kind: 'group', id: contained });
      return leftByFailedPlans([open], {
        causeOf: () => cause,
        proofOf: (part) => {
          asked.push([part.scope.kind, part.scope.kind === 'group' && part.scope.id, part.channels]);
          const isProven = part.scope.kind === 'group' && part.scope.id === proven;
          return { isProven, bySources: true, says: '', atMs: 0 };
        },
        channelOf: (id) => ({ id, group: id.charAt(0), engine: 'e' }) as never,
        guardState: { ...newGuardState(), ...held },
      });
    };
    expect([leftOf('a'), leftOf('b'), leftOf('none'), leftOf('a', 'a'), leftOf('a', 'b')]).toEqual([
      ['a1'],
      ['b1'],
      [],
      [],
      ['a1'],
    ]);
    expect(asked.slice(0, 2)).toEqual([
      ['group', 'a', ['a1', 'a2']],
      ['group', 'b', ['b1']],
    ]);
  });
});

describe('a group whose plan did not help', () => {
  it('leaves what is down to itself once its sources say that the cause is over', () => {
    expect(left({})).toEqual(['tried', 'other']);
    expect(left({ proof: { isProven: false } })).toEqual([]);
    expect(left({ phase: 'active' })).toEqual([]);
  });

  it('does so, too, where its next plan was refused because the last one was tried', () => {
    expect(left({ last: { ...escalated, reason: 'guard_refused', denial: 'already_tried' } })).toHaveLength(2);
    expect(left({ last: { ...escalated, reason: 'guard_refused', denial: 'restart_storm' } })).toEqual([]);
    expect(left({ last: { kind: 'resolved', score: 1, because: '' } })).toEqual([]);
  });

  it('keeps all of it where only a canary can witness: the one that failed speaks against the others', () => {
    expect(left({ proof: { bySources: false } })).toEqual([]);
  });

  it('keeps all of it while the group or its engine is contained, or a run is under way', () => {
    expect([left({ contained: 'group' }), left({ contained: 'engine' })]).toEqual([[], []]);
    expect(left({ open: { running: true } })).toEqual([]);
  });

  it('keeps a channel that is contained itself, as one whose starts keep failing, and none of the others for it', () => {
    expect(left({ contained: 'tried' })).toEqual(['other']);
  });

  it('is not the incident of one channel', () => {
    expect(left({ open: { incident: anIncident() } })).toEqual([]);
  });
});
