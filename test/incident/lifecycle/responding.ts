/** A responder over one channel, with everything around it in memory. */
import { onTestFinished } from 'vitest';
import type { RunEnd } from '../../../src/agent/run.ts';
import { countingIds } from '../../../src/core/id.ts';
import type { Outcome } from '../../../src/core/incident.ts';
import type { Draft, JournalEntry } from '../../../src/core/journal.ts';
import { Responder, type ResponderDeps } from '../../../src/incident/lifecycle/responder.ts';
import { type IncidentState, incidentProjection } from '../../../src/incident/lifecycle/state.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/seen.ts';
import { fakeClock } from '../../support/fake_clock.ts';

export const NEWS = { kind: 'channel', id: 'news' } as const;

/** When the clock of a test begins. */
export const NOW_MS = 1_000_000;

export const TROUBLE: NonNullable<Snapshot['trouble']> = {
  classification: 'process_crashed',
  settling: false,
  settledMs: 0,
  sinceMs: NOW_MS,
  troubledMs: NOW_MS,
};

const PLAIN: Snapshot = {
  ...{ trouble: undefined, healthy: undefined, healthySinceMs: undefined },
  ...{ quiet: false, covered: false, contained: false, approval: 'none' },
};

export const endOf = (outcome: Outcome): RunEnd & { readonly last: undefined } => ({
  outcome,
  steps: 1,
  attempts: [],
  last: undefined,
});

/** `sight` is what is seen of the channel from then on; undefined: it is not configured any more. */
export function responding(with_: Partial<ResponderDeps> = {}, first: Partial<Snapshot> = { trouble: TROUBLE }) {
  const { clock, advance } = fakeClock();
  const world: { sight: Partial<Snapshot> | undefined; channels: readonly string[] } = { sight: first, channels: [] };
  let state: IncidentState = incidentProjection.initial;
  const appends: (readonly Draft[])[] = [];
  const pages: string[] = [];
  const details: string[] = [];
  const failures: string[] = [];
  const runs: string[] = [];
  const append = (drafts: readonly Draft[]): readonly JournalEntry[] => {
    appends.push(drafts);
    const moment = { at: clock.now(), monoMs: clock.monotonicMs(), boot: 'b', seq: 1 };
    for (const draft of drafts) state = incidentProjection.apply(state, { ...draft, ...moment });
    return [];
  };
  const responder = new Responder({
    append,
    clock,
    ids: countingIds(),
    incidents: () => state,
    see: () =>
      world.sight && {
        ...{ group: 'g', engine: 'e', channels: world.channels, viewers: undefined, because: 'it is so' },
        sight: { ...PLAIN, ...world.sight },
      },
    policyOf: () => ({ patienceMs: 0, resolveHoldMs: 5_000, relapseMs: 60_000 }),
    run: (_, run) => {
      runs.push(run);
      return new Promise(() => undefined);
    },
    raise: (page) => {
      pages.push(page.reason);
      details.push(page.details);
      const escalation = { ...page, id: `esc-${pages.length}`, at: clock.now() };
      return [{ incident: page.incident, fact: { type: 'escalation.raised', escalation } }];
    },
    resolve: () => [],
    askApproval: () => [],
    lookCloser: () => undefined,
    onFailure: (text) => failures.push(text),
    ...with_,
  });
  onTestFinished(() => responder[Symbol.dispose]());
  return {
    ...{ responder, clock, advance, world, pages, details, failures, runs },
    /** The types of the facts of each append. */
    written: () => appends.map((drafts) => drafts.map(({ fact }) => fact.type)),
    open: () => state.open[0],
    look: () => responder.look(NEWS),
  };
}
