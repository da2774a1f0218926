import { describe, expect, it } from 'vitest';
import {
  fitHeap,
  heapOptionsFor,
  LARGE_FROM_CHANNELS,
  MEDIUM_FROM_CHANNELS,
  type OwnProcess,
} from '../../src/app/heap.ts';

/** As bin/reeve.js starts the daemon (test/checkout/entry.test.ts holds it to that). */
const SMALL = ['--max-semi-space-size=4', '--memory-saver-mode', '--heap-growing-percent=20', '--no-flush-bytecode'];
const MEDIUM = ['--heap-growing-percent=60'];
const LARGE = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-memory-saver-mode',
  '--parallel-scavenge',
];

function aProcess(over: Partial<OwnProcess> = {}) {
  const started: (readonly unknown[])[] = [];
  const own = {
    execPath: '/usr/bin/node',
    execArgv: SMALL,
    argv: ['/usr/bin/node', '/opt/reeve.js', 'run', '--config', 'a b'],
    env: { HOME: '/root' },
    execve: (...args: readonly unknown[]) => void started.push(args),
    channel: undefined,
    ...over,
  } as unknown as OwnProcess;
  return { own, started };
}

describe('the heap of the daemon', () => {
  it('stays small with one channel less than a hundred, is larger from there on and large from 3,000 on', () => {
    expect(heapOptionsFor(MEDIUM_FROM_CHANNELS - 1, SMALL)).toBeUndefined();
    expect(heapOptionsFor(MEDIUM_FROM_CHANNELS, SMALL)).toEqual([...SMALL, ...MEDIUM]);
    expect(heapOptionsFor(LARGE_FROM_CHANNELS - 1, SMALL)).toEqual([...SMALL, ...MEDIUM]);
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, SMALL)).toEqual([...SMALL, ...LARGE]);
  });

  it('stays as a person set it', () => {
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, '--max-semi-space-size=64'])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, '--max_semi_space_size=64'])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, '--no-memory-saver-mode'])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, '--nomemory-saver-mode'])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, '--cpu-prof'])).toEqual([...SMALL, '--cpu-prof', ...LARGE]);
  });

  it('is not changed a second time', () => {
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, ...LARGE])).toBeUndefined();
    expect(heapOptionsFor(LARGE_FROM_CHANNELS, [...SMALL, ...MEDIUM])).toBeUndefined();
  });

  it('is made larger by starting the process over with the same arguments and environment', () => {
    const { own, started } = aProcess();
    fitHeap(LARGE_FROM_CHANNELS, own);
    const args = ['/usr/bin/node', ...SMALL, ...LARGE, '/opt/reeve.js', 'run', '--config', 'a b'];
    expect(started).toEqual([['/usr/bin/node', args, { HOME: '/root' }]]);
  });

  it('is left alone where few channels are watched, in a stand-in for another process, and where none can start over', () => {
    const few = aProcess();
    fitHeap(MEDIUM_FROM_CHANNELS - 1, few.own);
    const standIn = aProcess({ channel: {} as never });
    fitHeap(LARGE_FROM_CHANNELS, standIn.own);
    const unable = aProcess({ execve: undefined as never });
    fitHeap(LARGE_FROM_CHANNELS, unable.own);
    expect([few, standIn, unable].flatMap(({ started }) => started)).toEqual([]);
  });
});
