import { describe, expect, it } from 'vitest';
import { decidedIn } from '../../src/backtest/decisions.ts';
import type { About, JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { aCall, anAct, anIncident, aSymptom, aVerification, permitTerms } from '../support/a.ts';

/** A part of a fact: these tests read only what they name. */
type Part = { readonly type: JournalFact['type'] } & Record<string, unknown>;
const opened = (with_: Parameters<typeof anIncident>[0] = {}): Part => ({
  type: 'incident.opened',
  incident: anIncident(with_),
});
const started = (with_: Parameters<typeof permitTerms>[0] = {}): Part => ({
  type: 'tool.started',
  permit: permitTerms(with_),
});
const verified = (cured: boolean, permit = 'per-1'): Part => ({
  ...{ type: 'attempt.verified', permit: permitTerms({ id: permit }) },
  verification: aVerification({ cured, because: 'it was looked at' }),
});
const denied = (code: string): Part => ({
  type: 'guard.decided',
  ...{ call: 'restart_channel on channel:news', decision: { verdict: 'deny', code, because: 'too soon' } },
});
const contained = (
  type: 'containment.raised' | 'containment.cleared',
  reason = 'restart_storm',
  id = 'news',
): Part => ({
  ...{ type, scope: { kind: 'channel', id }, reason, detail: 'four starts' },
});

/** What is decided in these facts, a second apart, all of incident `inc-1`. */
const decided = (facts: readonly Part[], about: About = { incident: 'inc-1' }) =>
  decidedIn(facts.map((fact, at) => ({ ...about, at: at * 1_000, fact }) as unknown as JournalEntry));
const linesOf = (...facts: readonly Part[]) => decided([opened(), ...facts]).incidents[0]!.decisions;

describe('the story of an incident', () => {
  it('begins as open, under its scope, and ends as it was closed', () => {
    const closed: Part = { type: 'incident.closed', ending: 'self_healed', because: 'b', openMs: 1 };
    expect(decided([opened()]).incidents[0]).toMatchObject({
      ...{ id: 'inc-1', scope: 'channel:news', classification: 'process_crashed', openedAt: 0 },
      ...{ closedAt: undefined, ending: 'open', symptoms: [], decisions: [] },
    });
    expect(decided([opened(), closed]).incidents[0]).toMatchObject({ closedAt: 1_000, ending: 'self_healed' });
  });

  it('names each symptom with its origin and each classification, once', () => {
    const raised = (origin: 'log' | 'probe'): Part => ({
      ...{ type: 'symptom.raised', symptom: aSymptom({ at: 0, monoMs: 0 }, { origin }) },
    });
    const named = (to: string): Part => ({ type: 'incident.reclassified', from: 'x', to });
    const facts = [raised('log'), raised('log'), raised('probe'), named('output_stalled'), named('process_crashed')];
    expect(decided([opened(), ...facts]).incidents[0]).toMatchObject({
      symptoms: ['stalled_output (log)', 'stalled_output (probe)'],
      classifications: ['process_crashed', 'output_stalled'],
      classification: 'process_crashed',
    });
  });

  it('names each plan and who made it', () => {
    const by = { kind: 'model', model: 'small' };
    const escalate = { kind: 'escalate', because: 'no way', by };
    const lines = linesOf({ type: 'plan.made', plan: anAct() }, { type: 'plan.made', plan: escalate });
    expect(lines).toMatchObject([
      { at: 1_000, kind: 'plan', step: 'plans restart_channel on channel:news, by rule test', no: false },
      { at: 2_000, kind: 'plan', step: expect.stringMatching(/^plans escalate, by /), because: 'no way' },
    ]);
  });

  it('shows what the guard allowed, and why it refused', () => {
    const allowed: Part = { type: 'guard.decided', call: 'restart', decision: { verdict: 'allow' } };
    expect(linesOf(allowed, denied('cooldown'))).toMatchObject([
      { kind: 'guard', step: 'allows restart', because: 'every question passes', no: false },
      { kind: 'guard', step: 'refuses restart_channel on channel:news: cooldown', because: 'too soon', no: true },
    ]);
  });

  it('shows what would be done, and whether the record shows that it helped', () => {
    expect(linesOf(started(), verified(true), verified(false))).toMatchObject([
      { kind: 'act', step: 'would do restart_channel on channel:news', no: false },
      { kind: 'verified', step: 'restart_channel helped, by the record', because: 'it was looked at', no: false },
      { kind: 'verified', step: 'restart_channel not seen to help', no: true },
    ]);
  });

  it('shows how a run ended and what was paged', () => {
    const ended = (outcome: object): Part => ({ type: 'run.ended', outcome, steps: 1, tookMs: 1 });
    const paged: Part = {
      type: 'escalation.raised',
      escalation: {
        scope: { kind: 'channel', id: 'news' },
        severity: 'page',
        reason: 'no_plan',
        summary: 'news is off',
      },
    };
    const escalated = { kind: 'escalated', reason: 'no_plan', because: 'no rule fits' };
    expect(linesOf(ended(escalated), ended({ kind: 'resolved', because: 'cured' }), paged)).toMatchObject([
      { kind: 'outcome', step: 'escalated (no_plan)', because: 'no rule fits' },
      { kind: 'outcome', step: 'resolved', because: 'cured' },
      { kind: 'page', step: 'pages (no_plan)', because: 'news is off' },
    ]);
  });

  it('has no line for facts that decide nothing, and takes none of another incident', () => {
    expect(linesOf({ type: 'run.started' })).toEqual([]);
    const [story] = decidedIn([
      { incident: 'inc-1', at: 0, fact: opened() },
      { incident: 'inc-2', at: 1, fact: { type: 'plan.made', plan: anAct() } },
      { at: 2, fact: { type: 'plan.made', plan: anAct() } },
    ] as unknown as readonly JournalEntry[]).incidents;
    expect(story!.decisions).toEqual([]);
  });
});

describe('what would have been changed', () => {
  it('is each call of a tool that changes something, with what came of it', () => {
    const facts = [opened(), started({ viewerSeconds: 12 }), started({ id: 'per-2' }), verified(false, 'per-2')];
    expect(decided([...facts, verified(true, 'per-3')]).wouldAct).toEqual([
      {
        ...{ at: 1_000, incident: 'inc-1', tool: 'restart_channel', target: 'channel:news' },
        ...{ helped: undefined, viewerSeconds: 12 },
      },
      expect.objectContaining({ at: 2_000, helped: false, viewerSeconds: undefined }),
    ]);
    expect(decided([started(), verified(true)]).wouldAct).toMatchObject([{ helped: true }]);
  });

  it('is not what only looks', () => {
    expect(decided([started({ call: aCall({ tool: 'fetch_recent_logs' }) })]).wouldAct).toEqual([]);
  });
});

describe('what is counted', () => {
  it('is each refusal by its code, in their order, whatever incident it was of', () => {
    const allowed: Part = { type: 'guard.decided', call: 'restart', decision: { verdict: 'allow' } };
    const { refusedByCode } = decided([denied('frozen'), denied('cooldown'), allowed, denied('frozen')], {});
    expect(refusedByCode).toEqual([
      { code: 'cooldown', count: 1 },
      { code: 'frozen', count: 2 },
    ]);
  });

  it('is each start that was seen, and each page', () => {
    const escalation = { scope: { kind: 'fleet' }, severity: 'page', reason: 'no_plan', summary: 's' };
    const all = decided([
      { type: 'start.observed' },
      { type: 'start.observed' },
      { type: 'escalation.raised', escalation },
    ]);
    expect(all.startsSeen).toBe(2);
    expect(all.pages).toEqual([
      { at: 2_000, incident: 'inc-1', scope: 'fleet', severity: 'page', reason: 'no_plan', summary: 's' },
    ]);
  });
});

describe('a containment', () => {
  it('lasts until that of the same scope and reason is cleared', () => {
    const other = [
      contained('containment.cleared', 'breaker_open'),
      contained('containment.cleared', 'restart_storm', 'b'),
    ];
    const open = decided([contained('containment.raised'), ...other]);
    const span = { scope: 'channel:news', reason: 'restart_storm', detail: 'four starts', from: 0 };
    expect(open.containments).toEqual([{ ...span, to: undefined }]);
    const facts = [contained('containment.raised'), ...other, contained('containment.cleared')];
    expect(decided(facts).containments).toEqual([{ ...span, to: 3_000 }]);
  });

  it('that comes again is one of its own, and the one before keeps its end', () => {
    const again = [contained('containment.raised'), contained('containment.cleared')];
    const spans = decided([...again, ...again, contained('containment.cleared')]).containments;
    expect(spans.map(({ from, to }) => [from, to])).toEqual([
      [0, 1_000],
      [2_000, 3_000],
    ]);
  });

  it('is a storm where it is for too many starts', () => {
    const facts = [contained('containment.raised'), contained('containment.raised', 'breaker_open')];
    expect(decided(facts).storms).toBe(1);
    expect(decided([]).storms).toBe(0);
  });
});

describe('the hash of what was decided', () => {
  it('is the same for the same course, and another where one thing differs', () => {
    const course = [opened(), { type: 'plan.made', plan: anAct() } as const, started()];
    const { sha256 } = decided(course);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(decided(course).sha256).toBe(sha256);
    expect(decided([...course, { type: 'start.observed' }]).sha256).not.toBe(sha256);
  });
});
