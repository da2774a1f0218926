import { describe, expect, it } from 'vitest';
import type { ESCALATION_REASONS, Outcome } from '../../../src/core/incident.ts';
import type { Draft, JournalEntry } from '../../../src/core/journal.ts';
import { Responder } from '../../../src/incident/lifecycle/responder.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/transitions.ts';
import { type IncidentState, incidentProjection } from '../../../src/incident/lifecycle/state.ts';
import { countingIds } from '../../../src/core/id.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const TROUBLE: Snapshot['trouble'] = {
  classification: 'encode_too_slow',
  settling: false,
  settledMs: 0,
  sinceMs: 0,
  troubledMs: 0,
};
const WELL = { trouble: undefined, healthy: true, healthySinceMs: 0 };

/** One incident whose run ends as given, while the channel is as given then. */
async function ended(outcome: Outcome, then: Partial<Snapshot>): Promise<{ page: string[]; last: string | undefined }> {
  const { clock, advance } = fakeClock();
  let state: IncidentState = incidentProjection.initial;
  let sight = { trouble: TROUBLE, healthy: false, healthySinceMs: undefined } as Partial<Snapshot>;
  const page: string[] = [];
  const append = (drafts: readonly Draft[]): readonly JournalEntry[] => {
    const moment = { at: clock.now(), monoMs: clock.monotonicMs(), boot: 'b', seq: 1 };
    for (const draft of drafts) state = incidentProjection.apply(state, { ...draft, ...moment });
    return [];
  };
  const base = { quiet: false, covered: false, contained: false, approval: 'none' } as const;
  const responder = new Responder({
    append,
    clock,
    ids: countingIds(),
    incidents: () => state,
    see: () => ({
      ...{ group: 'g', engine: 'e', channels: [], viewers: undefined, because: 'x' },
      sight: { ...base, trouble: undefined, healthy: undefined, healthySinceMs: undefined, ...sight },
    }),
    policyOf: () => ({ patienceMs: 0, resolveHoldMs: 5_000, relapseMs: 60_000 }),
    run: async () => {
      await clock.sleep(5_000);
      sight = then;
      return { outcome, steps: 1, attempts: [], last: undefined };
    },
    raise: ({ reason }) => {
      page.push(reason);
      return [];
    },
    resolve: () => [],
    askApproval: () => [],
    lookCloser: () => undefined,
    onFailure: (text) => page.push(text),
  });
  responder.look({ kind: 'channel', id: 'news' });
  await advance(11_000);
  responder.look({ kind: 'channel', id: 'news' });
  await advance(5_500);
  const last = state.open[0]?.last?.kind;
  responder[Symbol.dispose]();
  return { page, last };
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
