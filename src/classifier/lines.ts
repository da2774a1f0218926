/** Reads the lines of an excerpt and their levels. */
import { asBytes } from '../detect/patterns/own_text.ts';
import { isQuiet, withoutForeign } from '../detect/search/untrusted_spans.ts';

export type Tone = 'quiet' | 'complaint' | 'plain';

/** One line of an excerpt as the scorer sees it: the program's own text in latin1, nothing that outsiders wrote. */
export interface ExcerptLine {
  readonly at: number;
  /** As it was read, for patterns: they know what is foreign in it. Empty where all of it is somebody else's text. */
  readonly whole: string;
  /** The same with every foreign part blotted out. */
  readonly text: string;
  readonly tone: Tone;
}

const LINES_MAX = 200;
const LINE_CHARS_MAX = 4000;

const anyOf = (words: string): string => words.split(' ').join('|');

/** The start of a record: a time, a level, a tag in brackets or a JSON object. */
const RECORD_START = new RegExp(
  '^(?:\\[?\\d{4}[-/]\\d|\\[?\\d{1,2}[:/]\\d\\d|\\[?\\d{4}/\\d{6}|[A-Z][a-z]{2} [ \\d]\\d|\\d{9,}|<\\d+>|' +
    `(?:${anyOf('INFO WARN ERRO ERROR DEBU DEBUG FATA FATAL TRACE NOTICE')})\\b|time=|level=|ts=|\\{|\\d+:[A-Z] )`,
);
const STATEMENT = /\b(?:STATEMENT|QUERY|DETAIL|CONTEXT): /;
const COMPLAINT = new RegExp(
  `\\b(?:${anyOf(
    'error errors err erro eror ftl fatal crit critical alert emerg panic exception traceback fail failed failure ' +
      "failing cannot can't couldn't unable aborted severe denied refused invalid timeout",
  )})\\b|\\bcould not (?:open|read|write|create|connect|load|start|find|bind|decode)\\b|` +
    // Not the type in the signature of a function, which some builds print before what they say.
    '\\w(?:Error|Exception)\\b(?![*&])',
  'i',
);

/** Levels that say: it goes on. */
export const WARNING = /\b(?:warn|warning|wrn|war)\b/i;
/** A warning without any of these only remarks on something. */
const WORRY = new RegExp(
  `\\b(?:${anyOf(
    'no not non never nothing without too only out down bad late lost dead died gone behind stale above below over',
  )})\\b|n't\\b|\\b(?:un|mis[sm]|in(?:valid|com)|dis(?:con|card)|${anyOf(
    'reject refus drop skip stall stuck exceed exhaust overflow overrun underrun overload expir corrupt crash kill ' +
      'exit abort clos block conflict duplicat delay lag retr timed interrupt terminat violat throttl leak broken ' +
      'suspect wrong slow differ jump gap restart limit',
  )})`,
  'i',
);

/** At most 200 lines of at most 4,000 characters. Text that a record let through onto lines of its own is left out. */
export function readExcerpt(lines: readonly string[]): readonly ExcerptLine[] {
  const kept = lines.slice(0, LINES_MAX).map((line) => line.slice(0, LINE_CHARS_MAX));
  const foreign = foreignLines(kept);
  return kept.map((line, at) => {
    const whole = foreign.has(at) ? '' : asBytes(stripControls(line));
    const text = withoutForeign(whole);
    return { at, whole, text, tone: toneOf(text) };
  });
}

// Terminal sequences and other controls could split a word that a pattern looks for.
const stripControls = (line: string): string =>
  line.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*(?:\x07|$)|[\x00-\x08\x0b-\x1f\x7f]/g, '');

/** "0 errors", "failed=0", "no stall": a count of what did not happen. */
const NONE_OF_IT =
  /\b(?:0|no|none|zero|without(?: any)?) (?:errors?|warnings?|failed|failures?|timeouts?|timed out|refused|stalls?|missing|skipped|dropped|lost|gaps?|overruns?|underruns?)\b|\b(?:errors?|warnings?|fail(?:ed|ures)|timeouts?|refused|skipped|dropped|lost|missing)["']?\s*[=:]\s*["']?0\b(?![.x])|\berrors? 0\b(?![.x:])|\b(?:skipped|dropped|lost|missed|rejected) 0 (?:[a-z]+ )?[a-z]+/gi;

/** The line without counts of what did not happen. */
export const withoutNone = (line: string): string => line.replaceAll(NONE_OF_IT, '~');

/** Levels of klog, as Kubernetes writes them: the first letter of the line. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:/;
/** A level of one letter after the time, before a tag in brackets or a bar. */
const LETTER = /^\[?\d{4}-\d\d-\d\d[ T][\d:.,Z]{8,16}\]? ([DIWECF]) (?:\[|\|)/;
const QUIET_LETTERS = 'DI';
/** What Liquidsoap itself calls critical. */
const LEVEL_ONE = /^\d{4}\/\d\d\/\d\d [\d:]{8} \[[\w.()/:-]{1,80}:1\] /;

function toneOf(text: string): Tone {
  const klog = KLOG.exec(text)?.[1];
  const letter = klog ?? LETTER.exec(text)?.[1];
  if (letter === undefined ? isQuiet(text) : QUIET_LETTERS.includes(letter)) return 'quiet';
  if (LEVEL_ONE.test(text)) return 'complaint';
  if (klog !== undefined || (letter !== undefined && letter !== 'W')) return 'complaint';
  const stated = withoutNone(text);
  const warns = letter === 'W' || WARNING.test(stated);
  return COMPLAINT.test(stated) || (warns && WORRY.test(stated)) ? 'complaint' : 'plain';
}

/** Lines that continue a quoted value or a statement: the record before them let a newline through. */
function foreignLines(lines: readonly string[]): ReadonlySet<number> {
  const foreign = new Set<number>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (!RECORD_START.test(line)) continue;
    const quote = openQuote(line);
    const isStatement = STATEMENT.test(line);
    if (quote === undefined && !isStatement) continue;
    for (let next = at + 1; next < lines.length && !RECORD_START.test(lines[next]!); next += 1) {
      foreign.add(next);
      if (!isStatement && quote !== undefined && lines[next]!.includes(quote)) break;
    }
  }
  return foreign;
}

/** The quote character that a line opens and never closes. */
function openQuote(line: string): string | undefined {
  for (const quote of ["'", '"']) {
    const opened = new RegExp(`(?:^|[\\s=:(\\[,])${quote}`, 'g');
    let last = -1;
    for (const found of line.matchAll(opened)) last = found.index + found[0].length;
    if (last >= 0 && !line.slice(last).includes(quote) && closesNothing(line, last, quote)) return quote;
  }
  return undefined;
}

/** A quote after white space also closes a string that ended in white space: only an odd count leaves one open. */
const closesNothing = (line: string, last: number, quote: string): boolean =>
  (line.slice(0, last).split(quote).length - 1 - apostrophes(line.slice(0, last), quote)) % 2 === 1;

const apostrophes = (text: string, quote: string): number =>
  quote === "'" ? (text.match(/\w'\w/g)?.length ?? 0) : (text.match(/\\"/g)?.length ?? 0);
