/** Recognises retries and failures that were recovered from. */
import type { SymptomKind } from '../core/symptom.ts';
import { asNoise, type Evidence, isSerious, noise, PASSING, playsAfter } from './course.ts';
import { type ExcerptLine, WARNING } from './lines.ts';

const COUNTED =
  /\b(?:re-?tr(?:y|ies|ying)|attempt)\b\W{0,3}#?\d|\b\d+ (?:re-?tries|attempts|tries) (?:left|remaining)\b/i;
const GIVEN_UP =
  /\b(?:g[ai]v(?:e|ing) up|abandon\w*|exhausted|max(?:imum)? (?:re)?(?:tries|attempts)|exceed\w* .{0,40}(?:limit|retr|attempts|tries)|can(?:no|')t be reached)\b/i;
const DONE = /\b(?:done|saved|completed?|finished|copied|transferred|uploaded|downloaded)\b/i;
/** curl's meter, at its end. Where it calls no answer an error, it is full of the text of the error as well. */
const METER_FULL = /^ {0,2}100 +[\d.]+[kMGT]? +100 +[\d.]+[kMGT]? /;
const NOT_DONE = /\b(?:not|never|incomplete|0|fail\w*|cannot|skipp\w+)\b/i;
const RETRIED: ReadonlySet<SymptomKind> = new Set([...PASSING, 'rate_limited']);

/** A try by its number, and the heading of what it died of: they say no more than the line that says why. */
export const isTry = ({ text }: ExcerptLine): boolean =>
  COUNTED.test(text) || text.startsWith('Traceback (most recent');

/** A job that counted its tries and came to its end. */
export function retried(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const meters = evidence.some(isSerious);
  const isDone = (text: string): boolean =>
    (meters && METER_FULL.test(text)) || (DONE.test(text) && !NOT_DONE.test(text));
  const done = lines.findLast(({ text, tone }) => tone !== 'complaint' && isDone(text));
  if (done === undefined || !lines.some(({ at, text }) => at < done.at && COUNTED.test(text))) return evidence;
  if (lines.some(({ at, text, tone }) => GIVEN_UP.test(text) || (at > done.at && tone === 'complaint')))
    return evidence;
  if (!evidence.every((one) => !isSerious(one) || (one.at < done.at && RETRIED.has(one.symptom)))) return evidence;
  const tries = unexplained(lines, evidence).filter(({ text }) => COUNTED.test(text));
  return [
    ...evidence.map((one) => (isSerious(one) ? asNoise(one) : one)),
    ...[...tries, done].map(({ at }) => noise(at, 'harmless_retried')),
  ];
}

/** Levels above a warning, as words of their own. */
const WORSE = /\b(?:err|error|fatal|ftl|crit(?:ical)?|panic|alert|emerg|severe|exception)\b|\w(?:Error|Exception)\b/i;
/** What was begun is there, or is done. */
const THROUGH =
  /\b(?:done|ready|completed?|finished|succe(?:ss\w*|eded)|resumed|recovered|connected|on air|back (?:to|in|up|on)|restored|healthy|online|is (?:up|running|live)|(?:now |stat(?:e|us)[:=] ?)(?:up|running|live|connected|active)|found [1-9]\d* \w+|(?:[1-9]\d*|all) (?:\w+ ){0,3}(?:found|loaded|saved|written|uploaded|active))\b/i;
const NOT_THROUGH =
  /\b(?:not|never|no|without|un\w+|until|unless|when|if|before|will|would|waiting|wait|fail\w*|cannot|can't|couldn't|only|incomplete|partial\w*)\b/i;

/**
 * What nothing knows, before an output that goes on growing at full speed; and warnings before the last statement that
 * the work is done or up: they were of its course.
 */
export function cameThrough(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const open = unexplained(lines, evidence);
  const last = open.at(-1);
  if (last === undefined || evidence.some(isSerious)) return evidence;
  const mild = open.every(({ text }) => WARNING.test(text) && !WORSE.test(text));
  const isThrough = ({ at, text, tone }: ExcerptLine): boolean =>
    at > last.at && tone !== 'complaint' && THROUGH.test(text) && !NOT_THROUGH.test(text);
  if (!playsAfter(lines, last.at) && !(mild && lines.some(isThrough))) return evidence;
  return [...evidence, ...open.map(({ at }) => noise(at, 'harmless_through'))];
}

/** What the next try may get over. */
const GETS_OVER: ReadonlySet<SymptomKind> = new Set([
  ...RETRIED,
  'auth_expired',
  'segment_missing',
  'buffer_underrun',
  'db_locked',
]);
const WENT_WELL =
  /\bok\.?$|\b20[0-6] OK\b|\b(?:answered|replied|returned|responded)(?: with)? 20[0-6]\b|: 20[0-6]$|\b(?:succe(?:ss\w*|eded)|written|uploaded|fetched|loaded|on air|healthy|reachable|tuned|done)\b/i;
/** Somebody meant to try once more, or in another way. */
const ONCE_MORE =
  /\b(?:re-?tr(?:y|ies|ied|ying)|re-?connect\w*|re-?open\w*|re-?load\w*|repeat\w*|refresh\w*|again|trying|back(?:ing)?[ -]?off|switch\w*|fall(?:ing)? back|using|instead)\b/i;
const NOT_WELL =
  /\b(?:client|viewer|listener|player|user|other|next|again|try|retry\w*|was|health|status|stat|GET|POST|HEAD)\b/i;
/** The time, the machine, the level: what stands before the text of a line. */
export const LEAD =
  /^(?:\[?[\d\-/:.,TZ+ ]{8,35}\]? *|\w{3} +\d+ [\d:]{8} \S+ \S+?: |[[(<]?(?:info|inf|warn|war|wrn|warning|err|error|debug|notice|fatal)[\])>]?:? *|\w+ *- )+/i;
const NAME = /[a-z][\w./-]*[\w]|\d+[a-z]\w*/gi;
/** Words that name no person and no machine. */
const COMMON = new Set(
  (
    'the for and with from not are was has had its error failed failure connection connect timeout timed out http ' +
    'https tcp udp request response status code source stream after before returned reset refused server client'
  ).split(' '),
);

const namesIn = (text: string): readonly string[] =>
  (text.replace(LEAD, '').toLowerCase().match(NAME) ?? []).filter((word) => word.length > 2 && !COMMON.has(word));

/** What failed and was tried once more went well in the end, by the last line about the same thing. */
export function wentWell(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const failed = evidence.filter(isSerious);
  const lastAt = Math.max(...failed.map(({ at }) => at), ...unexplained(lines, evidence).map(({ at }) => at));
  if (failed.length === 0 || !failed.every(({ symptom }) => GETS_OVER.has(symptom))) return evidence;
  const isWell = ({ at, text, tone }: ExcerptLine): boolean =>
    at > lastAt &&
    tone !== 'complaint' &&
    WENT_WELL.test(text) &&
    !NOT_THROUGH.test(text) &&
    !NOT_WELL.test(text) &&
    failed.every((one) => namesIn(lines[one.at]!.text).some((name) => namesIn(text).includes(name)));
  const well = lines.findLast(isWell);
  if (well === undefined || !lines.some(({ at, text }) => at <= well.at && ONCE_MORE.test(text))) return evidence;
  if (lines.some(({ text }) => GIVEN_UP.test(text))) return evidence;
  return [...evidence.map((one) => (isSerious(one) ? asNoise(one) : one)), noise(well.at, 'harmless_went_well')];
}

const ORDERED =
  /\b(?:by (?:an? |the )?(?:operator|administrator|admin)|for (?:planned |scheduled )?maintenance|maintenance mode)\b/i;

/** What somebody has ordered is no trouble, where the line says no more than that. */
export function ordered(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const more = unexplained(lines, evidence).filter(({ text }) => ORDERED.test(text) && !WORSE.test(text));
  return [...evidence, ...more.map(({ at }) => noise(at, 'harmless_ordered'))];
}

function unexplained(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly ExcerptLine[] {
  const known = new Set(evidence.map(({ at }) => at));
  return lines.filter(({ at, tone }) => tone === 'complaint' && !known.has(at));
}
