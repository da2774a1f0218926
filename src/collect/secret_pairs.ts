/** Removes secrets that stand behind a name. */
import { Cut, REDACTED } from './redaction_mark.ts';
import { isProse } from './secret_prose.ts';

/** Names whose value is a secret wherever they stand, without `-`, `_` and `.`, in lower case. */
const SECRET_NAME =
  /token(?!s|type|iz|count|bucket|exp)|secret|passw|passphrase|signature|apikey|credential|(?:auth|access|private|stream|license|account|shared|session|signing|master|content|crypto|(?:de|en)cryption|enc)key|keyhex|jwt|hmac|^psk$|sess(?:ion)?id|^(?:proxy)?authorization$|^(?:set)?cookie$/;

/** Short names that mean a secret unless the value says otherwise: `pass=1` counts, `PWD=/srv` is a folder. */
const SHORT_NAME = /pwd$|^pass$/;
const isShort = (name: string): boolean => SHORT_NAME.test(name.toLowerCase());
const isPlain = (word: string): boolean => /^(?:\d{1,3}(?:\.\d{1,3})?%?|[.~]{0,2}\/.*|[A-Z]:\\.*)$/.test(word);

/** Names that mean a secret only as a parameter of a query or connection string: elsewhere they are plain words. */
const SECRET_PARAMETER = /^(?:key|sig|sign|pass|pwd|pw|auth|hdnts|hdnea|hdntl|st|md5|keypairid|policy|sid)$/;

/** `stream key: …`, with a space in the name. */
const SECRET_PHRASE = /(?:stream(?:ing)?|api|access|secret|private|license) $/i;

const SEPARATOR = /[=:]|%3d/gi;
const NAME_LENGTH_MAX = 64;
const isNameChar = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46;

interface Name {
  readonly name: string;
  readonly start: number;
  /** Begins a parameter: `?name=`, `&name=`, `;name=`. */
  readonly isParameter: boolean;
}

/** `name=value`, `name: value`, `"name": "value"`, headers, query parameters and their percent-encoded form. */
export function redactPairs(text: string): string {
  const cut = new Cut(text);
  const separator = new RegExp(SEPARATOR);
  for (let match = separator.exec(text); match !== null; match = separator.exec(text)) {
    const name = nameBefore(text, match.index);
    if (name === undefined || !isSecret(text, name)) continue;
    const value = valueAfter(text, separator.lastIndex, name, match[0]);
    if (value === undefined) continue;
    cut.redact(value.start, value.end);
    separator.lastIndex = Math.max(separator.lastIndex, value.end);
  }
  return cut.toString();
}

function nameBefore(text: string, separatorAt: number): Name | undefined {
  let end = separatorAt;
  for (let skipped = 0; skipped < 4 && end > 0 && /["'`\\\]\s]/.test(text[end - 1]!); skipped += 1) end -= 1;
  let start = end;
  while (start > 0 && end - start < NAME_LENGTH_MAX && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  if (start === end) return undefined;
  const before = text[start - 1];
  if (before === '%' && /^(?:26|3f|3b)/i.test(text.slice(start, end))) {
    return { name: text.slice(start + 2, end), start, isParameter: true };
  }
  return { name: text.slice(start, end), start, isParameter: before === '?' || before === '&' || before === ';' };
}

function isSecret(text: string, { name, start, isParameter }: Name): boolean {
  const plain = name.toLowerCase().replace(/[-_.]/g, '');
  if (SECRET_NAME.test(plain)) return true;
  if (SHORT_NAME.test(plain) && text[start + name.length] === '=') return true;
  if (isParameter && SECRET_PARAMETER.test(plain)) return true;
  return plain === 'key' && SECRET_PHRASE.test(text.slice(Math.max(0, start - 12), start));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function valueAfter(text: string, from: number, { name, isParameter }: Name, separator: string): Range | undefined {
  let start = from;
  for (let skipped = 0; skipped < 8 && text[start] === ' '; skipped += 1) start += 1;
  const isHeader = separator !== '=' && /authorization$|cookie$/i.test(name);
  const quoted = quotedValue(text, start);
  if (quoted !== undefined) return isHeader ? headerValue(text, quoted.start, quoted.end) : quoted;
  if (text.startsWith(REDACTED, start)) return undefined;
  if (isHeader && separator === ':') return headerValue(text, start, undefined);
  if (isParameter || separator.length > 1) return { start, end: endOf(PARAMETER_END, text, start) };
  const end = endOfWord(text, start);
  const word = text.slice(start, end);
  return isProse(word) || (isShort(name) && isPlain(word)) ? undefined : { start, end };
}

/** `"…"`, `'…'`, and `\"…\"` inside another string. Without its closing quote it goes on to the end. */
function quotedValue(text: string, at: number): Range | undefined {
  const escaped = text[at] === '\\';
  const quote = text[escaped ? at + 1 : at];
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const start = at + (escaped ? 2 : 1);
  let end = start;
  while (end < text.length && text[end] !== quote) {
    if (text[end] === '\\') {
      if (escaped) break;
      end += 1;
    }
    end += 1;
  }
  return { start, end: Math.min(end, text.length) };
}

const PARAMETER_END = /[\s&#"'`<>\\]|%26|;(?=[\w.-]{1,32}=)/gi;
const WORD_END = /[\s&"'`<>\\]|[,;](?=\s|$|[\w.-]{1,32}[=:])/g;
const LINE_END = /["'`\r\n\\]/g;
const LINE_BREAK = /[\r\n]/g;

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Up to white space, a quote, or a comma that begins the next pair; closing brackets and full stops stay. */
function endOfWord(text: string, from: number): number {
  let end = endOf(WORD_END, text, from);
  while (end > from && /[,;.)\]}]/.test(text[end - 1]!)) end -= 1;
  return end;
}

const ONE_WORD_SCHEME = /(?:basic|bearer|negotiate|token) {1,4}/iy;
const LONG_SCHEME = /(?:digest|mediabrowser|aws4-hmac-sha256|hmac|oauth|ntlm) /iy;

/** Keeps the scheme (`Basic`, `Bearer`) readable. Those hold one word; every other scheme and cookies hold the line. */
function headerValue(text: string, start: number, quotedEnd: number | undefined): Range {
  ONE_WORD_SCHEME.lastIndex = start;
  if (ONE_WORD_SCHEME.test(text)) {
    const valueStart = ONE_WORD_SCHEME.lastIndex;
    return { start: valueStart, end: quotedEnd ?? endOfWord(text, valueStart) };
  }
  LONG_SCHEME.lastIndex = start;
  if (!LONG_SCHEME.test(text)) return { start, end: quotedEnd ?? endOf(LINE_END, text, start) };
  // Its value holds quotes of its own.
  return { start: LONG_SCHEME.lastIndex, end: quotedEnd ?? endOf(LINE_BREAK, text, start) };
}
