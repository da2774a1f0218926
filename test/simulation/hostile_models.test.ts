import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.ts';
import { keyOfScope } from '../../src/core/scope.ts';
import { auditPlans } from '../../src/agent/audit.ts';
import { HOSTILE_MODELS, hostileModel } from '../../src/simulation/hostile_models.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

async function simulate(name: string, seed: number) {
  const script = scenarioOf({ seed, days: 0.1, calm: 0.1, swarm: false, phase: 4, persona: 'lab' });
  let calls = 0;
  const entries: JournalEntry[] = [];
  const onCall = (): void => {
    calls += 1;
  };
  const end = await new Simulation(script, {
    hostile: () => hostileModel(name, script, onCall),
    onBatch: (batch) => entries.push(...batch.entries),
  }).run();
  return { end, entries, calls };
}

const factsOf = (entries: readonly JournalEntry[], run: string | undefined) =>
  entries.filter((entry) => entry.run === run).map(({ fact }) => fact);

describe('a hostile model behind the real parser (S12)', () => {
  it.each(Object.keys(HOSTILE_MODELS))('that is %s keeps every law', { timeout: 240_000 }, async (name) => {
    for (const seed of [1, 2]) {
      const { end, entries, calls } = await simulate(name, seed);
      expect({ seed, violations: end.violations }).toEqual({ seed, violations: [] });
      expect(calls).toBeGreaterThan(10);
      expect(auditPlans(entries).bad).toEqual([]);
    }
  });

  it('reaches nothing but calls that the guard allowed, on the target of its own incident', {
    timeout: 240_000,
  }, async () => {
    const { entries } = await simulate('moody', 3);
    const started = entries.filter(({ fact }) => fact.type === 'tool.started');
    expect(started.length).toBeGreaterThan(10);
    for (const { run, fact } of started) {
      if (fact.type !== 'tool.started') continue;
      const { permit } = fact;
      const allowed = entries.some(
        ({ fact: each }) =>
          each.type === 'guard.decided' && each.decision.verdict === 'allow' && each.decision.permit.id === permit.id,
      );
      expect(allowed).toBe(true);
      const envelopes = factsOf(entries, run).flatMap((each) =>
        each.type === 'envelope.taken' ? [each.envelope] : [],
      );
      const targets = envelopes.flatMap(({ scope, channels }) => [
        keyOfScope(scope),
        ...channels.map((id) => keyOfScope({ kind: 'channel', id })),
      ]);
      expect(targets).toContain(keyOfScope(permit.call.target));
    }
  });

  it('is the same to the byte for the same seed', { timeout: 120_000 }, async () => {
    const [one, two] = [await simulate('moody', 5), await simulate('moody', 5)];
    expect(one.end.traceSha256).toBe(two.end.traceSha256);
  });
});
