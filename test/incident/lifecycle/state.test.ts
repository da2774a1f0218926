import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/core/duration.ts';
import type { Incident, Outcome } from '../../../src/core/incident.ts';
import type { JournalFact } from '../../../src/core/journal.ts';
import type { DenialCode } from '../../../src/core/plan.ts';
import type { Scope } from '../../../src/core/scope.ts';
import {
  announcedMs,
  incidentProjection,
  type IncidentState,
  newlyOpen,
  openById,
  openOn,
  pastCure,
} from '../../../src/incident/lifecycle/state.ts';
import { escalation } from '../../escalate/support.ts';
import { aCall, anIncident, aVerification, permitTerms } from '../../support/a.ts';

type Step = readonly [monoMs: number, fact: JournalFact, incident?: string | undefined];

const folded = (steps: readonly Step[], from: IncidentState = incidentProjection.initial): IncidentState =>
  steps.reduce(
    (state, [monoMs, fact, incident = 'inc-1'], index) =>
      incidentProjection.apply(state, { seq: index + 1, at: 0, monoMs, boot: 'b', incident, fact }),
    from,
  );
const opened = (with_: Partial<Incident> = {}): Step => {
  const incident = anIncident(with_);
  return [0, { type: 'incident.opened', incident }, incident.id];
};
const ended = (monoMs: number, outcome: Outcome, incident?: string, tookMs = 0): Step => [
  monoMs,
  { type: 'run.ended', outcome, steps: 1, tookMs },
  incident,
];
const closed = (monoMs: number, incident?: string): Step => [
  monoMs,
  { type: 'incident.closed', ending: 'resolved', because: '', openMs: 1 },
  incident,
];
const cured = (monoMs: number, permit = permitTerms(), incident?: string): Step => [
  monoMs,
  { type: 'attempt.verified', permit, verification: aVerification({ permit: permit.id }), fingerprint: 'fp' },
  incident,
];
const refused = (denial?: DenialCode): Outcome => ({
  kind: 'escalated',
  reason: denial === undefined ? 'no_plan' : 'guard_refused',
  because: '',
  denial,
});
const watching: Outcome = { kind: 'watching', because: '', retryAfterMs: undefined, escalateAfterMs: 60_000 };
const heldOf = (steps: readonly Step[], id = 'inc-1') => openById(folded(steps), id)!;

