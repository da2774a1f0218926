/** Reads exports of journald and Loki as log streams. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { ReeveError } from '../core/errors.ts';
import type { TimedLine } from './batches.ts';

/** One stream of an export: lines with times, and the name that its labels give it. */
export interface ExportedStream {
  readonly source: string;
  /** What the labels say that it is about, best first: a channel, a unit, a container. */
  readonly names: readonly string[];
  readonly lines: readonly TimedLine[];
}

const EXPORT_BYTES_MAX = 512 * 1024 * 1024;

/** Labels and fields that may name a channel, best first. */
const NAMING = [
  'channel',
  'container_name',
  'CONTAINER_NAME',
  'unit',
  'UNIT',
  '_SYSTEMD_UNIT',
  'SYSLOG_IDENTIFIER',
  'app',
  'job',
];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The streams of a journald or Loki export; undefined when the file is a plain log. `heads`: its first lines. */
export function exportedStreams(path: string, heads: readonly string[]): readonly ExportedStream[] | undefined {
  const first = heads[0]?.trimStart() ?? '';
  if (!first.startsWith('{')) return undefined;
  if (heads.some((head) => head.includes('__REALTIME_TIMESTAMP'))) return journald(textOf(path), basename(path));
  const start = heads.join('\n').slice(0, 2_000);
  if (/"(?:streams|resultType)"/.test(start)) return loki(textOf(path), path);
  if (/^\{"labels":/.test(first) && /"line":/.test(textOf(path).slice(0, 65_536))) return logcli(textOf(path));
  return undefined;
}

function textOf(path: string): string {
  const { size } = statSync(path);
  if (size <= EXPORT_BYTES_MAX) return readFileSync(path, 'utf8');
  throw new ReeveError(
    'USAGE',
    `${path} has ${size} bytes, and an export of at most ${EXPORT_BYTES_MAX} was expected`,
    {
      hint: 'export a shorter stretch of time, or as plain text',
    },
  );
}

/** One object a line, as `journalctl -o json` prints them. Lines that are none are left out. */
function journald(text: string, file: string): readonly ExportedStream[] {
  const streams = new Map<string, { names: readonly string[]; lines: TimedLine[] }>();
  for (const line of text.split('\n')) {
    const entry = parsed(line);
    const at = Math.floor(Number(entry?.__REALTIME_TIMESTAMP) / 1_000);
    const message = entry === undefined ? undefined : messageIn(entry.MESSAGE);
    if (entry === undefined || message === undefined || !Number.isFinite(at)) continue;
    const names = namesIn(entry);
    const key = `${file}:${names[0] ?? 'journal'}`;
    const held = streams.get(key) ?? { names, lines: [] };
    held.lines.push({ at, text: `${identifierIn(entry)}${message}` });
    streams.set(key, held);
  }
  return [...streams].map(([source, { names, lines }]) => ({ source, names, lines }));
}

/** Binary messages are lists of bytes. */
function messageIn(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  return Array.isArray(message) ? Buffer.from(message.filter(Number.isInteger)).toString('utf8') : undefined;
}

/** `host name[pid]: `, as the same line stands in a file. */
function identifierIn({ _HOSTNAME: host, SYSLOG_IDENTIFIER: name, _PID: pid }: Fields): string {
  if (typeof name !== 'string') return '';
  return `${typeof host === 'string' ? `${host} ` : ''}${name}${typeof pid === 'string' ? `[${pid}]` : ''}: `;
}

/** What a query of Loki answers, or what was pushed to it. */
function loki(text: string, path: string): readonly ExportedStream[] {
  const document = parsed(text);
  const found = isFields(document?.data) ? document.data.result : document?.streams;
  if (!Array.isArray(found)) throw new ReeveError('USAGE', `${path}: a list of streams was expected in the Loki JSON`);
  return found.filter(isFields).flatMap((stream, index) => {
    const labels = isFields(stream.stream) ? stream.stream : {};
    const values = Array.isArray(stream.values) ? stream.values : [];
    const lines = values.flatMap((value): TimedLine[] => {
      const [ns, line] = Array.isArray(value) ? value : [];
      if (typeof line !== 'string' || !/^\d{13,19}$/.test(String(ns))) return [];
      return [{ at: Number(String(ns).slice(0, -6)), text: line }];
    });
    return lines.length === 0 ? [] : [{ ...streamOf(labels, `loki-${index + 1}`), lines }];
  });
}

/** `logcli query -o jsonl`: one object a line. */
function logcli(text: string): readonly ExportedStream[] {
  const streams = new Map<string, { labels: Fields; lines: TimedLine[] }>();
  for (const row of text.split('\n')) {
    const entry = parsed(row);
    const at = Date.parse(String(entry?.timestamp));
    if (entry === undefined || typeof entry.line !== 'string' || Number.isNaN(at)) continue;
    const labels = isFields(entry.labels) ? entry.labels : {};
    const key = JSON.stringify(labels);
    const held = streams.get(key) ?? { labels, lines: [] };
    held.lines.push({ at, text: entry.line });
    streams.set(key, held);
  }
  return [...streams.values()].map(({ labels, lines }, index) => ({ ...streamOf(labels, `loki-${index + 1}`), lines }));
}

function streamOf(labels: Fields, otherwise: string): Pick<ExportedStream, 'source' | 'names'> {
  const labelPairs = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value)}`);
  return { source: labelPairs.join(',') || otherwise, names: namesIn(labels) };
}

const namesIn = (fields: Fields): readonly string[] =>
  NAMING.map((name) => fields[name])
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .map((value) => value.replace(/^\//, '').replace(/\.service$/, ''));

function parsed(text: string): Fields | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
