import { Cut, REDACTED } from './redaction_mark.ts';

const ENDS_AUTHORITY = /[\s/?#"'`<>\\]/g;
const ENDS_URL = /[\s"'`<>\\]/g;
const ENDS_PATH = /[\s?#"'`<>\\]/;
/** A path is looked at this far, so that a long chain of addresses costs no more than its length. */
const PATH_LENGTH_MAX = 512;

/** Platforms whose last path segment is always the broadcaster's key. */
const PUBLIC_INGEST =
  /(?:^|\.)(?:twitch\.tv|youtube\.com|facebook\.com|fbcdn\.net|live-video\.net|restream\.io|trovo\.live|kick\.com|tiktok\.com|tiktokcdn\.com|vimeo\.com|dailymotion\.com|castr\.io)$/i;

/** `/live/USER/PASSWORD/4711.ts`, as playlists of television providers have it. */
const PROVIDER_PATH = /^(\/(?:live|movie|series|timeshift)\/[^/]{1,80}\/)([^/]{1,80})\/[\w.-]{1,40}$/;

/** A user name without a password that is this long is a token. */
const USER_LENGTH_MAX = 20;

const nextOf = (ends: RegExp, text: string, from: number): number => {
  ends.lastIndex = from;
  return ends.exec(text)?.index ?? text.length;
};

/** Passwords before the host, stream keys, and provider passwords in the path. Queries are left to `redactPairs`. */
export function redactUrls(text: string): string {
  const cut = new Cut(text);
  let from = text.indexOf('://');
  while (from >= 0) {
    const end = redactUrl(text, from, cut);
    from = text.indexOf('://', Math.max(end, from + 3));
  }
  return cut.toString();
}

/** Returns where the search goes on: a path may hold another address. */
function redactUrl(text: string, colon: number, cut: Cut): number {
  const start = colon + 3;
  const authorityEnd = nextOf(ENDS_AUTHORITY, text, start);
  const host = hostAfterUserinfo(text, start, authorityEnd, cut);
  if (host.end < 0) return host.start;

  const following = text.slice(host.end, host.end + PATH_LENGTH_MAX);
  const pathEnd = following.search(ENDS_PATH);
  const path = pathEnd < 0 ? following : following.slice(0, pathEnd);
  const name = text.slice(host.start, host.end).replace(/:\d*$/, '');
  const key = secretSegment(text.slice(Math.max(0, colon - 6), colon), name, path);
  if (key !== undefined) cut.redact(host.end + key.start, host.end + key.end);
  return key === undefined ? host.end : host.end + key.end;
}

/** Redacts a password before the host. `end` is -1 when there is no telling where a host is: go on at `start`. */
function hostAfterUserinfo(text: string, start: number, authorityEnd: number, cut: Cut): Range {
  const authority = text.slice(start, authorityEnd);
  const at = authority.lastIndexOf('@');
  const colon = authority.indexOf(':');
  if (at >= 0) {
    const secretStart = colon >= 0 && colon < at ? colon + 1 : at >= USER_LENGTH_MAX ? 0 : at;
    cut.redact(start + secretStart, start + at);
    return { start: start + at + 1, end: authorityEnd };
  }
  const port = colon < 0 || authority.startsWith('[') ? '' : authority.slice(colon + 1).replace(/[:.,;)\]]+$/, '');
  if (/^\d*$/.test(port)) return { start, end: authorityEnd };
  // After the colon stands no port: a password with a slash in it, or one that was cut off before its `@`.
  const urlEnd = nextOf(ENDS_URL, text, authorityEnd);
  const lateAt = text.slice(authorityEnd, urlEnd).indexOf('@');
  cut.redact(start + colon + 1, lateAt < 0 ? authorityEnd : authorityEnd + lateAt);
  if (lateAt < 0) return { start: urlEnd, end: -1 };
  const hostStart = authorityEnd + lateAt + 1;
  return { start: hostStart, end: nextOf(ENDS_AUTHORITY, text, hostStart) };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function secretSegment(scheme: string, host: string, path: string): Range | undefined {
  const provider = PROVIDER_PATH.exec(path);
  if (provider) return { start: provider[1]!.length, end: provider[1]!.length + provider[2]!.length };
  if (!/rtmp[a-z]{0,2}$/i.test(scheme)) return undefined;
  // `/app/KEY`, with what follows a sentence cut off: the key is the last of at least two segments.
  const trimmed = path.replace(/[:.,;)\]]{1,3}$/, '');
  const slash = trimmed.lastIndexOf('/');
  if (slash < 1 || slash + 1 >= trimmed.length) return undefined;
  const segment = trimmed.slice(slash + 1);
  if (segment === REDACTED || segment === REDACTED.slice(0, -1)) return undefined;
  return PUBLIC_INGEST.test(host) || looksLikeKey(segment) ? { start: slash + 1, end: trimmed.length } : undefined;
}

/** Sixteen letters and digits in a row that are neither a word nor a number, or groups of four. */
const looksLikeKey = (segment: string): boolean =>
  (segment.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run)) ||
  /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3,5}$/i.test(segment);
