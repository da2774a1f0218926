/** Sorts out what was recorded: which log belongs to whom, and when the recording begins. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { LogFormat } from '../collect/formats/schema.ts';
import type { TailSource } from '../collect/tail/types.ts';
import type { Configuration } from '../config/load.ts';
import { nearest } from '../config/suggestions.ts';
import type { EpochMs } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';
import { firstAt, headsOf, type LogFile, type TimedLine } from './batches.ts';
import { exportedStreams } from './exports.ts';
import { followedAs } from './followed.ts';
import { isServerLog, namesInFile, namesInLines, type Named, stemOf } from './names.ts';
import { formatOf, type StampSetting } from './stamps.ts';
import { yearsOf } from './years.ts';

/** One log that will be played: a file, or lines that an export held. */
export type Log = LogFile & {
  readonly lines: readonly TimedLine[] | undefined;
  /** How its lines are written, where that is configured; else they are plain text. */
  readonly written?: LogFormat | undefined;
  /** In which it begins, where its times name none. */
  readonly year?: number | undefined;
};

/** Everything that was recorded, sorted out: whose each log is, which channels there are, when it begins. */
export interface Scene {
  readonly logs: readonly Log[];
  readonly samples: readonly Sample[];
  readonly channels: readonly ChannelId[];
  readonly from: EpochMs;
  readonly setting: StampSetting;
  /** Sources whose lines have no times. */
  readonly undated: readonly string[];
}

/** A log that the configuration follows. */
export type FollowedLog = TailSource & { readonly format?: LogFormat | undefined };

export interface SceneOrder {
  /** `FILE`, or `CHANNEL=FILE` to say whose it is. */
  readonly logs: readonly string[];
  readonly samples: readonly Sample[];
  readonly configuration: Configuration | undefined;
  /** The log files that the configuration follows. */
  readonly followed: readonly FollowedLog[];
  readonly offsetMinutes: number;
}

/** For recordings in which nothing has a time and a year. */
const NO_TIME = Date.UTC(2026, 0, 1);

interface Draft {
  readonly path: string;
  readonly label: string;
  readonly givenChannel: ChannelId | undefined;
  readonly stem: string;
  readonly names: readonly string[];
  readonly named: Named;
  readonly format: LogFile['format'];
  readonly lines: readonly TimedLine[] | undefined;
}

/** Throws USAGE for a log that is not there. The order in which the files were named makes no difference. */
export function sceneOf(order: SceneOrder): Scene {
  const { samples, configuration, followed, offsetMinutes } = order;
  const drafts = order.logs.flatMap(draftsOf).sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
  if (drafts.length === 0 && samples.length === 0) {
    throw new ReeveError('USAGE', 'nothing was recorded: name logs (--logs) or samples (--samples)');
  }
  const known = configuration === undefined ? undefined : new Set(configuration.config.channels.map(({ id }) => id));
  const setting = { offsetMinutes, year: new Date(NO_TIME).getUTCFullYear() };
  const years = yearsOf(drafts, samples, setting);
  const logs = drafts.map((draft, index): Log => {
    const log = configuration === undefined ? logOf(draft) : configuredLog(draft, configuration, followed);
    const year = years[index];
    return year === undefined ? log : { ...log, year };
  });
  const channels = known === undefined ? named(drafts, logs, samples) : [...known];
  const starts = logs.flatMap((log) => startOf(log, setting) ?? []);
  const from = Math.min(...starts, samples[0]?.at ?? Number.POSITIVE_INFINITY);
  return {
    logs,
    samples,
    channels: [...channels].sort(),
    from: Number.isFinite(from) ? from : NO_TIME,
    setting,
    undated: logs.filter((log) => startOf(log, setting) === undefined).map(({ source }) => source),
  };
}

/** As its times are to be read. */
export const settingOf = ({ year }: Log, setting: StampSetting): StampSetting =>
  year === undefined ? setting : { ...setting, year };

function startOf(log: Log, setting: StampSetting): EpochMs | undefined {
  if (log.lines === undefined) return firstAt(log.path, log, settingOf(log, setting));
  return log.lines.reduce<number | undefined>(
    (first, { at }) => (first === undefined || at < first ? at : first),
    undefined,
  );
}

