import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/seen.ts';
import { nextRunMs, type TransitionPolicy, transitionFor } from '../../../src/incident/lifecycle/transitions.ts';
import type { OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import { anIncident, permitTerms } from '../../support/a.ts';

const policy: TransitionPolicy = { patienceMs: 0, resolveHoldMs: 5_000, relapseMs: 60_000 };
const NOW = 2_000_000;

const trouble = (with_: Partial<NonNullable<Snapshot['trouble']>> = {}): NonNullable<Snapshot['trouble']> => ({
  classification: 'process_crashed',
  settling: false,
  settledMs: 0,
  sinceMs: NOW,
  troubledMs: NOW,
  ...with_,
});

const sight = (with_: Partial<Snapshot> = {}): Snapshot => ({
  trouble: trouble(),
  healthy: false,
  healthySinceMs: undefined,
  quiet: false,
  covered: false,
  contained: false,
  approval: 'none',
  ...with_,
});

const playing = (sinceMs: number): Snapshot => sight({ trouble: undefined, healthy: true, healthySinceMs: sinceMs });

const held = (with_: Partial<OpenIncident> = {}): OpenIncident => ({
  incident: anIncident({ openedMs: NOW - 100_000 }),
  runs: 1,
  running: false,
  last: undefined,
  lastEndedMs: undefined,
  classifiedMs: NOW - 100_000,
  told: [],
  cure: undefined,
  restarts: 0,
  ...with_,
});

const watching = (with_: { retryAfterMs?: number; escalateAfterMs?: number }): Outcome => ({
  kind: 'watching',
  because: 'cooldown',
  retryAfterMs: with_.retryAfterMs,
  escalateAfterMs: with_.escalateAfterMs,
});
const escalated: Outcome = { kind: 'escalated', reason: 'not_helping', because: 'x', denial: undefined };

describe('after a plan that has helped', () => {
  /** In the fifth run of a group whose runs keep a distance of 20 s by then. */
  const againAt = (down: readonly string[], last: Outcome): number => {
    const group = held({ runs: 5, last, lastEndedMs: NOW, planned: ['a', 'b'], classifiedMs: NOW - 60_000 });
    const look = (ms: number) =>
      transitionFor(group, sight({ trouble: trouble({ down, sinceMs: NOW - 60_000 }) }), NOW + ms, policy).kind;
    return [4_999, 5_000, 19_999, 20_000].find((ms) => look(ms) === 'run') ?? Number.NaN;
  };
  const resolved: Outcome = { kind: 'resolved', score: 1, because: 'started 2: a, b' };

  it('asks about those whom it did not name within 5 s, and keeps its distance to those whom it did', () => {
    expect([againAt(['a', 'c'], resolved), againAt(['a'], resolved), againAt([], resolved)]).toEqual([
      5_000, 20_000, 20_000,
    ]);
  });
});

describe('after it took over a channel whose start had been refused', () => {
  /** In the eighth run of a group whose runs keep a distance of 160 s by then. */
  const againAt = (owesRun: boolean, contained = false): number => {
    const last: Outcome = { kind: 'resolved', score: 1, because: 'started 1: a' };
    const group = held({ runs: 8, last, lastEndedMs: NOW, planned: ['a'], classifiedMs: NOW - 60_000, owesRun });
    const seen = sight({ trouble: trouble({ down: ['a'], sinceMs: NOW - 60_000 }), contained });
    const look = (ms: number) => transitionFor(group, seen, NOW + ms, policy).kind;
    return [4_999, 5_000, 159_999, 160_000].find((ms) => look(ms) === 'run') ?? Number.NaN;
  };

  it('asks within 5 s, unless it is contained itself', () => {
    expect([againAt(true), againAt(false), againAt(true, true)]).toEqual([5_000, 160_000, 160_000]);
  });
});

describe('after a person has undone what its run was refused for', () => {
  it('asks within 5 s, however many runs there were, unless it is contained still', () => {
    const last: Outcome = { kind: 'escalated', reason: 'guard_refused', because: 'frozen', denial: 'frozen' };
    const againAt = (reopened: boolean, contained = false): number => {
      const group = held({ runs: 8, last, lastEndedMs: NOW, classifiedMs: NOW - 60_000, reopened });
      const seen = sight({ trouble: trouble({ down: ['a'], sinceMs: NOW - 60_000 }), contained });
      const look = (ms: number) => transitionFor(group, seen, NOW + ms, policy).kind;
      return [4_999, 5_000, 159_999, 160_000].find((ms) => look(ms) === 'run') ?? Number.NaN;
    };
    expect([againAt(true), againAt(false), againAt(true, true)]).toEqual([5_000, Number.NaN, 160_000]);
  });
});

describe('without an open incident', () => {
  it('opens one at once for a crash', () => {
    expect(transitionFor(undefined, sight(), NOW, policy)).toMatchObject({
      kind: 'open',
      classification: 'process_crashed',
    });
  });

  it('waits three seconds with upstream trouble, for it often comes to many channels', () => {
    const upstream = sight({ trouble: trouble({ classification: 'upstream_unavailable', sinceMs: NOW - 2_999 }) });
    expect(transitionFor(undefined, upstream, NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 1 });
    expect(transitionFor(undefined, upstream, NOW + 1, policy).kind).toBe('open');
  });

  it('waits ten seconds with an encoder that is too slow, for a busy moment is caught up with', () => {
    const slow = sight({ trouble: trouble({ classification: 'encode_too_slow', sinceMs: NOW - 9_999 }) });
    expect(transitionFor(undefined, slow, NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 1 });
    expect(transitionFor(undefined, slow, NOW + 1, policy).kind).toBe('open');
  });

  it('opens one after two minutes of trouble that never settles', () => {
    const never = trouble({ settling: true, settledMs: NOW + 999_999, troubledMs: NOW });
    expect(transitionFor(undefined, sight({ trouble: never }), NOW + 119_999, policy)).toMatchObject({
      againMs: NOW + 120_000,
    });
    expect(transitionFor(undefined, sight({ trouble: never }), NOW + 120_000, policy).kind).toBe('open');
  });

  it.each([0, 15_000])(
    'opens one for trouble that keeps changing its name when it is overdue (patience %i)',
    (patienceMs) => {
      const dueMs = NOW + patienceMs + 18_000;
      const patient = { ...policy, patienceMs };
      for (const settling of [true, false]) {
        const also = { settling, settledMs: dueMs + 9_000, sinceMs: dueMs - 1_000, troubledMs: NOW };
        const renamed = sight({ trouble: trouble({ classification: 'upstream_unavailable', ...also }) });
        expect(transitionFor(undefined, renamed, dueMs - 1, patient).kind).toBe('none');
        expect(transitionFor(undefined, renamed, dueMs, patient).kind).toBe('open');
      }
    },
  );

  it('looks again the moment the engine had its time, to the millisecond', () => {
    const settling = sight({ trouble: trouble({ settling: true, settledMs: NOW + 40 }) });
    expect(transitionFor(undefined, settling, NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 40 });
    const later = sight({ trouble: trouble({ settling: true, settledMs: NOW + 9_000 }) });
    expect(transitionFor(undefined, later, NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 250 });
  });

  it.each([
    ['while the engine may still deal with it itself', sight({ trouble: trouble({ settling: true }) })],
    ['while a shared cause covers the channel', sight({ covered: true })],
    ['where no output is expected', sight({ quiet: true })],
    ['for a channel that plays', playing(NOW)],
  ])('opens none %s', (_, seen) => {
    expect(transitionFor(undefined, seen, NOW, policy).kind).toBe('none');
  });
});

describe('with an open incident', () => {
  it('closes where no output is expected, and says whether a person was seen to stop it', () => {
    const ends = { kind: 'close', ending: 'by_person', because: 'no output is expected any more' };
    const rests = (stoppedByPerson?: boolean) => sight({ trouble: undefined, quiet: true, stoppedByPerson });
    expect(transitionFor(held(), rests(true), NOW, policy)).toEqual(ends);
    expect(transitionFor(held(), rests(false), NOW, policy)).toEqual({ ...ends, unseen: true });
    expect(transitionFor(held(), rests(), NOW, policy)).toEqual({ ...ends, unseen: true });
  });

  it('runs at once when nothing was tried yet', () => {
    expect(transitionFor(held({ runs: 0 }), sight(), NOW, policy).kind).toBe('run');
  });

  it('lets a cautious persona wait, to the millisecond', () => {
    const cautious = { ...policy, patienceMs: 15_000 };
    const seen = sight({ trouble: trouble({ sinceMs: NOW - 14_999 }) });
    expect(transitionFor(held({ runs: 0 }), seen, NOW, cautious)).toEqual({ kind: 'none', againMs: NOW + 1 });
    expect(transitionFor(held({ runs: 0 }), seen, NOW + 1, cautious).kind).toBe('run');
  });

  it('never starts a second run beside the first', () => {
    expect(transitionFor(held({ running: true }), sight(), NOW, policy).kind).toBe('none');
  });

  it('tries again when the cooldown is over, and not before', () => {
    const open = held({ last: watching({ retryAfterMs: 10_000 }), lastEndedMs: NOW });
    expect(transitionFor(open, sight(), NOW + 9_999, policy)).toEqual({ kind: 'none', againMs: NOW + 10_000 });
    expect(transitionFor(open, sight(), NOW + 10_000, policy).kind).toBe('run');
  });

  it('pages a person when the waiting has lasted its time, once', () => {
    const open = held({ last: watching({ escalateAfterMs: 60_000 }), lastEndedMs: NOW });
    expect(transitionFor(open, sight(), NOW + 59_999, policy).kind).toBe('none');
    expect(transitionFor(open, sight(), NOW + 60_000, policy).kind).toBe('tell');
    expect(transitionFor({ ...open, told: ['process_crashed'] }, sight(), NOW + 99_000, policy).kind).toBe('none');
  });

  it('asks again when the reason of its refusal is over, though a person was paged, and not before', () => {
    const refused: Outcome = {
      kind: 'escalated',
      reason: 'guard_refused',
      because: 'an engine incident is open',
      denial: 'shared_cause',
    };
    const open = held({ last: refused, lastEndedMs: NOW - 3_000, told: ['process_crashed'] });
    expect(transitionFor(open, sight({ refusalIsOver: false }), NOW, policy).kind).toBe('none');
    expect(transitionFor(open, sight({ refusalIsOver: true }), NOW, policy).kind).toBe('run');
    const justNow = { ...open, lastEndedMs: NOW };
    expect(transitionFor(justNow, sight({ refusalIsOver: true }), NOW, policy)).toEqual({
      kind: 'none',
      againMs: NOW + 2_000,
    });
  });

  it('leaves an escalated incident to the person for as long as the trouble is the same', () => {
    const open = held({ last: escalated, lastEndedMs: NOW - 50_000, told: ['process_crashed'] });
    expect(transitionFor(open, sight(), NOW + 3_600_000, policy)).toEqual({ kind: 'none', againMs: undefined });
  });

  it('takes it up again when the trouble became another one', () => {
    const paged = held({ last: escalated, lastEndedMs: NOW - 50_000, told: ['upstream_unavailable'] });
    const changed = { ...paged, renamed: true };
    expect(transitionFor(changed, sight(), NOW, policy).kind).toBe('run');
  });

  it('notices that the classification changed before anything else', () => {
    const seen = sight({ trouble: trouble({ classification: 'host_exhausted' }) });
    expect(transitionFor(held(), seen, NOW, policy)).toEqual({ kind: 'reclassify', to: 'host_exhausted' });
  });

  it('closes after the channel has been healthy for the whole hold, as resolved only with a verified cure', () => {
    const cured = held({ cure: { permit: permitTerms(), fingerprint: 'f', atMs: NOW } });
    expect(transitionFor(cured, playing(NOW), NOW + 4_999, policy)).toEqual({ kind: 'none', againMs: NOW + 5_000 });
    expect(transitionFor(cured, playing(NOW), NOW + 5_000, policy)).toMatchObject({
      kind: 'close',
      ending: 'resolved',
    });
    expect(transitionFor(held(), playing(NOW), NOW + 5_000, policy)).toMatchObject({
      kind: 'close',
      ending: 'self_healed',
    });
  });

  it('takes a failure soon after a verified cure as a cure that did not hold', () => {
    const cured = held({ cure: { permit: permitTerms(), fingerprint: 'f', atMs: NOW } });
    expect(transitionFor(cured, sight(), NOW + 60_000, policy).kind).toBe('relapse');
    expect(transitionFor(cured, sight(), NOW + 60_001, policy).kind).not.toBe('relapse');
  });

  it('gives its channel to the group when a shared cause appears', () => {
    const covered = sight({ covered: true, absorber: { id: 'inc-2', notified: false, lists: true } });
    expect(transitionFor(held(), sight({ covered: true }), NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 250 });
    expect(transitionFor(held(), covered, NOW, policy)).toMatchObject({ kind: 'close', ending: 'absorbed' });
  });

  it('ends that of a group whose channels are started one by one, but not in the middle of its run', () => {
    const handedOver = sight({ trouble: undefined, handedOver: true });
    expect(transitionFor(held(), handedOver, NOW, policy)).toMatchObject({ kind: 'close', ending: 'absorbed' });
    expect(transitionFor(held({ running: true }), handedOver, NOW, policy).kind).toBe('none');
    expect(transitionFor(undefined, handedOver, NOW, policy).kind).toBe('none');
  });

  it.each([
    [true, 4_999, 'none'],
    [true, 5_000, 'none'],
    [false, 4_999, 'none'],
    [false, 5_000, 'run'],
  ])('however often one was refused: contained %s, %i ms after the last run: %s', (contained, agoMs, kind) => {
    const last: Outcome = { kind: 'escalated', reason: 'containment', because: 'storm', denial: 'containment' };
    const open = held({ last, lastEndedMs: NOW - agoMs, runs: 12 });
    expect(transitionFor(open, sight({ contained }), NOW, policy).kind).toBe(kind);
  });

  it('waits out a containment and then tries again', () => {
    const contained: Outcome = { kind: 'escalated', reason: 'containment', because: 'storm', denial: 'containment' };
    const open = held({ last: contained, lastEndedMs: NOW - 60_000, told: [] });
    expect(transitionFor(open, sight({ contained: true }), NOW, policy).kind).toBe('none');
    expect(transitionFor(open, sight(), NOW, policy).kind).toBe('run');
  });

  it('runs again on a yes, waits while the question is open, and reports its expiry', () => {
    const open = held({ last: { kind: 'approval_needed', because: 'persona' }, lastEndedMs: NOW - 10_000 });
    expect(transitionFor(open, sight({ approval: 'pending' }), NOW, policy).kind).toBe('none');
    expect(transitionFor(open, sight({ approval: 'yes' }), NOW, policy).kind).toBe('run');
    expect(transitionFor(open, sight(), NOW, policy).kind).toBe('tell');
  });

  it('asks again when no answer came in time, and never after a no', () => {
    const open = held({ last: { kind: 'approval_needed', because: 'persona' }, lastEndedMs: NOW - 10_000 });
    expect(transitionFor(open, sight({ approval: 'expired' }), NOW, policy).kind).toBe('run');
    expect(transitionFor(open, sight({ approval: 'no' }), NOW, policy)).toEqual({ kind: 'none', againMs: undefined });
  });

  it('waits for the incident of the shared cause before it gives its channel to it', () => {
    expect(transitionFor(held(), sight({ covered: true }), NOW, policy).kind).toBe('none');
  });

  it('takes no other trouble, and none of another channel, for a cure that did not hold', () => {
    const cure = { permit: permitTerms(), fingerprint: 'f', atMs: NOW };
    const observer = sight({ trouble: trouble({ classification: 'telemetry_untrusted' }) });
    expect(transitionFor(held({ cure }), observer, NOW, policy).kind).toBe('reclassify');
    const group = anIncident({ scope: { kind: 'group', id: 'encoders' }, openedMs: NOW });
    expect(transitionFor(held({ cure, incident: group }), sight(), NOW, policy).kind).toBe('run');
  });

  it('closes what shows no trouble for two minutes although no probe shows whether it plays', () => {
    const unknown = sight({ trouble: undefined, healthy: undefined, clearSinceMs: NOW });
    expect(transitionFor(held(), unknown, NOW + 119_999, policy)).toEqual({ kind: 'none', againMs: NOW + 120_000 });
    expect(transitionFor(held(), unknown, NOW + 120_000, policy)).toMatchObject({
      kind: 'close',
      ending: 'self_healed',
    });
    const failing = sight({ trouble: undefined, healthy: false, clearSinceMs: NOW });
    expect(transitionFor(held(), failing, NOW + 120_000, policy).kind).toBe('none');
  });

  const silent = { incident: anIncident({ openedMs: NOW }), lastEndedMs: NOW };
  const contained: Outcome = { kind: 'escalated', reason: 'containment', because: 'x', denial: 'containment' };

  it.each([
    ['a spacing or a cooldown', held({ ...silent, last: watching({ retryAfterMs: 60_000 }) }), sight()],
    ['a containment that pages for no incident', held({ ...silent, last: contained }), sight({ contained: true })],
    ['a trouble that does not settle', held(silent), sight({ trouble: trouble({ settling: true }) })],
  ])(
    'pages a person about %s once the wait is longer than patience, unless a page or a person covers it (L6)',
    (_, open, seen) => {
      for (const patienceMs of [0, 15_000]) {
        const patient = { ...policy, patienceMs };
        expect(transitionFor(open, seen, NOW + patienceMs + 17_999, patient).kind).not.toBe('tell');
        expect(transitionFor(open, seen, NOW + patienceMs + 18_000, patient).kind).toBe('tell');
        const spokenFor = { ...seen, spokenFor: true };
        expect(transitionFor(open, spokenFor, NOW + patienceMs + 600_000, patient).kind).not.toBe('tell');
      }
    },
  );

  it('counts the wait from the end of a run that was at work, and from when the channel went down again', () => {
    const open = held({ ...silent, last: watching({ retryAfterMs: 60_000 }) });
    expect(transitionFor({ ...open, workedMs: NOW + 9_000 }, sight(), NOW + 26_999, policy).kind).not.toBe('tell');
    expect(transitionFor({ ...open, workedMs: NOW + 9_000 }, sight(), NOW + 27_000, policy).kind).toBe('tell');
    const again = sight({ trouble: trouble({ troubledMs: NOW + 5_000 }) });
    expect(transitionFor(open, again, NOW + 22_999, policy).kind).not.toBe('tell');
    expect(transitionFor(open, again, NOW + 23_000, policy).kind).toBe('tell');
  });

  it('pages a person after ten minutes about a trouble that comes and goes in one incident', () => {
    const open = held({ ...silent, last: watching({ retryAfterMs: 900_000 }) });
    const again = sight({ trouble: trouble({ troubledMs: NOW + 599_000 }) });
    expect(transitionFor(open, again, NOW + 599_999, policy).kind).not.toBe('tell');
    expect(transitionFor(open, again, NOW + 600_000, policy).kind).toBe('tell');
  });

  it('runs again when the reason of its refusal is undone, though a person was paged', () => {
    const paged = held({ last: escalated, lastEndedMs: NOW - 50_000, told: ['process_crashed'] });
    expect(transitionFor(paged, sight(), NOW, policy).kind).toBe('none');
    expect(transitionFor({ ...paged, reopened: true }, sight(), NOW, policy).kind).toBe('run');
    const left = sight({ trouble: trouble({ leftMs: NOW - 1 }) });
    expect(transitionFor(paged, left, NOW, policy).kind).toBe('run');
  });

  it('keeps a growing distance between the runs of one incident', () => {
    const at = (runs: number) => nextRunMs(held({ runs, lastEndedMs: NOW })) - NOW;
    expect([1, 2, 3, 4, 5, 20].map(at)).toEqual([2_000, 2_000, 5_000, 10_000, 20_000, 300_000]);
  });

  it('keeps no more than 5 s of it where a start only waited for a place: nothing was tried', () => {
    const asks = (agoMs: number, refusalIsOver: boolean) => {
      const last: Outcome = { ...escalated, reason: 'guard_refused', denial: 'restart_storm' };
      const often = held({ runs: 20, last, lastEndedMs: NOW - agoMs });
      return transitionFor(often, sight({ refusalIsOver }), NOW, policy).kind === 'run';
    };
    expect([asks(4_999, true), asks(5_000, true), asks(5_000, false)]).toEqual([false, true, false]);
  });

  it('keeps no more than 5 s of it where a start was refused for the sake of another incident that is over', () => {
    const last: Outcome = { ...escalated, reason: 'guard_refused', denial: 'shared_cause' };
    const asks = (agoMs: number, refusalIsOver: boolean) =>
      transitionFor(held({ runs: 20, last, lastEndedMs: NOW - agoMs }), sight({ refusalIsOver }), NOW, policy).kind;
    expect([asks(4_999, true), asks(5_000, true), asks(5_000, false)]).toEqual(['none', 'run', 'none']);
  });

  it('takes up what a cause left down that was over in the very millisecond in which the run that waited ended', () => {
    const waited = held({ last: watching({ escalateAfterMs: 60_000 }), lastEndedMs: NOW, told: ['process_crashed'] });
    const asks = (leftMs: number) =>
      transitionFor(waited, sight({ trouble: trouble({ leftMs, sinceMs: NOW - 60_000 }) }), NOW + 2_000, policy).kind;
    expect([asks(NOW - 1), asks(NOW), asks(NOW + 1)]).toEqual(['none', 'run', 'run']);
  });

  it('keeps no more of it than the spacing or cooldown that a start was refused for, and 5 s at least', () => {
    const asks = (agoMs: number, retryAfterMs: number) => {
      const often = held({ runs: 20, last: watching({ retryAfterMs }), lastEndedMs: NOW - agoMs });
      return transitionFor(often, sight(), NOW, policy).kind === 'run';
    };
    expect([asks(7_399, 7_400), asks(7_400, 7_400)]).toEqual([false, true]);
    expect([asks(4_999, 100), asks(5_000, 100)]).toEqual([false, true]);
  });

  it('does not page at once for a wait that was refused a place', () => {
    const waits: Outcome = { ...watching({ retryAfterMs: 900 }), denial: 'restart_storm' } as Outcome;
    const young = held({ last: waits, lastEndedMs: NOW - 500, incident: anIncident({ openedMs: NOW - 1_000 }) });
    expect(transitionFor(young, sight(), NOW, policy).kind).toBe('none');
    expect(transitionFor(young, sight(), NOW + 2_000, policy).kind).toBe('run');
  });
});

describe('who goes down after the page of the group was sent', () => {
  const patient = { ...policy, patienceMs: 30_000 };
  const at = (sinceMs: number, with_: Partial<Snapshot> = {}, told: OpenIncident['told'] = ['unknown']) =>
    transitionFor(
      held({ told, last: escalated, lastEndedMs: NOW, classifiedMs: NOW - 100_000 }),
      sight({ unlisted: { channels: ['news', 'sport', 'film'], sinceMs }, ...with_ }),
      NOW,
      patient,
    );

  it('is paged when the patience for them is over, and not a millisecond before', () => {
    expect(at(NOW - 48_000)).toEqual({ kind: 'tell', because: 'news and 2 more are down, too' });
    expect(at(NOW - 47_999).kind).toBe('none');
    const one = { unlisted: { channels: ['news'], sinceMs: NOW - 48_000 } };
    expect(at(0, one)).toEqual({ kind: 'tell', because: 'news is down, too' });
  });

  it('is paged while a run of the group is under way as well, whether or not the page was sent before', () => {
    const during = (sinceMs: number, with_: Partial<Snapshot> = {}, told: OpenIncident['told'] = []) =>
      transitionFor(
        held({ told, running: true }),
        sight({ unlisted: { channels: ['news'], sinceMs }, ...with_ }),
        NOW,
        patient,
      );
    // Who has a page already is put on its list; who has none may be put on that of a page about more.
    const because = 'news is down, too';
    expect(during(NOW - 48_000)).toEqual({ kind: 'tell', because, sharedBy: 'any' });
    expect(during(NOW - 48_000, {}, ['unknown'])).toEqual({ kind: 'tell', because });
    for (const told of [[], ['unknown']] as const) {
      expect(during(NOW - 47_999, {}, told)).toEqual({ kind: 'none', againMs: NOW + 1 });
    }
    expect(during(NOW - 90_000, { spokenFor: true }).kind).toBe('none');
  });

  it('is not paged once more where all of it is spoken for, or nobody is left out', () => {
    expect(at(NOW - 90_000, { spokenFor: true }).kind).toBe('none');
    expect(at(NOW - 90_000, { unlisted: undefined }).kind).toBe('none');
  });
});
