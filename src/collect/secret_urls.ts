/** Removes secrets in URLs. */
import { Cut, REDACTED } from './redaction_mark.ts';

const ENDS_AUTHORITY = /[\s/?#"'`<>\\]/g;
const ENDS_URL = /[\s"'`<>\\]/g;
const ENDS_PATH = /[\s?#"'`<>\\]/;
/** A path is looked at this far, so that a long chain of addresses costs no more than its length. */
const PATH_LENGTH_MAX = 512;

/** Platforms whose last path segment is always the broadcaster's key. */
const PUBLIC_INGEST =
  /(?:^|\.)(?:twitch\.tv|youtube\.com|facebook\.com|fbcdn\.net|live-video\.net|restream\.io|trovo\.live|kick\.com|tiktok\.com|tiktokcdn\.com|vimeo\.com|dailymotion\.com|castr\.io|instagram\.com|pscp\.tv|rumble\.com|picarto\.tv|dlive\.tv|bilivideo\.com|okcdn\.ru|vkvideo\.ru|mux\.com|cloudflare\.com)$/i;

/** `/live/USER/PASSWORD/4711.ts`, as playlists of television providers have it. */
const PROVIDER_PATH = /^(\/(?:live|movie|series|timeshift)\/[^/]{1,80}\/)([^/]{1,80})\/[\w.-]{1,40}$/;

/** `/USER/PASSWORD/4711.ts`, the short form: an account and the number of a stream. */
const SHORT_PROVIDER_PATH = /^(\/([^/]{1,80})\/)([^/]{1,80})\/\d{1,9}(?:\.(?:ts|m3u8|mp4|mkv|avi|flv))?$/i;
/** Folders and renditions as servers have them: what stands there is no account. */
const FOLDER =
  /^(?:live\d*|hls\d*|dash|streams?|media|videos?|vods?|audio|channels?|segments?|chunks?|play(?:list|out)?s?|out(?:put)?|data|content|tv|radio|iptv|static|files?|cdn|app|api|v\d+|archive|recordings?|images?|thumbs?|ts|mpegts|low|mid|high|sd|hd|fhd|uhd|4k|source|src|orig(?:inal)?|main|backup|test|tmp|\d{1,4}|\d+[pki]|\d+x\d+|[avsq]\d{0,2}|(?:video|audio|track|variant|rendition|quality|stream)[-_]?\d*|\d{2,6}k(?:bps)?|proxy|service|epg|logos?|movies?|series|timeshift)$/i;

/** A user name without a password: a word is a name, anything else is a token. */
const isUserName = (user: string): boolean => user.length < 20 && /^[a-z][a-z._-]*\d{0,3}$/i.test(user);

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
    const secretStart = colon >= 0 && colon < at ? colon + 1 : isUserName(authority.slice(0, at)) ? at : 0;
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
  // What follows in a sentence is none of the path.
  const trimmed = path.replace(/[:.,;)\]]{1,3}$/, '');
  const provider = PROVIDER_PATH.exec(trimmed);
  if (provider) return { start: provider[1]!.length, end: provider[1]!.length + provider[2]!.length };
  const short = SHORT_PROVIDER_PATH.exec(trimmed);
  if (short && !FOLDER.test(short[2]!) && !FOLDER.test(short[3]!)) {
    return { start: short[1]!.length, end: short[1]!.length + short[3]!.length };
  }
  if (!/rtmp[a-z]{0,2}$/i.test(scheme)) return undefined;
  // `/app/KEY`: the key is the last of at least two segments.
  const slash = trimmed.lastIndexOf('/');
  if (slash < 1 || slash + 1 >= trimmed.length) return undefined;
  const segment = trimmed.slice(slash + 1);
  if (segment === REDACTED || segment === REDACTED.slice(0, -1)) return undefined;
  return PUBLIC_INGEST.test(host) || looksLikeKey(segment) ? { start: slash + 1, end: trimmed.length } : undefined;
}

/**
 * Sixteen letters and digits in a row that are neither a word nor a number, groups of four, or six and more that go to
 * and fro between letters and digits as no name does (`cam1`, `news24hd` do so twice at most).
 */
const looksLikeKey = (segment: string): boolean =>
  (/^[A-Za-z0-9]{6,}$/.test(segment) && (segment.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g) ?? []).length >= 3) ||
  (segment.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run)) ||
  /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3,5}$/i.test(segment);
