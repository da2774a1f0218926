/** How each kind of server reports its streams on its status page. */
import { isRecord } from '../intake/refused.ts';
import type { StatusKind } from './schema.ts';

/** What a status page says of one stream. */
export interface StatusReading {
  readonly present: boolean;
  /** Anything that moves forward while the stream comes in; undefined where the page has nothing of the kind. */
  readonly position?: number | undefined;
  readonly viewers?: number | undefined;
}

/** How one server reports its streams. */
export interface StatusMapping {
  /** Asked for where the address has no path of its own. */
  readonly path: string;
  readonly format: 'json' | 'xml' | 'text';
  /** A position that stands for this long stands still. Default 12 s: servers count at their own pace. */
  readonly stuckMs?: number;
  /** Undefined where the page is not what it should be, or not all of it: that says nothing of the stream. */
  readonly read: (page: unknown, target: string) => StatusReading | undefined;
}

const ABSENT: StatusReading = { present: false };
/** Of something that is listed: a single one is often no list, and none is nothing. */
export const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : [value]).filter(isRecord);

/** A number, or text that is one. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Icecast's `/status-json.xsl`: `source` is an object for one mount, a list for several, absent for none. */
function icecast(page: unknown, mount: string): StatusReading | undefined {
  const stats = isRecord(page) ? page.icestats : undefined;
  if (!isRecord(stats)) return undefined;
  const wanted = asWritten(`/${withoutSlash(mount)}`);
  const found = listOf(stats.source).find(({ listenurl }) => mountIn(String(listenurl)) === wanted);
  return found === undefined ? ABSENT : { present: true, viewers: numberOf(found.listeners) };
}

/** Icecast writes its own host name before the mount as it is configured, be it one or not. */
const mountIn = (listenurl: string): string => asWritten(listenurl.replace(/^[a-z]+:\/\/[^/]*/i, ''));

/** A blank and letters beyond ASCII may be escaped or not. */
const asWritten = (path: string): string => (path.startsWith('/') && URL.parse(`http://host${path}`)?.pathname) || path;

/** nginx-rtmp's `/stat`: rtmp > server > application { name, live > stream { name, bytes_in, client[] } }. */
function nginxRtmp(page: unknown, target: string): StatusReading | undefined {
  const rtmp = isRecord(page) ? page.rtmp : undefined;
  if (!isRecord(rtmp)) return undefined;
  const [app, name] = splitTarget(target);
  const applications = listOf(rtmp.server).flatMap((server) => listOf(server.application));
  const streams = applications.filter((each) => String(each.name) === app).flatMap(({ live }) => listOf(live));
  const found = streams.flatMap(({ stream }) => listOf(stream)).find((each) => String(each.name) === name);
  if (found === undefined) return ABSENT;
  const clients = listOf(found.client);
  const present = 'publishing' in found || clients.some((client) => 'publishing' in client);
  const viewers = clients.filter((client) => !('publishing' in client)).length;
  return { present, position: numberOf(found.bytes_in), viewers };
}

/** `app/stream`; the stream may hold slashes. */
function splitTarget(target: string): readonly [string, string] {
  const path = withoutSlash(target);
  const at = path.indexOf('/');
  return at < 0 ? ['', path] : [path.slice(0, at), path.slice(at + 1)];
}

/** The path of an address begins with one, and the name of a stream does not: both are written for either. */
const withoutSlash = (path: string): string => path.replace(/^\//, '');

/** As many streams as MediaMTX and SRS are asked for at once. */
const LISTED_MAX = 1_000;

/** MediaMTX's `/v3/paths/list`; the names before version 1.18 stand second. */
function mediamtx(page: unknown, path: string): StatusReading | undefined {
  if (!isRecord(page) || !Array.isArray(page.items)) return undefined;
  const found = listOf(page.items).find(({ name }) => name === withoutSlash(path));
  if (found === undefined) return (numberOf(page.pageCount) ?? 1) > 1 ? undefined : ABSENT;
  const readers = Array.isArray(found.readers) ? found.readers.length : undefined;
  const position = numberOf(found.inboundBytes ?? found.bytesReceived);
  return { present: (found.available ?? found.ready) === true, position, viewers: readers };
}

/**
 * SRS's `/api/v1/streams/`: an answer with another code than 0 is an error, whatever the HTTP status says. It does not
 * say how many streams there are: a full page may not be the last.
 */
function srs(page: unknown, target: string): StatusReading | undefined {
  if (!isRecord(page) || page.code !== 0 || !Array.isArray(page.streams)) return undefined;
  const [app, name] = splitTarget(target);
  const found = listOf(page.streams).find((each) => each.app === app && each.name === name);
  if (found === undefined) return page.streams.length >= LISTED_MAX ? undefined : ABSENT;
  const publish = isRecord(found.publish) ? found.publish : {};
  // The publisher is a client, too.
  const viewers = Math.max(0, (numberOf(found.clients) ?? 1) - 1);
  return { present: publish.active === true, position: numberOf(found.recv_bytes), viewers };
}

function owncast(page: unknown): StatusReading | undefined {
  if (!isRecord(page) || typeof page.online !== 'boolean') return undefined;
  return { present: page.online, viewers: numberOf(page.viewerCount) };
}

/**
 * ErsatzTV's `/api/sessions`: a session is there while somebody watches, and says how far it has transcoded: up to
 * a minute ahead, and then it rests.
 */
function ersatztv(page: unknown, channel: string): StatusReading | undefined {
  if (!Array.isArray(page)) return undefined;
  const found = listOf(page).find((each) => String(each.channelNumber ?? each.ChannelNumber) === channel);
  if (found === undefined) return { present: false, viewers: 0 };
  const until = Date.parse(String(found.transcodedUntil ?? found.TranscodedUntil));
  // The number of viewers is not reported; a session ends when there is none.
  return { present: true, position: Number.isFinite(until) ? until : undefined, viewers: 1 };
}

/** Tunarr's `/api/sessions`: lists of sessions by channel. */
function tunarr(page: unknown, channel: string): StatusReading | undefined {
  if (!isRecord(page)) return undefined;
  const sessions = Object.hasOwn(page, channel) ? listOf(page[channel]) : [];
  const viewers = sessions.reduce((sum, { numConnections }) => sum + (numberOf(numConnections) ?? 0), 0);
  return { present: sessions.length > 0, viewers };
}

/** Jellyfin's `/health`: one word. */
function jellyfin(page: unknown): StatusReading | undefined {
  const state = typeof page === 'string' ? page.trim() : '';
  return /^(Healthy|Degraded|Unhealthy)$/.test(state) ? { present: state !== 'Unhealthy' } : undefined;
}

export const STATUS_MAPPINGS: Readonly<Record<StatusKind, StatusMapping>> = {
  icecast: { path: '/status-json.xsl', format: 'json', read: icecast },
  nginx_rtmp: { path: '/stat', format: 'xml', read: nginxRtmp },
  mediamtx: { path: `/v3/paths/list?itemsPerPage=${LISTED_MAX}`, format: 'json', read: mediamtx },
  srs: { path: `/api/v1/streams/?start=0&count=${LISTED_MAX}`, format: 'json', read: srs },
  owncast: { path: '/api/status', format: 'json', read: owncast },
  ersatztv: {
    path: '/api/sessions',
    format: 'json',
    stuckMs: 90_000,
    read: ersatztv,
  },
  tunarr: { path: '/api/sessions', format: 'json', read: tunarr },
  jellyfin: { path: '/health', format: 'text', read: jellyfin },
};
