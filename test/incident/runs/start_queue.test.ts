import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/core/classification.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Phase } from '../../../src/core/control.ts';
import type { Persona } from '../../../src/core/persona.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { CauseProof } from '../../../src/ground/correlate/proof.ts';
import { guardProjection } from '../../../src/guard/state/fold.ts';
import type { GuardState } from '../../../src/guard/state/state.ts';
import type { StartMark } from '../../../src/guard/state/window.ts';
import { incidentProjection, type OpenIncident } from '../../../src/incident/lifecycle/state.ts';
import type { Seen } from '../../../src/incident/lifecycle/seen.ts';
import { StartQueue } from '../../../src/incident/runs/start_queue.ts';
import { aPersona } from '../../support/a.ts';

const NOW = 1_000_000;
const channel = (id: string): Scope => ({ kind: 'channel', id });
const group = (id: string): Scope => ({ kind: 'group', id });

const seen = (viewers: number, classification: FailureClass = 'process_crashed', contained = false): Seen => ({
  because: 'it died',
  group: 'g',
  engine: 'e',
  channels: [],
  viewers,
  sight: {
    trouble: { classification, settling: false, settledMs: 0, sinceMs: NOW },
    healthy: false,
    healthySinceMs: undefined,
    quiet: false,
    covered: false,
    contained,
    approval: 'none',
  },
});

const HELD: GuardState['containments'] = {
  'group:g1|shared_cause': {
    scope: group('g1'),
    reason: 'shared_cause',
    detail: 'they died',
    releaseByPerson: false,
    raisedMs: NOW - 20_000,
  },
};

/** So many starts within the window, and these incidents open. */
function queueOf(
  count: number,
  open: readonly OpenIncident[] = [],
  with_: {
    readonly persona?: Partial<Persona>;
    readonly phase?: Phase;
    readonly pages?: readonly string[];
    readonly proof?: CauseProof;
    readonly held?: boolean;
    readonly containments?: GuardState['containments'];
  } = {},
) {
  const starts: StartMark[] = Array.from({ length: count }, (_, at) => ({
    engine: 'e',
    channel: `s${at}`,
    atMs: NOW - 30_000,
  }));
  const held = new StartQueue({
    guard: () => ({ ...guardProjection.initial, starts, containments: with_.containments ?? (with_.held ? HELD : {}) }),
    incidents: () => ({ ...incidentProjection.initial, open }),
    settings: () => ({ limits: DEFAULT_LIMITS }),
    personaOf: () => aPersona(with_.persona),
    phaseOf: () => with_.phase ?? 3,
    openPages: () => new Map((with_.pages ?? []).map((key) => [key, []])),
    proofOf: () => with_.proof,
    groupOf: (id) => (id.startsWith('b') ? 'g2' : 'g1'),
  });
  const may = (scope: Scope, what: Seen, nowMs = NOW): boolean => held.startDelayMs(scope, what, nowMs) === undefined;
  return { queue: held, held, may, starts };
}

const aStart = (at: number, with_: Partial<StartMark>): StartMark => ({
  ...{ engine: 'e', channel: `p${at}`, atMs: NOW - 30_000 },
  ...with_,
});

const staging = {
  running: true,
  incident: { scope: group('g9'), classification: 'process_crashed' },
} as unknown as OpenIncident;

