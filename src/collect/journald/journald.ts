/** Follows systemd's journal. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { ChannelId } from '../../core/scope.ts';
import { createChild } from '../command/child.ts';
import type { LineFeed } from '../feed/feed.ts';
import { RecordStream } from '../feed/record_stream.ts';

export interface JournaldOptions {
  /** Default `journalctl`. */
  readonly program: string;
  /** Units to follow; empty: everything. */
  readonly units: readonly string[];
  /** Keeps how far the journal was read, over restarts. */
  readonly cursorFile: string;
  readonly channelOf: (from: { readonly unit?: string; readonly identifier?: string }) => ChannelId | undefined;
  readonly feed: LineFeed;
  readonly clock: Clock;
  readonly report: (because: string) => void;
}

/** Follows systemd's journal by `journalctl`. */
export interface Journald extends AsyncDisposable {
  start(): void;
}

const SAVE_MS = 1_000;
const CURSOR = /^[\x21-\x7e]{1,1024}$/;
/** `journalctl` cannot begin after a cursor that is damaged: it says so and ends, each time. */
const CURSOR_REFUSED = /seek to cursor/i;
/** One entry as JSON may be long: all its fields are in it. */
const ENTRY_BYTES_MAX = 1_048_576;

export function createJournald(options: JournaldOptions): Journald {
  const { feed, clock, report, cursorFile } = options;
  let cursor = readCursor(cursorFile);
  let saved = cursor;
  let isSaveBroken = false;
  const take = (bytes: Buffer, start: number, end: number): void => {
    for (const line of bytes.toString('utf8', start, end).split('\n')) {
      if (line === '') continue;
      const entry = entryOf(line);
      if (entry === undefined) feed.push({ text: line });
      else {
        cursor = entry.cursor ?? cursor;
        feed.push({ text: entry.line, channel: options.channelOf(entry), at: entry.at });
      }
    }
  };
  const records = new RecordStream(ENTRY_BYTES_MAX, {
    hand: take,
    drop: (reason, lines) => feed.lost(reason, lines),
  });
  /** Only when all before it was handed over: what a crash forgets comes again. */
  const save = (): void => {
    if (cursor === saved || cursor === undefined || feed.stats().waiting > 0) return;
    try {
      writeFileSync(`${cursorFile}.new`, `${cursor}\n`, { mode: 0o600 });
      renameSync(`${cursorFile}.new`, cursorFile);
      saved = cursor;
      isSaveBroken = false;
    } catch (thrown) {
      if (!isSaveBroken) report(`the journal's cursor cannot be saved: ${messageOf(thrown)}`);
      isSaveBroken = true;
    }
  };
  let complaint = '';
  const child = createChild({
    clock,
    argv: () => {
      complaint = '';
      return argvOf(options, cursor);
    },
    onOutput: (bytes, stream) => {
      if (stream === 'stdout') records.push(bytes);
      else complaint = bytes.toString('utf8', 0, 300).split('\n')[0] ?? '';
    },
    onEnd: () => {
      records.end();
      if (cursor === undefined || !CURSOR_REFUSED.test(complaint)) return;
      cursor = undefined;
      report(
        `the cursor in ${cursorFile} is damaged: the journal is read from its end on, and what came before is not`,
      );
    },
    report: (because) => report(complaint === '' ? because : `${because}: ${complaint}`),
  });
  let saving: Disposable | undefined;
  return {
    start() {
      child.start();
      saving = clock.every(SAVE_MS, save);
    },
    async [Symbol.asyncDispose]() {
      saving?.[Symbol.dispose]();
      await child[Symbol.asyncDispose]();
      save();
    },
  };
}

/** Without a cursor from now on; with one from right after it. Without `--all` a text of more than 4 KiB is null. */
function argvOf({ program, units }: JournaldOptions, cursor: string | undefined): readonly string[] {
  const from = cursor === undefined ? ['--lines=0'] : [`--after-cursor=${cursor}`];
  const how = ['--output=json', '--all', '--follow', '--no-pager'];
  return [program, ...how, ...from, ...units.map((unit) => `--unit=${unit}`)];
}

function readCursor(path: string): string | undefined {
  try {
    const cursor = readFileSync(path, 'utf8').trim();
    return CURSOR.test(cursor) ? cursor : undefined;
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly cursor: string | undefined;
  readonly at: number | undefined;
  readonly unit?: string;
  readonly identifier?: string;
  /** As `journalctl --output=short-iso` shows it. */
  readonly line: string;
}

/** The last moment that a date can hold (ECMA-262, time values). */
const MICROSECONDS_MAX = 8.64e18;

/** One line of `journalctl --output=json` (systemd.io/JOURNAL_EXPORT_FORMATS). Undefined for anything else. */
export function entryOf(text: string): Entry | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  const cursor = textOf(fields?.__CURSOR);
  if (cursor === '') return undefined;
  const microseconds = Number(textOf(fields.__REALTIME_TIMESTAMP));
  const at = microseconds > 0 && microseconds <= MICROSECONDS_MAX ? Math.floor(microseconds / 1_000) : undefined;
  const identifier = textOf(fields.SYSLOG_IDENTIFIER) || textOf(fields._COMM);
  const pid = textOf(fields._PID) || textOf(fields.SYSLOG_PID);
  const unit = unitOf(fields);
  const time = at === undefined ? [] : [new Date(at).toISOString()];
  const from = [...time, textOf(fields._HOSTNAME), `${identifier || 'unknown'}${pid === '' ? '' : `[${pid}]`}:`];
  const line = [...from.filter((part) => part !== ''), textOf(fields.MESSAGE)].join(' ');
  return {
    at,
    line,
    cursor: CURSOR.test(cursor) ? cursor : undefined,
    ...(unit === '' ? {} : { unit }),
    ...(identifier === '' ? {} : { identifier }),
  };
}

/**
 * Whose words it is, or whom it is about: what systemd says of a unit (how its process ended, that it was killed for
 * want of memory) and what the handler of core dumps does. Told by the fields, and of the senders, by which
 * `journalctl --unit=` follows a unit, too: anybody may write a field of that name.
 */
function unitOf(fields: Readonly<Record<string, unknown>>): string {
  const isRoot = textOf(fields._UID) === '0';
  const about = textOf(fields._PID) === '1' ? textOf(fields.UNIT) : '';
  const ofRoot = isRoot ? textOf(fields.COREDUMP_UNIT) || textOf(fields.OBJECT_SYSTEMD_UNIT) : '';
  return about || ofRoot || textOf(fields._SYSTEMD_UNIT);
}

/** A field is text; a list of bytes where it is no UTF-8; a list of either where it stands more than once. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || depth > 1) return '';
  if (value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) return Buffer.from(value).toString();
  return textOf(value[0], depth + 1);
}
