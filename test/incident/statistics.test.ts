import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { createStatistics } from '../../src/incident/statistics.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { aCall, anIncident, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const PIPELINE = { factStore: { channels: [] }, channelIndex: { phaseOf: () => 2 } } as never;

function counted(...facts: readonly JournalFact[]) {
  const ledger = new Ledger(new MemoryStore(), fakeClock().clock);
  const statistics = createStatistics(ledger);
  ledger.open();
  ledger.append(facts.map((fact) => ({ fact })));
  return statistics.stats(PIPELINE) as Readonly<Record<string, number>>;
}

const closed = (ending: 'resolved' | 'self_healed' | 'by_person'): JournalFact => ({
  ...{ type: 'incident.closed', ending, because: 'x', openMs: 1 },
});
const started = (tool: 'restart_channel' | 'refresh_credentials'): JournalFact => ({
  ...{ type: 'tool.started', permit: permitTerms({ call: aCall({ tool }) }) },
});
const because = 'x';
const planBy = (by: object): JournalFact => ({ type: 'plan.made', plan: { kind: 'stop', because, by } as never });

describe('the counts of reeve stats', () => {
  it('begin at nothing, and a ratio without plans is 0', () => {
    expect(counted()).toMatchObject({ incidents: 0, restarts: 0, denials: 0, llmNeededRatio: 0 });
  });

  it('distinguish the ways in which an incident ends', () => {
    const opened: JournalFact = { type: 'incident.opened', incident: anIncident() };
    expect(
      counted(opened, closed('resolved'), opened, closed('self_healed'), opened, closed('by_person')),
    ).toMatchObject({ incidents: 3, resolved: 1, selfHealed: 1 });
  });

  it('count as a restart only what starts a process', () => {
    expect(counted(started('restart_channel'), started('refresh_credentials'))).toMatchObject({ restarts: 1 });
    const plan = aCall({ target: { kind: 'group', id: 'gen' } });
    expect(counted({ type: 'tool.started', permit: permitTerms({ call: plan }) })).toMatchObject({ restarts: 0 });
  });

  it('count plans by who made them: what a policy says is neither of a rule nor of a model', () => {
    const stats = counted(
      planBy({ kind: 'rule', rule: 'a' }),
      planBy({ kind: 'rule', rule: 'b' }),
      planBy({ kind: 'rule', rule: 'c' }),
      planBy({ kind: 'model', model: 'm' }),
      planBy({ kind: 'policy', because }),
    );
    expect(stats).toMatchObject({ plansByRule: 3, plansByModel: 1, llmNeededRatio: 0.25 });
  });

  it('read the same after a start from the same journal', () => {
    const store = new MemoryStore();
    const read = (facts: readonly JournalFact[]) => {
      const ledger = new Ledger(store, fakeClock().clock);
      const { stats } = createStatistics(ledger);
      ledger.open();
      if (facts.length > 0) ledger.append(facts.map((fact) => ({ fact })));
      return stats(PIPELINE);
    };
    const before = read([closed('resolved'), closed('resolved')]);
    expect(read([])).toEqual(before);
    expect(before).toMatchObject({ resolved: 2 });
  });

  it('show the phase of each group once', () => {
    const channels = ['a', 'b', 'a'].map((group) => ({ group }));
    const ledger = new Ledger(new MemoryStore(), fakeClock().clock);
    const { stats } = createStatistics(ledger);
    ledger.open();
    const phases = {
      factStore: { channels },
      channelIndex: { phaseOf: (group: string) => (group === 'a' ? 4 : 1) },
    } as never;
    expect(stats(phases)).toMatchObject({
      rollout: {
        groups: [
          { group: 'a', phase: 4 },
          { group: 'b', phase: 1 },
        ],
      },
    });
  });
});

describe('the gauges of the decision path', () => {
  it('show a restart: its velocity, its cooldown until that ends, and the incident while it is open', async () => {
    const world = pipelineHarness();
    const { gauges } = createStatistics(new Ledger(new MemoryStore(), world.clock));
    const shown = gauges(world.pipeline, () => DEFAULT_LIMITS, world.clock);
    await world.live(10_000);
    expect([shown.openIncidents(), shown.restartVelocity(), shown.cooldowns()]).toEqual([0, 0, []]);
    world.engine.kill('news');
    while (world.engine.restarts.length === 0) await world.live(250);
    expect(shown.openIncidents()).toBe(1);
    expect(shown.restartVelocity()).toBeGreaterThan(0);
    const [cooldown] = shown.cooldowns();
    expect(cooldown).toMatchObject({ channel: 'news', tool: 'restart_channel' });
    await world.live(cooldown!.remainingMs + 1);
    expect(shown.cooldowns()).toEqual([]);
    expect(shown.breakers().every(({ state }) => state === 0)).toBe(true);
  });
});
