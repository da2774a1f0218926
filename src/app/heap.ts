/** Fits V8's heap to how much is watched. V8 takes its settings only as a process starts. */

/** More channels give the collector more to do. Chosen between the thirteen and the 500 that were measured. */
export const MEDIUM_FROM_CHANNELS = 100;
/** Whoever watches so many channels has the memory, and would wait for the collector of a small heap. */
export const LARGE_FROM_CHANNELS = 3_000;

/** With this bin/reeve.js starts each daemon: how much there is to watch it cannot know. */
const SMALL = '--heap-growing-percent=20';
/** Measured with 500 channels (docs/performance.md, "Channels as they live"). */
const MEDIUM = ['--heap-growing-percent=60'];
/** Measured with 10,000 channels (docs/performance.md, "Ten thousand channels"), with helpers for the collector. */
const LARGE = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=60',
  '--no-memory-saver-mode',
  '--parallel-scavenge',
];
const OF_HEAP = /^--(?:max-semi-space-size|heap-growing-percent|(?:no-?)?memory-saver-mode)/;
/** How many options of that kind bin/reeve.js sets. */
const SET_AT_START = 3;

/** What of a process it takes to start it over. */
export type OwnProcess = Pick<NodeJS.Process, 'execArgv' | 'execPath' | 'argv' | 'env' | 'execve' | 'channel'>;

/** The options to start over with; undefined: the heap is as it should be, or as a person set it. */
export function heapOptionsFor(channels: number, execArgv: readonly string[]): readonly string[] | undefined {
  // V8 reads `_` as `-`.
  const ofHeap = execArgv.filter((each) => OF_HEAP.test(each.replaceAll('_', '-')));
  const isAsStarted = ofHeap.includes(SMALL) && ofHeap.length === SET_AT_START;
  if (channels < MEDIUM_FROM_CHANNELS || !isAsStarted) return undefined;
  return [...execArgv, ...(channels < LARGE_FROM_CHANNELS ? MEDIUM : LARGE)];
}

/**
 * Before anything is open: starts the process over where its heap is too small, with the same number, streams and
 * arguments. One that stands in for another process is tied to it by a channel, which would be lost: it stays as it is.
 */
export function fitHeap(channels: number, { execArgv, execPath, argv, env, execve, channel }: OwnProcess): void {
  const options = heapOptionsFor(channels, execArgv);
  if (options === undefined || execve === undefined || channel != null) return;
  execve(execPath, [execPath, ...options, ...argv.slice(1)], env);
}
