/** How many log files this process may keep open. */
import { readFileSync } from 'node:fs';
import { DEFAULT_TAIL_LIMITS } from './types.ts';

/** Descriptors that connections, the journal and everything else need: a quarter, though at least this many … */
const RESERVED_MIN = 512;
const RESERVED_SHARE = 1 / 4;
/** … and never more than half. */
const RESERVED_SHARE_MAX = 1 / 2;
/** More than one machine carries. */
const FILES_MAX = 65_536;

/**
 * So many of the descriptors that a process may have are for log files. `limits`: what proc_pid_limits(5) says of it;
 * the default where it does not say. Node itself raises its limit to the hard one when it starts.
 */
export function filesMaxOf(limits: string): number {
  const says = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
  if (says === undefined) return DEFAULT_TAIL_LIMITS.filesMax;
  if (says === 'unlimited') return FILES_MAX;
  const reserved = Math.min(Math.max(RESERVED_MIN, Number(says) * RESERVED_SHARE), Number(says) * RESERVED_SHARE_MAX);
  return Math.min(FILES_MAX, Math.floor(Number(says) - reserved));
}

/** The same of this process. */
export function ownFilesMax(): number {
  try {
    return filesMaxOf(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Only Linux has it.
    return DEFAULT_TAIL_LIMITS.filesMax;
  }
}
