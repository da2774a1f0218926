/** Recognises complaints that are beside the point of an excerpt. */
import type { SymptomKind } from '../core/symptom.ts';
import { asLeft, asNoise, type Evidence, isSerious, noise } from './course.ts';
import type { ExcerptLine } from './lines.ts';
import { LEAD } from './recovered.ts';

/** The program says of this very trouble that it does not stop it. */
const ANYWAY =
  /\b(?:continuing|carrying on|proceeding|starting|going on) (?:anyway|regardless|all the same|nevertheless)\b|\b(?:not|non-?)[ -]?fatal\b|\bcan (?:safely )?be (?:safely )?ignored\b/i;
/** What a program can do without. With a full disk none goes on. */
const SPARED: ReadonlySet<SymptomKind> = new Set([
  'port_in_use',
  'permission_denied',
  'config_error',
  'upstream_not_found',
  'unknown',
]);

/** What failed and is done without, by the text of its own line. */
export function anyway(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const spared = new Set(lines.filter(({ text }) => ANYWAY.test(text)).map(({ at }) => at));
  const complains = (at: number): boolean => lines[at]!.tone === 'complaint';
  const known = new Set(evidence.map(({ at }) => at));
  return [
    ...evidence.map((one) => (spared.has(one.at) && SPARED.has(one.symptom) ? asNoise(one) : one)),
    ...[...spared].filter((at) => complains(at) && !known.has(at)).map((at) => noise(at, 'harmless_anyway')),
  ];
}

/** An answer that asks for a signature: the next request brings it. */
const CHALLENGE = /\b40[17]\b|\b[Uu]nauthori[sz]ed\b/;
const LET_IN =
  /\b20[0-6] ok\b|\bsuccess(?:ful(?:ly)?)?\b|\bsucceeded\b|\b(?:authenticated|authori[sz]ed|accepted|logged in|signed in)\b/i;
const NOT_LET_IN = /\b(?:not|un\w+|never|no|fail\w*|denied|reject\w*|retry\w*|again later)\b/i;
/** Names of one request, one session or one machine: words that hold a digit. */
const MARK = /[\w.:-]*\d[\w.:-]*/g;
const MARK_CHARS_MIN = 3;
/** Numbers of answers, and of the protocol, name nothing. */
const NO_MARK = /^(?:[1-5]\d\d\b|1\.[01]$)/;

const marksOf = (text: string): readonly string[] =>
  (text.replace(LEAD, '').match(MARK) ?? []).filter((mark) => mark.length >= MARK_CHARS_MIN && !NO_MARK.test(mark));

/** Whoever is asked for a signature and then let in was not refused: the same session, camera or file says so. */
export function challenged(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const asked = evidence.filter(({ symptom }) => symptom === 'auth_denied');
  if (asked.length === 0 || !asked.every(({ at }) => CHALLENGE.test(lines[at]!.text))) return evidence;
  const isIn = (at: number): boolean => {
    const marks = marksOf(lines[at]!.text);
    return lines.some(
      ({ at: later, text, tone }) =>
        later > at &&
        tone !== 'complaint' &&
        LET_IN.test(text) &&
        !NOT_LET_IN.test(text) &&
        marksOf(text).some((mark) => marks.includes(mark)),
    );
  };
  if (!asked.every(({ at }) => isIn(at))) return evidence;
  return evidence.map((one) => (one.symptom === 'auth_denied' ? asNoise(one) : one));
}

/** The last one of those who watched is gone. Counters can say at any time that there is no viewer. */
const VIEWERS_GONE =
  /\bno (?:more )?(?:client|viewer|listener|watcher|player|reader)s? (?:is |are )?(?:(?:using|watching|connected)\b.{0,30}\bany ?more|left|remain\w*|any ?more)\b|\blast (?:client|viewer|listener|watcher|player|reader) (?:\S{1,40} )?(?:has )?(?:left|gone|disconnected|stopped|closed)\b/i;
const BEGUN = /\b(?:start(?:ed|ing)|spawn(?:ed|ing)|restart\w*|new (?:client|viewer)|client connected)\b/i;
const WENT: ReadonlySet<SymptomKind> = new Set(['process_exit_nonzero', 'unknown']);
const ENDS = /\b(?:stopp|exit|terminat|kill|end(?:ed|ing)\b|clos|interrupt|cancel|disconnect|broken pipe)/i;

/** What ends right after the last viewer has left was ended for want of one, however its end is put. */
export function unwatched(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const left = lines.findLast(({ text, tone }) => tone !== 'complaint' && VIEWERS_GONE.test(text));
  if (left === undefined || evidence.some((one) => one.at <= left.at && isSerious(one))) return evidence;
  if (lines.some(({ at, text, tone }) => (at < left.at && tone === 'complaint') || (at > left.at && BEGUN.test(text))))
    return evidence;
  const isEnd = ({ at, symptom }: Evidence): boolean => at > left.at && WENT.has(symptom) && ENDS.test(lines[at]!.text);
  return evidence.map((one) => (isEnd(one) ? asLeft(one) : one));
}

/** What a kernel also says "no space" of: the watches on folders that it keeps in mind. */
const WATCHES = /\bfile watchers\b|\binotify\b/i;
/** Only the number of an error, as programs print it below its text. */
const CODE_ONLY = /^\W*(?:code|errno|syscall)["']?:/;

/** The number of an error means what the text above it says. */
export function numbered(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const watchLine = lines.find(({ text }) => WATCHES.test(text));
  if (watchLine === undefined) return evidence;
  const isNumber = ({ at, symptom }: Evidence): boolean =>
    symptom === 'disk_full' && at > watchLine.at && CODE_ONLY.test(lines[at]!.text);
  return evidence.map((one) => (isNumber(one) ? asNoise(one) : one));
}
