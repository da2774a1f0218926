/** Watches the folders of playlists that lie on this machine. */
import { basename, dirname } from 'node:path';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { SECOND_MS } from '../../core/duration.ts';
import type { PlaylistSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import { DirectoryWatch, type Interest } from '../directory_watch.ts';
import type { PathCheck } from '../mounts/mount_checks.ts';

/** A folder notifies of its segments, too, and each notification is work: what lies in others is only looked at. */
const FOLDERS_MAX = 64;
/** A folder that was not there, or is another one now, is watched anew after this long. */
const CHECK_MS = 2 * SECOND_MS;

export interface WatchedPlaylist {
  readonly channel: ChannelId;
  readonly path: string;
}

export interface PlaylistWatchOptions {
  readonly playlists: readonly WatchedPlaylist[];
  readonly clock: Clock;
  /** Hears of each change of a playlist, or of everything in its folder. */
  readonly onChange: (channel: ChannelId) => void;
  /** Hears once when a folder that is there cannot be watched. */
  readonly report: (channel: ChannelId, because: string) => void;
  /** Whether a folder may be asked something now. Default: always. */
  readonly check?: ((folder: string) => PathCheck) | undefined;
}

class Playlist {
  readonly channel: ChannelId;
  readonly interests: readonly Interest[];
  heardMs: MonoMs = Number.NEGATIVE_INFINITY;
  revision: string | undefined;
  lookedMs: MonoMs = Number.POSITIVE_INFINITY;
  /** It changed and nothing was heard: notifications were lost, or do not come. */
  isDeaf = false;

  constructor({ channel, path }: WatchedPlaylist) {
    this.channel = channel;
    this.interests = [{ directory: dirname(path), name: basename(path) }];
  }
}

/**
 * Tells when a playlist is written, without a look at it. Whatever goes wrong with that (no inotify, too many folders,
 * lost notifications, a disk that other machines write to) leaves the looks as they are.
 */
export class PlaylistWatch implements Disposable {
  readonly #clock: Clock;
  readonly #playlists: ReadonlyMap<ChannelId, Playlist>;
  readonly #watch: DirectoryWatch<Playlist>;
  #checks: Disposable | undefined;

  constructor({ playlists, clock, onChange, report, check }: PlaylistWatchOptions) {
    this.#clock = clock;
    this.#playlists = new Map(inSomeFolders(playlists).map((one) => [one.channel, new Playlist(one)]));
    this.#watch = new DirectoryWatch<Playlist>({
      ...(check !== undefined && { check }),
      event: (playlist) => {
        playlist.heardMs = clock.monotonicMs();
        playlist.isDeaf = false;
        onChange(playlist.channel);
      },
      trouble: ({ channel }, folder, because) =>
        report(channel, `${folder} cannot be watched (${because}): the playlist is looked at as often as without`),
    });
  }

  start(): void {
    if (this.#playlists.size === 0) return;
    for (const playlist of this.#playlists.values()) this.#watch.want(playlist, playlist.interests);
    this.#checks = this.#clock.every(CHECK_MS, () => this.#watch.check());
  }

  /** When it was last heard to change. Undefined: that it was not heard says nothing. */
  heardMs(channel: ChannelId): MonoMs | undefined {
    const playlist = this.#playlists.get(channel);
    if (playlist === undefined || playlist.isDeaf || playlist.heardMs === Number.NEGATIVE_INFINITY) return undefined;
    return this.#watch.tells(playlist.interests) ? playlist.heardMs : undefined;
  }

  /** What a look found: a change that was not heard shows that the folder does not notify of everything. */
  looked({ channel, revision, monoMs }: PlaylistSample): void {
    const playlist = this.#playlists.get(channel);
    if (playlist === undefined || revision === undefined) return;
    const hasChanged = playlist.revision !== undefined && revision !== playlist.revision;
    if (hasChanged && playlist.heardMs < playlist.lookedMs) playlist.isDeaf = true;
    playlist.revision = revision;
    playlist.lookedMs = monoMs;
  }

  [Symbol.dispose](): void {
    this.#checks?.[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
  }
}

function inSomeFolders(playlists: readonly WatchedPlaylist[]): readonly WatchedPlaylist[] {
  const folders = new Set([...new Set(playlists.map(({ path }) => dirname(path)))].slice(0, FOLDERS_MAX));
  return playlists.filter(({ path }) => folders.has(dirname(path)));
}
