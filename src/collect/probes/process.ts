/** Reads a process from `/proc`. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { ProcessReading } from '../../core/engine.ts';

/** The kernel counts CPU time for user space in hundredths of a second on every architecture (USER_HZ). */
const MS_PER_TICK = 10;

/**
 * What `/proc/PID/stat` and `/proc/PID/io` show of one process. Undefined when there is no such process, or no
 * `/proc`. Bytes written are those of all write calls, to a disk or not; what goes out by `send` is not in them.
 */
export function readProcess(pid: number): ProcessReading | undefined {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  const stat = read(`/proc/${pid}/stat`);
  // The name may hold blanks and brackets; it ends at the last bracket.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields ?? [];
  const [userTicks, systemTicks, startTicks] = [11, 12, 19].map((at) => Number(fields?.[at]));
  if (state === undefined || !Number.isFinite(startTicks)) return undefined;
  const cpuMs = ((userTicks ?? 0) + (systemTicks ?? 0)) * MS_PER_TICK;
  const written = /^wchar: (\d+)/m.exec(read(`/proc/${pid}/io`) ?? '')?.[1];
  const bytesWritten = written === undefined ? undefined : Number(written);
  return { state, parent: Number(parent), startTicks: startTicks ?? 0, cpuMs, bytesWritten };
}

/** Both files are far shorter than this, and the kernel hands them out whole. */
const bytes = Buffer.allocUnsafeSlow(4_096);

/** By one read: hundreds of processes are looked at each second, and asking for the size first costs as much again. */
function read(path: string): string | undefined {
  try {
    const fd = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
