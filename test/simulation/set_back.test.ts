import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import { REPAIR_MS } from '../../src/simulation/operators.ts';
import { type Injection, type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const SET_BACK_MS = 30 * MINUTE_MS;

const base = { kind: 'set_back', target: '', forMs: 5_000 } as const;
/** The copy is 10 s, some minutes or nearly two hours older than what the witness knows. */
const AGES = { fresh: 0, older: 0.5, empty: 0.999 } as const;
const setBack = (age: keyof typeof AGES, atMs = SET_BACK_MS): Injection => ({ ...base, atMs, variant: AGES[age] });
const crash = (atMs: number, target = 'ch0'): Injection => ({ kind: 'crash', target, atMs, forMs: 0, variant: 0.1 });
/** So that there is something in the journal. */
const BEFORE = [crash(5 * MINUTE_MS), crash(15 * MINUTE_MS, 'ch1'), crash(25 * MINUTE_MS)];

const sceneOf = (injections: readonly Injection[]): Scenario => ({
  ...scenarioOf({ seed: 1, days: HOUR_MS / DAY_MS, channels: 2, kinds: [], phase: 4, persona: 'lab', limits: {} }),
  injections,
});

interface Written extends JournalEntry {
  readonly atMs: number;
}

async function play(injections: readonly Injection[]) {
  const written: Written[] = [];
  const end = await new Simulation(sceneOf(injections), {
    onBatch: ({ entries, atMs }) => void written.push(...entries.map((entry) => ({ ...entry, atMs }))),
  }).run();
  const of = (type: JournalEntry['fact']['type']): readonly Written[] =>
    written.filter(({ fact }) => fact.type === type);
  return { written, of, end };
}

describe('the simulated Reeve that is given an older journal', () => {
  it.each(Object.keys(AGES) as readonly (keyof typeof AGES)[])(
    'finds by its witness that it was set back, and goes on where the copy ends: %s',
    async (age) => {
      const { written, of, end } = await play([...BEFORE, setBack(age)]);
      const [, begun] = of('reeve.started');
      const whole = written.filter(({ atMs }) => atMs <= SET_BACK_MS);
      const copy = whole.filter(({ seq }) => seq < written.find(({ atMs }) => atMs > SET_BACK_MS)!.seq);
      expect(copy.length).toBeLessThan(whole.length);
      expect(copy.length > 0).toBe(age !== 'empty');
      expect(begun!.monoMs).toBe(copy.at(-1)?.monoMs ?? begun!.monoMs);
      expect(of('control.phase_held')).toHaveLength(1);
      expect(end.violations).toEqual([]);
    },
  );

  it('restarts nothing and pages, until a person has looked after it and sets the phase', async () => {
    const { of, end } = await play([...BEFORE, setBack('older'), crash(SET_BACK_MS + MINUTE_MS)]);
    const pages = end.record.deliveries.filter(({ what }) => what === 'trigger').map(({ key }) => key);
    expect(pages).toContain('phase/set_back');
    expect(pages.some((key) => key.startsWith('incident/'))).toBe(true);
    const [set] = of('control.phase_set');
    expect(set!.atMs).toBeGreaterThanOrEqual(SET_BACK_MS + REPAIR_MS);
    expect(
      end.record.invocations.filter(
        ({ tool, atMs }) => tool === 'restart_channel' && atMs > SET_BACK_MS && atMs < set!.atMs,
      ),
    ).toEqual([]);
    expect(end.violations).toEqual([]);
  });

  it.each(['older', 'empty'] as const)(
    'pages what it stopped and does not know of any more, and restarts nothing: %s',
    async (age) => {
      const diesMs = SET_BACK_MS - 10_000;
      // The engine stops what it is asked to restart, and does not start it.
      const half = { kind: 'half_restart', target: 'e0', forMs: 10 * MINUTE_MS, variant: 0.3 } as const;
      const { end } = await play([...BEFORE, { ...half, atMs: diesMs - 1 }, crash(diesMs), setBack(age)]);
      expect(end.violations).toEqual([]);
      const pages = end.record.deliveries.filter(({ what, atMs }) => what === 'trigger' && atMs > SET_BACK_MS);
      expect(pages.map(({ scope }) => scope)).toContain('channel:ch0');
    },
  );

  it('is a Reeve that restarts what dies where nothing was set back', async () => {
    const { of, end } = await play([crash(SET_BACK_MS + MINUTE_MS)]);
    expect(of('control.phase_held')).toEqual([]);
    expect(end.record.invocations.filter(({ tool }) => tool === 'restart_channel')).toHaveLength(1);
  });
});
