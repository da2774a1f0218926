/**
 * Which parts of a line its writer did not choose. Titles, URLs, user agents, statements and chat come from outside;
 * what they say is never evidence. Words outside them are the program's own.
 */

/** Values of these keys are the program's own words, though they stand in quotes. */
const OWN_KEYS = new Set(
  (
    'msg message err error errors reason detail details cause code status statuscode status_code type exception level ' +
    'severity stderr stdout output log errormessage error_message error_description event result signal state name ' +
    'stack lasterror last_error condition failure @m @mt @x @l'
  ).split(' '),
);
const KEY_BEFORE = /([A-Za-z_@.-]+)"?\s*[:=]\s*$/;
const KEY_CHARS_MAX = 28;
const REQUEST = /^([A-Z]{3,10} )(.*)( [A-Z]{3,5}\/\d(?:\.\d)?)$/;
const URL_END = /[\s"'<>\])}|\\]|[.,:;](?:\s|$)/g;
const QUIET =
  /\b(?:INFO|INF|DEBUG|DBG|VERBOSE|TRACE|NOTICE|Info|Debug|Notice)\b|\[(?:info|debug|notice)\]|level=(?:info|debug)|"level":"?(?:info|debug|[123]0\b)/;
const LEVEL_CHARS_MAX = 120;
/** From here to the end of the line somebody else speaks. */
const REST =
  /, client: |\b(?:STATEMENT|QUERY|DETAIL|CONTEXT): |\b(?:now playing|new metadata chunk:|found playout item|stream ?title[:=]|user-agent:|referer:|referrer:)/i;
/** `    title   : words` and its continuation `            : words`, and tags by name. */
const TAG =
  /^\s+(?:[\w-]+\s+|\s*): |^\s*(?:title|comment|artist|album|description|lyrics|synopsis|genre|StreamTitle)\s*[:=]\s*/;
const TRIGGER = new RegExp(`"|'|://|${REST.source}`, 'gi');

/** Pairs of offsets [from, to) that outsiders wrote, in order. */
export function foreignSpans(text: string): readonly number[] {
  const tag = TAG.exec(text);
  if (tag !== null) return [tag[0].length, text.length];
  const spans: number[] = [];
  let ownQuoteEnd = -1;
  TRIGGER.lastIndex = 0;
  for (let hit = TRIGGER.exec(text); hit !== null; hit = TRIGGER.exec(text)) {
    const at = hit.index;
    if (hit[0] === '"') {
      if (at === ownQuoteEnd) continue;
      const quote = doubleQuoted(text, at);
      if (quote === undefined) continue;
      if (quote.own) ownQuoteEnd = quote.end;
      else spans.push(quote.from, quote.to);
      if (!quote.own) TRIGGER.lastIndex = quote.end + 1;
    } else if (hit[0] === "'") {
      const end = singleQuoted(text, at);
      if (end === undefined) continue;
      spans.push(at + 1, beforeKind(text, at + 1, end));
      TRIGGER.lastIndex = end + 1;
    } else if (hit[0] === '://') {
      const end = urlEnd(text, at + 3);
      if (end > at + 3) spans.push(at + 3, beforeKind(text, at + 3, end));
      TRIGGER.lastIndex = Math.max(end, at + 3);
    } else {
      spans.push(at + hit[0].length, text.length);
      break;
    }
  }
  return spans;
}

/** What kind of file it is may be said by its ending, and only from this list. */
const KIND =
  /\.(?:ts|m4s|m3u8|m3u|mpd|mp4|mkv|mp3|aac|flv|mov|webm|json|ya?ml|xml|xspf|liq|toml|ini|conf|ffconcat|txt|db|sqlite3?|sock|png|jpg)$/;
/** Where programs and devices live, as opposed to media. */
const SYSTEM_PATH = /^\/(?:usr|bin|sbin|opt|etc|lib|dev|proc|sys|run)\/[\w./+-]+$/;

/** The end of the foreign part of a URL or path: its kind stays visible. */
function beforeKind(text: string, from: number, to: number): number {
  const kind = KIND.exec(text.slice(Math.max(from, to - 10), to));
  return kind === null ? to : to - kind[0].length;
}

interface Quote {
  readonly own: boolean;
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

function doubleQuoted(text: string, at: number): Quote | undefined {
  if (at > 0 && /[\w\\]/.test(text[at - 1]!)) return undefined;
  const end = closingQuote(text, at + 1);
  if (end === text.length && at > 0 && !/[\s=:([,{]/.test(text[at - 1]!)) return undefined;
  if (/^\s*:/.test(text.slice(end + 1, end + 3)) && /[{,\s]/.test(text[at - 1] ?? ' ')) {
    return { own: true, from: at, to: at, end };
  }
  const key = KEY_BEFORE.exec(text.slice(Math.max(0, at - KEY_CHARS_MAX), at))?.[1];
  if (key !== undefined && OWN_KEYS.has(key.toLowerCase())) return { own: true, from: at, to: at, end };
  const request = REQUEST.exec(text.slice(at + 1, end));
  if (request === null) return { own: false, from: at + 1, to: beforeKind(text, at + 1, end), end };
  const from = at + 1 + request[1]!.length;
  return { own: false, from, to: beforeKind(text, from, end - request[3]!.length), end };
}

/** Offset of the quote that closes, or the end of the text. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text[at - 1] !== '\\' || text[at - 2] === '\\') return at;
  }
  return text.length;
}

/** Single quotes hold a name or a path; a path is foreign, and on a quiet line everything quoted is. */
function singleQuoted(text: string, at: number): number | undefined {
  if (at > 0 && !/[\s=:([,{]/.test(text[at - 1]!)) return undefined;
  let end = text.indexOf("'", at + 1);
  while (end >= 0 && /\w/.test(text[end + 1] ?? ' ')) end = text.indexOf("'", end + 1);
  if (end < 0) return undefined;
  const inner = text.slice(at + 1, end);
  if (SYSTEM_PATH.test(inner)) return undefined;
  const foreign = inner.includes('/') || inner.includes('\\') || QUIET.test(text.slice(0, LEVEL_CHARS_MAX));
  return foreign ? end : undefined;
}

function urlEnd(text: string, from: number): number {
  URL_END.lastIndex = from;
  return URL_END.exec(text)?.index ?? text.length;
}

/** The line with every foreign part replaced by `~`, character by character, so that offsets stay. */
export function withoutForeign(text: string): string {
  const spans = foreignSpans(text);
  if (spans.length === 0) return text;
  let kept = '';
  let from = 0;
  for (let at = 0; at < spans.length; at += 2) {
    kept += text.slice(from, spans[at]) + '~'.repeat(spans[at + 1]! - spans[at]!);
    from = spans[at + 1]!;
  }
  return kept + text.slice(from);
}

/** True when neither the first nor the last character of [from, to) lies in a foreign part. */
export function isOwnWords(spans: readonly number[], from: number, to: number): boolean {
  for (let at = 0; at < spans.length; at += 2) {
    const start = spans[at]!;
    const end = spans[at + 1]!;
    if ((from >= start && from < end) || (to > start && to <= end)) return false;
  }
  return true;
}
