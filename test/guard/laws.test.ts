import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/wire.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import type { PermitTerms } from '../../src/core/tool.ts';
import { highRiskBound } from '../../src/guard/bound.ts';
import { breakerOf } from '../../src/guard/containment.ts';
import { guardProjection } from '../../src/guard/state/fold.ts';
import { type GuardState, subjectAt } from '../../src/guard/state/state.ts';
import { anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench, channelsOf } from './bench.ts';

/**
 * Everything that can happen to the guard, in any order: a planner that always asks, engines and people that start
 * what they like, calls that end late or never, verdicts of every kind, crashes. The laws are checked from outside,
 * on what was really begun, by a bookkeeper that shares no code with the guard.
 */
type Step =
  | {
      readonly kind: 'ask';
      readonly channel: number;
      readonly callMs: number;
      readonly verdict: 'cured' | 'failed' | 'none' | 'hangs' | 'unused';
    }
  | { readonly kind: 'foreign'; readonly channel: number; readonly origin: 'engine' | 'operator' | 'unknown' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'contain' }
  | { readonly kind: 'crash' }
  | { readonly kind: 'reset'; readonly channel: number }
  | { readonly kind: 'release' };

const CHANNELS = 12;
const GROUPS = 4;

const channelIndex = fc.nat({ max: CHANNELS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      channel: channelIndex,
      callMs: fc.constantFrom(0, 1, 900, 4_000, 29_999, 30_000),
      verdict: fc.constantFrom('cured', 'failed', 'failed', 'none', 'hangs', 'unused'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('foreign' as const),
      channel: channelIndex,
      origin: fc.constantFrom('engine', 'operator', 'unknown'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 1, 999, 5_000, 29_999, 30_000, 59_999, 60_000, 119_999, 120_000, 3_600_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'contain' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), channel: channelIndex }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'release' as const }) },
);

interface Begun {
  readonly channel: string;
  readonly group: string;
  readonly incident: string;
  readonly run: string;
  readonly beginMs: number;
  endMs: number;
}

interface Story {
  readonly own: Begun[];
  readonly foreign: { readonly atMs: number }[];
  readonly entries: readonly JournalEntry[];
  readonly bench: Bench;
}

const options = {
  channels: channelsOf(CHANNELS).map((channel, index) => ({ ...channel, group: `g${index % GROUPS}` })),
};
const persona = aPersona({ restart_cap: 3 });

/** Plays the steps and keeps its own books. */
function play(steps: readonly Step[]): Story {
  let b = bench(options);
  const own: Begun[] = [];
  const foreign: { atMs: number }[] = [];
  let open: PermitTerms[] = [];
  let n = 0;
  for (const one of steps) {
    n += 1;
    switch (one.kind) {
      case 'pass':
        b.pass(one.ms);
        break;
      case 'contain':
        b.contain();
        break;
      case 'foreign':
        b.foreignStart(`c${one.channel}`, `life-${n}`, one.origin);
        foreign.push({ atMs: b.nowMs() });
        break;
      case 'reset':
        b.record({
          type: 'control.reset',
          scope: { kind: 'channel', id: `c${one.channel}` },
          who: 'ann',
          because: 'x',
        });
        break;
      case 'release':
        b.record({ type: 'control.released', scope: { kind: 'fleet' }, who: 'ann', because: 'x' });
        break;
      case 'crash':
        b = bench({ ...options, store: b.store, hand: b });
        for (const terms of open) b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, idOf(terms));
        for (const terms of open)
          own.find((begun) => begun.endMs === Number.POSITIVE_INFINITY && begun.channel === idOf(terms))!.endMs =
            b.nowMs();
        open = [];
        b.record({ type: 'reeve.started', version: '1', configSha: '' });
        break;
      case 'ask': {
        const channel = `c${one.channel}`;
        const incident = anIncident({
          id: `inc-${channel}-${n % 3}`,
          scope: { kind: 'channel', id: channel },
          group: `g${one.channel % GROUPS}`,
        });
        const run = `run-${n}`;
        const decision = b.guard.decide(b.request(channel, { persona, incident, run }));
        if (decision.verdict === 'deny' || one.verdict === 'unused') break;
        const { terms } = decision.permit;
        const begun: Begun = {
          channel,
          group: incident.group,
          incident: incident.id,
          run,
          beginMs: b.nowMs(),
          endMs: Number.POSITIVE_INFINITY,
        };
        own.push(begun);
        b.started(terms);
        if (one.verdict === 'hangs') {
          open.push(terms);
          break;
        }
        b.pass(one.callMs);
        b.finished(terms);
        begun.endMs = b.nowMs();
        if (one.verdict !== 'none') b.verified(terms, one.verdict === 'cured');
        break;
      }
    }
  }
  return { own, foreign, entries: b.entries(), bench: b };
}

