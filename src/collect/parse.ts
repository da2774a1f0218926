import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { ChannelId } from '../core/scope.ts';
import type { LogEvent, LogLevel } from '../core/symptom.ts';
import { safeText } from './clean.ts';

/** What one line of a log is made of. */
export interface ParsedLine {
  readonly level: LogLevel;
  /** The line without the time that it begins with. */
  readonly message: string;
}

/** The time at a line's beginning: ISO 8601, nginx, Icecast, syslog and klog; and a number of seconds. */
const TIME =
  /^(?:\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]{1,2}\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?\]?|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}|\[?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\]?|\[? {0,4}\d{1,10}\.\d{3,9}\]?)[ \t]+(?:[-|] )?/;

const KLOG = /^([IWEF])\d{4} \d{2}:\d{2}:\d{2}/;
const SYSLOG_PRIORITY = /^<(\d{1,3})>/;
const LIQUIDSOAP = /^\[[\w.() -]{1,64}:([1-5])\] /;
const JSON_LEVEL = /"(?:level|severity|lvl|log_?level)" {0,2}: {0,2}(?:"([A-Za-z]{1,12})"|(\d{1,2})\b)/i;
const LOGFMT_LEVEL = /(?:^|\s)(?:level|lvl|severity)="?([A-Za-z]{1,12})/i;

/** `[error]`, `ERROR`, `ERR:`, `| WARN |`: in capitals, or in brackets. */
const WORD_LEVEL =
  /(?:^|[\s[(|])(TRACE|DEBUG|DEB|DBG|DBUG|VERBOSE|INFO|INF|NOTICE|NOTE|WARN|WARNING|WRN|WAR|ERROR|ERR|EROR|SEVERE|CRIT|CRITICAL|ALERT|EMERG|FATAL|PANIC)(?=[\s\])|:,-]|$)/;
const BRACKET_LEVEL =
  /\[(trace|debug|verbose|info|notice|warn|warning|error|err|severe|crit|critical|alert|emerg|fatal|panic)\]/i;

/** A level stands near the beginning; further on the same word is part of the message. */
const LEVEL_WITHIN = 120;
const JSON_LEVEL_WITHIN = 1_024;

const BY_WORD: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  deb: 'debug',
  dbg: 'debug',
  dbug: 'debug',
  verbose: 'debug',
  info: 'info',
  inf: 'info',
  notice: 'info',
  note: 'info',
  information: 'info',
  informational: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  war: 'warn',
  error: 'error',
  err: 'error',
  eror: 'error',
  severe: 'error',
  crit: 'fatal',
  critical: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
  emergency: 'fatal',
  fatal: 'fatal',
  panic: 'fatal',
};

const BY_KLOG: Readonly<Record<string, LogLevel>> = { I: 'info', W: 'warn', E: 'error', F: 'fatal' };
const BY_SYSLOG: readonly LogLevel[] = ['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'];
const BY_LIQUIDSOAP: readonly LogLevel[] = ['fatal', 'fatal', 'error', 'info', 'info', 'debug'];

/** Words of trouble, for lines whose software names no level. */
const TROUBLE =
  /\b(?:error|fail(?:ed|ure|s)?|refused|denied|cannot|could not|unable|abort(?:ed)?|timed out|no such)\b/i;
const CAUTION = /\b(?:warn(?:ing)?|deprecated|retry(?:ing)?|reconnect(?:ing)?|dropped|skipping)\b/i;

/** Reads the level and cuts off the time. For people: nothing is decided by a level. */
export function parseLine(line: string): ParsedLine {
  const priority = SYSLOG_PRIORITY.exec(line);
  const unframed = priority === null ? line : line.slice(priority[0].length);
  const message = unframed.replace(TIME, '');
  const byPriority = priority === null ? undefined : BY_SYSLOG[Number(priority[1]) % 8];
  return { level: byPriority ?? levelOf(unframed, message), message };
}

function levelOf(line: string, message: string): LogLevel {
  const klog = KLOG.exec(line)?.[1];
  if (klog !== undefined) return BY_KLOG[klog] ?? 'info';
  const liquidsoap = message === line ? undefined : LIQUIDSOAP.exec(message)?.[1];
  if (liquidsoap !== undefined) return BY_LIQUIDSOAP[Number(liquidsoap)] ?? 'info';
  return namedLevel(message) ?? (TROUBLE.test(message) ? 'error' : CAUTION.test(message) ? 'warn' : 'info');
}

function namedLevel(message: string): LogLevel | undefined {
  if (message.startsWith('{')) {
    const [, word, number] = JSON_LEVEL.exec(message.slice(0, JSON_LEVEL_WITHIN)) ?? [];
    if (number !== undefined) return levelOfNumber(Number(number));
    if (word !== undefined) return BY_WORD[word.toLowerCase()];
  }
  const head = message.slice(0, LEVEL_WITHIN);
  let first: RegExpExecArray | undefined;
  for (const pattern of [BRACKET_LEVEL, WORD_LEVEL, LOGFMT_LEVEL]) {
    const match = pattern.exec(head);
    if (match !== null && match.index < (first?.index ?? Number.POSITIVE_INFINITY)) first = match;
  }
  return first?.[1] === undefined ? undefined : BY_WORD[first[1].toLowerCase()];
}

/** Pino counts from 10 to 60, syslog from 7 down to 0. */
function levelOfNumber(number: number): LogLevel {
  if (number < 8) return BY_SYSLOG[number] ?? 'info';
  if (number < 30) return 'debug';
  if (number < 40) return 'info';
  return number < 50 ? 'warn' : number < 60 ? 'error' : 'fatal';
}

export interface LineOrigin {
  readonly source: string;
  readonly channel: ChannelId | undefined;
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
  readonly backlog: boolean;
}

/** One line as everybody else sees it: bounded, without secrets, harmless on a terminal. */
export function toLogEvent(line: Buffer | string, origin: LineOrigin): LogEvent {
  const { level, message } = parseLine(safeText(line));
  return { ...origin, level, message };
}
