import { describe, expect, it } from 'vitest';
import type { Escalation } from '../../../src/core/incident.ts';
import type { Draft } from '../../../src/core/journal.ts';
import { keyOfScope, type Scope } from '../../../src/core/scope.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { containmentKey, type HeldContainment, newGuardState } from '../../../src/guard/state/state.ts';
import { newlyOpen, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import type { SharedBy } from '../../../src/incident/lifecycle/transitions.ts';
import type { MassOutage } from '../../../src/incident/pages/page.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/tracked_channel.ts';
import { SharedPages } from '../../../src/incident/pipeline/shared_pages.ts';
import { anIncident } from '../../support/a.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const GROUP: Scope = { kind: 'group', id: 'encoders' };
const FLEET: Scope = { kind: 'fleet' };
const ALL = ['news', 'film', 'sport'];
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'group:encoders': ALL,
  fleet: [...ALL, 'music', 'radio'],
};

const containing = (scope: Scope, reason: HeldContainment['reason'] = 'pool_pressure'): HeldContainment => ({
  ...{ scope, reason, detail: 'full', releaseByPerson: false, raisedMs: 0 },
});

interface World {
  readonly held?: readonly HeldContainment[];
  readonly open?: readonly string[];
  readonly waiting?: readonly Scope[];
  /** Channels with an incident of their own of which nobody was notified. */
  readonly untold?: readonly string[];
  readonly told?: readonly string[];
  readonly listed?: readonly string[];
}

const own = (id: string, told: readonly 'unknown'[]): OpenIncident => ({
  ...newlyOpen(anIncident({ id: `inc-${id}`, scope: { kind: 'channel', id } }), 0),
  told,
});

/** News, film and sport are in trouble, music is not; a raised page is one draft. */
function sharedPages({ held = [], open = [], waiting = [], untold = ALL, told = [], listed = [] }: World) {
  const raised: Omit<Escalation, 'id' | 'at'>[] = [];
  const draft: Draft = { fact: { type: 'control.thawed', who: 'ann', because: 'stands for a page' } };
  const whole = {
    ...newlyOpen(anIncident({ scope: GROUP, channels: ['film', 'music'] }), 0),
    told: ['unknown'] as const,
  };
  const crowd: MassOutage = { count: 1, sinceMs: 0, held: { groups: 0, starting: 0, channels: 0 }, scopes: waiting };
  const pages = new SharedPages({
    guardState: () => ({
      ...newGuardState(),
      containments: Object.fromEntries(held.map((one) => [containmentKey(one.scope, one.reason), one])),
    }),
    incidents: () => ({ open: [whole, ...untold.map((id) => own(id, [])), ...told.map((id) => own(id, ['unknown']))] }),
    watch: {
      causes: [] as readonly SharedCause[],
      troubled: [...ALL, 'radio'],
      watched: (id) => ({ finding: { trouble: id !== 'music' } }) as TrackedChannel,
    },
    channelIndex: {
      channelsIn: (scope) => (scope.kind === 'channel' ? [scope.id] : (MEMBERS[keyOfScope(scope)] ?? [])),
    },
    startQueue: {
      crowd: () => crowd,
      isInCrowd: (scope) => waiting.some((one) => keyOfScope(one) === keyOfScope(scope)),
    },
    openPages: () => new Map(open.map((key) => [key, listed])),
    raise: (page) => {
      raised.push(page);
      return [draft];
    },
  });
  const widened = (over: readonly Scope[], sharedBy: SharedBy = 'any') => {
    const drafts = pages.widen(over, sharedBy, 1);
    return { drafts: drafts.length, pages: raised.map(({ key, channels }) => [key, channels]) };
  };
  return { pages, crowd, widened };
}

describe('the list of a page that speaks for many', () => {
  it('is all of a contained scope that are in trouble, and none of another', () => {
    const { pages } = sharedPages({});
    expect(pages.ofContainment(containing(GROUP)).channels).toEqual(ALL);
    expect(pages.ofContainment(containing(FLEET)).channels).toEqual([...ALL, 'radio']);
  });

  it('is all that wait for a start, each once, and of a group all that are in trouble', () => {
    const { pages, crowd } = sharedPages({ waiting: [NEWS, GROUP, { kind: 'channel', id: 'film' }] });
    expect(pages.ofMassOutage(crowd).channels).toEqual(['news', 'film']);
  });
});

