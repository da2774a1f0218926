import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { EngineSample } from '../../../src/core/sample.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { Invocation } from '../../../src/simulation/effect_log.ts';
import { aCall, permitTerms } from '../../support/a.ts';
import { containments, type Given } from './contained.ts';

const { containmentQuietMs: QUIET, containmentCooldownMs: COOLDOWN, windowStartsMax: N } = DEFAULT_LIMITS;
const UPKEEP = 5_000;
const START = 1_000_000;
const FLEET: Scope = { kind: 'fleet' };
const NEWS: Scope = { kind: 'channel', id: 'ch0' };
const GROUP: Scope = { kind: 'group', id: 'g0' };

const raised = (scope: Scope, reason: string, releaseByPerson = false) => ({
  ...{ type: 'containment.raised', scope, reason, detail: 'd', releaseByPerson },
});
const cleared = (scope: Scope, reason: string) => ({ type: 'containment.cleared', scope, reason });
const allowed = (id: string) => ({
  type: 'guard.decided',
  decision: { verdict: 'allow', permit: permitTerms({ id, call: aCall({ target: NEWS }) }) },
});
const began = (with_: Parameters<typeof permitTerms>[0] = {}) => ({
  ...{ type: 'tool.started', permit: permitTerms({ call: aCall({ target: NEWS }), ...with_ }) },
});
const paged = (scope: Scope, key: string) => ({ type: 'escalation.raised', escalation: { key, scope } });
const other = { type: 'run.started' };
/** The laws that are broken by what happens at these moments. */
const brokenBy = (course: readonly (readonly [atMs: number, ...facts: readonly object[]])[], given?: Given) => {
  const world = containments(given);
  for (const [atMs, ...facts] of course) world.put(atMs, ...facts);
  return world.broken;
};

describe('a containment that ends (S8)', () => {
  it('has lasted for the quiet time, to the millisecond', () => {
    const ended = (ms: number) =>
      brokenBy([
        [START, raised(NEWS, 'breaker_open')],
        [START + ms, cleared(NEWS, 'breaker_open')],
      ]);
    expect([ended(QUIET), ended(QUIET - 1)]).toEqual([[], ['S8']]);
  });

  it('counts from the first time that it was raised', () => {
    const twice = [
      [START, raised(NEWS, 'breaker_open')],
      [START + QUIET - 1, raised(NEWS, 'breaker_open')],
      [START + QUIET, cleared(NEWS, 'breaker_open')],
    ] as const;
    expect(brokenBy(twice)).toEqual([]);
  });

  it('is ended by the person who alone may do so', () => {
    const ended = (by: readonly object[], reason = 'breaker_open') =>
      brokenBy([
        [START, raised(NEWS, reason, true)],
        [START + 1, ...by],
        [START + 2 * QUIET, cleared(NEWS, reason)],
      ]);
    expect(ended([])).toEqual(['S8']);
    expect(ended([{ type: 'control.released', scope: NEWS }])).toEqual([]);
    expect(ended([{ type: 'control.released', scope: FLEET }])).toEqual(['S8']);
  });

  it('of a freeze waits for the thaw and the quiet time after it', () => {
    const ended = (clearedMs: number, thawedMs?: number) =>
      brokenBy([
        [START, { type: 'control.frozen' }, raised(FLEET, 'operator_freeze', true)],
        ...(thawedMs === undefined ? [] : [[thawedMs, { type: 'control.thawed' }] as const]),
        [clearedMs, cleared(FLEET, 'operator_freeze')],
      ]);
    const thawMs = START + QUIET;
    expect([ended(thawMs + QUIET, thawMs), ended(thawMs + QUIET - 1, thawMs), ended(thawMs + QUIET)]).toEqual([
      [],
      ['S8'],
      ['S8'],
    ]);
  });

  it('of a storm waits for the quiet time after the window was full', () => {
    const ended = (afterMs: number, reason = 'restart_storm') => {
      const { starts, put, at, restart, broken } = containments({ limits: { windowStartsMax: 2 } });
      for (const atMs of [START, START + 1]) {
        at(atMs);
        starts.invoked({ ...restart(`ch${atMs - START}`), fence: 1 } as Invocation);
      }
      broken.length = 0;
      put(START, raised(FLEET, reason));
      put(START + DEFAULT_LIMITS.windowMs + afterMs, cleared(FLEET, reason));
      return broken;
    };
    expect([ended(QUIET), ended(QUIET - 1), ended(QUIET - 1, 'breaker_open')]).toEqual([[], ['S8'], []]);
  });

  it('is none that was never raised', () => {
    expect(brokenBy([[START, cleared(NEWS, 'breaker_open')]])).toEqual([]);
  });
});

