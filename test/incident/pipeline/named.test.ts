import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { containmentKey, type GuardState, newGuardState } from '../../../src/guard/state/state.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { incidentProjection, newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/tracked_channel.ts';
import {
  absorberOf,
  isInMassOutage,
  isListed,
  isNamed,
  troubledIn,
  unlistedOf,
} from '../../../src/incident/pipeline/named.ts';
import { anIncident } from '../../support/a.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const FLEET: Scope = { kind: 'fleet' };
const control = () => controlProjection.initial;
const incidents = () => incidentProjection.initial;

const containedFor = (reason: 'clock_anomaly' | 'operator_freeze') => (): GuardState => ({
  ...newGuardState(),
  containments: {
    [containmentKey(FLEET, reason)]: { scope: FLEET, reason, detail: '', releaseByPerson: false, raisedMs: 0 },
  },
});

describe('a person knows of a channel', () => {
  it('by a lease until it ends, and of no other', () => {
    const lease = { scope: NEWS, fromMs: 0, untilMs: 10, who: 'ann', because: 'a test' };
    const known = {
      control: () => ({ ...control(), leases: [lease] }),
      guard: newGuardState,
      incidents,
      openPages: () => new Map(),
    };
    const named = (scope: Scope, nowMs: number) => isNamed(known, { scopes: [scope], down: ['news'], nowMs });
    expect([named(NEWS, 9), named(NEWS, 10), named(FLEET, 9)]).toEqual([true, false, false]);
  });

  it('by the page of a containment over it that lists it once that is sent, and not before', () => {
    const named = (pages: Readonly<Record<string, readonly string[]>>, down: readonly string[] = ['news']) => {
      const known = { control, guard: containedFor('clock_anomaly'), incidents };
      const openPages = () => new Map(Object.entries(pages));
      return isNamed({ ...known, openPages }, { scopes: [NEWS, FLEET], down, nowMs: 1 });
    };
    expect(named({})).toBe(false);
    expect(named({ 'containment/channel:news': [] })).toBe(false);
    expect(named({ 'containment/fleet': ['film'] })).toBe(false);
    expect(named({ 'containment/fleet': ['film', 'news'] })).toBe(true);
    expect(named({ 'containment/fleet': ['film'] }, ['film', 'news'])).toBe(false);
    expect(named({ 'containment/fleet': [] }, [])).toBe(true);
  });

  it('by the page of its own containment, which needs no list', () => {
    const own = { scope: NEWS, reason: 'breaker_open', detail: '', releaseByPerson: false, raisedMs: 0 } as const;
    const guard = () => ({ ...newGuardState(), containments: { [containmentKey(NEWS, 'breaker_open')]: own } });
    const openPages = () => new Map([['containment/channel:news', []]]);
    const about = { scopes: [NEWS, FLEET], down: ['news'], nowMs: 1 };
    expect(isNamed({ control, guard, incidents, openPages }, about)).toBe(true);
    expect(isNamed({ control, guard, incidents, openPages: () => new Map() }, about)).toBe(false);
  });

  it('by the page about all who wait for a start, where it lists all that are to be named', () => {
    const openPages = () => new Map([['starts/fleet', ['film', 'news']]]);
    const listed = (...down: string[]) => isInMassOutage({ openPages }, down);
    expect([listed('news'), listed('news', 'film'), listed('news', 'sport')]).toEqual([true, true, false]);
    expect(isInMassOutage({ openPages: () => new Map() }, [])).toBe(false);
  });

  it('not by a containment that pages no person, whatever page is open', () => {
    const known = {
      control,
      guard: containedFor('operator_freeze'),
      incidents,
      openPages: () => new Map([['containment/fleet', ['news']]]),
    };
    expect(isNamed(known, { scopes: [NEWS, FLEET], down: ['news'], nowMs: 1 })).toBe(false);
  });

  it('by the page of the group that lists it, while that is open, and by no page that does not', () => {
    const group: Scope = { kind: 'group', id: 'encoders' };
    const opened = (channels: readonly string[]) => () => ({
      ...incidents(),
      open: [newlyOpen(anIncident({ scope: group, channels }), 0)],
    });
    const named = (channels: readonly string[], pages: readonly string[], scopes: readonly Scope[] = [NEWS, group]) =>
      isListed(
        {
          ...{ control, guard: newGuardState, incidents: opened(channels) },
          openPages: () => new Map(pages.map((key) => [key, []])),
        },
        scopes,
        0,
      );
    expect(named(['film', 'news'], ['incident/inc-1'])).toBe(true);
    expect(named(['film', 'news'], ['incident/inc-2'])).toBe(false);
    expect(named(['film'], ['incident/inc-1'])).toBe(false);
    expect(named(['film', 'news'], ['incident/inc-1'], [NEWS, FLEET])).toBe(false);
    // Of the group itself its own page speaks by another way.
    expect(named(['film', 'news'], ['incident/inc-1'], [group, FLEET])).toBe(false);
  });
});