describe('an open incident', () => {
  it('counts its runs and the restarts of Reeve, and knows whether one is under way', () => {
    const started: Step = [1, { type: 'run.started', attempt: 1 }];
    const restart: Step = [2, { type: 'tool.started', permit: permitTerms() }];
    const look: Step = [
      2,
      { type: 'tool.started', permit: permitTerms({ call: aCall({ tool: 'fetch_recent_logs' }) }) },
    ];
    expect(heldOf([opened(), started, restart, look])).toMatchObject({ runs: 1, running: true, restarts: 1 });
    expect(heldOf([opened(), started, ended(9, refused())])).toMatchObject({ running: false, lastEndedMs: 9 });
  });

  it('knows whom its last plan named', () => {
    const start = (call: Parameters<typeof aCall>[0]): Step => [
      2,
      { type: 'tool.started', permit: permitTerms({ call: aCall(call) }) },
    ];
    const plan = (...channels: readonly string[]) => start({ target: { kind: 'group', id: 'encoders' }, channels });
    const child = start({ target: { kind: 'channel', id: 'a' } });
    expect(heldOf([opened(), plan('a', 'b'), child, child])).toMatchObject({ planned: ['a', 'b'], restarts: 2 });
    expect(heldOf([opened(), plan('a', 'b'), child, plan('c')])).toMatchObject({ planned: ['c'], restarts: 1 });
    expect(heldOf([opened(), child]).planned).toBeUndefined();
  });

  it('is touched by the facts of its own and not by those of another', () => {
    const two = [opened(), opened({ id: 'inc-2', scope: { kind: 'channel', id: 'sport' } })];
    const state = folded([...two, [1, { type: 'run.started', attempt: 1 }, 'inc-2']]);
    expect(state.open.map(({ running }) => running)).toEqual([false, true]);
  });

  it('remembers each classification that was paged once', () => {
    const raised: Step = [1, { type: 'escalation.raised', escalation: escalation('esc-1') }];
    const renamed: Step = [
      2,
      { type: 'incident.reclassified', from: 'process_crashed', to: 'output_stalled', because: '' },
    ];
    const held = heldOf([opened(), raised, raised, renamed, raised]);
    expect(held.told).toEqual(['process_crashed', 'output_stalled']);
    expect(held).toMatchObject({ classifiedMs: 2, incident: { classification: 'output_stalled' } });
  });

  it('is about the channels that its page lists, besides those that it was opened for', () => {
    const raised = (at: number, channels?: readonly string[]): Step => [
      at,
      { type: 'escalation.raised', escalation: escalation('esc-1', channels && { channels }) },
    ];
    const held = heldOf([opened({ channels: ['a', 'b'] }), raised(1, ['b', 'c']), raised(2)]);
    expect(held.incident.channels).toEqual(['a', 'b', 'c']);
  });

  it('was not paged for another classification by a page that came once more because the trouble lasts', () => {
    const raised = (reason: 'lasting' | 'no_plan'): Step => [
      1,
      { type: 'escalation.raised', escalation: escalation('esc-1', { reason }) },
    ];
    const renamed: Step = [
      2,
      { type: 'incident.reclassified', from: 'process_crashed', to: 'output_stalled', because: '' },
    ];
    expect(heldOf([opened(), raised('lasting')]).told).toEqual(['process_crashed']);
    expect(heldOf([opened(), raised('lasting'), renamed, raised('lasting')]).told).toEqual(['process_crashed']);
    expect(heldOf([opened(), raised('lasting'), renamed, raised('no_plan')]).told).toContain('output_stalled');
  });

  it('is renamed or reopened by what comes after the end of a run, though in the same millisecond, until the next', () => {
    const renamed: Step = [
      9,
      { type: 'incident.reclassified', from: 'process_crashed', to: 'output_stalled', because: '' },
    ];
    const thaw: Step = [9, { type: 'control.thawed', who: 'ann' } as JournalFact, ''];
    const end = ended(9, refused('frozen'));
    expect(heldOf([opened(), end, renamed, thaw])).toMatchObject({ renamed: true, reopened: true });
    expect(heldOf([opened(), renamed, thaw, end])).toMatchObject({ renamed: false, reopened: false });
  });

  it('is found by its id and by exactly its scope', () => {
    const state = folded([opened()]);
    expect(openOn(state, { kind: 'channel', id: 'news' })).toBe(openById(state, 'inc-1'));
    expect(openOn(state, { kind: 'group', id: 'news' })).toBeUndefined();
    expect(openOn(folded([opened(), closed(1)]), { kind: 'channel', id: 'news' })).toBeUndefined();
  });

  it('was worked on by a run that took a second, and not by one that took less', () => {
    expect(heldOf([opened(), ended(9, refused(), 'inc-1', 1_000)]).workedMs).toBe(9);
    expect(heldOf([opened(), ended(9, refused(), 'inc-1', 999)]).workedMs).toBeUndefined();
  });

  it('was not worked on by a run that was refused before its first step, however long that took', () => {
    const slow = (outcome: Outcome, steps: number): Step => [
      9,
      { type: 'run.ended', outcome, steps, tookMs: 5_000 },
      'inc-1',
    ];
    expect(heldOf([opened(), slow(refused('containment'), 0)]).workedMs).toBeUndefined();
    expect(heldOf([opened(), slow(refused('containment'), 1)]).workedMs).toBe(9);
    expect(heldOf([opened(), slow({ ...watching, denial: 'fleet_daily_cap' }, 0)]).workedMs).toBeUndefined();
    expect(heldOf([opened(), slow({ ...watching, denial: undefined }, 0)]).workedMs).toBe(9);
  });
});

describe('the wait that the last run announced', () => {
  it('is none where the run did not end in one', () => {
    expect(announcedMs(newlyOpen(anIncident(), 0))).toBe(0);
    expect(announcedMs(heldOf([opened(), ended(1_000, refused())]))).toBe(0);
    expect(announcedMs(heldOf([opened(), ended(1_000, { ...watching, escalateAfterMs: undefined })]))).toBe(0);
  });

  it('ends no later than the first wait of the incident, but for a wait that the guard asked for', () => {
    const first = ended(1_000, watching);
    expect(announcedMs(heldOf([opened(), first]))).toBe(61_000);
    expect(announcedMs(heldOf([opened(), first, ended(50_000, watching)]))).toBe(61_000);
    expect(announcedMs(heldOf([opened(), first, ended(50_000, { ...watching, denial: 'cooldown' })]))).toBe(110_000);
  });
});