describe('the start that fills the window (S2)', () => {
  const filling = (count: number, ...with_: readonly object[]) => {
    const { starts, put, at, restart, broken } = containments();
    for (let n = 0; n < count; n += 1) {
      at(START + n);
      starts.invoked({ ...restart(`ch${n}`), fence: 1 } as Invocation);
    }
    broken.length = 0;
    put(START + count, allowed('last'), ...with_);
    return broken;
  };

  it('brings its containment with it', () => {
    expect([filling(N - 2), filling(N - 1), filling(N - 1, raised(FLEET, 'restart_storm'))]).toEqual([[], ['S2'], []]);
    expect(filling(N - 1, raised(FLEET, 'breaker_open'))).toEqual(['S2']);
  });

  it('is itself allowed under it, and no other', () => {
    const course = (id: string) =>
      brokenBy([
        [START, allowed('per-1'), raised(FLEET, 'restart_storm')],
        [START + 1, began({ id })],
      ]);
    expect([course('per-1'), course('per-2')]).toEqual([[], ['S8']]);
  });
});

describe('a start under a containment (S8)', () => {
  const under = (scope: Scope, with_: Parameters<typeof permitTerms>[0] = {}, given?: Given) =>
    brokenBy(
      [
        [START, raised(scope, 'breaker_open')],
        [START + 1, began({ engine: 'e0', ...with_ })],
      ],
      given,
    );

  it('of its channel, its group, its engine or the fleet is unlawful', () => {
    expect([NEWS, GROUP, { kind: 'engine', id: 'e0' } as const, FLEET].map((scope) => under(scope))).toEqual([
      ['S8'],
      ['S8'],
      ['S8'],
      ['S8'],
    ]);
    expect([under({ kind: 'channel', id: 'ch1' }), under({ kind: 'group', id: 'g1' })]).toEqual([[], []]);
  });

  it('is lawful for what has no risk, and for a medium one where the persona does not lean to containment', () => {
    expect([under(NEWS, { risk: 'low' }), under(NEWS, { risk: 'medium' })]).toEqual([[], ['S8']]);
    expect([under(NEWS, { risk: 'medium' }, { bias: false }), under(NEWS, {}, { bias: false })]).toEqual([[], ['S8']]);
  });

  it('is lawful again when it has ended', () => {
    expect(
      brokenBy([
        [START, raised(NEWS, 'breaker_open')],
        [START + QUIET, cleared(NEWS, 'breaker_open')],
        [START + QUIET, began()],
      ]),
    ).toEqual([]);
  });

  it('for a shared cause is lawful for a staged plan with proof, unless a person must end it', () => {
    const staged = { call: aCall({ target: GROUP, channels: ['ch0', 'ch1'] }) };
    const course = (with_: object, reason = 'shared_cause', byPerson = false, scope: Scope = GROUP) =>
      brokenBy([
        [START, raised(scope, reason, byPerson)],
        [START + 1, began(with_)],
      ]);
    expect([course(staged), course({ parent: 'plan' })]).toEqual([[], []]);
    expect(course({})).toEqual(['S8']);
    expect([course(staged, 'breaker_open'), course(staged, 'shared_cause', true)]).toEqual([['S8'], ['S8']]);
    expect(course(staged, 'shared_cause', false, FLEET)).toEqual(['S8']);
  });
});

describe('the proof for a shared cause (S8)', () => {
  it('asks of what failed in the window before it was raised, and not of what failed earlier', () => {
    const failed = (atMs: number) => {
      const { proofs, put, broken } = containments();
      proofs.seen({ kind: 'engine', engine: 'e0', ok: false, monoMs: atMs } as EngineSample);
      put(START, raised(GROUP, 'shared_cause'));
      put(START + 60_000, began({ parent: 'plan' }));
      return broken;
    };
    const sinceMs = START - DEFAULT_LIMITS.sharedCauseWindowMs;
    expect([failed(sinceMs - 1), failed(sinceMs)]).toEqual([[], ['S8']]);
  });
});

