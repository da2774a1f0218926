import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { Breakers } from '../../../src/simulation/invariants/breakers.ts';
import { aCall, aVerification, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const { breakerFailuresMax: MAX, breakerOpenMs: OPEN_MS, breakerWindowMs: WINDOW_MS } = DEFAULT_LIMITS;
const permitOf = (id: string) => permitTerms({ id, call: aCall({ target: { kind: 'channel', id: 'ch0' } }) });

/** The oracle of one channel: restarts that begin, and what came of them. */
function breakers() {
  const world = oracleEnvironment();
  const oracle = new Breakers(world.context);
  const put = (atMs: number, fact: object) => {
    world.at(atMs);
    oracle.entry(world.entry(fact, { channel: 'ch0' }));
  };
  const start = (atMs: number, id: string) => put(atMs, { type: 'tool.started', permit: permitOf(id) });
  const judge = (atMs: number, id: string, cured: boolean) =>
    put(atMs, { type: 'attempt.verified', permit: permitOf(id), verification: aVerification({ cured }) });
  /** So many failures, one a second; the last at that moment. */
  const failing = (count: number, lastMs: number) => {
    for (let left = count - 1; left >= 0; left -= 1) {
      const id = `p${lastMs}-${left}`;
      start(lastMs - left * 1_000, id);
      judge(lastMs - left * 1_000, id, false);
    }
  };
  const opensAt = () => oracle.openUntilMs('ch0');
  return { ...world, put, start, judge, failing, opensAt };
}

describe('the breaker, recounted from the facts (S3)', () => {
  it('opens with the last of so many failures, and not with one less', () => {
    const { failing, opensAt } = breakers();
    failing(MAX - 1, 100_000);
    expect(opensAt()).toBeUndefined();
    failing(1, 101_000);
    expect(opensAt()).toBe(101_000 + OPEN_MS);
  });

  it('counts no failure that is older than its window', () => {
    const { failing, opensAt } = breakers();
    failing(1, 100_000);
    failing(MAX - 1, 100_000 + WINDOW_MS);
    expect(opensAt()).toBeUndefined();
  });

  it('allows a probe when its time is over, and not a millisecond earlier', () => {
    for (const [offMs, broken] of [
      [-1, ['S3']],
      [0, []],
    ] as const) {
      const world = breakers();
      world.failing(MAX, 100_000);
      world.start(100_000 + OPEN_MS + offMs, 'probe');
      expect(world.broken).toEqual(broken);
    }
  });

  it('allows nothing beside the probe until that is judged', () => {
    const { failing, start, judge, broken } = breakers();
    failing(MAX, 100_000);
    const probeMs = 100_000 + OPEN_MS;
    start(probeMs, 'probe');
    start(probeMs + 60_499, 'second');
    expect(broken).toEqual(['S3']);
    judge(probeMs + 60_499, 'probe', true);
    start(probeMs + 60_500, 'third');
    expect(broken).toEqual(['S3']);
  });

  it('opens for twice as long after a probe that failed, and after a cure by it that did not hold', () => {
    for (const isRelapse of [false, true]) {
      const { failing, start, judge, put, opensAt } = breakers();
      failing(MAX, 100_000);
      const probeMs = 100_000 + OPEN_MS;
      start(probeMs, 'probe');
      judge(probeMs + 1, 'probe', isRelapse);
      if (isRelapse) put(probeMs + 1, { type: 'attempt.relapsed', permit: permitOf('probe') });
      expect(opensAt()).toBe(probeMs + 1 + 2 * OPEN_MS);
    }
  });

  it('is as new after the reset of a person, and open again after a start of Reeve with a probe out', () => {
    const { failing, start, put, opensAt } = breakers();
    failing(MAX, 100_000);
    start(100_000 + OPEN_MS, 'probe');
    expect(opensAt()).toBeUndefined();
    put(100_001 + OPEN_MS, { type: 'reeve.started' });
    expect(opensAt()).toBe(100_001 + OPEN_MS + 2 * OPEN_MS);
    put(200_000, { type: 'control.reset', scope: { kind: 'channel', id: 'ch1' } });
    expect(opensAt()).toBeDefined();
    put(200_000, { type: 'control.reset', scope: { kind: 'group', id: 'g0' } });
    expect(opensAt()).toBeUndefined();
  });
});
