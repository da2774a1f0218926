/**
 * Seeds over all cores: this file starts itself as worker processes, each of which takes every nth seed. A world is one
 * process's own: nothing is shared, so a seed gives the same answer whoever runs it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';

export interface Share {
  readonly first: number;
  readonly count: number;
  readonly step: number;
}

const SHARE = 'REEVE_SEEDS';

/** Set in a worker: which seeds are its own. */
export function shareOfThis(): Share | undefined {
  const text = process.env[SHARE];
  if (text === undefined) return undefined;
  const [first = 0, count = 0, step = 1] = text.split(':').map(Number);
  return { first, count, step };
}

/** Workers for all cores, or for fewer where that is asked. */
export const workersFor = (asked: string | undefined, seeds: number): number =>
  Math.max(1, Math.min(asked === undefined ? availableParallelism() : Number(asked), seeds));

/** Sends to the parent. The parent itself sends nothing. */
export const tell = (message: unknown): void => void process.send?.(message);

/**
 * Runs the script again in so many processes. `onMessage` gets what they send; true ends all of them. Resolves when
 * all are gone: a worker that fell is an error, for its seeds were not run.
 */
export async function overSeeds(
  script: string,
  share: { readonly first: number; readonly seeds: number; readonly workers: number },
  onMessage: (message: unknown) => boolean,
): Promise<void> {
  const { first, seeds, workers } = share;
  const children: ChildProcess[] = [];
  let ended = false;
  const endAll = (): void => {
    ended = true;
    for (const child of children) child.kill();
  };
  const one = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, [SHARE]: `${first + at}:${Math.ceil((seeds - at) / workers)}:${workers}` };
      const child = fork(script, process.argv.slice(2), { env });
      children.push(child);
      child.on('message', (message) => {
        if (!ended && onMessage(message)) endAll();
      });
      child.on('error', reject);
      child.on('exit', (code) => {
        if (ended || code === 0) return resolve();
        endAll();
        reject(new Error(`a worker ended with ${code}`));
      });
    });
  await Promise.all(Array.from({ length: workers }, (_, at) => one(at)));
}