describe('an incident that is to be paged', () => {
  const over = [NEWS, GROUP, FLEET];

  it('is put on the list of the narrowest containment over it whose page is open', () => {
    const held = [containing(FLEET), containing(GROUP)];
    const open = ['containment/fleet', 'containment/group:encoders'];
    const asGroup = { drafts: 1, pages: [['containment/group:encoders', ALL]] };
    expect(sharedPages({ held, open }).widened(over)).toEqual(asGroup);
    const asFleet = { drafts: 1, pages: [['containment/fleet', [...ALL, 'radio']]] };
    expect(sharedPages({ held, open: ['containment/fleet'] }).widened(over)).toEqual(asFleet);
  });

  it('is put on the list of all who wait where that is open and it waits', () => {
    const held = [containing(FLEET)];
    const open = ['containment/fleet', 'starts/fleet'];
    const waiting = ALL.map((id) => ({ kind: 'channel', id }) as const);
    expect(sharedPages({ held, open, waiting }).widened(over).pages).toEqual([['starts/fleet', ALL]]);
    expect(sharedPages({ held, open }).widened(over).pages).toEqual([['containment/fleet', [...ALL, 'radio']]]);
  });

  it('is put on no list of a containment where only the page about all who wait may speak for it', () => {
    const held = [containing(FLEET)];
    expect(sharedPages({ held, open: ['containment/fleet'] }).widened(over, 'mass_outage').pages).toEqual([]);
    const waiting = ALL.map((id) => ({ kind: 'channel', id }) as const);
    const open = ['containment/fleet', 'starts/fleet'];
    expect(sharedPages({ held, open, waiting }).widened(over, 'mass_outage').pages).toEqual([['starts/fleet', ALL]]);
  });

  it('gets a page of its own where fewer than three that nobody was notified of are not on the list', () => {
    const fleet = { held: [containing(FLEET)], open: ['containment/fleet'] };
    const none = { drafts: 0, pages: [] };
    expect(sharedPages({ ...fleet, untold: ['news', 'film'] }).widened(over)).toEqual(none);
    expect(sharedPages({ ...fleet, untold: ['news', 'film'], told: ['sport'] }).widened(over)).toEqual(none);
    expect(sharedPages({ ...fleet, listed: ['film'] }).widened(over)).toEqual(none);
    expect(sharedPages({ ...fleet, untold: [...ALL, 'radio'], listed: ['film'] }).widened(over).drafts).toBe(1);
    const waiting = ['news', 'film'].map((id) => ({ kind: 'channel', id }) as const);
    expect(sharedPages({ open: ['starts/fleet'], waiting }).widened(over)).toEqual(none);
  });

  it('counts for the page of a containment only what lies within it', () => {
    const group = { held: [containing(GROUP)], open: ['containment/group:encoders'] };
    expect(sharedPages({ ...group, untold: ['news', 'film', 'radio'] }).widened(over)).toEqual({
      drafts: 0,
      pages: [],
    });
    expect(sharedPages(group).widened(over).drafts).toBe(1);
  });

  it.each([
    ['no page is open', { held: [containing(FLEET)] }],
    ['the page that is open is of another scope', { held: [containing(FLEET)], open: ['containment/engine:local'] }],
    [
      'only the containment of the channel itself has one',
      { held: [containing(NEWS)], open: ['containment/channel:news'] },
    ],
    ['a person made the freeze', { held: [containing(FLEET, 'operator_freeze')], open: ['containment/fleet'] }],
    ['a shared cause contains it', { held: [containing(GROUP, 'shared_cause')], open: ['containment/group:encoders'] }],
    ['nothing is contained any more', { open: ['containment/fleet'] }],
  ])('is put on no list where %s', (_, world) => {
    expect(sharedPages(world).widened(over)).toEqual({ drafts: 0, pages: [] });
  });
});
