/** Watches directories for changes of files. */
import { type FSWatcher, statfsSync, statSync, watch } from 'node:fs';
import { ALWAYS_CLEAR, type PathCheck } from './mounts/mount_checks.ts';

/** A name in a directory, or (without a name) everything in it. */
export interface Interest {
  readonly directory: string;
  readonly name: string | undefined;
}

export interface WatchEvents<Owner> {
  /** `structural`: something came, went or was renamed. `name` is undefined where that is not known. */
  event(owner: Owner, directory: string, name: string | undefined, structural: boolean): void;
  /** A directory that is there cannot be watched: changes in it are seen at the next look only. */
  trouble(owner: Owner, directory: string, because: string): void;
  /** Whether the directory may be asked something now. Default: always. */
  check?(directory: string): PathCheck;
}

const EVERY_NAME = '';

class Watched<Owner> {
  readonly check: PathCheck;
  /** Calls when the directory may be asked again. */
  readonly again: () => void;
  watcher: FSWatcher | undefined;
  /** A directory that was replaced has to be watched anew. */
  identity: string | undefined;
  /** What happens in it happens on this machine, where the kernel sees it. */
  isLocal = false;
  isTroubled = false;
  readonly #byName = new Map<string, Set<Owner>>();

  constructor(check: PathCheck, again: (watched: Watched<Owner>) => void) {
    this.check = check;
    this.again = () => again(this);
  }

  add(name: string, owner: Owner): void {
    const owners = this.#byName.get(name);
    if (owners === undefined) this.#byName.set(name, new Set([owner]));
    else owners.add(owner);
  }

  /** True when no reader needs it any more. */
  remove(name: string, owner: Owner): boolean {
    const owners = this.#byName.get(name);
    owners?.delete(owner);
    if (owners?.size === 0) this.#byName.delete(name);
    return this.#byName.size === 0;
  }

  ownersOf(name: string): Iterable<Owner> {
    return this.#byName.get(name) ?? [];
  }

  get owners(): Set<Owner> {
    return new Set([...this.#byName.values()].flatMap((owners) => [...owners]));
  }
}

/** One watch per directory, however many sources and files are in it. */
export class DirectoryWatch<Owner> implements Disposable {
  readonly #events: WatchEvents<Owner>;
  readonly #directories = new Map<string, Watched<Owner>>();
  readonly #wanted = new Map<Owner, readonly Interest[]>();

  constructor(events: WatchEvents<Owner>) {
    this.#events = events;
  }

  /** From now on the owner hears of these and of no others. */
  want(owner: Owner, interests: readonly Interest[]): void {
    const before = this.#wanted.get(owner) ?? [];
    if (before === interests) return;
    this.#wanted.set(owner, interests);
    const isIn = (list: readonly Interest[], { directory, name }: Interest): boolean =>
      list.some((other) => other.directory === directory && other.name === name);
    for (const interest of interests) if (!isIn(before, interest)) this.#add(interest, owner);
    for (const interest of before) if (!isIn(interests, interest)) this.#remove(interest, owner);
  }

  /** Every change that this machine makes at these is notified. */
  tells(interests: readonly Interest[]): boolean {
    return interests.every(({ directory }) => {
      const watched = this.#directories.get(directory);
      return watched?.watcher !== undefined && watched.isLocal;
    });
  }

  #add({ directory, name }: Interest, owner: Owner): void {
    const known = this.#directories.get(directory);
    const watched = known ?? this.#watchedFor(directory);
    watched.add(name ?? EVERY_NAME, owner);
    this.#directories.set(directory, watched);
    if (known === undefined) this.#renew(directory, watched);
  }

  #watchedFor(directory: string): Watched<Owner> {
    const check = this.#events.check?.(directory) ?? ALWAYS_CLEAR;
    return new Watched(check, (watched) => {
      if (this.#directories.get(directory) === watched) this.#renew(directory, watched);
    });
  }

  #remove({ directory, name }: Interest, owner: Owner): void {
    const watched = this.#directories.get(directory);
    if (watched?.remove(name ?? EVERY_NAME, owner) !== true) return;
    watched.watcher?.close();
    this.#directories.delete(directory);
  }

  /** Watches again what was not there, or is another directory now. */
  check(): void {
    for (const [directory, watched] of this.#directories) this.#renew(directory, watched);
  }

  #renew(directory: string, watched: Watched<Owner>): void {
    if (!watched.check.isClear()) return watched.check.ask(watched.again);
    const identity = identityOf(directory);
    if (identity === watched.identity && (watched.watcher !== undefined || identity === undefined)) return;
    watched.watcher?.close();
    watched.watcher = undefined;
    watched.identity = identity;
    watched.isLocal = isLocal(directory);
    if (identity === undefined) return;
    try {
      watched.watcher = watch(directory, (kind, name) => this.#hear(directory, watched, name, kind === 'rename'));
      watched.watcher.on('error', (error) => this.#fail(directory, watched, error));
      watched.isTroubled = false;
      // What happened before the watch began was not heard.
      for (const owner of watched.owners) this.#events.event(owner, directory, undefined, true);
    } catch (error) {
      this.#fail(directory, watched, error);
    }
  }

  #hear(directory: string, watched: Watched<Owner>, name: string | null, structural: boolean): void {
    if (name === null) {
      for (const owner of watched.owners) this.#events.event(owner, directory, undefined, true);
      return;
    }
    for (const owner of watched.ownersOf(name)) this.#events.event(owner, directory, name, structural);
    for (const owner of watched.ownersOf(EVERY_NAME)) this.#events.event(owner, directory, name, structural);
  }

  #fail(directory: string, watched: Watched<Owner>, error: unknown): void {
    watched.watcher?.close();
    watched.watcher = undefined;
    if (watched.isTroubled) return;
    watched.isTroubled = true;
    const because = error instanceof Error ? error.message : String(error);
    for (const owner of watched.owners) this.#events.trouble(owner, directory, because);
  }

  [Symbol.dispose](): void {
    for (const { watcher } of this.#directories.values()) watcher?.close();
    this.#directories.clear();
    this.#wanted.clear();
  }
}

/** Device, inode, and when it was made: a new directory often gets the inode of the one that was removed. */
function identityOf(directory: string): string | undefined {
  try {
    const stat = statSync(directory, { throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}:${stat.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

/** File systems that only this machine writes to: ext, XFS, Btrfs, tmpfs, ramfs, overlay, ZFS, F2FS, bcachefs. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

/** Of a file system that other machines write to, as NFS, the kernel notifies what this one did and nothing else. */
function isLocal(directory: string): boolean {
  try {
    return LOCAL_TYPES.has(statfsSync(directory).type);
  } catch {
    return false;
  }
}