describe('a channel that its group’s incident names, of which nobody was notified', () => {
  const group: Scope = { kind: 'group', id: 'encoders' };
  const because = 'the source is not available';
  const waiting = (escalateAfterMs: number | undefined): OpenIncident => ({
    ...newlyOpen(anIncident({ scope: group, channels: ['news'] }), 0),
    ...{ lastEndedMs: 10_000, last: { kind: 'watching', because, retryAfterMs: undefined, escalateAfterMs } },
  });
  const isNamedAt = (nowMs: number, open: OpenIncident, scope: Scope = NEWS) =>
    isListed(
      {
        ...{ control, guard: newGuardState, openPages: () => new Map() },
        incidents: () => ({ ...incidents(), open: [open] }),
      },
      [scope, group],
      nowMs,
    );

  it('is listed until the wait is over that the rule of the group has announced', () => {
    expect([69_999, 70_000].map((nowMs) => isNamedAt(nowMs, waiting(60_000)))).toEqual([true, false]);
    expect(isNamedAt(20_000, waiting(undefined))).toBe(false);
    expect(isNamedAt(20_000, waiting(60_000), { kind: 'channel', id: 'film' })).toBe(false);
  });
});

describe('who is down for a shared cause and named by nothing', () => {
  const group: Scope = { kind: 'group', id: 'encoders' };
  const down = (id: string, troubledMs: number, trouble = true) =>
    ({ ref: { id }, finding: { trouble }, troubledMs }) as unknown as TrackedChannel;
  const all = [down('film', 30), down('news', 20), down('sport', 10), down('music', 5, false)];
  const watch = {
    causes: [
      { scope: group, phase: 'active', channels: ['film', 'news', 'sport', 'music'] },
    ] as unknown as SharedCause[],
    watched: (id: string | undefined) => all.find(({ ref }) => ref.id === id),
  };
  const unlisted = (open: readonly OpenIncident[], scope = group) => unlistedOf({ open }, watch, scope);
  const ofGroup = (channels: readonly string[]) => newlyOpen(anIncident({ scope: group, channels }), 0);
  const own = (told: readonly 'unknown'[]) => ({ ...newlyOpen(anIncident({ id: 'inc-2', scope: NEWS }), 0), told });

  it('is each that the page of its group does not list, since the first of them went down', () => {
    expect(unlisted([ofGroup(['film'])])).toEqual({ channels: ['news', 'sport'], sinceMs: 10 });
    expect(unlisted([ofGroup(['film', 'sport'])])).toEqual({ channels: ['news'], sinceMs: 20 });
    expect(unlisted([ofGroup(['film', 'news', 'sport'])])).toBeUndefined();
  });

  it('is none that has a page of its own, and each whose own incident was not paged', () => {
    expect(unlisted([ofGroup(['film', 'sport']), own(['unknown'])])).toBeUndefined();
    expect(unlisted([ofGroup(['film', 'sport']), own([])])).toMatchObject({ channels: ['news'] });
  });

  it('is none of another scope', () => {
    expect(unlisted([], { kind: 'group', id: 'other' })).toBeUndefined();
  });
});

describe('whom a page must list to speak for a scope', () => {
  const group: Scope = { kind: 'group', id: 'encoders' };
  const troubled = (id: string, trouble: boolean) =>
    ({ ref: { id }, finding: { trouble } }) as unknown as TrackedChannel;
  const all = [troubled('film', true), troubled('news', false), troubled('sport', true), troubled('music', true)];
  const watch = {
    causes: [{ scope: group, phase: 'active', channels: ['sport'] }] as unknown as SharedCause[],
    watched: (id: string | undefined) => all.find(({ ref }) => ref.id === id),
  };

  it('is a channel itself, and of a group each in trouble that its incident is about or its cause has reached', () => {
    const open = [newlyOpen(anIncident({ scope: group, channels: ['film', 'news'] }), 0)];
    expect(troubledIn({ open }, watch, NEWS)).toEqual(['news']);
    expect(troubledIn({ open }, watch, group)).toEqual(['film', 'sport']);
    expect(troubledIn({ open: [] }, watch, group)).toEqual(['sport']);
  });
});

describe('the incident that covers a channel', () => {
  const group: Scope = { kind: 'group', id: 'encoders' };

  it('lists those that it is about, and none that its cause has reached since', () => {
    const open = [newlyOpen(anIncident({ id: 'inc-all', scope: group, channels: ['news'] }), 0)];
    const known = { incidents: () => ({ ...incidents(), open }) };
    expect(absorberOf(known, group, 'news')).toEqual({ id: 'inc-all', notified: false, lists: true });
    expect(absorberOf(known, group, 'sport')).toMatchObject({ lists: false });
  });

  it('is none where none is open', () => {
    expect(absorberOf({ incidents }, group, 'news')).toBeUndefined();
  });
});
