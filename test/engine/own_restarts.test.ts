import { describe, expect, it } from 'vitest';
import type { ProcessSample } from '../../src/core/sample.ts';
import { OwnRestarts } from '../../src/engine/own_restarts.ts';

const sample = (generation: string | undefined): ProcessSample => ({
  ...{ kind: 'process', channel: 'news', engine: 'local', source: 'table', at: 0, monoMs: 0 },
  ...{ state: 'running', generation, pid: 7, uptimeMs: 1, cpuMs: 1, halted: false, bytesWritten: 1 },
  ...{ exitCode: undefined, exitSignal: undefined, stoppedOnPurpose: false },
});

/** How many processes are reported as ended unseen, by a look after one with 5 restarts of `a`. */
function unseen(restarts: number | undefined, generation: string | undefined): number {
  const own = new OwnRestarts();
  expect(own.withUnseen(sample('a'), 5)).toHaveLength(1);
  const samples = own.withUnseen(sample(generation), restarts);
  expect(samples.at(-1)).toEqual(sample(generation));
  return samples.length - 1;
}

describe('processes that began and ended between two looks', () => {
  it.each([
    ['the count stands', 5, 'a', 0],
    ['the count is not known', undefined, 'b', 0],
    ['the count went back, as after a reload', 0, 'b', 0],
    ['the one restart is the process that is seen', 6, 'b', 0],
    ['it is to be restarted, or was refused one, and the process is the same', 6, 'a', 0],
    ['one more restart than the process that is seen', 7, 'b', 1],
    ['two restarts, and no process is seen', 7, undefined, 2],
    ['eleven more than the process that is seen', 17, 'b', 10],
  ])('are counted where %s', (_, restarts, generation, expected) => {
    expect(unseen(restarts, generation)).toBe(expected);
  });

  it('are counted once where a restart was counted before its process came', () => {
    const own = new OwnRestarts();
    const counts = [
      [5, 'a'],
      [6, 'a'],
      [6, 'b'],
      [8, 'c'],
    ] as const;
    expect(counts.map(([restarts, generation]) => own.withUnseen(sample(generation), restarts).length)).toEqual([
      ...[1, 1, 1, 2],
    ]);
  });

  it('are ended samples with a generation each, and nothing of the process that runs now', () => {
    const own = new OwnRestarts();
    own.withUnseen(sample('a'), 0);
    const [first, second] = own.withUnseen(sample('b'), 3);
    expect([first?.generation, second?.generation]).toEqual(['unseen-1-before-b', 'unseen-2-before-b']);
    expect(first).toMatchObject({ state: 'exited', pid: undefined, uptimeMs: undefined, bytesWritten: undefined });
  });
});
