/** Finds out which channels a recorded log names. */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';

/** Channels that a log names, and whether its lines bear marks of their own (then it is the log of an engine). */
export interface Named {
  readonly channels: readonly string[];
  readonly marked: boolean;
}

/**
 * Where a line names a channel beyond doubt. Addresses are not asked: any visitor can write one. `needle` is what is
 * searched for, `before` how much of the mark stands before it: bytes that are common in logs make a search slow.
 */
const PLACES = [
  {
    needle: 'channel',
    before: 1,
    name: /^(?:\[channel=([\w.:-]+)\]|"channel"\s*:\s*"([\w.:-]+)"| channel="?([\w.:-]+))/,
    marks: true,
  },
  { needle: 'xited: ', before: 1, name: /^exited: ([\w.:-]+) \(/, marks: false },
  { needle: "wned: '", before: 3, name: /^spawned: '([\w.:-]+)'/, marks: false },
] as const;

const BLOCK_BYTES = 1 << 20;
const OVERLAP_BYTES = 256;
const CHANNELS_MAX = 10_000;

/** Reads the whole file once, at the speed of a search for bytes. */
export function namesInFile(path: string): Named {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const found = new Found();
  const file = openSync(path, 'r');
  try {
    for (let held = 0; ; ) {
      const read = readSync(file, buffer, held, BLOCK_BYTES - held, null);
      if (read === 0) {
        found.look(buffer.subarray(0, held));
        return found;
      }
      held += read;
      found.look(buffer.subarray(0, held), true);
      const keep = Math.min(OVERLAP_BYTES, held);
      buffer.copyWithin(0, held - keep, held);
      held = keep;
    }
  } finally {
    closeSync(file);
  }
}

/** The same for lines that are held in memory. */
export function namesInLines(lines: readonly { readonly text: string }[]): Named {
  const found = new Found();
  for (const { text } of lines) found.look(Buffer.from(text));
  return found;
}

class Found implements Named {
  readonly #names = new Set<string>();
  marked = false;

  get channels(): readonly string[] {
    return [...this.#names].sort();
  }

  /** `goesOn`: more bytes follow, so a name that reaches to the end may be half a name; it is looked at again. */
  look(bytes: Buffer, goesOn = false): void {
    for (const { needle, before, name, marks } of PLACES) {
      for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
        const from = at - before;
        const match = from < 0 ? null : name.exec(bytes.toString('latin1', from, from + OVERLAP_BYTES));
        const channel = match?.slice(1).find((group) => group !== undefined);
        if (match === null || channel === undefined || this.#names.size >= CHANNELS_MAX) continue;
        if (goesOn && from + match[0].length === bytes.length) continue;
        this.#names.add(channel);
        this.marked ||= marks;
      }
    }
  }
}

/** `/var/log/ch/news.err.1` is the log of `news`. */
export const stemOf = (path: string): string =>
  basename(path).replace(/(?:\.(?:log|err|out|txt|json|ndjson|jsonl|stderr|stdout|\d+))+$/i, '') || basename(path);

/** Logs of servers, which speak of many channels or of none. */
const SERVERS =
  /^(?:supervisord?|nginx|error|access|icecast2?|mediamtx|srs|liquidsoap|haproxy|caddy|traefik|varnish)$/i;
const SERVICES = /^(?:jellyfin|plex.*|ersatztv.*|tunarr|exstreamtv|owncast|docker.*|kubelet|postgres.*|redis.*)$/i;
const SYSTEM = /^(?:syslog|messages|kern|daemon|auth|dmesg|journal)$/i;

export const isServerLog = (stem: string): boolean => [SERVERS, SERVICES, SYSTEM].some((one) => one.test(stem));