/** `news=/path` says whose the log is, unless there is a file of that very name. */
function draftsOf(argument: string): readonly Draft[] {
  const [, channel, rest] = /^([A-Za-z0-9][\w.-]{0,63})=(.+)$/.exec(argument) ?? [];
  const isPair = channel !== undefined && rest !== undefined && !existsSync(argument);
  const path = resolve(isPair ? rest : argument);
  const heads = headsOf(path);
  const stem = stemOf(path);
  const own = { path, givenChannel: isPair ? channel : undefined, stem };
  const streams = exportedStreams(path, heads);
  if (streams === undefined) {
    const label = `${basename(path)} ${basename(dirname(path))}`;
    return [{ ...own, label, names: [], named: namesInFile(path), format: formatOf(heads), lines: undefined }];
  }
  return streams.map(({ source, names, lines }) => {
    const label = `${source} ${basename(path)}`;
    return { ...own, label, names, named: namesInLines(lines), format: undefined, lines };
  });
}

/** Without a configuration: what names and lines say. */
function logOf(draft: Draft): Log {
  const { path, format, lines } = draft;
  const channel = ownerByName(draft);
  return {
    path,
    format,
    lines,
    channel,
    source: channel ?? `${draft.named.marked ? 'engine' : 'source'}:${nameOf(draft)}`,
  };
}

const nameOf = ({ lines, label, stem }: Draft): string => (lines === undefined ? stem : (label.split(' ')[0] ?? stem));

function ownerByName({ givenChannel, stem, names, named, lines }: Draft): ChannelId | undefined {
  if (givenChannel !== undefined) return givenChannel;
  if (named.channels.length > 0) return undefined;
  const [label] = names;
  if (lines !== undefined) return label !== undefined && !isServerLog(label) ? label : undefined;
  return isServerLog(stem) ? undefined : stem;
}

/** As the daemon would have it: a channel's own log, an engine's, or a server's. */
function configuredLog(draft: Draft, { config }: Configuration, followed: readonly FollowedLog[]): Log {
  const { path, format, lines, givenChannel, names, stem } = draft;
  const found = lines === undefined ? followedAs(path, followed) : undefined;
  const about = { path, format, lines, written: found?.format };
  const channelOf = (name: string): ChannelId | undefined => {
    const called = config.channels.filter((one) => one.name === name);
    return config.channels.find(({ id }) => id === name)?.id ?? (called.length === 1 ? called[0]?.id : undefined);
  };
  if (givenChannel !== undefined) {
    const channel = channelOf(givenChannel) ?? unknownChannel(givenChannel, config.channels);
    return { ...about, channel, source: channel };
  }
  const channel = found === undefined ? firstOf([...names, stem].map(channelOf)) : found.channel;
  const unclaimed = `${draft.named.marked ? 'engine' : 'source'}:${nameOf(draft)}`;
  return { ...about, channel, source: channel ?? found?.id ?? unclaimed };
}

const firstOf = <T>(all: readonly (T | undefined)[]): T | undefined => all.find((one) => one !== undefined);

const NAMED_MAX = 8;

function unknownChannel(name: string, channels: Configuration['config']['channels']): never {
  const ids = channels.map(({ id }) => id);
  const meant = nearest(name, ids);
  const more = ids.length > NAMED_MAX ? ', …' : '';
  throw new ReeveError('USAGE', `the configuration has no channel ${name}`, {
    hint: meant === undefined ? `there are ${ids.slice(0, NAMED_MAX).join(', ')}${more}` : `did you mean ${meant}?`,
  });
}

/** Without a configuration the recording itself says which channels there are. */
function named(drafts: readonly Draft[], logs: readonly Log[], samples: readonly Sample[]): Iterable<ChannelId> {
  const found = new Set<ChannelId>();
  for (const { named } of drafts) for (const channel of named.channels) found.add(channel);
  for (const { channel } of logs) if (channel !== undefined) found.add(channel);
  for (const sample of samples) if ('channel' in sample) found.add(sample.channel);
  return found;
}
