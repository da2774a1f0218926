/** Asks file systems that may hang before a call that would hang with them. */
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import {
  hasRemote,
  type MountTable,
  mountTableOf,
  type RemoteMount,
  remoteKeyOf,
  remoteMountsBelow,
  remoteMountsOn,
} from './mount_table.ts';

/** Whether a call that blocks may be made on a path. */
export interface PathCheck {
  /** It lies on disks of this machine, or every file system that it leads to has answered just now. */
  isClear(): boolean;
  /**
   * Asks those that have not. Calls when one of them has answered, never at once: then it may be clear. A function that
   * waits already is not called twice.
   */
  ask(then: () => void): void;
  /** The file system that owes an answer longest, and for how long; undefined: none does. */
  silent(): { readonly point: string; readonly ms: number } | undefined;
}

/** Of a path that leads to no other machine. */
export const ALWAYS_CLEAR: PathCheck = {
  isClear: () => true,
  ask: (then) => queueMicrotask(then),
  silent: () => undefined,
};

/** An answer is proof for so long: for the reads that follow it, also on a machine whose rounds are long. */
const PROVEN_MS = 250;
/** Mounts come and go. */
const TABLE_AGE_MAX_MS = 5 * SECOND_MS;
/** So do links on the way to them; some paths are followed anew after up to twice as long. */
const LINKS_AGE_MAX_MS = MINUTE_MS;

export interface MountChecksOptions {
  readonly clock: Clock;
  /** What proc_pid_mountinfo(5) says of this process; empty where there is none. */
  readonly mountinfo?: () => string;
  /** Settles when the file system answers, whatever the answer. */
  readonly ask?: (point: string) => Promise<unknown>;
}

/**
 * A disk of this machine answers at once. A file server that is away, or a program behind FUSE that stands still, never
 * does, and a call that waits for it stops the whole process: it is asked by a thread first, one per mount, with
 * statfs(2), which no cache answers.
 */
export class MountChecks {
  readonly #clock: Clock;
  readonly #mountinfo: () => string;
  readonly #ask: (point: string) => Promise<unknown>;
  readonly #mounts = new Map<string, Mount>();
  #text = '';
  #key = '';
  #table: MountTable = new Map();
  #hasRemote = false;
  #readMs: MonoMs = Number.NEGATIVE_INFINITY;
  /** Counts up when other mounts are there. */
  #revision = 0;
  #paths = 0;

  constructor({ clock, mountinfo = ownMountinfo, ask = statfs }: MountChecksOptions) {
    this.#clock = clock;
    this.#mountinfo = mountinfo;
    this.#ask = ask;
  }

  /** `withBelow`: also what is mounted below the path, which is a folder that is looked through. */
  check(path: string, withBelow = false): PathCheck {
    const whole = resolve(path);
    // Links are followed anew for some paths at a time: those of thousands together would hold the loop.
    const ageMaxMs = LINKS_AGE_MAX_MS * (1 + (this.#paths++ % 64) / 64);
    let mounts: readonly Mount[] = [];
    let [known, followedMs] = [-1, Number.NEGATIVE_INFINITY];
    const own = (): readonly Mount[] => {
      const nowMs = this.#clock.monotonicMs();
      this.#refresh(nowMs);
      if (known === this.#revision && (!this.#hasRemote || nowMs - followedMs < ageMaxMs)) return mounts;
      [known, followedMs] = [this.#revision, nowMs];
      mounts = this.#mountsAt(whole, withBelow);
      return mounts;
    };
    return {
      isClear: () => own().every((mount) => mount.isProven()),
      ask(then) {
        for (const mount of own()) if (!mount.isProven()) mount.whenProven(then);
      },
      silent: () =>
        own()
          .map((mount) => ({ point: mount.point, ms: mount.silentMs() }))
          .filter(({ ms }) => ms > 0)
          .toSorted((a, b) => b.ms - a.ms)[0],
    };
  }

  #refresh(nowMs: MonoMs): void {
    if (nowMs - this.#readMs < TABLE_AGE_MAX_MS) return;
    this.#readMs = nowMs;
    const text = this.#mountinfo();
    if (text === this.#text) return;
    this.#text = text;
    this.#table = mountTableOf(text);
    this.#hasRemote = hasRemote(this.#table);
    const key = remoteKeyOf(this.#table);
    if (key === this.#key) return;
    this.#key = key;
    this.#revision += 1;
    const ids = new Set([...this.#table.values()].map(({ id }) => id));
    for (const id of this.#mounts.keys()) if (!ids.has(id)) this.#mounts.delete(id);
  }

  #mountsAt(path: string, withBelow: boolean): readonly Mount[] {
    if (!this.#hasRemote) return [];
    const below = withBelow ? remoteMountsBelow(path, this.#table) : [];
    return [...remoteMountsOn(path, this.#table), ...below].map((mount) => this.#mountOf(mount));
  }

  #mountOf({ id, point }: RemoteMount): Mount {
    const known = this.#mounts.get(id);
    if (known !== undefined) return known;
    const mount = new Mount(point, this.#clock, this.#ask);
    this.#mounts.set(id, mount);
    return mount;
  }
}

/** One file system that may hang. */
class Mount {
  readonly point: string;
  readonly #clock: Clock;
  readonly #ask: (point: string) => Promise<unknown>;
  #provenMs: MonoMs = Number.NEGATIVE_INFINITY;
  #askedMs: MonoMs | undefined;
  #waiting = new Set<() => void>();

  constructor(point: string, clock: Clock, ask: (point: string) => Promise<unknown>) {
    this.point = point;
    this.#clock = clock;
    this.#ask = ask;
  }

  isProven(): boolean {
    return this.#clock.monotonicMs() - this.#provenMs <= PROVEN_MS;
  }

  silentMs(): number {
    return this.#askedMs === undefined ? 0 : this.#clock.monotonicMs() - this.#askedMs;
  }

  whenProven(then: () => void): void {
    this.#waiting.add(then);
    if (this.#askedMs !== undefined) return;
    this.#askedMs = this.#clock.monotonicMs();
    // A refusal is an answer: what is asked next will be refused, too, and not hang.
    void this.#ask(this.point).then(
      () => this.#answered(),
      () => this.#answered(),
    );
  }

  #answered(): void {
    this.#provenMs = this.#clock.monotonicMs();
    this.#askedMs = undefined;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const then of waiting) then();
  }
}

function ownMountinfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Only Linux has it.
    return '';
  }
}
