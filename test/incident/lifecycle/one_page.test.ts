import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/incident.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/seen.ts';
import { type TransitionPolicy, transitionFor } from '../../../src/incident/lifecycle/transitions.ts';
import type { OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import { anIncident } from '../../support/a.ts';

const policy: TransitionPolicy = { patienceMs: 0, resolveHoldMs: 5_000, relapseMs: 60_000 };
const NOW = 2_000_000;

const sight = (with_: Partial<Snapshot>): Snapshot => ({
  trouble: { classification: 'process_crashed', settling: false, settledMs: 0, sinceMs: NOW, troubledMs: NOW },
  ...{ healthy: false, healthySinceMs: undefined, quiet: false, covered: false, contained: false, approval: 'none' },
  ...with_,
});

const held = (with_: Partial<OpenIncident>): OpenIncident => ({
  incident: anIncident({ openedMs: NOW }),
  ...{ runs: 1, running: false, last: undefined, lastEndedMs: undefined, classifiedMs: NOW },
  ...{ told: [], cure: undefined, restarts: 0 },
  ...with_,
});

describe('an incident whose channel a shared cause covers', () => {
  const covered = (notified: boolean, lists = true) =>
    sight({ covered: true, absorber: { id: 'inc-2', notified, lists } });
  const paged = held({ told: ['process_crashed'] });

  it('keeps its own page until a person is notified of the incident of the group', () => {
    expect(transitionFor(paged, covered(false), NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 5_000 });
    expect(transitionFor(paged, covered(true), NOW, policy)).toMatchObject({ kind: 'close', ending: 'absorbed' });
  });

  it('keeps its own page where the incident of the group was opened without it', () => {
    expect(transitionFor(paged, covered(true, false), NOW, policy)).toEqual({ kind: 'none', againMs: NOW + 5_000 });
    expect(transitionFor(held({}), covered(true, false), NOW, policy)).toMatchObject({ ending: 'absorbed' });
  });

  it('goes to the incident of the group at once where no person was notified of it', () => {
    expect(transitionFor(held({}), covered(false), NOW, policy)).toMatchObject({ kind: 'close', ending: 'absorbed' });
  });
});

describe('an incident that is named by the page about all channels that wait for a start', () => {
  const waited = held({
    last: { kind: 'watching', because: 'x', retryAfterMs: undefined, escalateAfterMs: 60_000 },
    lastEndedMs: NOW,
  });

  it('has no page of its own when its announced wait ends', () => {
    const named = sight({ inCrowd: true, spokenFor: true });
    expect(transitionFor(waited, named, NOW + 60_000, policy)).toEqual({ kind: 'none', againMs: NOW + 61_000 });
  });

  it('is paged as soon as that page has ended and it is still down', () => {
    expect(transitionFor(waited, sight({ inCrowd: false }), NOW + 60_000, policy)).toMatchObject({ kind: 'tell' });
    expect(transitionFor(waited, sight({ inCrowd: false }), NOW + 59_999, policy).kind).toBe('none');
  });

  it('may be put on the list of that page when its announced wait ends, but of no containment, and for no question', () => {
    const isDue = { kind: 'tell', because: 'x', sharedBy: 'mass_outage' };
    expect(transitionFor(waited, sight({}), NOW + 60_000, policy)).toEqual(isDue);
    const asked = held({ last: { kind: 'approval_needed', because: 'x' } as Outcome, lastEndedMs: NOW });
    expect(transitionFor(asked, sight({ approval: 'none' }), NOW, policy)).toEqual({ kind: 'tell', because: 'x' });
  });
});

describe('an incident that may be asked about again, because what held it up has passed', () => {
  const reopened = (told: OpenIncident['told'] = []) =>
    held({
      ...{ reopened: true, told, lastEndedMs: NOW },
      last: { kind: 'watching', because: 'x', retryAfterMs: undefined, escalateAfterMs: 60_000 },
    });

  it('is asked about as long as its announced wait is not over', () => {
    expect(transitionFor(reopened(), sight({}), NOW + 59_999, policy)).toEqual({ kind: 'run' });
  });

  it('is paged first where that is over and no person was notified', () => {
    expect(transitionFor(reopened(), sight({}), NOW + 60_000, policy)).toMatchObject({ kind: 'tell' });
    expect(transitionFor(reopened(['process_crashed']), sight({}), NOW + 60_000, policy)).toEqual({ kind: 'run' });
  });

  it('is asked about while the page about all that wait for a start names it: it must ask to get a place', () => {
    const named = sight({ inCrowd: true, spokenFor: true });
    expect(transitionFor(reopened(), named, NOW + 60_000, policy)).toEqual({ kind: 'run' });
  });
});

describe('an incident that has just been opened for what was down for long', () => {
  const longDown = (listed: boolean) =>
    sight({ listed, trouble: { classification: 'unknown', settling: true, settledMs: 0, sinceMs: 0, troubledMs: 0 } });
  const fresh = held({ incident: anIncident({ openedMs: NOW, classification: 'unknown' }) });

  it('is paged at once where no open page of its group lists it', () => {
    expect(transitionFor(fresh, longDown(false), NOW, policy)).toMatchObject({ kind: 'tell' });
  });

  it('is paged after 5 s where the open page of its group lists it: both sides of the boundary', () => {
    expect(transitionFor(fresh, longDown(true), NOW + 4_999, policy).kind).toBe('none');
    expect(transitionFor(fresh, longDown(true), NOW + 5_000, policy)).toMatchObject({ kind: 'tell' });
  });
});
