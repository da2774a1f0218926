// What /proc tells of a daemon that is measured from outside.
import { readdirSync, readFileSync } from 'node:fs';

/** Counters of one process since its start, and its present size. */
export interface ProcessFigures {
  readonly cpuSeconds: number;
  /** Voluntary context switches of the thread that decides. */
  readonly wakeUps: number;
  /** And those of all threads that live. */
  readonly wakeUpsAll: number;
  /** By all read calls, of sockets too. */
  readonly bytesRead: number;
  readonly rssMb: number;
}

/** Reads them all at one moment. Throws for a process that is gone. */
export function figuresOf(pid: number): ProcessFigures {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const switches = (thread: string): number =>
    numberIn(`/proc/${pid}/task/${thread}/status`, 'voluntary_ctxt_switches');
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
    wakeUps: numberIn(`/proc/${pid}/status`, 'voluntary_ctxt_switches'),
    wakeUpsAll: readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + switches(thread), 0),
    bytesRead: numberIn(`/proc/${pid}/io`, 'rchar'),
    rssMb: numberIn(`/proc/${pid}/status`, 'VmRSS') / 1024,
  };
}

const numberIn = (path: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'latin1'))?.[1] ?? Number.NaN);
