import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { Runs } from '../../../src/simulation/invariants/runs.ts';
import { aCall, anIncident, aVerification, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const channel = (id: string): Scope => ({ kind: 'channel', id });
const permitOf = (id: string, target: Scope = channel('ch0'), with_: Parameters<typeof permitTerms>[0] = {}) =>
  permitTerms({ id, call: aCall({ target }), ...with_ });
const planOf = (id: string) =>
  permitTerms({ id, call: aCall({ target: { kind: 'group', id: 'g0' }, channels: ['ch0', 'ch1', 'ch2', 'ch3'] }) });
const RESOLVED = { kind: 'resolved', score: 1, because: '' };

function runs() {
  const world = oracleEnvironment();
  const oracle = new Runs(world.context);
  const put = (atMs: number, fact: object, about: object = {}) => {
    world.at(atMs);
    oracle.entry(world.entry(fact, about));
  };
  const begin = (atMs: number, permit: ReturnType<typeof permitOf>) => {
    put(atMs, { type: 'guard.decided', decision: { verdict: 'allow', permit } });
    put(atMs, { type: 'tool.started', permit });
  };
  const judge = (atMs: number, permit: ReturnType<typeof permitOf>, cured: boolean) =>
    put(atMs, { type: 'attempt.verified', permit, verification: aVerification({ cured }) });
  const open = (id: string, scope: Scope) => put(0, { type: 'incident.opened', incident: anIncident({ id, scope }) });
  return { ...world, oracle, put, begin, judge, open };
}

describe('a run (S7, L2)', () => {
  it('is alone on its scope, and ends once', () => {
    const { put, open, broken, oracle } = runs();
    open('inc-1', channel('ch0'));
    open('inc-2', channel('ch1'));
    put(1, { type: 'run.started' }, { run: 'r1', incident: 'inc-1' });
    put(1, { type: 'run.started' }, { run: 'r2', incident: 'inc-2' });
    expect([broken, oracle.openRuns]).toEqual([[], 2]);
    put(2, { type: 'run.started' }, { run: 'r3', incident: 'inc-1' });
    expect(broken).toEqual(['S7']);
    for (const id of ['r1', 'r1']) put(3, { type: 'run.ended', tookMs: 1, outcome: RESOLVED }, { run: id });
    expect(broken).toEqual(['S7', 'L2']);
  });

  it('takes its time and two seconds at most, unless it was cut off', () => {
    const took = (tookMs: number, outcome: object = RESOLVED) => {
      const { put, broken } = runs();
      put(1, { type: 'run.ended', tookMs, outcome }, { run: 'r1' });
      return broken;
    };
    const most = DEFAULT_LIMITS.runMsMax + 2_000;
    expect([took(most), took(most + 1)]).toEqual([[], ['L2']]);
    expect(took(most + 1, { kind: 'escalated', reason: 'internal', because: '' })).toEqual([]);
  });

  it('and a call that an earlier process began are not forgotten over a start of Reeve', () => {
    const { put, begin, broken } = runs();
    put(1, { type: 'run.started' }, { run: 'r1' });
    begin(1, permitOf('p1'));
    put(2, { type: 'reeve.started' });
    expect(broken.toSorted()).toEqual(['L2', 'S6']);
    put(3, { type: 'reeve.started' });
    expect(broken).toHaveLength(2);
  });
});

describe('a call (S6, S7)', () => {
  it('was granted', () => {
    const { put, broken } = runs();
    put(1, { type: 'tool.started', permit: permitOf('p1') });
    expect(broken).toEqual(['S7']);
  });

  it.each([
    ['nothing', undefined, ['S6']],
    ['that it was seen healthy', { type: 'unknown.settled' }, []],
    ['a reset of its group', { type: 'control.reset', scope: { kind: 'group', id: 'g0' } }, []],
    ['a reset of another channel', { type: 'control.reset', scope: channel('ch1') }, ['S6']],
    [
      'the proof of its own effect',
      { type: 'attempt.verified', permit: permitOf('p1'), verification: aVerification() },
      [],
    ],
  ])('whose end is UNKNOWN blocks its channel until %s', (_, fact, broken) => {
    const world = runs();
    world.begin(0, permitOf('p1'));
    world.put(1, { type: 'tool.unknown', permit: permitOf('p1') });
    if (fact !== undefined) world.put(2, fact, { channel: 'ch0' });
    world.begin(100_000, permitOf('p2'));
    expect(world.broken).toEqual(broken);
  });
});

describe('high-risk actions (S4)', () => {
  it('of one group are two within a minute and not three', () => {
    const { begin, broken } = runs();
    begin(0, permitOf('p0', channel('ch0')));
    begin(1, permitOf('p1', channel('ch1')));
    expect(broken).toEqual([]);
    begin(59_999, permitOf('p2', channel('ch2')));
    expect(broken).toEqual(['S4']);
  });

  it('may begin again when the first is a minute old', () => {
    const { begin, broken } = runs();
    begin(0, permitOf('p0', channel('ch0')));
    begin(1, permitOf('p1', channel('ch1')));
    begin(60_000, permitOf('p2', channel('ch2')));
    expect(broken).toEqual([]);
  });
});

describe('a high-risk action whose record is seen late, because a crash left it behind (S4)', () => {
  it.each([
    ['in the same boot, counts from when it was written', 'a', 59_999, []],
    ['in the same boot, a minute after it was written less a moment', 'a', 59_998, ['S4']],
    ['in another boot, counts from when it was seen', 'b', 59_999, ['S4']],
  ] as const)('%s', (_, boot, laterMs, expected) => {
    const { put, broken, at } = runs();
    const started = (monoMs: number, id: string, permit: string, from = 'a'): void => {
      const terms = permitOf(permit, channel(id));
      at(monoMs);
      put(monoMs, { type: 'guard.decided', decision: { verdict: 'allow', permit: terms } });
      put(monoMs, { type: 'tool.started', permit: terms }, { boot: from, monoMs: permit === 'p0' ? 1 : monoMs });
    };
    started(30_000, 'ch0', 'p0');
    started(40_000, 'ch1', 'p1');
    started(laterMs + 2, 'ch2', 'p2', boot);
    expect(broken).toEqual(expected);
  });
});

describe('a staged plan (S4)', () => {
  const staged = () => {
    const world = runs();
    world.begin(0, planOf('plan'));
    const child = (id: string) => permitOf(`of-${id}`, channel(id), { parent: 'plan' });
    const start = (id: string) => world.begin(1, child(id));
    const end = (id: string, cured: boolean) => world.judge(2, child(id), cured);
    return { ...world, start, end };
  };

  it('goes on when its canary is verified, and not before', () => {
    const soon = staged();
    soon.start('ch0');
    soon.start('ch1');
    expect(soon.broken).toEqual(['S4']);
    const { start, end, broken } = staged();
    start('ch0');
    end('ch0', true);
    start('ch1');
    start('ch2');
    expect(broken).toEqual([]);
  });

  it('is over with its canary that is lost, and starts no channel twice', () => {
    const lost = staged();
    lost.start('ch0');
    lost.end('ch0', false);
    lost.start('ch1');
    expect(lost.broken).toEqual(['S4']);
    const twice = staged();
    twice.start('ch0');
    twice.end('ch0', true);
    twice.start('ch0');
    expect(twice.broken).toEqual(['S4']);
  });

  it('keeps a minute from the plan before it, unless all that this one started is verified', () => {
    const again = (gapMs: number, isProven: boolean) => {
      const { start, end, put, begin, broken } = staged();
      start('ch0');
      if (isProven) end('ch0', true);
      put(10, { type: 'tool.finished', permit: planOf('plan') });
      begin(10 + gapMs, planOf('plan-2'));
      return broken;
    };
    expect([again(59_999, false), again(60_000, false), again(1, true)]).toEqual([['S4'], [], []]);
  });
});