describe('the start queue', () => {
  it('leaves the last place of the window free: the start that fills it contains everything', () => {
    const { may } = queueOf(7);
    expect(['a', 'b', 'c'].map((id) => may(channel(id), seen(10)))).toEqual([true, true, false]);
  });

  it('counts a start once, whether it is on its way or in the window', () => {
    const { may, starts } = queueOf(7);
    expect(may(channel('a'), seen(10))).toBe(true);
    starts.push({ engine: 'e', channel: 'a', atMs: NOW + 5 });
    expect([may(channel('b'), seen(10), NOW + 10), may(channel('c'), seen(10), NOW + 10)]).toEqual([true, false]);
  });

  it('counts a plan of a group once, too', () => {
    const { may, starts } = queueOf(7);
    expect(may(group('g1'), { ...seen(10), channels: ['c0', 'c1'] })).toBe(true);
    starts.push({ engine: 'e', channel: 'c1', atMs: NOW + 5 });
    expect([may(channel('b'), seen(10), NOW + 10), may(channel('c'), seen(10), NOW + 10)]).toEqual([true, false]);
  });

  it('admits those with the most viewers first, then those that wait longest', () => {
    const { may, starts } = queueOf(9);
    const asked = ['few', 'many', 'as_many'].map((id, at) => may(channel(id), seen(id === 'few' ? 3 : 90), NOW + at));
    expect(asked).toEqual([false, false, false]);
    starts.length = 8;
    expect(may(channel('few'), seen(3), NOW + 1_000)).toBe(false);
    expect(may(channel('as_many'), seen(90), NOW + 1_000)).toBe(false);
    expect(may(channel('many'), seen(90), NOW + 1_000)).toBe(true);
  });

  it('forgets a channel that does not ask any more', () => {
    const { may, held, starts } = queueOf(9);
    may(channel('many'), seen(90));
    may(channel('few'), seen(3));
    starts.length = 8;
    expect(held.crowd(NOW + 500)).toMatchObject({ count: 2, sinceMs: NOW });
    expect(may(channel('few'), seen(3), NOW + 4_000)).toBe(true);
    expect(held.crowd(NOW + 4_000)).toMatchObject({ count: 0, sinceMs: NOW + 4_000 });
  });

  it('does not hold back a run that starts nothing, or that containment stops anyway', () => {
    const { may } = queueOf(10);
    expect(may(channel('a'), seen(10, 'upstream_unavailable'))).toBe(true);
    expect(may(channel('a'), seen(10, 'process_crashed', true))).toBe(true);
    expect(may(channel('a'), seen(10))).toBe(false);
  });

  it('does not make a channel wait whose persona or phase would only ask or page a person', () => {
    const asks: Partial<Persona> = { tool_access_policy: { restart_channel: 'require_approval' } };
    const denies: Partial<Persona> = { tool_access_policy: { restart_channel: 'deny' } };
    expect(queueOf(10, [], { persona: asks }).may(channel('a'), seen(10))).toBe(true);
    expect(queueOf(10, [], { persona: denies }).may(channel('a'), seen(10))).toBe(true);
    expect(queueOf(10, [], { persona: { operational_mode: 'diagnostic' } }).may(channel('a'), seen(10))).toBe(true);
    expect(queueOf(10, [], { phase: 2 }).may(channel('a'), seen(10))).toBe(true);
    expect(queueOf(10, [], { phase: 3 }).may(channel('a'), seen(10))).toBe(false);
  });

  it('holds a run back again as soon as a person has approved it', () => {
    const asks: Partial<Persona> = { tool_access_policy: { restart_channel: 'require_approval' } };
    const { may } = queueOf(10, [], { persona: asks });
    const heard = seen(10);
    expect(may(channel('a'), { ...heard, sight: { ...heard.sight, approval: 'yes' } })).toBe(false);
  });

  it('admits a group beside a staged start under way, and leaves the last place of the window free for it, too', () => {
    const { may } = queueOf(8, [staging]);
    expect(may(group('g1'), seen(500))).toBe(true);
    const full = queueOf(9, [staging]);
    expect(full.may(group('g1'), seen(500))).toBe(false);
  });

  it('admits no more plans than a minute has staged starts left, those on their way counted', () => {
    const max = DEFAULT_LIMITS.stagedStartsPerMinuteMax;
    const { may, starts } = queueOf(0);
    const plan = { plan: 'per-0', permit: 'per-1', proven: true } as const;
    const staged = (count: number) =>
      starts.splice(0, starts.length, ...Array.from({ length: count }, (_, at) => aStart(at, plan)));
    staged(max - 2);
    expect(['g1', 'g2', 'g3'].map((id) => may(group(id), seen(10)))).toEqual([true, true, false]);
    expect(may(group('g4'), seen(10), NOW + 3_001)).toBe(true);
  });

  it('admits a staged start no sooner than the proof that what killed its channels is over', () => {
    const proof = { isProven: false, bySources: true, says: 'its sources answer', atMs: NOW + 300 };
    const { queue } = queueOf(0, [], { proof, held: true });
    const left = seen(5);
    const trouble = { ...left.sight.trouble!, leftMs: NOW - 1 };
    const down = { ...left, sight: { ...left.sight, trouble } };
    expect(queue.startDelayMs(group('g1'), down, NOW)).toBe(NOW + 300);
    expect(queue.startDelayMs(channel('a'), down, NOW)).toBeUndefined();
    const proven = queueOf(0, [], { proof: { ...proof, isProven: true }, held: true });
    expect(proven.queue.startDelayMs(group('g1'), down, NOW)).toBeUndefined();
  });

  it('needs no proof for a staged start once the containment has ended by time', () => {
    const looping = { isProven: false, bySources: false, says: 'no death for 10 s is waited for', atMs: NOW + 9_000 };
    const down = { ...seen(5), sight: { ...seen(5).sight, trouble: { ...seen(5).sight.trouble!, leftMs: NOW - 1 } } };
    expect(queueOf(0, [], { proof: looping, held: true }).may(group('g1'), down)).toBe(false);
    expect(queueOf(0, [], { proof: looping, held: false }).may(group('g1'), down)).toBe(true);
  });

  it('needs no proof for the plan of an engine while a channel of it is of no group that is contained', () => {
    const proof = { isProven: false, bySources: false, says: 'no death for 10 s is waited for', atMs: NOW + 9_000 };
    const { may } = queueOf(0, [], { proof, held: true });
    const left = seen(5);
    const down = (ids: readonly string[] | undefined, channels: readonly string[]) => {
      const trouble = { ...left.sight.trouble!, leftMs: NOW - 1, ...(ids === undefined ? {} : { down: ids }) };
      return { ...left, channels, sight: { ...left.sight, trouble } };
    };
    const engine: Scope = { kind: 'engine', id: 'e' };
    expect(may(engine, down(['b1'], ['a1', 'b1']))).toBe(true);
    expect(may(engine, down(['a1', 'b1'], ['a1', 'b1']))).toBe(true);
    expect(may(engine, down(['a1'], ['a1', 'b1']))).toBe(false);
    expect([may(engine, down(undefined, ['b1'])), may(engine, down(undefined, ['a1']))]).toEqual([true, false]);
  });

  it('admits none of a known crowd before all of it have asked', () => {
    const { may } = queueOf(0, [], { pages: ['starts/fleet'] });
    const ask = (nowMs: number) => ['few', 'many'].map((id) => may(channel(id), seen(id === 'few' ? 3 : 90), nowMs));
    expect(ask(NOW)).toEqual([false, false]);
    expect(ask(NOW + 1_000)).toEqual([true, true]);
    const full = queueOf(8, [], { pages: ['starts/fleet'] });
    expect(full.may(channel('few'), seen(3))).toBe(false);
    expect(full.may(channel('many'), seen(90))).toBe(false);
    expect(full.may(channel('few'), seen(3), NOW + 1_000)).toBe(false);
    expect(full.may(channel('many'), seen(90), NOW + 1_000)).toBe(true);
  });

  it('counts those that wait, and tells who they are', () => {
    const { may, held } = queueOf(9);
    expect(may(channel('a'), seen(3))).toBe(false);
    expect([held.isInCrowd(channel('a'), NOW), held.isInCrowd(channel('b'), NOW)]).toEqual([true, false]);
    expect(held.crowd(NOW).scopes).toEqual([channel('a')]);
  });

  it('counts a group that is held, and no channel of its own', () => {
    const incident = { scope: group('g1'), classification: 'process_crashed', channels: ['a', 'b'] };
    const open = [{ incident } as unknown as OpenIncident];
    const { held } = queueOf(0, open, { held: true });
    expect([held.isInCrowd(group('g1'), NOW), held.isInCrowd(channel('a'), NOW)]).toEqual([true, false]);
    expect(held.crowd(NOW)).toMatchObject({ count: 0, held: { groups: 1, channels: 2 }, scopes: [group('g1')] });
  });

  it('counts a group for 3 s after its containment: until then it has asked for a place, or never will', () => {
    const incident = { scope: group('g1'), classification: 'process_crashed', channels: ['a', 'b'] };
    const open = [{ incident, running: false } as unknown as OpenIncident];
    const world = { containments: HELD };
    const { held } = queueOf(0, open, world);
    expect(held.crowd(NOW)).toMatchObject({ held: { groups: 1 } });
    world.containments = {};
    expect([held.isInCrowd(group('g1'), NOW + 3_000), held.isInCrowd(group('g1'), NOW + 3_001)]).toEqual([true, false]);
    expect(held.crowd(NOW + 3_001)).toMatchObject({ held: { groups: 0 } });
  });

  it('counts a group that is being started while the page about all who wait is open', () => {
    const isCounted = (running: boolean, pages: readonly string[], classification = 'process_crashed') => {
      const incident = { scope: group('g1'), classification, channels: ['a', 'b'] };
      const { held } = queueOf(0, [{ incident, running } as unknown as OpenIncident], { pages });
      return held.isInCrowd(group('g1'), NOW);
    };
    expect([isCounted(true, ['starts/fleet']), isCounted(true, []), isCounted(false, ['starts/fleet'])]).toEqual([
      ...[true, false, false],
    ]);
    expect(isCounted(true, ['starts/fleet'], 'upstream_auth_expired')).toBe(false);
  });

  it('counts such a group for 3 s after its run: what is left of it asks for its next place then', () => {
    const incident = { scope: group('g1'), classification: 'process_crashed', channels: ['a', 'b'] };
    const open = [{ incident, running: true } as unknown as OpenIncident];
    const { held } = queueOf(0, open, { pages: ['starts/fleet'] });
    expect(held.crowd(NOW).held.groups).toBe(1);
    Object.assign(open[0]!, { running: false });
    expect([held.isInCrowd(group('g1'), NOW + 3_000), held.isInCrowd(group('g1'), NOW + 3_001)]).toEqual([true, false]);
  });

  it('tells how many of the groups are being started, which one that is contained is not yet', () => {
    const startingOf = (running: boolean, isHeld: boolean) => {
      const incident = { scope: group('g1'), classification: 'process_crashed', channels: ['a', 'b'] };
      const open = [{ incident, running } as unknown as OpenIncident];
      return queueOf(0, open, { held: isHeld, pages: ['starts/fleet'] }).held.crowd(NOW).held;
    };
    expect(startingOf(true, false)).toEqual({ groups: 1, starting: 1, channels: 2 });
    expect(startingOf(true, true)).toEqual({ groups: 1, starting: 0, channels: 2 });
    expect(startingOf(false, true)).toEqual({ groups: 1, starting: 0, channels: 2 });
  });
});
