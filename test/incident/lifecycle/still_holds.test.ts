import { describe, expect, it } from 'vitest';
import type { ESCALATION_REASONS, Outcome } from '../../../src/core/incident.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/seen.ts';
import { endOf, responding, TROUBLE as CRASHED } from './responding.ts';

const TROUBLE: Snapshot['trouble'] = { ...CRASHED, classification: 'encode_too_slow', sinceMs: 0, troubledMs: 0 };
const WELL = { trouble: undefined, healthy: true, healthySinceMs: 0 };

/** One incident whose run ends as given, while the channel is as given then. */
async function ended(outcome: Outcome, then: Partial<Snapshot>): Promise<{ page: string[]; last: string | undefined }> {
  const run = async () => {
    await rig.clock.sleep(5_000);
    rig.world.sight = then;
    return endOf(outcome);
  };
  const rig = responding({ run }, { trouble: TROUBLE, healthy: false });
  rig.look();
  await rig.advance(11_000);
  rig.look();
  await rig.advance(5_500);
  return { page: [...rig.pages, ...rig.failures], last: rig.open()?.last?.kind };
}

const escalated = (reason: (typeof ESCALATION_REASONS)[number]): Outcome => ({
  kind: 'escalated',
  reason,
  because: 'it is so',
  denial: undefined,
});

describe('a page that a run would raise', () => {
  it.each(['no_plan', 'guard_refused', 'not_helping', 'steps_spent'] as const)(
    'is not raised when the channel is seen to be well by then: %s',
    async (reason) => {
      expect((await ended(escalated(reason), WELL)).page).toEqual([]);
    },
  );

  it.each([
    ['holds', { trouble: TROUBLE, healthy: false, healthySinceMs: undefined }],
    ['is not known to be over', { trouble: undefined, healthy: undefined, healthySinceMs: undefined }],
    ['is over, and it is not well', { trouble: undefined, healthy: false, healthySinceMs: undefined }],
  ])('is raised when the trouble %s', async (_, then) => {
    expect((await ended(escalated('no_plan'), then)).page).toEqual(['no_plan']);
  });

  it('is raised all the same when it is about Reeve and not about the channel', async () => {
    for (const reason of ['internal', 'outcome_unknown'] as const)
      expect((await ended(escalated(reason), WELL)).page).toEqual([reason]);
  });

  it('asks no person for a yes to what is over', async () => {
    const needed: Outcome = { kind: 'approval_needed', because: 'a restart' };
    expect((await ended(needed, WELL)).page).toEqual([]);
    expect((await ended(needed, { trouble: TROUBLE, healthy: false })).page[0]).toBe('approval_needed');
  });
});
