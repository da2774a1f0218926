/** Finds processes and mounts that a stage left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { STAGE_MARK } from './conf.ts';

/** What a stage left behind after it was struck: nothing, if all is well. */
export interface Remains {
  readonly pids: readonly number[];
  readonly mounts: readonly string[];
}

/** Live processes that carry the stage's mark in their environment, and mounts under its folder. Linux only. */
export function remainsOf({ dir, mark }: { dir: string; mark: string }): Remains {
  const carries = `${STAGE_MARK}=${mark}`;
  const pids = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(carries) && isAlive(pid));
  const mounts = read('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((at) => at === dir || at.startsWith(`${dir}/`));
  return { pids: pids.map(Number), mounts };
}

/** A zombie only waits to be asked for its exit code: it holds nothing. */
const isAlive = (pid: string): boolean =>
  !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)) && read(`/proc/${pid}/cmdline`) !== '';

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
