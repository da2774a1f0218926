/** The newest messages of a unit, as `journalctl --output=json` prints them (systemd.journal-fields(7)). */
import { newestOf } from '../text.ts';

interface Entry {
  readonly MESSAGE?: unknown;
  readonly __REALTIME_TIMESTAMP?: unknown;
}

/** Each entry as a line with its time; at most `bytesMax` bytes from the end. What is no entry is left out. */
export function linesOfJournal(stdout: string, bytesMax: number): string {
  const lines = stdout.split('\n').flatMap((line) => {
    const entry = entryOf(line);
    const message = entry && messageOf(entry.MESSAGE);
    if (entry === undefined || message === undefined) return [];
    return [`${timeOf(entry)}${message.trimEnd()}`];
  });
  return newestOf(lines.length === 0 ? '' : `${lines.join('\n')}\n`, bytesMax);
}

function entryOf(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Text; a list of bytes where it is not UTF-8; null where it is too long for JSON. */
function messageOf(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (Array.isArray(message) && message.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    return Buffer.from(message as number[]).toString('utf8');
  }
  return undefined;
}

function timeOf({ __REALTIME_TIMESTAMP: written }: Entry): string {
  const ms = typeof written === 'string' && /^\d{1,17}$/.test(written) ? Number(written) / 1_000 : undefined;
  return ms === undefined ? '' : `${new Date(ms).toISOString()} `;
}
