/** The probe of this machine: disks, memory, load, kills for want of memory. */
import { readFile, statfs } from 'node:fs/promises';
import type { HostSample } from '../../core/sample.ts';

export type HostReading = Pick<HostSample, 'disks' | 'oomKills' | 'cpuPressure'>;

/** What file systems were asked and have not answered yet, by path: how full they are, from 0 to 1. */
export type DiskQuestions = Map<string, Promise<number | undefined>>;

/**
 * What the machine says of its disks, memory and load; each part undefined where it cannot be read, or not before
 * the signal aborts: a file system whose server is gone gives no answer, and is asked again only once it has answered.
 * `asked` is shared by all probes: a question holds a thread, of which the process has four.
 */
export function createHostProbe(
  disks: readonly string[],
  asked: DiskQuestions = new Map(),
): (signal: AbortSignal) => Promise<HostReading> {
  const usage = (path: string): Promise<number | undefined> => {
    const pending = asked.get(path);
    if (pending !== undefined) return pending;
    const answer = usedRatioOf(path).finally(() => asked.delete(path));
    asked.set(path, answer);
    return answer;
  };
  return async (signal) => {
    const late = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const [used, vmstat, pressure] = await Promise.all([
      Promise.all(disks.map(async (path) => ({ path, usedRatio: await Promise.race([usage(path), late]) }))),
      textOf('/proc/vmstat'),
      textOf('/proc/pressure/cpu'),
    ]);
    return { disks: used, oomKills: oomKillsIn(vmstat), cpuPressure: cpuPressureIn(pressure) };
  };
}

/** As `df` counts: what is kept for root is neither used nor free. A full disk for everybody else is 1. */
async function usedRatioOf(path: string): Promise<number | undefined> {
  try {
    const { blocks, bfree, bavail } = await statfs(path);
    const used = blocks - bfree;
    return used + bavail > 0 ? used / (used + bavail) : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch {
    return '';
  }
}

export function oomKillsIn(vmstat: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(vmstat)?.[1];
  return count === undefined ? undefined : Number(count);
}

export function cpuPressureIn(pressure: string): number | undefined {
  const percent = /^some avg10=(\d+(?:\.\d+)?)/m.exec(pressure)?.[1];
  return percent === undefined ? undefined : Math.min(1, Number(percent) / 100);
}
