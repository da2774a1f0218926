import { describe, expect, it } from 'vitest';
import { SYMPTOMS } from '../../src/core/symptom.ts';
import { Attacker, type Claim } from '../../src/simulation/attacker.ts';
import { type ScenarioOptions, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const small = (seed: number): ScenarioOptions => ({ seed, days: 0.125, channels: 2 + (seed % 7), calm: 1 });
const healthy = { kinds: [], persona: 'system_admin', phase: 4 } as const;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

async function attacked(options: ScenarioOptions) {
  const end = await new Simulation(scenarioOf(options), { attacker: true }).run();
  const changes = end.record.invocations.filter(({ tool }) => tool !== 'get_channel_health');
  return { ...end, held: end.attacker!, changes };
}

describe('an attacker who holds one log, one ingest token and one status page', () => {
  it.each([
    ['among all other faults', {}],
    ['in the crueller world', { cruel: true }],
  ] as const)('breaks no law %s', { timeout: 240_000 }, async (_, world) => {
    let claims = 0;
    for (const seed of SEEDS) {
      const { violations, held } = await attacked({ ...small(seed), ...world });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      claims += held.claims;
    }
    expect(claims).toBeGreaterThan(1_000 * SEEDS.length);
  });

  it('changes nothing on channels that play, but for the one whose own log and status page agree', {
    timeout: 240_000,
  }, async () => {
    for (const seed of SEEDS) {
      const { violations, changes, held } = await attacked({ ...small(seed), ...healthy });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      expect(changes.filter(({ channel }) => channel !== held.pageOf)).toEqual([]);
    }
  });

  it('takes back no page: one about a channel that is down stays open until it plays', {
    timeout: 60_000,
  }, async () => {
    const world = { ...small(3), ...healthy, persona: 'watcher' } as const;
    const script = scenarioOf(world);
    const injections = script.channels.map(({ id }) => {
      return { atMs: 300_000, kind: 'crash', target: id, forMs: 0, variant: 0.1 } as const;
    });
    const end = await new Simulation({ ...script, injections }, { attacker: true, livenessMs: 0 }).run();
    expect(end.violations).toEqual([]);
    const pages = end.record.deliveries.filter(({ receiver }) => receiver === 'pager');
    expect(pages.some(({ what, atMs }) => what === 'trigger' && atMs > 300_000 && atMs < 480_000)).toBe(true);
    expect(pages.filter(({ what, atMs }) => what === 'resolve' && atMs > 300_000 && atMs < 1_100_000)).toEqual([]);
  });
});

describe('what the attacker sends', () => {
  function campaign(seed: number, hours: number) {
    const claims: Claim[] = [];
    const samples: object[] = [];
    const due: { atMs: number; run: () => void }[] = [];
    let nowMs = 0;
    let isOver = false;
    const attacker = new Attacker({
      script: scenarioOf({ ...small(seed), ...healthy }),
      nowMs: () => nowMs,
      at: (atMs, run) => void due.push({ atMs, run }),
      ended: () => isOver,
      target: () => ({ hear: (claim) => void claims.push(claim), take: (sample) => void samples.push(sample) }),
    });
    const live = (untilMs: number): void => {
      for (let next = due.shift(); next !== undefined && next.atMs < untilMs; next = due.shift()) {
        nowMs = next.atMs;
        next.run();
      }
    };
    live(hours * 3_600_000);
    return { attacker, claims, samples, end: () => (isOver = true), live };
  }

  it('names every symptom, about its own log, and about any channel only as pushed', () => {
    const { claims, samples, attacker } = campaign(5, 200);
    expect(new Set(claims.map(({ kind }) => kind))).toEqual(new Set(SYMPTOMS));
    expect(new Set(claims.map(({ origin, pushed }) => `${origin} ${pushed === true}`))).toEqual(
      new Set(['log false', 'log true', 'metric true']),
    );
    const direct = claims.filter(({ pushed }) => pushed !== true);
    expect(new Set(direct.map(({ channel }) => channel))).toEqual(new Set([attacker.logOf]));
    expect(samples).toContainEqual(expect.objectContaining({ kind: 'reach', channel: attacker.pageOf, ok: true }));
    expect(samples).toContainEqual(expect.objectContaining({ kind: 'reach', channel: attacker.pageOf, ok: false }));
    expect(samples).toContainEqual(expect.objectContaining({ kind: 'progress', channel: attacker.logOf }));
  });

  it('is the same for the same seed, and ends when the world is healed', () => {
    const first = campaign(6, 20);
    expect(campaign(6, 20).claims).toEqual(first.claims);
    const before = first.claims.length;
    first.end();
    first.live(Number.POSITIVE_INFINITY);
    expect(first.claims).toHaveLength(before);
  });
});