describe('a start with a full pool (S8)', () => {
  it('or one that is not known is unlawful, on an engine that was asked', () => {
    const at = (pool: number | undefined | 'unasked', engine: string | undefined = 'e0') =>
      brokenBy([[START, began({ engine })]], { poolOf: () => pool });
    const { poolPressureMax } = DEFAULT_LIMITS;
    expect([at(poolPressureMax - 0.01), at(poolPressureMax), at(undefined), at('unasked')]).toEqual([
      [],
      ['S8'],
      ['S8'],
      [],
    ]);
  });

  it('is not judged where no engine is named', () => {
    expect(brokenBy([[START, began({ engine: undefined })]], { poolOf: () => 1 })).toEqual([]);
  });
});

describe('a containment that lasts (L1)', () => {
  const LATE = COOLDOWN + UPKEEP;
  const lasting = (
    ms: number,
    {
      page = [] as readonly object[],
      before = [] as readonly object[],
      reason = 'breaker_open',
      byPerson = false,
    } = {},
  ) =>
    brokenBy([
      ...before.map((fact) => [START - 1, fact] as const),
      [START, raised(NEWS, reason, byPerson)],
      ...page.map((fact) => [START + 1, fact] as const),
      [START + ms, other],
      [START + ms + 1, other],
    ]);
  const own = paged(NEWS, 'containment/channel:ch0');
  const about = paged(NEWS, 'inc-1');

  it('is reported to a person in time, once', () => {
    expect([lasting(LATE - 2), lasting(LATE)]).toEqual([[], ['L1']]);
    expect([lasting(LATE, { page: [own] }), lasting(LATE, { before: [own] })]).toEqual([[], []]);
  });

  it('of a channel is reported by any page of the channel, unless a person must end it', () => {
    expect(lasting(LATE, { page: [about] })).toEqual([]);
    expect([lasting(LATE, { page: [about], byPerson: true }), lasting(LATE, { page: [own], byPerson: true })]).toEqual([
      ['L1'],
      [],
    ]);
    expect(lasting(LATE, { page: [paged(GROUP, 'inc-1')] })).toEqual(['L1']);
  });

  it('is not reported by a page that was over before', () => {
    expect(lasting(LATE, { before: [about, { type: 'escalation.resolved', key: 'inc-1' }] })).toEqual(['L1']);
  });

  it.each(['operator_freeze', 'shared_cause'])('of %s pages in another way', (reason) => {
    expect(lasting(LATE, { reason })).toEqual([]);
  });

  it('must be reported by a process of Reeve that has run for long enough, not by one that is only recovering', () => {
    const restarted = (aliveMs: number, ...facts: readonly object[]) =>
      brokenBy([
        [START, raised(NEWS, 'breaker_open')],
        [START + LATE, { type: 'reeve.started' }, ...facts],
        [START + LATE + aliveMs, other],
      ]);
    expect([restarted(LATE - 1), restarted(LATE)]).toEqual([[], ['L1']]);
    expect(restarted(0, other)).toEqual([]);
    expect(
      brokenBy([
        [START, raised(NEWS, 'breaker_open')],
        [START + LATE, other, { type: 'reeve.started' }],
      ]),
    ).toEqual([]);
  });
});

describe('a freeze (S8)', () => {
  it('contains the fleet at once', () => {
    const frozen = (ms: number, ...with_: readonly object[]) =>
      brokenBy([
        [START, { type: 'control.frozen' }, ...with_],
        [START + ms, other],
      ]);
    expect([frozen(UPKEEP), frozen(UPKEEP + 1)]).toEqual([[], ['S8']]);
    const restarted = (ms: number) =>
      brokenBy([
        [START, { type: 'control.frozen' }],
        [START + 60_000, { type: 'reeve.started' }],
        [START + 60_000 + ms, other],
      ]);
    expect([restarted(UPKEEP - 1), restarted(UPKEEP)]).toEqual([[], ['S8']]);
    expect(frozen(UPKEEP + 1, raised(FLEET, 'operator_freeze', true))).toEqual([]);
  });
});

describe('what is contained', () => {
  it('is each scope and reason since it was raised', () => {
    const { oracle, put } = containments();
    put(START, raised(NEWS, 'breaker_open'), raised(FLEET, 'restart_storm'));
    put(START + QUIET, cleared(NEWS, 'breaker_open'));
    expect(oracle.held).toEqual([{ key: 'fleet|restart_storm', raisedMs: START }]);
  });
});
