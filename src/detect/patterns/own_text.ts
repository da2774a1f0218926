/** Finds a pattern in the program's own text: what outsiders wrote neither fits it nor rules it out. */
import { HARMLESS_SYMPTOMS } from '../../core/symptom.ts';
import type { Found, LineRegex } from '../search/line_regex.ts';
import { isOwnText, Line } from '../search/untrusted_spans.ts';
import type { PatternEntry } from './pattern.ts';

/** Where a pattern fits a text. `line`: of the same text, shared by the patterns that are tried on it. */
export type FindOwn = (text: string, line?: Line) => Found | undefined;

/** With these no line is ordinary, unless a pattern says so itself: disk, files or memory are used up. */
const GRAVE = ['o space left on device', 'isk quota exceeded', 'oo many open files', 'annot allocate memory'];

/** Text as the bytes it has in a file, one character each. */
export const asBytes = (text: string): string => (isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'));

const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text);

export function findOwnText(entry: PatternEntry, regex: LineRegex, anchor: Anchor | undefined): FindOwn {
  const all = (entry.all ?? []).map(asBytes);
  const any = (entry.any ?? []).map(asBytes);
  const isOrdinary = HARMLESS_SYMPTOMS.has(entry.symptom) && entry.symptom !== 'unknown';
  const grave = isOrdinary ? GRAVE.filter((part) => !entry.regex.includes(part)) : [];
  const none = [...(entry.none ?? []).map(asBytes), ...grave];
  const unless = (text: string): boolean =>
    !all.every((part) => text.includes(part)) ||
    none.some((part) => text.includes(part)) ||
    (any.length > 0 && !any.some((part) => text.includes(part)));
  const plain = all.length + any.length + none.length === grave.length && anchor === undefined;
  return (text, line = new Line(text)) => {
    // The format of a whole file's lines is known before any of its expressions is tried.
    if (anchor !== undefined && !anchor.fits(line)) return undefined;
    const found = regex.find(text);
    if (found === undefined) return undefined;
    const isPlain = plain && !grave.some((part) => text.includes(part));
    const spans = line.spans(isPlain ? found.end : text.length);
    if (isPlain && isOwnText(spans, found.index, found.end)) return found;
    if (spans.length === 0) return unless(text) ? undefined : found;
    // Neither what fits nor what rules it out may come from outside.
    if (unless(line.own)) return undefined;
    return isOwnText(spans, found.index, found.end) ? found : regex.find(line.own);
  };
}

/** What every line of a file's software holds. Its patterns are tried one after the other: a line is asked once. */
export class Anchor {
  readonly #regex: LineRegex;
  readonly cost: LineRegex['cost'];
  #line: Line | undefined;
  #fits = false;

  constructor(regex: LineRegex) {
    this.#regex = regex;
    this.cost = regex.cost;
  }

  fits(line: Line): boolean {
    if (this.#line === line) return this.#fits;
    this.#fits = this.#regex.find(line.own) !== undefined;
    this.#line = line;
    return this.#fits;
  }
}
