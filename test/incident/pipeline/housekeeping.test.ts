import { describe, expect, it } from 'vitest';
import { askApproval } from '../../../src/control/approvals.ts';
import { controlProjection, type ControlState } from '../../../src/control/state.ts';
import type { Escalation } from '../../../src/core/incident.ts';
import type { Draft, JournalFact } from '../../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Persona } from '../../../src/core/persona.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { containmentKey, type GuardState, newGuardState } from '../../../src/guard/state/state.ts';
import { newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import type { MassOutage } from '../../../src/incident/pages/page.ts';
import { Housekeeping, type HousekeepingDeps } from '../../../src/incident/pipeline/housekeeping.ts';
import { aCall, anIncident, aPersona } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const FLEET: Scope = { kind: 'fleet' };
const NO_CROWD: MassOutage = { count: 0, sinceMs: 0, held: { groups: 0, starting: 0, channels: 0 }, scopes: [] };

interface World {
  readonly guardState?: GuardState;
  readonly control?: ControlState;
  readonly open?: readonly ReturnType<typeof newlyOpen>[];
  readonly openPages?: readonly string[];
  readonly persona?: Partial<Persona>;
  readonly crowd?: MassOutage;
  readonly pool?: object;
  readonly healthySinceMs?: number;
  readonly clearSinceMs?: number;
  /** Whether all of it is in no trouble, and what is known of its health. */
  readonly well?: boolean | undefined;
  /** Whether it is as somebody wants it; default: where it is in no trouble. */
  readonly quiet?: boolean;
  readonly engineTrouble?: object;
  readonly writes?: boolean;
}

/** Housekeeping of one channel on one engine, with what it raised, resolved and wrote. */
function keeping(world: World = {}) {
  const { clock, advance } = fakeClock();
  const raised: Omit<Escalation, 'id' | 'at'>[] = [];
  const resolved: string[] = [];
  const facts: JournalFact[] = [];
  const failures: string[] = [];
  const closer: string[] = [];
  const handed: string[] = [];
  const deps = {
    clock,
    append: (drafts: readonly Draft[]) => {
      facts.push(...drafts.map(({ fact }) => fact));
      return [];
    },
    settings: () => ({ limits: DEFAULT_LIMITS, initialPhase: () => 4 }),
    factStore: { engineFacts: () => ({ last: world.pool }), engineSetup: () => ({ pollMs: 1_000 }) },
    watch: {
      causes: [],
      troubled: ['news'],
      sharedGroups: () => [],
      watched: () => ({
        finding:
          'well' in world ? { trouble: false, quiet: world.quiet ?? true, healthy: world.well } : { trouble: true },
        healthySinceMs: world.healthySinceMs,
        clearSinceMs: world.clearSinceMs,
      }),
      engine: () => world.engineTrouble,
      causeOf: () => ({ phase: 'over', channels: ['news'], down: ['news'] }),
      proofOfCause: () => ({ isProven: true, bySources: true }),
      handOver: (ids: readonly string[]) => handed.push(...ids),
    },
    guard: { contain: () => world.writes ?? true, journalError: 'no space' },
    guardState: () => world.guardState ?? newGuardState(),
    control: () => world.control ?? controlProjection.initial,
    incidents: () => ({ open: world.open ?? [] }),
    channelIndex: {
      ids: ['news'],
      channelOf: () => ({ id: 'news', group: 'encoders', engine: 'local' }),
      channelsIn: () => ['news'],
      personasIn: () => [aPersona(world.persona)],
    },
    startQueue: { crowd: () => world.crowd ?? NO_CROWD },
    lookCloser: (ids: readonly string[]) => closer.push(...ids),
    engines: ['local'],
    raise: (page: Omit<Escalation, 'id' | 'at'>) => {
      raised.push(page);
      return [];
    },
    resolve: (key: string) => {
      resolved.push(key);
      return [];
    },
    openPages: () => new Map((world.openPages ?? []).map((key) => [key, ['news']])),
    wasPaged: () => false,
    onFailure: (text: string) => failures.push(text),
    healthyHoldMs: 5_000,
  };
  const housekeeping = new Housekeeping(deps as unknown as HousekeepingDeps);
  const keys = () => raised.map(({ key }) => key);
  return { housekeeping, clock, advance, raised, keys, resolved, facts, failures, closer, handed };
}

const containedOn = (scope: Scope, with_: { raisedMs?: number; releaseByPerson?: boolean } = {}): GuardState => ({
  ...newGuardState(),
  containments: {
    [containmentKey(scope, 'pool_pressure')]: {
      ...{ scope, reason: 'pool_pressure', detail: 'full', releaseByPerson: false, raisedMs: 0 },
      ...with_,
    },
  },
});

describe('containment', () => {
  it('that cannot be written is reported as a failure', () => {
    const { housekeeping, failures } = keeping({ writes: false });
    housekeeping.contain();
    expect(failures).toEqual(['journal: containment could not be written: no space']);
    const well = keeping();
    well.housekeeping.contain();
    expect(well.failures).toEqual([]);
  });

  it('has to be released by a person where the strictest persona there takes little risk', () => {
    expect(keeping({ persona: { risk_tolerance: 'low' } }).housekeeping.releaseByPerson(FLEET)).toBe(true);
    expect(keeping().housekeeping.releaseByPerson(FLEET)).toBe(false);
  });
});

describe('the pool of an engine', () => {
  const poolAt = (ageMs: number, ok = true) => {
    const pool = { ok, monoMs: 1_000_000 - ageMs, poolPressure: 0.5, reportsPool: true };
    return keeping({ pool }).housekeeping.pool('local');
  };

  it('is known for ten seconds after it was read', () => {
    expect(poolAt(10_000)).toEqual({ poolPressure: 0.5, reportsPool: true });
    expect(poolAt(10_001)).toEqual({ poolPressure: undefined, reportsPool: true });
  });

  it('is not known of an engine that does not answer, or was never asked', () => {
    expect(poolAt(0, false).poolPressure).toBeUndefined();
    expect(keeping().housekeeping.pool('local')).toEqual({ poolPressure: undefined, reportsPool: false });
  });
});

describe('the page of a containment', () => {
  const raisedOn = (scope: Scope, releaseByPerson = false): Draft => ({
    fact: { type: 'containment.raised', scope, reason: 'pool_pressure', detail: 'full', releaseByPerson },
  });

  it('is raised at once, but for a channel whose own trouble is paged', () => {
    const { housekeeping, keys } = keeping();
    housekeeping.pageOf(raisedOn(NEWS));
    expect(keys()).toEqual([]);
    housekeeping.pageOf(raisedOn(NEWS, true));
    housekeeping.pageOf(raisedOn(FLEET));
    expect(keys()).toEqual(['containment/channel:news', 'containment/fleet']);
  });

  it('lists who is in trouble under it, whether it is raised at once or was put off', () => {
    const [soon, late] = [keeping(), keeping({ guardState: containedOn(FLEET) })];
    soon.housekeeping.pageOf(raisedOn(FLEET));
    late.housekeeping.keepUp(DEFAULT_LIMITS.containmentCooldownMs);
    expect([soon.raised, late.raised].map((raised) => raised.map(({ channels }) => channels))).toEqual([
      [['news']],
      [['news']],
    ]);
  });

  it('waits where every persona there asks for a page only if it lasts', () => {
    const escalation_policy = { on_containment: 'after_cooldown' } as const;
    const { housekeeping, keys } = keeping({ persona: { escalation_policy } });
    housekeeping.pageOf(raisedOn(FLEET));
    expect(keys()).toEqual([]);
  });

  it('that was put off is raised once the containment has lasted, to the millisecond', () => {
    const world = { guardState: containedOn(FLEET), openPages: [] };
    const { housekeeping, keys } = keeping(world);
    housekeeping.keepUp(DEFAULT_LIMITS.containmentCooldownMs - 1);
    expect(keys()).toEqual([]);
    housekeeping.keepUp(DEFAULT_LIMITS.containmentCooldownMs);
    expect(keys()).toEqual(['containment/fleet']);
  });

  it('of one channel is raised when the page of its trouble has not come within 15 s', () => {
    const { housekeeping, keys } = keeping({ guardState: containedOn(NEWS) });
    housekeeping.keepUp(14_999);
    expect(keys()).toEqual([]);
    housekeeping.keepUp(15_000);
    expect(keys()).toEqual(['containment/channel:news']);
  });

  it('is not raised twice, and ends with the containment', () => {
    const held = keeping({ guardState: containedOn(FLEET), openPages: ['containment/fleet'] });
    held.housekeeping.keepUp(1_000_000);
    expect([held.keys(), held.resolved]).toEqual([[], []]);
    const over = keeping({ openPages: ['containment/fleet', 'incident/inc-1'] });
    over.housekeeping.keepUp(1_000_000);
    expect(over.resolved).toEqual(['containment/fleet']);
  });
});

describe('the page about all that wait for a start', () => {
  const crowd = (count: number, groups = 0): MassOutage => ({
    ...NO_CROWD,
    count,
    held: { groups, starting: 0, channels: 3 * groups },
  });

  it('is raised after ten seconds, and at once where whole groups died together', () => {
    const waiting = keeping({ crowd: crowd(4) });
    waiting.housekeeping.keepUp(9_999);
    expect(waiting.keys()).toEqual([]);
    waiting.housekeeping.keepUp(10_000);
    expect(waiting.keys()).toEqual(['starts/fleet']);
    const groups = keeping({ crowd: crowd(0, 3) });
    groups.housekeeping.keepUp(1);
    expect(groups.keys()).toEqual(['starts/fleet']);
  });

  it('ends when none waits any more, and not before', () => {
    const openPages = ['starts/fleet'];
    const [waiting, none] = [keeping({ crowd: crowd(1), openPages }), keeping({ openPages })];
    for (const { housekeeping } of [waiting, none]) housekeeping.keepUp(20_000);
    expect([waiting.resolved, none.resolved]).toEqual([[], ['starts/fleet']]);
  });
});

describe('a question without an answer', () => {
  const asked = {
    id: 'apr-1',
    call: aCall(),
    incident: 'inc-1',
    run: 'run-1',
    classification: 'process_crashed',
  } as const;
  const draft = askApproval({ ...asked, askedAt: 0, askedMs: 0 }, 60_000);
  const control = controlProjection.apply(controlProjection.initial, {
    ...{ seq: 1, at: 0, monoMs: 0, boot: 'b' },
    ...draft,
  });

  it('ends when its time is over, and a person is paged in the same write', () => {
    const { housekeeping, facts, raised } = keeping({ control, open: [newlyOpen(anIncident(), 0)] });
    housekeeping.keepUp(59_999);
    expect(facts).toEqual([]);
    housekeeping.keepUp(60_000);
    expect(facts.map(({ type }) => type)).toEqual(['approval.expired']);
    expect(raised).toMatchObject([{ reason: 'approval_expired', incident: 'inc-1' }]);
  });

  it('of an incident that is closed ends without a page', () => {
    const { housekeeping, facts, raised } = keeping({ control });
    housekeeping.keepUp(60_000);
    expect([facts.length, raised.length]).toEqual([1, 0]);
  });
});

describe('a page of an earlier process about who went down while its journal took nothing', () => {
  const openPages = ['unjournaled/unrecorded/esc-1'];
  const endedAt = (nowMs: number, world: World): readonly string[] => {
    const { housekeeping, resolved } = keeping({ openPages, ...world });
    housekeeping.keepUp(nowMs);
    return resolved;
  };

  it('stays open while what it lists is in trouble, or not seen to play', () => {
    expect(endedAt(60_000, {})).toEqual([]);
    expect(endedAt(60_000, { well: undefined, quiet: false })).toEqual([]);
  });

  it('ends where nothing can tell of health when there was no sign of the trouble for two minutes', () => {
    const unknown = { well: undefined, quiet: false, clearSinceMs: 2_000 };
    expect(endedAt(121_999, unknown)).toEqual([]);
    expect(endedAt(122_000, unknown)).toEqual(openPages);
    expect(endedAt(122_000, { ...unknown, well: false })).toEqual([]);
  });

  it('ends when that has played for 30 s, or is as somebody wants it', () => {
    expect(endedAt(31_999, { well: true, quiet: false, healthySinceMs: 2_000 })).toEqual([]);
    expect(endedAt(32_000, { well: true, quiet: false, healthySinceMs: 2_000 })).toEqual(openPages);
    expect(endedAt(32_000, { well: undefined })).toEqual(openPages);
  });
});

describe('a young incident', () => {
  const closerAt = (nowMs: number, classification: 'process_crashed' | 'upstream_rate_limited' = 'process_crashed') => {
    const open = [newlyOpen(anIncident({ openedMs: 100_000, classification }), 100_000)];
    const { housekeeping, closer } = keeping({ open });
    housekeeping.keepUp(nowMs);
    return closer;
  };

  it('is looked at closely for ten minutes', () => {
    expect(closerAt(699_999)).toEqual(['news']);
    expect(closerAt(700_000)).toEqual([]);
  });

  it('is not where each look is one more request to a source that asks for fewer', () => {
    expect(closerAt(110_000, 'upstream_rate_limited')).toEqual([]);
  });
});

describe('a group whose plan did not help', () => {
  it('leaves its channels to themselves once its sources answer', () => {
    const last = { kind: 'escalated', reason: 'not_helping', because: '', denial: undefined } as const;
    const incident = anIncident({ scope: { kind: 'group', id: 'encoders' }, channels: ['news'] });
    const handedAfter = (open: ReturnType<typeof newlyOpen>) => {
      const { housekeeping, handed } = keeping({ open: [open] });
      housekeeping.keepUp(1_000);
      return handed;
    };
    expect(handedAfter({ ...newlyOpen(incident, 0), last })).toEqual(['news']);
    expect(handedAfter(newlyOpen(incident, 0))).toEqual([]);
  });
});
