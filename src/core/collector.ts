/** How the lines of a log are written down. `text`: as they are. */
export const LOG_FORMATS = ['text', 'docker_json', 'ffmpeg_progress'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Servers whose status page can be read. */
export const STATUS_KINDS = [
  'icecast',
  'nginx_rtmp',
  'mediamtx',
  'srs',
  'owncast',
  'ersatztv',
  'tunarr',
  'jellyfin',
] as const;
export type StatusKind = (typeof STATUS_KINDS)[number];

/** What names a stream on the page: a mount, a stream (or path, or channel), or nothing where there is only one. */
export const STATUS_TARGETS: Readonly<Record<StatusKind, 'mount' | 'stream' | 'none'>> = {
  icecast: 'mount',
  nginx_rtmp: 'stream',
  mediamtx: 'stream',
  srs: 'stream',
  owncast: 'none',
  ersatztv: 'stream',
  tunarr: 'stream',
  jellyfin: 'none',
};

/** Their streams are there while somebody watches: absence is no trouble. */
export const ON_DEMAND_KINDS: ReadonlySet<StatusKind> = new Set(['ersatztv', 'tunarr']);

/** One stream on a status page. */
export interface StatusTarget {
  readonly kind: StatusKind;
  /** The server, or the page itself. */
  readonly url: string;
  /** The mount, `app/stream`, path or channel, as the kind wants it; empty where it wants none. */
  readonly target: string;
}

/** What the value of a Prometheus query says. `symptom`: that every series of the answer is one. */
export const QUERY_MEANINGS = [
  'up',
  'source_up',
  'playlist_age_seconds',
  'output_position',
  'viewers',
  'pool_pressure',
  'symptom',
] as const;
export type QueryMeaning = (typeof QUERY_MEANINGS)[number];
