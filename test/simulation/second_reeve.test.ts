import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/core/duration.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { type Injection, type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const BEGINS_MS = 10 * MINUTE_MS;
const ENDS_MS = 30 * MINUTE_MS;

const second: Injection = { kind: 'second_reeve', target: '', atMs: BEGINS_MS, forMs: ENDS_MS - BEGINS_MS, variant: 0 };
const crash = (atMs: number, target = 'ch0'): Injection => ({ kind: 'crash', target, atMs, forMs: 0, variant: 0.1 });

interface Order {
  readonly wired?: boolean;
  readonly untouchable?: boolean;
}

/** Four channels of one group for three quarters of an hour, and the facts that the first Reeve wrote down. */
async function play(injections: readonly Injection[], { wired = false, untouchable = false }: Order = {}) {
  const days = (45 * MINUTE_MS) / DAY_MS;
  const size = { seed: 3, days, channels: 4, kinds: [], phase: 4, persona: 'system_admin', limits: {}, wired } as const;
  const empty = scenarioOf(size);
  const plans = empty.channels.map((plan) => ({ ...plan, untouchable }));
  const script: Scenario = { ...empty, channels: plans, injections };
  const facts: JournalFact[] = [];
  const onBatch = ({ entries }: { readonly entries: readonly { readonly fact: JournalFact }[] }): void =>
    void facts.push(...entries.map(({ fact }) => fact));
  const { violations, service } = await new Simulation(script, { livenessMs: 0, onBatch }).run();
  const origins = facts.flatMap((fact) => (fact.type === 'start.observed' ? [fact.origin] : []));
  return { violations, origins, by: (channel: string) => service.at(channel).process.by };
}

describe('a second Reeve on the same engine', () => {
  it.each([false, true])('starts by its own persona what the first one may not; wired: %s', async (wired) => {
    const { violations, by } = await play([second, crash(20 * MINUTE_MS)], { untouchable: true, wired });
    expect([by('ch0'), violations]).toEqual(['second', []]);
  });

  it('is foreign to the first one, whose window counts its starts', async () => {
    const { origins, violations } = await play([second, crash(20 * MINUTE_MS)], { untouchable: true });
    expect(origins).toHaveLength(1);
    expect(origins).not.toContain('reeve');
    expect(violations).toEqual([]);
  });

  it('sees the same death at the same time: of both nothing is asked but what each can know', async () => {
    const { violations, by } = await play([second, crash(20 * MINUTE_MS), crash(25 * MINUTE_MS, 'ch1')]);
    expect(violations).toEqual([]);
    expect(['reeve', 'second']).toContain(by('ch0'));
  });

  it('is stopped after a while, and there is never a third', async () => {
    const third = { ...second, atMs: BEGINS_MS + MINUTE_MS, forMs: 40 * MINUTE_MS };
    const { by } = await play([second, third, crash(ENDS_MS + MINUTE_MS)], { untouchable: true });
    expect(by('ch0')).not.toBe('second');
  });

  it('pages in time what was down before it began, and is called a trouble of all only then', async () => {
    const size = { seed: 50_231, days: 1 / 24, channels: 8, kinds: [], phase: 0, persona: 'live_event' } as const;
    const empty = scenarioOf({ ...size, limits: {}, wired: true, startCost: true });
    const channels = empty.channels.map((plan) => ({ ...plan, engine: 'e0', hasSource: plan.id === 'ch3' }));
    const auth: Injection = { kind: 'auth', target: 'g0', atMs: 359_169, forMs: 433_322, variant: 0.34 };
    const injections = [auth, { ...second, variant: 0.4375 }];
    expect((await new Simulation({ ...empty, channels, injections }).run()).violations).toEqual([]);
  });
});
