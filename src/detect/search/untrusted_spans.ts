/**
 * Which parts of a line its writer did not choose. Titles, URLs, user agents, statements and chat come from outside;
 * what they say is never evidence. Text outside them is the program's own.
 */

/** Values of these keys are the program's own text, though they stand in quotes. */
const OWN_KEYS = new Set(
  (
    'msg message err error errors reason detail details cause code status statuscode status_code type ' +
    'exception ' +
    'level severity stderr stdout output log errormessage error_message error_description event result ' +
    'signal state name stack lasterror last_error condition failure @m @mt @x @l'
  ).split(' '),
);
/** So are those of keys that end in one of these words. */
const OWN_ENDINGS = /[_.-](?:error|err|exception|reason)$/;
/** And the text of an error after these words: `connection to 192.0.2.7 failed with "Could not resolve host"`. */
const TOLD_BY = ' failed with';
/** And the text of an exception that is printed as it would be made: `Sys_error("No space left on device")`. */
const EXCEPTION_ENDINGS = ['rror', 'xception', 'ailure'] as const;
const KEY_CHARS_MAX = 28;
const REQUEST = /^([A-Z]{3,10} )(.*)( [A-Z]{3,5}\/\d(?:\.\d)?)$/;
const QUIET = new RegExp(
  `\\b(?:${'INFO INF DEBUG DBG VERBOSE TRACE NOTICE Info Debug Notice'.split(' ').join('|')})\\b|` +
    '^(?:debug|info|verbose): |\\[(?:info|debug|notice)\\]|level=(?:info|debug)|"level":"?(?:info|debug|[123]0\\b)',
);
const LEVEL_CHARS_MAX = 120;
/** After these words and a colon, or an equals sign, the rest of the line is an outsider's text. */
const INTRODUCTIONS = new Set(
  (
    'STATEMENT QUERY DETAIL CONTEXT chunk Title title StreamTitle streamtitle ' +
    'Agent agent user_agent Referer referer Referrer referrer'
  ).split(' '),
);
/** The last letters of the above: the one character before them distinguishes most colons. */
const INTRODUCTION_ENDS = Uint8Array.from({ length: 256 }, (_, code) =>
  [...INTRODUCTIONS].some((word) => word.endsWith(String.fromCharCode(code))) ? 1 : 0,
);
const INTRODUCTION_CHARS_MAX = 12;
/** Of these, programs also have their own; before a colon they introduce somebody only after these letters. */
const INTRODUCED_AFTER: ReadonlyMap<string, readonly string[]> = new Map([
  ['chunk', ['etadata ']],
  ['agent', ['ser-', 'ser ', 'ser_']],
  ['Agent', ['ser-', 'ser ', 'ser_']],
]);
/** Phrases that do the same without a mark. */
const PHRASES = [', client: ', 'now playing', 'Now playing', 'ound playout item'] as const;
const PHRASE_SECONDS = new Set(PHRASES.map((phrase) => phrase.charCodeAt(1)));
/** What all of them hold that begin with a letter. Most lines do not. */
const IN_PHRASES = ' play';
/** `    title   : words` and its continuation `            : words`, and tags by name. */
const TAG =
  /^\s+(?:[\w-]+\s+)?: |^\s*(?:title|comment|artist|album|description|lyrics|synopsis|genre|StreamTitle)\s*[:=]\s*/i;
/** By code: what such a line may begin with. */
const TAG_STARTS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\stcadlsg]/i.test(String.fromCharCode(code)) ? 1 : 0,
);

const DOUBLE = 34;
const SINGLE = 39;
const COMMA = 44;
const LETTER_N_LARGE = 78;
const LETTER_N = 110;
const LETTER_O = 111;
const PAREN = 40;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const BACKSLASH = 92;

