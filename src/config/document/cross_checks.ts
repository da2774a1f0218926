/** Checks parts of the configuration against each other. */
import { type LogOrigin, type LogSourceDocument, logSourceDocument } from '../../collect/documents.ts';
import type { LogFormat } from '../../collect/formats/schema.ts';
import { isGlob, parseGlob } from '../../collect/tail/glob.ts';
import { engineDocument, NAME_RULES } from '../../engine/documents.ts';
import { ACTING_PHASE } from '../../core/control.ts';
import { ReeveError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { formatDuration } from '../../core/document/duration.ts';
import { valueAt } from '../shape.ts';
import type { Path } from '../yaml.ts';
import type { ChannelDraft } from './channels.ts';
import type { EngineConfig } from './engines.ts';
import type { Reading } from './reading.ts';

/** A log beside those of the channels: of exactly one kind. */
export interface LogSourceConfig {
  readonly id: string;
  readonly from: LogOrigin;
  readonly format: LogFormat;
  readonly channel: string | undefined;
  readonly engine: string | undefined;
}

/** Logs beside the channels; a file that is followed twice would be counted twice. */
export function readSources(
  reading: Reading,
  others: { drafts: readonly ChannelDraft[]; engines: readonly EngineConfig[] },
) {
  reading.unique('sources');
  const engines = reading.idsOf('engines');
  const taken = new Map<string, string>();
  for (const draft of others.drafts) for (const log of draft.logs) taken.set(log, `channel ${draft.id}`);
  for (const engine of others.engines) for (const log of engine.logs) taken.set(log.path, `engine ${engine.id}`);
  return reading.entries('sources', logSourceDocument).map(({ path, value }): LogSourceConfig => {
    const from = originOf(reading, path, value);
    // Standard input can be read once only.
    const key = from.kind === 'file' ? from.path : from.kind === 'stdin' ? 'stdin' : undefined;
    const owner = key === undefined ? undefined : taken.get(key);
    const [at, what] = from.kind === 'file' ? ['path', 'this file'] : ['stdin', 'standard input'];
    if (owner !== undefined) reading.note([...path, at!], `${owner} follows ${what} already`, 'keep one of the two');
    if (key !== undefined) taken.set(key, `source ${value.id}`);
    if (value.channel !== undefined && !others.drafts.some(({ id }) => id === value.channel)) {
      reading.note([...path, 'channel'], `there is no channel ${value.channel}`, 'add it under channels:');
    }
    const format = value.format ?? 'text';
    if (format === 'ffmpeg_progress' && value.channel === undefined) {
      reading.note([...path, 'format'], 'reports of an encoder name no channel', 'say whose they are: channel:');
    }
    if (value.engine !== undefined && !engines.has(value.engine)) {
      reading.note([...path, 'engine'], `there is no engine ${value.engine}`, 'add it under engines:');
    }
    return { id: value.id, from, format, channel: value.channel, engine: value.engine };
  });
}

function originOf(reading: Reading, path: Path, value: LogSourceDocument): LogSourceConfig['from'] {
  const keys = (['path', 'command', 'stdin'] as const).filter((key) => value[key] !== undefined);
  if (keys.length !== 1) {
    reading.note(path, `expected one of path, command and stdin, got ${keys.length}`, 'say where its lines come from');
  }
  const [program, ...args] = value.command ?? [];
  if (program !== undefined) return { kind: 'command', argv: [program, ...args] };
  if (value.stdin === true) return { kind: 'stdin' };
  const file = reading.pathOf(value.path ?? '');
  checkLogPath(reading, [...path, 'path'], file);
  return { kind: 'file', path: file };
}

/** A pattern that cannot be read would be found when its files are followed, and a start would end of it. */
function checkLogPath(reading: Reading, at: Path, path: string): void {
  if (!isGlob(path)) return;
  try {
    parseGlob(path);
  } catch (thrown) {
    if (!(thrown instanceof ReeveError)) throw thrown;
    reading.note(at, thrown.message, thrown.hint);
  }
}

function checkLogPaths(
  reading: Reading,
  { drafts, engines }: { readonly drafts: readonly ChannelDraft[]; readonly engines: readonly EngineConfig[] },
): void {
  // One entry of the file may stand for many channels, with one pattern for all.
  const entries = new Map(drafts.map(({ path, logs }) => [path.slice(0, 2).join(), { path: path.slice(0, 2), logs }]));
  for (const { path, logs } of entries.values()) for (const log of logs) checkLogPath(reading, [...path, 'logs'], log);
  const written = valueAt(reading.source.value, ['engines']);
  for (const { id, logs } of engines) {
    const index = Array.isArray(written) ? written.findIndex((one) => valueAt(one, ['id']) === id) : 0;
    for (const log of logs) checkLogPath(reading, ['engines', index, 'logs'], log.path);
  }
}

/** What two sound parts of the file may not say together. */
export function crossCheck(
  reading: Reading,
  parts: { limits: Limits; drafts: readonly ChannelDraft[]; engines: readonly EngineConfig[] },
): void {
  checkReach(reading);
  checkFreshness(reading, parts);
  checkClearSecrets(reading);
  checkNames(reading, parts);
  checkLogPaths(reading, parts);
  const { breakerOpenMs, breakerOpenMsMax } = parts.limits;
  if (breakerOpenMsMax < breakerOpenMs) {
    const [least, got] = [breakerOpenMs, breakerOpenMsMax].map(formatDuration);
    reading.note(
      ['limits', 'breaker_open_max'],
      `expected at least breaker_open (${least}), got ${got}`,
      `write ${least} or more`,
    );
  }
}

const LAST_PHASE = 4;

/** Whoever acts must be able to call a person. */
function checkReach(reading: Reading): void {
  const receivers = valueAt(reading.source.value, ['receivers']);
  if (Array.isArray(receivers) && receivers.length > 0) return;
  const groups = valueAt(reading.source.value, ['groups']);
  const phases: Path[] = [
    ['phase'],
    ...(Array.isArray(groups) ? groups : []).map((_, index) => ['groups', index, 'phase']),
  ];
  for (const path of phases) {
    const phase = valueAt(reading.source.value, path);
    if (typeof phase !== 'number' || phase < ACTING_PHASE || phase > LAST_PHASE) continue;
    reading.note(
      path,
      `phase ${phase} changes things, and no receiver could call a person`,
      'add one under receivers:',
    );
  }
}

/** Evidence that is looked for more seldom than it keeps would never be fresh. */
function checkFreshness(
  reading: Reading,
  parts: { limits: Limits; drafts: readonly ChannelDraft[]; engines: readonly EngineConfig[] },
): void {
  const { evidenceAgeMsMax } = parts.limits;
  const longest = formatDuration(evidenceAgeMsMax / 2);
  const slow = (path: Path, everyMs: number): void => {
    if (everyMs * 2 <= evidenceAgeMsMax) return;
    const message = `${formatDuration(everyMs)} is too seldom: evidence keeps ${formatDuration(evidenceAgeMsMax)}`;
    reading.note(path, message, `at most ${longest}, half of limits.evidence_age_max`);
  };
  for (const { path, value } of reading.entries('engines', engineDocument)) slow([...path, 'poll'], value.poll);
  const seen = new Set<unknown>();
  for (const { path, output } of parts.drafts) {
    const entry = path.slice(0, 2);
    if (output && !seen.has(entry[1])) slow([...entry, 'output', 'every'], output.everyMs);
    seen.add(entry[1]);
  }
}

/** A name that an engine cannot be asked for would never be seen. Reported once for all channels of an entry. */
function checkNames(
  reading: Reading,
  { drafts, engines }: { readonly drafts: readonly ChannelDraft[]; readonly engines: readonly EngineConfig[] },
): void {
  const kinds = new Map(engines.map(({ id, kind }) => [id, kind]));
  const reported = new Set<unknown>();
  for (const { path, name, engine } of drafts) {
    const kind = kinds.get(engine);
    const rule = kind && NAME_RULES[kind];
    if (rule === undefined || reported.has(path[1])) continue;
    try {
      rule(name);
    } catch (thrown) {
      reported.add(path[1]);
      if (!(thrown instanceof ReeveError)) throw thrown;
      reading.note([...path.slice(0, 2), 'name'], thrown.message, thrown.hint);
    }
  }
}

/** A query parameter that carries a secret, and its value. */
const SECRET_PARAMETER = /[?&]([^=&#]*(?:token|secret|passw|api_?key|signature|credential)[^=&#]*)=([^&#]+)/i;

/** A token in an address comes from the environment, so that the file can be shown to anybody. */
function checkClearSecrets(reading: Reading): void {
  const walk = (value: unknown, path: Path): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) walk(item, [...path, Array.isArray(value) ? Number(key) : key]);
      return;
    }
    if (typeof value !== 'string' || !value.includes('?')) return;
    const [, name, secret] = SECRET_PARAMETER.exec(reading.writtenAt(path)) ?? [];
    if (name === undefined || secret?.startsWith('${')) return;
    reading.note(
      path,
      `the parameter ${name} holds a secret in clear`,
      `write ${name}=\${NAME} and set NAME in the environment`,
    );
  };
  walk(reading.source.value, []);
}