const idOf = (terms: PermitTerms): string => (terms.call.target.kind === 'channel' ? terms.call.target.id : '');
const runs = Number(process.env.REEVE_LAW_RUNS ?? 60);
const law = (check: (story: Story) => void) =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => check(play(steps))),
    { numRuns: runs },
  );

/** Each start of Reeve with the one before it by the same key. */
const pairs = (own: readonly Begun[], key: (begun: Begun) => string): readonly (readonly [Begun, Begun])[] =>
  own.flatMap((later, index) => {
    const earlier = own.slice(0, index).findLast((one) => key(one) === key(later));
    return earlier === undefined ? [] : [[earlier, later] as const];
  });

describe('whatever happens', () => {
  it('S1: a channel is restarted no earlier than 30 s after its last restart ended', () => {
    law(({ own }) => {
      for (const [earlier, later] of pairs(own, ({ channel }) => channel)) {
        expect(later.beginMs - earlier.endMs).toBeGreaterThanOrEqual(30_000);
      }
    });
  });

  it('S2: no window of 60 s holds an eleventh start to which Reeve added', () => {
    law(({ own, foreign }) => {
      for (const { beginMs } of own) {
        const inWindow = (atMs: number) => atMs > beginMs - 60_000 && atMs <= beginMs;
        const all =
          own.filter((one) => inWindow(one.beginMs)).length + foreign.filter((one) => inWindow(one.atMs)).length;
        expect(all).toBeLessThanOrEqual(10 + foreign.filter((one) => one.atMs === beginMs).length);
      }
    });
  });

  it('S3: nothing begins while the breaker is open, and only one probe while it is half-open', () => {
    law(({ entries, bench: b }) => {
      let before = guardProjection.initial;
      for (const entry of entries) {
        const { fact } = entry;
        if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') {
          const { permit } = fact.decision;
          const view = breakerOf(subjectAt(before, `channel:${idOf(permit)}`), b.world.limits, permit.grantedMs);
          expect(view.state === 'open' || (view.state === 'half_open' && view.probe !== undefined)).toBe(false);
        }
        before = guardProjection.apply(before, entry);
      }
    });
  });

  it('S3: counted from outside, five failures in 300 s are followed by 120 s without a restart', () => {
    law(({ entries }) => {
      const failures = new Map<string, number[]>();
      const openUntilMs = new Map<string, number>();
      for (const { fact, monoMs } of entries) {
        if (fact.type === 'control.reset' && fact.scope.kind === 'channel') {
          failures.delete(fact.scope.id);
          openUntilMs.delete(fact.scope.id);
        }
        if (
          fact.type === 'attempt.verified' &&
          !fact.verification.cured &&
          openUntilMs.get(idOf(fact.permit)) === undefined
        ) {
          const channel = idOf(fact.permit);
          const times = [...(failures.get(channel) ?? []), monoMs];
          failures.set(channel, times);
          const fifth = times.at(-5);
          if (fifth !== undefined && monoMs - fifth < 300_000) openUntilMs.set(channel, monoMs + 120_000);
        }
        if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') {
          const channel = idOf(fact.decision.permit);
          expect(monoMs).toBeGreaterThanOrEqual(openUntilMs.get(channel) ?? 0);
        }
      }
    });
  });

  it('S4: one high-risk action per run, 60 s apart on a channel, two in 60 s in a group', () => {
    law(({ own }) => {
      expect(new Set(own.map(({ run }) => run)).size).toBe(own.length);
      for (const [earlier, later] of pairs(own, ({ channel }) => channel)) {
        expect(later.beginMs - earlier.endMs).toBeGreaterThanOrEqual(60_000);
      }
      for (const { beginMs, group } of own) {
        const near = own.filter(
          (one) => one.group === group && one.beginMs > beginMs - 60_000 && one.beginMs <= beginMs,
        );
        expect(near.length).toBeLessThanOrEqual(2);
      }
    });
  });

  it('S5: three restarts per incident, ten per channel and day, over crashes too', () => {
    law(({ own }) => {
      const count = (key: (begun: Begun) => string) =>
        Object.values(Object.groupBy(own, key)).map((group) => group!.length);
      expect(Math.max(0, ...count(({ incident }) => incident))).toBeLessThanOrEqual(3);
      for (const { channel, beginMs } of own) {
        const day = own.filter(
          (one) => one.channel === channel && one.beginMs > beginMs - 86_400_000 && one.beginMs <= beginMs,
        );
        expect(day.length).toBeLessThanOrEqual(10);
      }
    });
  });

  it('S6: a channel whose restart ended UNKNOWN is left alone until it is reset', () => {
    law(({ entries }) => {
      const blocked = new Set<string>();
      for (const { fact } of entries) {
        if (fact.type === 'tool.unknown') blocked.add(idOf(fact.permit));
        if (fact.type === 'control.reset' && fact.scope.kind === 'channel') blocked.delete(fact.scope.id);
        if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') {
          expect(blocked.has(idOf(fact.decision.permit))).toBe(false);
        }
      }
    });
  });

  it('S8: no high-risk permit is given while the fleet or the channel is contained', () => {
    law(({ entries }) => {
      const held = new Set<string>();
      for (const { fact } of entries) {
        if (fact.type === 'containment.raised')
          held.add(`${fact.scope.kind === 'fleet' ? 'fleet' : fact.scope.id}|${fact.reason}`);
        if (fact.type === 'containment.cleared')
          held.delete(`${fact.scope.kind === 'fleet' ? 'fleet' : fact.scope.id}|${fact.reason}`);
        if (fact.type !== 'guard.decided' || fact.decision.verdict !== 'allow') continue;
        const channel = idOf(fact.decision.permit);
        expect([...held].filter((key) => key.startsWith('fleet|') || key.startsWith(`${channel}|`))).toEqual([]);
      }
    });
  });

  it('S12: never exceeds the bound, counted over the whole story', () => {
    law(({ own, entries }) => {
      const spanMs = (entries.at(-1)?.monoMs ?? 0) - (entries[0]?.monoMs ?? 0);
      const incidents = new Set(own.map(({ incident }) => incident)).size;
      const bound = highRiskBound(spanMs, {
        highRiskPerGroupMax: 2,
        highRiskSpacingMs: 60_000,
        groups: GROUPS,
        channels: CHANNELS,
        dailyRestartCap: 10,
        fleetDailyRestartCap: 20,
        incidentCaps: incidents * 3,
      });
      expect(own.length).toBeLessThanOrEqual(bound);
    });
  });

  it('S13: the same steps give the same bytes, and the journal alone gives the same state', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
        const [one, two] = [play(steps), play(steps)];
        expect(JSON.stringify(one.entries)).toBe(JSON.stringify(two.entries));
        expect(canonicalJson(foldAll(one.entries))).toBe(canonicalJson(one.bench.guardState()));
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });

  it('S13: a state that went through JSON at any point folds on to the same state', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), fc.nat(), (steps, at) => {
        const { entries } = play(steps);
        const cut = entries.length === 0 ? 0 : at % entries.length;
        const half = JSON.parse(JSON.stringify(foldAll(entries.slice(0, cut)))) as GuardState;
        expect(canonicalJson(foldAll(entries.slice(cut), half))).toBe(canonicalJson(foldAll(entries)));
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });

  it('leaves every state before it as it was', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
        const { entries } = play(steps);
        let state = deepFrozen(guardProjection.initial);
        for (const entry of entries) state = deepFrozen(guardProjection.apply(state, deepFrozen(entry)));
        expect(canonicalJson(state)).toBe(canonicalJson(foldAll(entries)));
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });
});

describe('the tenth start', () => {
  it('is reachable, and the eleventh is not until 60 s after the first', () => {
    const b = bench({ channels: channelsOf(11) });
    for (let n = 0; n < 10; n += 1) {
      expect(b.guard.decide(b.request(`c${n}`))).toMatchObject({ verdict: 'allow' });
    }
    const eleventh = b.guard.preview(b.request('c10'));
    expect(eleventh).toMatchObject({ verdict: 'deny', code: 'containment' });
    expect(eleventh.checks.find(({ id }) => id === 14)).toMatchObject({ code: 'restart_storm' });
  });
});

const foldAll = (entries: readonly JournalEntry[], from: GuardState = guardProjection.initial): GuardState =>
  entries.reduce((state, entry) => guardProjection.apply(state, entry), from);

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFrozen(member);
  return value;
}