/** By code: letters, digits and underscore. */
const WORD = Uint8Array.from({ length: 256 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));
/** By code: what may stand before a quote that opens. */
const OPENER = Uint8Array.from({ length: 256 }, (_, code) => (/[\s=:([,{]/.test(String.fromCharCode(code)) ? 1 : 0));
/** By code: what the name of a key is made of. */
const KEY = Uint8Array.from({ length: 256 }, (_, code) => (/[\w@.-]/.test(String.fromCharCode(code)) ? 1 : 0));
/** By code: what ends a URL for certain. */
const URL_STOP = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\s"'<>\])}|\\]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const codesOf = (codes: readonly number[]) => Uint8Array.from({ length: 256 }, (_, at) => (codes.includes(at) ? 1 : 0));
/** By code: where something foreign may begin or be announced. Most characters are none of it. */
const MARKS = [DOUBLE, SINGLE, COMMA, COLON, EQUALS];
const MARK = codesOf(MARKS);
const MARK_OR_PHRASE = codesOf([...MARKS, LETTER_N_LARGE, LETTER_N, LETTER_O]);

const isWord = (text: string, at: number): boolean => WORD[text.charCodeAt(at)] === 1;

/**
 * Pairs of offsets [from, to) that outsiders wrote, in order. Parts that begin at or after `until` may be missing.
 * One walk over the characters: this runs on every line that a pattern fits.
 */
export function foreignSpans(text: string, until = text.length): readonly number[] {
  const tag = TAG_STARTS[text.charCodeAt(0)] === 1 ? TAG.exec(text) : null;
  if (tag !== null) return [tag[0].length, text.length];
  const spans: number[] = [];
  const marks = text.includes(IN_PHRASES) ? MARK_OR_PHRASE : MARK;
  const last = Math.min(until, text.length);
  const single: SingleQuotes = { spans, end: 0, isForeign: undefined };
  let at = 0;
  let ownQuoteEnd = -1;
  while (at < last) {
    const code = text.charCodeAt(at);
    if (marks[code] !== 1) at += 1;
    else if (code === DOUBLE && at !== ownQuoteEnd) {
      const quote = doubleQuoted(text, at, spans);
      if (quote < 0) ownQuoteEnd = -quote;
      at = quote > 0 ? quote : at + 1;
    } else if (code === SINGLE) at = singleQuoted(text, at, single);
    else if (code === COLON && text.charCodeAt(at + 1) === SLASH && text.charCodeAt(at + 2) === SLASH) {
      at = url(text, at + 3, spans);
    } else {
      const rest = restFrom(text, at, code);
      if (rest > 0) {
        spans.push(rest, text.length);
        break;
      }
      at += 1;
    }
  }
  return spans;
}

/** Where somebody else begins to speak for the rest of the line, if it is announced here; else 0. */
function restFrom(text: string, at: number, code: number): number {
  if (code === COLON || code === EQUALS) {
    if (at === 0 || INTRODUCTION_ENDS[text.charCodeAt(at - 1)] !== 1) return 0;
    let from = at;
    while (from > 0 && at - from < INTRODUCTION_CHARS_MAX && isWord(text, from - 1)) from -= 1;
    const word = text.slice(from, at);
    if (!INTRODUCTIONS.has(word)) return 0;
    const before = code === COLON ? INTRODUCED_AFTER.get(word) : undefined;
    return before === undefined || before.some((end) => text.startsWith(end, from - end.length)) ? at + 1 : 0;
  }
  if (code !== COMMA && code !== LETTER_N && code !== LETTER_N_LARGE && code !== LETTER_O) return 0;
  if (!PHRASE_SECONDS.has(text.charCodeAt(at + 1))) return 0;
  const phrase = PHRASES.find((candidate) => text.startsWith(candidate, at));
  return phrase === undefined ? 0 : at + phrase.length;
}

/** The ending may tell what kind of file it is, and only if it stands in this list. */
const KIND = new RegExp(
  `\\.(?:${(
    'ts m4s m3u8 m3u mpd mp4 mkv mp3 aac flv mov webm json ya?ml xml xspf liq toml ini conf ffconcat txt db sqlite3? ' +
    'sock png jpg'
  )
    .split(' ')
    .join('|')})$`,
);
/** Where programs and devices live, as opposed to media. */
const SYSTEM_PATH = /^\/(?:usr|bin|sbin|opt|etc|lib|dev|proc|sys|run)\/[\w./+-]+$/;

/** The end of the foreign part of a URL or path: its kind stays visible. */
function beforeKind(text: string, from: number, to: number): number {
  const kind = KIND.exec(text.slice(Math.max(from, to - 10), to));
  return kind === null ? to : to - kind[0].length;
}

/**
 * Where to read on after a quote at `at`: past a foreign value, or 0 where nothing opens. For the program's own text
 * it is the closing quote, negative: they are read on through, as a URL may stand in them.
 */
function doubleQuoted(text: string, at: number, spans: number[]): number {
  const before = text.charCodeAt(at - 1);
  if (at > 0 && (WORD[before] === 1 || before === BACKSLASH)) return 0;
  const end = closingQuote(text, at + 1);
  if (end === text.length && at > 0 && OPENER[before] !== 1) return 0;
  if (text.charCodeAt(end + 1) === COLON && (at === 0 || OPENER[before] === 1)) return end + 1;
  if (isOwnKey(text, at)) return -end;
  const inner = text.slice(at + 1, end);
  const request = REQUEST.exec(inner);
  if (request === null) spans.push(at + 1, beforeKind(text, at + 1, end));
  else {
    const from = at + 1 + request[1]!.length;
    spans.push(from, beforeKind(text, from, end - request[3]!.length));
  }
  return end + 1;
}

/** Whether `key=`, `key: `, `"key":` or `Error(` before the quote names one of the program's own values. */
function isOwnKey(text: string, at: number): boolean {
  let to = at - 1;
  while (to >= 0 && text.charCodeAt(to) === 32) to -= 1;
  const mark = text.charCodeAt(to);
  if (mark === PAREN) return isException(text, to);
  if (mark !== COLON && mark !== EQUALS) return text.endsWith(TOLD_BY, to + 1);
  to -= 1;
  while (to >= 0 && (text.charCodeAt(to) === 32 || text.charCodeAt(to) === DOUBLE)) to -= 1;
  let from = to;
  while (from >= 0 && to - from < KEY_CHARS_MAX && KEY[text.charCodeAt(from)] === 1) from -= 1;
  const key = text.slice(from + 1, to + 1);
  // Nearly all keys are written small.
  if (OWN_KEYS.has(key)) return true;
  const small = key.toLowerCase();
  return OWN_KEYS.has(small) || OWN_ENDINGS.test(small);
}

/** Whether the name of an exception stands before the bracket at `at`. */
const isException = (text: string, at: number): boolean => EXCEPTION_ENDINGS.some((end) => text.endsWith(end, at));

/** Offset of the quote that closes, or the end of the text. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH || text.charCodeAt(at - 2) === BACKSLASH) return at;
  }
  return text.length;
}

/** What is known of single quotes: all that open before a closing one end there, so that is looked for once. */
interface SingleQuotes {
  readonly spans: number[];
  /** The text's length where nothing closes. */
  end: number;
  /** Undefined: not known yet. What opens within a quote that holds no path holds none either. */
  isForeign: boolean | undefined;
}

/** Single quotes hold a name or a path; a path is foreign, and on a quiet line everything quoted is. */
function singleQuoted(text: string, at: number, single: SingleQuotes): number {
  if (at > 0 && OPENER[text.charCodeAt(at - 1)] !== 1) return at + 1;
  if (at >= single.end) Object.assign(single, { end: closingSingle(text, at + 1), isForeign: undefined });
  const { end } = single;
  if (end === text.length || (text.charCodeAt(at - 1) === PAREN && isException(text, at - 1))) return at + 1;
  const inner = text.slice(at + 1, end);
  single.isForeign ??= inner.includes('/') || inner.includes('\\') || isQuiet(text);
  if (!single.isForeign || SYSTEM_PATH.test(inner)) return at + 1;
  single.spans.push(at + 1, beforeKind(text, at + 1, end));
  return end + 1;
}

/** Offset of the single quote that closes, or the end of the text: before a letter it is an apostrophe. */
function closingSingle(text: string, from: number): number {
  for (let at = text.indexOf("'", from); at >= 0; at = text.indexOf("'", at + 1)) if (!isWord(text, at + 1)) return at;
  return text.length;
}

function url(text: string, from: number, spans: number[]): number {
  let end = from;
  while (end < text.length && URL_STOP[text.charCodeAt(end)] !== 1) end += 1;
  // A mark at the end belongs to the sentence, and so does what a colon and a space end.
  while (end > from && /[.,:;]/.test(text[end - 1]!)) end -= 1;
  if (end > from) spans.push(from, beforeKind(text, from, end));
  return Math.max(end, from);
}

/** The line with every foreign part replaced by `~`, character by character, so that offsets stay. */
export const withoutForeign = (text: string): string => new Line(text).own;

/** A line and its foreign parts, worked out once for all the patterns that are tried on it. */
export class Line {
  readonly text: string;
  #spans: readonly number[] = [];
  /** How far the line has been looked at. */
  #until = -1;
  #own: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** As `foreignSpans`; parts that begin at or after `until` may be missing. */
  spans(until = this.text.length): readonly number[] {
    if (until > this.#until) {
      this.#spans = foreignSpans(this.text, until);
      this.#until = until;
    }
    return this.#spans;
  }

  /** With every foreign part replaced by `~`. */
  get own(): string {
    this.#own ??= masked(this.text, this.spans());
    return this.#own;
  }
}

function masked(text: string, spans: readonly number[]): string {
  if (spans.length === 0) return text;
  let kept = '';
  let from = 0;
  for (let at = 0; at < spans.length; at += 2) {
    kept += text.slice(from, spans[at]) + '~'.repeat(spans[at + 1]! - spans[at]!);
    from = spans[at + 1]!;
  }
  return kept + text.slice(from);
}

/** True when the line says itself that it is no complaint. */
export const isQuiet = (text: string): boolean => QUIET.test(text.slice(0, LEVEL_CHARS_MAX));

/** True when neither the first nor the last character of [from, to) lies in a foreign part. */
export function isOwnText(spans: readonly number[], from: number, to: number): boolean {
  for (let at = 0; at < spans.length; at += 2) {
    const start = spans[at]!;
    const end = spans[at + 1]!;
    if ((from >= start && from < end) || (to > start && to <= end)) return false;
  }
  return true;
}
