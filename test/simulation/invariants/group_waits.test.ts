import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import { GroupWaits } from '../../../src/simulation/invariants/group_waits.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const GROUP = { kind: 'group', id: 'g0' } as const;

interface Case {
  /** Sources of the group are; default true. */
  readonly probed?: boolean;
  readonly atMs?: number;
  /** What ch0 was refused for; default a shared cause. */
  readonly code?: string;
  /** What the proof that the cause is over still waits for. */
  readonly missing?: string;
  /** Of which group it is missing; default any. */
  readonly missingOf?: string;
}

/** Whether ch0 waits for the incident of its group after each of these. */
function holdsAfter(facts: readonly object[], how: Case = {}): readonly boolean[] {
  const { probed = true, atMs = 0, code = 'shared_cause', missing, missingOf } = how;
  const { context, entry } = oracleEnvironment();
  const channels = context.script.channels.map((plan) => ({ ...plan, hasSource: probed }));
  const proofs = {
    missing: (group: string) => (missingOf === undefined || missingOf === group ? missing : undefined),
  };
  const waits = new GroupWaits({ ...context, script: { ...context.script, channels } }, proofs);
  return facts.map((fact) => {
    waits.entry(entry(fact, { incident: 'inc-1', run: 'run-1' }));
    return waits.holds('ch0', atMs, code);
  });
}

const opened = { type: 'incident.opened', incident: { id: 'inc-1', scope: GROUP } };
const asked = { type: 'approval.asked', approval: { id: 'apr-1', incident: 'inc-1' } };
const closed = { type: 'incident.closed' };
const ended = (reason: string, denial?: string): object => {
  const outcome = { kind: 'escalated', reason, because: '', denial } as Outcome;
  return { type: 'run.ended', outcome };
};

describe('a channel of a group waits for the incident of the group', () => {
  it('while the question about its plan waits for a person, until that has expired or was used', () => {
    expect(holdsAfter([opened, asked, { type: 'approval.expired', id: 'apr-1' }])).toEqual([false, true, false]);
    expect(holdsAfter([opened, asked, { type: 'approval.used', id: 'apr-1' }])).toEqual([false, true, false]);
  });

  it('after a person’s no, until the incident is closed', () => {
    const no = { type: 'approval.answered', id: 'apr-1', yes: false };
    expect(holdsAfter([opened, asked, no, closed])).toEqual([false, true, true, false]);
  });

  it('after a plan that did not help where no source of the group is probed, whatever it was refused for', () => {
    const probed = false;
    expect(holdsAfter([opened, ended('not_helping'), closed], { probed })).toEqual([false, true, false]);
    expect(holdsAfter([opened, ended('guard_refused', 'already_tried')], { probed })).toEqual([false, true]);
    expect(holdsAfter([opened, ended('not_helping')], { probed, code: 'containment' })).toEqual([false, true]);
    expect(holdsAfter([opened, ended('guard_refused', 'restart_storm')], { probed })).toEqual([false, false]);
  });

  it('after such a plan where they are probed until it is proven that the cause is over', () => {
    const missing = 'the source of ch1 failed 4000 ms ago';
    expect(holdsAfter([opened, ended('not_helping')], { missing })).toEqual([false, true]);
    expect(holdsAfter([opened, ended('not_helping')], { missing, code: 'containment' })).toEqual([false, true]);
    expect(holdsAfter([opened, ended('not_helping')])).toEqual([false, false]);
  });

  it('after such a plan of its engine, too, until that is proven for its own group', () => {
    const ofEngine = { type: 'incident.opened', incident: { id: 'inc-1', scope: { kind: 'engine', id: 'e0' } } };
    const held = (missingOf: string) =>
      holdsAfter([ofEngine, ended('not_helping')], { missing: 'a source', missingOf });
    expect([held('g0'), held('g1')]).toEqual([
      [false, true],
      [false, false],
    ]);
  });

  it('and not for a question or a run of the group where it was refused for another reason than a shared cause', () => {
    expect(holdsAfter([opened, asked], { code: 'containment' })).toEqual([false, false]);
  });

  it('for a minute after a run that waits, for then the next one is due', () => {
    const waits = { type: 'run.ended', outcome: { kind: 'watching', because: '' } };
    const at = (atMs: number) => holdsAfter([opened, waits], { atMs });
    expect([at(60_000), at(60_001)]).toEqual([
      [false, true],
      [false, false],
    ]);
  });

  it('while the budget of the fleet is used up, which it would not have either', () => {
    expect(holdsAfter([opened, ended('guard_refused', 'fleet_daily_cap')])).toEqual([false, true]);
  });

  it('and not for that of another channel or group', () => {
    const ofChannel = {
      type: 'incident.opened',
      incident: { id: 'inc-1', scope: { kind: 'channel', id: 'ch0' }, channels: [] },
    };
    const other = {
      type: 'incident.opened',
      incident: { id: 'inc-1', scope: { kind: 'group', id: 'g1' }, channels: [] },
    };
    expect([holdsAfter([ofChannel, asked]), holdsAfter([other, asked])]).toEqual([
      [false, false],
      [false, false],
    ]);
  });
});
