/** Accounts for the time in which simulated channels are down. */

/**
 * How a channel really stands. `curable`: a restart now would bring it back. `incurable`: it would not, as long as
 * its cause lasts. `self_healing`: it comes back by itself. `young`: it has just been started.
 */
export type Status = 'playing' | 'young' | 'curable' | 'incurable' | 'self_healing' | 'stopped';

/** One interval in which a channel was down. */
export interface Episode {
  readonly channel: string;
  readonly fromMs: number;
  toMs: number | undefined;
  /** Since when a restart would have helped. */
  curableMs: number | undefined;
  /** How long no restart could have helped. */
  incurableForMs: number;
}

/** What a person has stopped is off, not down. */
const isDown = (status: Status): boolean => status !== 'playing' && status !== 'stopped';

interface Account {
  readonly viewers: number;
  status: Status;
  sinceMs: number;
  episode: Episode | undefined;
  viewerMs: number;
}

/** Records every interval of downtime, whoever ends it: the same measure for every policy. */
export class Downtime {
  readonly #accounts: Map<string, Account>;
  readonly episodes: Episode[] = [];

  constructor(channels: readonly { readonly id: string; readonly viewers: number }[]) {
    this.#accounts = new Map(
      channels.map(({ id, viewers }) => [
        id,
        { viewers, status: 'playing', sinceMs: 0, episode: undefined, viewerMs: 0 },
      ]),
    );
  }

  note(channel: string, status: Status, nowMs: number): void {
    const account = this.#accounts.get(channel);
    if (account === undefined) return;
    this.#book(account, nowMs);
    account.status = status;
    if (!isDown(status)) {
      if (account.episode !== undefined) account.episode.toMs = nowMs;
      account.episode = undefined;
      return;
    }
    account.episode ??= this.#begin(channel, nowMs);
    if (status === 'curable') account.episode.curableMs ??= nowMs;
  }

  /** The present interval of downtime of a channel. */
  episodeOf(channel: string): Episode | undefined {
    return this.#accounts.get(channel)?.episode;
  }

  /** Downtime times viewers, in seconds, up to now. */
  viewerSeconds(nowMs: number): number {
    let sum = 0;
    for (const account of this.#accounts.values()) {
      this.#book(account, nowMs);
      sum += account.viewerMs;
    }
    return Math.round(sum / 1_000);
  }

  #begin(channel: string, fromMs: number): Episode {
    const episode: Episode = { channel, fromMs, toMs: undefined, curableMs: undefined, incurableForMs: 0 };
    this.episodes.push(episode);
    return episode;
  }

  #book(account: Account, nowMs: number): void {
    const spanMs = nowMs - account.sinceMs;
    account.sinceMs = nowMs;
    if (!isDown(account.status)) return;
    account.viewerMs += spanMs * account.viewers;
    if (account.status === 'incurable' && account.episode !== undefined) account.episode.incurableForMs += spanMs;
  }
}
