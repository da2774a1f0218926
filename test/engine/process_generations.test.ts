import { describe, expect, it } from 'vitest';
import type { ProcessReading } from '../../src/core/engine.ts';
import { processGenerationsOf } from '../../src/engine/process_generations.ts';

const reading = (overrides: Partial<ProcessReading> = {}): ProcessReading => ({
  state: 'S',
  parent: 50,
  startTicks: 900,
  cpuMs: 120,
  bytesWritten: 4_096,
  ...overrides,
});
const reportOf = (overrides: object = {}) => ({
  pid: 77,
  start: 100,
  now: 105,
  monoMs: 1_000,
  parent: 50,
  ...overrides,
});

describe('process generations', () => {
  it('with auto believes only children of the engine, and never of pid 1', () => {
    const look = (parent: number | undefined, child: number) =>
      processGenerationsOf('auto', () => reading({ parent: child })).look('a', reportOf({ parent }));
    expect(look(50, 50)).toMatchObject({ generation: '77:t900', cpuMs: 120, halted: false, bytesWritten: 4_096 });
    for (const [parent, child] of [
      [50, 51],
      [1, 1],
      [undefined, 50],
    ] as const) {
      expect(look(parent, child)).toMatchObject({ generation: '77:100', cpuMs: undefined, halted: undefined });
    }
  });

  it('with true believes every process of that pid, with false none', () => {
    expect(processGenerationsOf(true, () => reading({ parent: 3 })).look('a', reportOf())).toMatchObject({
      cpuMs: 120,
    });
    expect(processGenerationsOf(false, () => reading()).look('a', reportOf())).toMatchObject({
      cpuMs: undefined,
      generation: '77:100',
    });
    expect(processGenerationsOf('auto', undefined).look('a', reportOf())).toMatchObject({ halted: undefined });
  });

  it('sees a process that is halted or traced', () => {
    const halted = (state: string) =>
      processGenerationsOf('auto', () => reading({ state })).look('a', reportOf()).halted;
    expect(['T', 't', 'R', 'S', 'D', 'Z'].map(halted)).toEqual([true, true, false, false, false, false]);
  });

  it('keep the name of a generation while /proc is unreadable for a moment', () => {
    let gone = false;
    const generations = processGenerationsOf('auto', () => (gone ? undefined : reading()));
    const first = generations.look('a', reportOf()).generation;
    gone = true;
    expect(generations.look('a', reportOf({ monoMs: 2_000 })).generation).toBe(first);
    gone = false;
    expect(generations.look('a', reportOf({ monoMs: 3_000 })).generation).toBe(first);
  });

  it('take a used pid with another start for another generation', () => {
    let startTicks = 900;
    const generations = processGenerationsOf('auto', () => reading({ startTicks }));
    expect(generations.look('a', reportOf()).generation).toBe('77:t900');
    startTicks = 1_000;
    expect(generations.look('a', reportOf()).generation).toBe('77:t1000');
  });

  it('take the same pid with a later start for another generation: so it is in a container that is started anew', () => {
    const generations = processGenerationsOf(false, undefined);
    generations.look('a', reportOf({ start: 100, now: 3_700 }));
    const again = generations.look('a', reportOf({ start: 3_710, now: 3_712, monoMs: 13_000 }));
    expect(again).toMatchObject({ generation: '77:3710', uptimeMs: 2_000 });
    const local = processGenerationsOf('auto', () => reading());
    local.look('a', reportOf());
    expect(local.look('a', reportOf({ start: 103, now: 106, monoMs: 2_000 })).generation).toBe('77:t900');
  });

  it.each([
    ['forward', { start: 3_700, now: 3_706 }],
    ['back', { start: 40, now: 46 }],
  ])('keep the name and the age of a generation whose start moves with a clock that is set %s', (_, moved) => {
    const generations = processGenerationsOf(false, undefined);
    generations.look('a', reportOf());
    const same = { generation: '77:100', uptimeMs: 6_000 };
    expect(generations.look('a', reportOf({ ...moved, monoMs: 2_000 }))).toMatchObject(same);
    const { start, now } = moved;
    const next = { start: now, now: now + 1, monoMs: 3_000 };
    expect(generations.look('a', reportOf({ start, now: now + 1, monoMs: 3_000 })).generation).toBe('77:100');
    expect(generations.look('a', reportOf(next)).generation).toBe(`77:${now}`);
  });

  it('forget a generation that ended, and keep channels apart', () => {
    const generations = processGenerationsOf(false, undefined);
    generations.look('a', reportOf());
    expect(generations.look('b', reportOf({ start: 200 })).generation).toBe('77:200');
    expect(generations.look('a', reportOf({ pid: 0 }))).toMatchObject({
      pid: undefined,
      generation: undefined,
      uptimeMs: undefined,
    });
    expect(generations.look('a', reportOf({ start: 300, now: 301 }))).toMatchObject({
      generation: '77:300',
      uptimeMs: 1_000,
    });
  });

  it('never gives a negative age', () => {
    expect(processGenerationsOf(false, undefined).look('a', reportOf({ start: 500, now: 100 })).uptimeMs).toBe(0);
  });
});
