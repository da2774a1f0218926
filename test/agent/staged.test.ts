import { describe, expect, it } from 'vitest';
import { type StagedPorts, stagedStart } from '../../src/agent/staged.ts';
import type { DenialCode, GuardDecision } from '../../src/core/plan.ts';
import type { Scope } from '../../src/core/scope.ts';
import { Permit } from '../../src/core/tool.ts';
import { aCall, aResult, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

const GROUP = { kind: 'group', id: 'g' } as const;

type Refusal = readonly [
  code: DenialCode,
  because: string,
  retryAfterMs?: number | undefined,
  scopes?: readonly Scope[],
];

interface World {
  readonly cured?: (channel: string) => boolean;
  readonly tookMs?: (channel: string) => number;
  readonly refused?: (channel: string) => Refusal | undefined;
  readonly healthy?: (channel: string) => boolean;
  readonly stopAtMs?: number;
  /** Its verification is cut off by the stop. */
  readonly cutOff?: (channel: string) => boolean;
  readonly leftMs?: number;
}

async function started(channels: readonly string[], world: World = {}) {
  const { clock, advance } = fakeClock();
  const startMs = clock.monotonicMs();
  const nowMs = (): number => clock.monotonicMs() - startMs;
  const begun: string[] = [];
  const handed: string[] = [];
  let flying = 0;
  let flyingMax = 0;
  const ports: StagedPorts = {
    clock,
    child: (_, channel): GuardDecision => {
      const refusal = world.refused?.(channel);
      if (refusal === undefined) {
        const terms = permitTerms({ id: `per-${channel}`, call: aCall({ target: { kind: 'channel', id: channel } }) });
        return { verdict: 'allow', permit: Permit.grant(terms) } as never;
      }
      const [code, because, retryAfterMs, scopes = []] = refusal;
      return { verdict: 'deny', code, because, retryAfterMs, trace: [], scopes };
    },
    stopping: () => world.stopAtMs !== undefined && nowMs() >= world.stopAtMs,
    leftMs: () => (world.leftMs ?? 1_000_000) - nowMs(),
    startMsMax: 60_000,
    healthy: (channel) => world.healthy?.(channel) ?? false,
    act: async ({ terms }) => {
      const channel = terms.id.slice(4);
      begun.push(`${channel}@${nowMs()}`);
      flying += 1;
      flyingMax = Math.max(flyingMax, flying);
      await clock.sleep(world.tookMs?.(channel) ?? 2_000);
      return aResult({ permit: terms.id });
    },
    verify: async ({ terms }) => {
      flying -= 1;
      const cured = world.cured?.(terms.id.slice(4)) ?? true;
      const seen = { permit: terms.id, cured, because: cured ? 'it plays' : 'it stands still', waitedMs: 0 };
      return world.cutOff?.(terms.id.slice(4)) ? { ...seen, cured: false, cutOff: true } : seen;
    },
    handOver: (some) => handed.push(...some),
  };
  const plan = Permit.grant(permitTerms({ id: 'per-plan', call: aCall({ target: GROUP, channels }) }));
  const done = stagedStart(plan, ports, new AbortController().signal);
  await advance(900_000);
  return { result: await done, begun, handed, flyingMax };
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `c${index}`);

describe('a staged start', () => {
  it('starts a canary alone, and one more at a time for each that is verified', async () => {
    const { result, begun } = await started(ids(6));
    expect(begun).toEqual(['c0@0', 'c1@2000', 'c2@2000', 'c3@4000', 'c4@4000', 'c5@4000']);
    expect(result).toMatchObject({ ok: true, code: undefined, permit: 'per-plan' });
    expect(result.summary).toBe('started 6: c0, c1, c2, c3, c4, c5');
  });

  it('ends when the canary does not come up, and starts no other channel', async () => {
    const { result, begun, handed } = await started(ids(6), { cured: () => false });
    expect(begun).toEqual(['c0@0']);
    expect(result).toMatchObject({ ok: false, code: 'staged_stopped' });
    expect(handed).toEqual([]);
  });

  it('goes on after one that did not come up, which is its own incident then, and ends after the second', async () => {
    const one = await started(ids(5), { cured: (channel) => channel !== 'c2' });
    expect(one.begun).toHaveLength(5);
    expect(one.result).toMatchObject({ ok: false, code: 'staged_partly' });
    expect(one.handed).toEqual(['c2']);
    const two = await started(ids(20), { cured: (channel) => channel !== 'c1' && channel !== 'c2' });
    expect(two.result.code).toBe('staged_stopped');
    expect(two.begun.length).toBeLessThan(20);
  });

  it('does not start what plays by itself by now', async () => {
    const { result, begun } = await started(ids(3), { healthy: (channel) => channel === 'c1' });
    expect(begun.map((each) => each.split('@')[0])).toEqual(['c0', 'c2']);
    expect(result).toMatchObject({ ok: true, summary: 'started 2: c0, c2; already playing: c1' });
  });

  it('leaves out a channel whose start alone is refused, and hands it to its own incident', async () => {
    const refused = (channel: string) => (channel === 'c1' ? (['hands_off', 'ann has it'] as const) : undefined);
    const { result, begun, handed } = await started(ids(3), { refused: refused as never });
    expect(begun).toHaveLength(2);
    expect(handed).toEqual(['c1']);
    expect(result).toMatchObject({ ok: false, code: 'staged_partly' });
    expect(result.summary).toContain('left out c1: hands_off, ann has it');
  });

  it.each(['containment', 'hands_off', 'maintenance', 'persona_denies', 'approval_needed'] as const)(
    'goes on at %s of one channel, whatever a person wrote as the reason',
    async (code) => {
      const scopes: readonly Scope[] = [{ kind: 'channel', id: 'c1' }];
      const because = 'group:g is contained (shared_cause): fleet is on a lease of (group:g)';
      const refused = (channel: string) =>
        channel === 'c1' ? ([code, because, undefined, scopes] as const) : undefined;
      const { begun, handed } = await started(ids(3), { refused });
      expect([begun.length, handed]).toEqual([2, ['c1']]);
    },
  );

  it.each([
    ['frozen', []],
    ['containment', [GROUP]],
    ['hands_off', [GROUP]],
    ['maintenance', [{ kind: 'fleet' }]],
    ['persona_denies', [GROUP]],
    ['approval_needed', [GROUP]],
  ] as const)('ends for all channels at %s that holds for the whole group', async (code, scopes) => {
    const because = 'channel:c1 is on a lease';
    const refused = (channel: string) => (channel === 'c1' ? ([code, because, undefined, scopes] as const) : undefined);
    const { begun, handed, result } = await started(ids(3), { refused });
    expect(begun).toHaveLength(1);
    expect(handed).toEqual([]);
    expect(result.summary).toContain(`stopped at c1: ${code}, ${because}; 2 left`);
  });

  it('waits for room and asks again, and stops no channel to make room', async () => {
    let asked = 0;
    const refused = (channel: string) => {
      if (channel !== 'c1') return undefined;
      asked += 1;
      return asked === 1 ? (['restart_storm', '9 starts', 5_000] as const) : undefined;
    };
    const { begun, result } = await started(ids(2), { refused: refused as never });
    expect(begun).toEqual(['c0@0', 'c1@7000']);
    expect(result.ok).toBe(true);
  });

  it('begins no further start once Reeve is asked to stop, and lets end what is under way', async () => {
    const { begun, result } = await started(ids(6), { stopAtMs: 3_000 });
    expect(begun).toEqual(['c0@0', 'c1@2000', 'c2@2000']);
    expect(result.summary).toContain('started 3: c0, c1, c2; stopped at Reeve was asked to stop; 3 left');
  });

  it('is not broken by a canary that nobody saw come up, because Reeve was stopped', async () => {
    const { result, begun, handed } = await started(ids(3), { cutOff: (channel) => channel === 'c0' });
    expect(begun).toEqual(['c0@0']);
    expect(result).toMatchObject({ ok: false, code: 'staged_partly' });
    expect(result.summary).toBe('started 0: none; not verified: c0; stopped at Reeve was asked to stop; 2 left');
    expect(handed).toEqual(['c0']);
  });

  it('begins no start that could not be verified within the run', async () => {
    const { begun, result } = await started(ids(6), { leftMs: 61_500 });
    expect(begun).toEqual(['c0@0']);
    expect(result.summary).toContain('the time of one run is over');
  });

  it('ends when starts grow eight times slower than the canary: the machine is not up to more', async () => {
    const tookMs = (channel: string) => ({ c0: 2_000, c1: 16_000 })[channel] ?? 6_000;
    const { result, begun } = await started(ids(20), { tookMs });
    expect(begun).toHaveLength(9);
    expect(result.summary).toContain('c1 took 16 s to come up');
  });
});
