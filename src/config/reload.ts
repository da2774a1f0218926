/** Watches the configuration's files and reloads them. */
import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Problem } from '../core/errors.ts';
import { merged, orphans, type Reloaded, unheard } from './changes.ts';
import { addedFolder, FOLDER_NAMES, placesOf, shippedFolder } from './document/paths.ts';
import { FILE_BYTES_MAX } from './decode.ts';
import { Fingerprints } from './fingerprint.ts';
import type { Configuration, LoadedConfiguration } from './load.ts';

/** Editors and deployments write in several steps: they get this long to finish … */
const DEBOUNCE_MS = 200;
/** … and never longer than this, even in a folder that changes all the time. */
const DEBOUNCE_MS_MAX = 2_000;
/** What file events miss (network file systems, replaced folders, exhausted watches) is seen this late. */
const POLL_MS = 30_000;

/** What came of a reload. `ok: false`: nothing changed, the last good set is in force. */
export type Change =
  | ({ readonly ok: true } & Reloaded)
  | { readonly ok: false; readonly configuration: Configuration; readonly problems: readonly Problem[] };

export interface Watch {
  readonly clock: Clock;
  /** Reads everything anew; never throws for what an operator wrote. */
  readonly load: () => LoadedConfiguration;
  readonly current: Configuration;
  /** Called once for each edit, good or bad. */
  readonly onChange: (change: Change) => void;
}

export interface Reloader extends Disposable {
  /** Reads now, changed or not, and reports the result. `onChange` is called too. */
  reload(): Change;
  /** The set in force. */
  current(): Configuration;
  /** The problems of the last edit, while it is not in force; else none. */
  problems(): readonly Problem[];
  /** What the last sound edit changed and only the next start takes, by its keys; else none. */
  waiting(): readonly string[];
}

/** Watches the files of a configuration and swaps in what is sound as a whole. */
export function watchConfiguration(options: Watch): Reloader {
  const { clock, onChange } = options;
  const watched = new Folders(() => settle.touch());
  let current = options.current;
  let problems: readonly Problem[] = [];
  let waiting: readonly string[] = [];
  const fingerprints = new Fingerprints(FILE_BYTES_MAX);
  const fingerprint = (of: Configuration): string => fingerprints.of(filesOf(of), clock.now());
  let seen = fingerprint(current);
  watched.follow(current);

  const reload = (): Change => {
    // Before reading: an edit in between is then seen as a change at the next look.
    seen = fingerprint(current);
    const change = judged(options.load(), current);
    const moved = foldersOf(current).join() !== foldersOf(change.configuration).join();
    current = change.configuration;
    if (moved) seen = fingerprint(current);
    problems = change.ok ? [] : change.problems;
    if (change.ok) waiting = change.needsRestart;
    watched.follow(current);
    onChange(change);
    return change;
  };
  const look = (): void => {
    watched.follow(current);
    if (fingerprint(current) !== seen) reload();
  };
  const settle = new Settle(clock, look);
  const poll = clock.every(POLL_MS, look);
  return {
    reload,
    current: () => current,
    problems: () => problems,
    waiting: () => waiting,
    [Symbol.dispose]() {
      poll[Symbol.dispose]();
      settle[Symbol.dispose]();
      watched[Symbol.dispose]();
    },
  };
}

/** What is run on where everything is opened anew: what is read, or where that may not be taken what was in force. */
export function takenOver(read: LoadedConfiguration, running: Configuration): Configuration {
  const { configuration } = read;
  return configuration === undefined || vanished(running, configuration).length > 0 ? running : configuration;
}

function judged(read: LoadedConfiguration, running: Configuration): Change {
  if (!read.configuration) return { ok: false, configuration: running, problems: read.problems };
  const reloaded = merged(running, read.configuration);
  const lost = [...vanished(running, read.configuration), ...orphans(reloaded), ...unheard(reloaded)];
  return lost.length > 0 ? { ok: false, configuration: running, problems: lost } : { ok: true, ...reloaded };
}

/**
 * A folder that lay beside the file is gone (a deployment under way, a mount that fell off), and what Reeve would take
 * in its place permits what the operator's own may not have.
 */
function vanished({ config: { file, folders } }: Configuration, { config: read }: Configuration): readonly Problem[] {
  return FOLDER_NAMES.flatMap((name) => {
    const [before, now] = [folders[name], read.folders[name]];
    const places = placesOf(name, file);
    const isNamed = ![...places, shippedFolder(name)].includes(now);
    if (before === now || isNamed || !places.includes(before) || existsSync(before)) return [];
    const message = `the folder ${before} is gone, and ${now} would take its place`;
    const hint = `put it back, or name the one that you want with ${name}:`;
    return [{ file, line: 1, column: 1, path: name, message, hint }];
  });
}

/** Runs a task a little after the last touch of a burst. */
class Settle implements Disposable {
  readonly #clock: Clock;
  readonly #task: () => void;
  #firstMs: number | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Clock, task: () => void) {
    this.#clock = clock;
    this.#task = task;
  }

  touch(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#firstMs ??= nowMs;
    const delayMs = Math.min(DEBOUNCE_MS, this.#firstMs + DEBOUNCE_MS_MAX - nowMs);
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.after(Math.max(0, delayMs), () => {
      this.#firstMs = undefined;
      this.#timer = undefined;
      this.#task();
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

/** The folders whose files are read as a whole. */
const readFolders = ({ config }: Configuration): readonly string[] => [
  ...Object.values(config.folders),
  addedFolder('patterns', config.file),
  addedFolder('rules', config.file),
];

const foldersOf = (configuration: Configuration): readonly string[] => [
  dirname(configuration.config.file),
  ...readFolders(configuration),
];

/** Watches on folders, not files: a replaced file or a swapped link is an event of its folder. */
class Folders implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onEvent: () => void;

  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
  }

  /** Brings the watches in line with the folders, by what they really are; tries again what failed before. */
  follow(configuration: Configuration): void {
    const wanted = new Map(foldersOf(configuration).flatMap(identified));
    for (const [identity, watcher] of this.#watchers) if (!wanted.has(identity)) this.#drop(identity, watcher);
    for (const [identity, path] of wanted) if (!this.#watchers.has(identity)) this.#add(identity, path);
  }

  #add(identity: string, path: string): void {
    try {
      const watcher = watch(path, { persistent: false }, () => this.#onEvent());
      watcher.on('error', () => this.#drop(identity, watcher));
      this.#watchers.set(identity, watcher);
    } catch {
      // No watch to be had: the poll sees it, later.
    }
  }

  #drop(identity: string, watcher: FSWatcher): void {
    watcher.close();
    this.#watchers.delete(identity);
  }

  [Symbol.dispose](): void {
    for (const [identity, watcher] of this.#watchers) this.#drop(identity, watcher);
  }
}

/** A folder that was replaced has its old name and another inode; nothing where there is none, or no way to it. */
function identified(path: string): readonly (readonly [identity: string, path: string])[] {
  try {
    const { dev, ino } = statSync(path);
    return [[`${dev}:${ino}`, path]];
  } catch {
    return [];
  }
}

/** The files that are read. */
const filesOf = (configuration: Configuration): readonly string[] => [
  configuration.config.file,
  ...readFolders(configuration).flatMap((folder) => yamlNames(folder).map((name) => join(folder, name))),
];

function yamlNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}