describe('a command of a person', () => {
  const command = (fact: JournalFact): Step => [7, fact, ''];
  const thaw = command({ type: 'control.thawed', who: 'ann' } as JournalFact);
  const phase = command({ type: 'control.phase_set', who: 'ann' } as JournalFact);
  const lease = command({ type: 'control.lease_ended', who: 'ann' } as unknown as JournalFact);
  const reset = (scope: Scope) => command({ type: 'control.reset', scope, who: 'ann' } as JournalFact);
  const reopenedBy = (outcome: Outcome, step: Step) => heldOf([opened(), ended(1, outcome), step]).reopened === true;

  it('reopens what it undoes the refusal of, and nothing else', () => {
    expect([reopenedBy(refused('frozen'), thaw), reopenedBy(refused('cooldown'), thaw)]).toEqual([true, false]);
    expect([reopenedBy(watching, lease), reopenedBy(refused('frozen'), lease)]).toEqual([true, false]);
    expect([reopenedBy(refused(), phase), reopenedBy(refused('phase'), phase)]).toEqual([true, true]);
    expect(reopenedBy(refused('cooldown'), phase)).toBe(false);
  });

  it('to reset reopens what lies in its scope', () => {
    const scopes: readonly Scope[] = [
      { kind: 'fleet' },
      { kind: 'group', id: 'encoders' },
      { kind: 'engine', id: 'local' },
      { kind: 'channel', id: 'news' },
    ];
    expect(scopes.map((scope) => reopenedBy(refused('cooldown'), reset(scope)))).toEqual([true, true, true, true]);
    expect(reopenedBy(refused('cooldown'), reset({ kind: 'channel', id: 'sport' }))).toBe(false);
    expect(reopenedBy(refused('cooldown'), reset({ kind: 'group', id: 'local' }))).toBe(false);
  });

  it('to lease a scope reopens what lies in it and waits for a moment, which may be the end of a longer lease', () => {
    const leased = (scope: Scope) => command({ type: 'control.leased', scope, who: 'ann' } as unknown as JournalFact);
    const tillThen = { ...watching, denial: undefined, retryAfterMs: 14_400_000, escalateAfterMs: undefined };
    const ofRule = { ...tillThen, retryAfterMs: undefined, escalateAfterMs: 60_000 };
    const news = leased({ kind: 'channel', id: 'news' });
    expect([reopenedBy(tillThen, news), reopenedBy(tillThen, leased({ kind: 'fleet' }))]).toEqual([true, true]);
    expect(reopenedBy(tillThen, leased({ kind: 'channel', id: 'sport' }))).toBe(false);
    expect([reopenedBy(ofRule, news), reopenedBy(refused('containment'), news)]).toEqual([false, false]);
  });

  it('to start Reeve with another configuration reopens what the one before refused', () => {
    const started = (configSha: string): Step => [0, { type: 'reeve.started', version: '1', configSha }, ''];
    const loaded = (configSha: string): Step => [8, { type: 'config.loaded', configSha, because: '' }, ''];
    const reopens = (...steps: readonly Step[]) =>
      heldOf([started('a'), opened(), ended(1, refused('phase')), ...steps]).reopened === true;
    expect([reopens(started('b')), reopens(started('a')), reopens(loaded('b'), started('b'))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(reopens(loaded('b'), started('a'))).toBe(true);
  });

  it('reopens nothing before the first run has ended', () => {
    expect(heldOf([opened(), reset({ kind: 'fleet' })]).reopened).toBeUndefined();
  });

  it('that says yes reopens the incident only where a person proposed the call', () => {
    const yes = (proposed: boolean, isYes = true): Step => [
      7,
      { type: 'approval.answered', yes: isYes, proposed } as unknown as JournalFact,
    ];
    expect(heldOf([opened(), yes(true)]).reopened).toBe(true);
    expect(heldOf([opened(), yes(false)]).reopened).toBeUndefined();
    expect(heldOf([opened(), yes(true, false)]).reopened).toBeUndefined();
  });
});

describe('the end of a containment', () => {
  const cleared = (scope: Scope, reason = 'shared_cause'): Step => [
    7,
    { type: 'containment.cleared', scope, reason, because: '' } as JournalFact,
    '',
  ];
  const released = (scope: Scope): Step => [7, { type: 'control.released', scope, who: 'ann' } as JournalFact, ''];
  const group: Scope = { kind: 'group', id: 'encoders' };
  const reopenedBy = (outcome: Outcome, step: Step) => heldOf([opened(), ended(1, outcome), step]).reopened === true;

  it('of a shared cause reopens what a rule let wait for it, though the cause never had the channel', () => {
    expect(reopenedBy(watching, cleared(group))).toBe(true);
    expect(reopenedBy(watching, cleared({ kind: 'group', id: 'other' }))).toBe(false);
    expect(reopenedBy(watching, cleared(group, 'restart_storm'))).toBe(false);
    expect(reopenedBy({ ...watching, denial: 'cooldown' }, cleared(group))).toBe(false);
    expect(reopenedBy(refused('shared_cause'), cleared(group))).toBe(false);
  });

  it('by a person reopens it, too', () => {
    expect(reopenedBy(watching, released(group))).toBe(true);
    expect(reopenedBy(watching, released({ kind: 'channel', id: 'sport' }))).toBe(false);
  });

  it('is for the incident of a group to see by itself', () => {
    const wide = opened({ scope: group, channels: ['news'] });
    expect(heldOf([wide, ended(1, watching), cleared(group)]).reopened).not.toBe(true);
  });
});

describe('the end of the incident of a shared cause', () => {
  const shared = opened({ id: 'inc-9', scope: { kind: 'group', id: 'encoders' } });
  const over = (group: string, denial: DenialCode) =>
    heldOf([opened({ group }), shared, ended(1, refused(denial)), closed(1, 'inc-9')]).reopened;

  it('reopens the channels of its group that were refused because of it', () => {
    expect(over('encoders', 'shared_cause')).toBe(true);
    expect([over('encoders', 'cooldown'), over('others', 'shared_cause')]).toEqual([false, false]);
  });
});

describe('the end of the incident of a channel that its group takes over', () => {
  const shared = opened({ id: 'inc-9', scope: { kind: 'group', id: 'encoders' } });
  const taken = (last: Outcome, ending: 'absorbed' | 'resolved' = 'absorbed', group = 'encoders') => {
    const over: Step = [7, { type: 'incident.closed', ending, because: '', openMs: 1 }];
    return [opened({ group }), shared, ended(1, last), over];
  };
  const owes = (steps: readonly Step[]) => heldOf(steps, 'inc-9').owesRun === true;

  it('leaves the group a run, where the start of the channel was refused for a reason that passes', () => {
    expect([owes(taken(refused('containment'))), owes(taken(refused('shared_cause')))]).toEqual([true, true]);
    expect(owes(taken({ kind: 'watching', because: '', retryAfterMs: 3_000, escalateAfterMs: undefined }))).toBe(true);
    expect([owes(taken(refused('already_tried'))), owes(taken(watching))]).toEqual([false, false]);
    expect(owes(taken(refused('containment'), 'resolved'))).toBe(false);
    expect(owes(taken(refused('containment'), 'absorbed', 'others'))).toBe(false);
  });

  it('is settled by the next run of the group', () => {
    expect(owes([...taken(refused('containment')), [8, { type: 'run.started', attempt: 1 }, 'inc-9']])).toBe(false);
  });
});

describe('a cure', () => {
  it('is remembered after its incident, for the same trouble of the same channel', () => {
    const state = folded([opened(), cured(5), closed(6)]);
    expect(pastCure(state, 'news', 'process_crashed')).toMatchObject({ fingerprint: 'fp', atMs: 5 });
    expect(pastCure(state, 'news', 'output_stalled')).toBeUndefined();
    expect(pastCure(state, 'sport', 'process_crashed')).toBeUndefined();
  });

  it('is none by a tool that cures no output, and none of a whole group', () => {
    const observed = permitTerms({ call: aCall({ tool: 'fetch_recent_logs' }) });
    expect(heldOf([opened(), cured(5, observed)]).cure).toBeUndefined();
    expect(folded([opened({ scope: { kind: 'group', id: 'g' } }), cured(5), closed(6)]).cured).toBeUndefined();
  });

  it('is forgotten when it did not hold, in the open incident and in those before it', () => {
    const relapsed: Step = [8, { type: 'attempt.relapsed', permit: permitTerms(), fingerprint: 'fp', because: '' }];
    expect(heldOf([opened(), cured(5), relapsed]).cure).toBeUndefined();
    const other = permitTerms({ id: 'per-2' });
    const again = [opened({ id: 'inc-2' }), cured(7, other, 'inc-2')];
    const state = folded([opened(), cured(5), closed(6), ...again, [relapsed[0], relapsed[1], 'inc-2']]);
    expect(state.cured).toEqual([]);
    expect(openById(state, 'inc-2')?.cure?.permit.id).toBe('per-2');
  });

  it('is forgotten ten minutes later, when another incident ends', () => {
    const next = (ms: number) => [opened({ id: 'inc-2' }), cured(ms, permitTerms(), 'inc-2'), closed(ms, 'inc-2')];
    const first = [opened(), cured(5), closed(6)];
    expect(folded([...first, ...next(5 + 10 * MINUTE_MS)]).cured).toHaveLength(2);
    expect(folded([...first, ...next(6 + 10 * MINUTE_MS)]).cured).toHaveLength(1);
  });
});
