import { describe, expect, it } from 'vitest';
import type { ProcessReading } from '../../src/core/engine.ts';
import { livesOf } from '../../src/engine/lives.ts';

const reading = (overrides: Partial<ProcessReading> = {}): ProcessReading => ({
  state: 'S',
  parent: 50,
  startTicks: 900,
  cpuMs: 120,
  bytesWritten: 4_096,
  ...overrides,
});
const word = (overrides: object = {}) => ({ pid: 77, start: 100, now: 105, monoMs: 1_000, parent: 50, ...overrides });

describe('lives', () => {
  it('with auto believes only children of the engine, and never of pid 1', () => {
    const look = (parent: number | undefined, child: number) =>
      livesOf('auto', () => reading({ parent: child })).look('a', word({ parent }));
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
    expect(livesOf(true, () => reading({ parent: 3 })).look('a', word())).toMatchObject({ cpuMs: 120 });
    expect(livesOf(false, () => reading()).look('a', word())).toMatchObject({ cpuMs: undefined, generation: '77:100' });
    expect(livesOf('auto', undefined).look('a', word())).toMatchObject({ halted: undefined });
  });

  it('sees a process that is halted or traced', () => {
    const halted = (state: string) => livesOf('auto', () => reading({ state })).look('a', word()).halted;
    expect(['T', 't', 'R', 'S', 'D', 'Z'].map(halted)).toEqual([true, true, false, false, false, false]);
  });

  it('keeps the name of a life while /proc is unreadable for a moment', () => {
    let gone = false;
    const lives = livesOf('auto', () => (gone ? undefined : reading()));
    const first = lives.look('a', word()).generation;
    gone = true;
    expect(lives.look('a', word({ monoMs: 2_000 })).generation).toBe(first);
    gone = false;
    expect(lives.look('a', word({ monoMs: 3_000 })).generation).toBe(first);
  });

  it('takes a used pid with another start for another life', () => {
    let startTicks = 900;
    const lives = livesOf('auto', () => reading({ startTicks }));
    expect(lives.look('a', word()).generation).toBe('77:t900');
    startTicks = 1_000;
    expect(lives.look('a', word()).generation).toBe('77:t1000');
  });

  it('forgets a life that ended, and keeps channels apart', () => {
    const lives = livesOf(false, undefined);
    lives.look('a', word());
    expect(lives.look('b', word({ start: 200 })).generation).toBe('77:200');
    expect(lives.look('a', word({ pid: 0 }))).toMatchObject({
      pid: undefined,
      generation: undefined,
      uptimeMs: undefined,
    });
    expect(lives.look('a', word({ start: 300, now: 301 }))).toMatchObject({ generation: '77:300', uptimeMs: 1_000 });
  });

  it('never gives a negative age', () => {
    expect(livesOf(false, undefined).look('a', word({ start: 500, now: 100 })).uptimeMs).toBe(0);
  });
});
