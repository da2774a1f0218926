/** Compiles the pattern files. */
import type { z } from 'zod';
import { messageOf, type Problem } from '../../core/errors.ts';
import { HARMLESS_SYMPTOMS, type SymptomKind } from '../../core/symptom.ts';
import { compileLineRegex, type LineRegex } from '../search/line_regex.ts';
import { analyse, type Finding, type Findings, knownOf } from './analysis.ts';
import { type PatternEntry, type PatternSource, patternDocument, REMEDY, type Remedy, SEVERITY } from './pattern.ts';
import { Line } from '../search/untrusted_spans.ts';
import { Anchor, asBytes, type FindOwn, findOwnText } from './own_text.ts';

/** One compiled entry of the catalogue. */
export interface Pattern {
  /** Rank: where several fit one line, the lowest is the answer. */
  readonly index: number;
  readonly id: string;
  readonly software: string;
  readonly symptom: SymptomKind;
  readonly harmless: boolean;
  readonly confidence: number;
  readonly severity: number;
  readonly remedy: Remedy;
  readonly notice: 'started' | 'exited' | undefined;
  readonly ends: readonly SymptomKind[];
  readonly consequence: boolean;
  /** Every line that matches holds one of these; compared without case when `ignoreCase` is set. */
  readonly literals: readonly string[];
  readonly ignoreCase: boolean;
  /** The expression as it was written. */
  readonly source: string;
  /** The lines that it was checked with. */
  readonly examples: readonly string[];
  /**
   * Where the pattern fits the program's own text; text that outsiders wrote never fits. Latin1 text in. `line`: of the
   * same text, shared by the patterns that are tried on it.
   */
  readonly find: FindOwn;
  /** The most work that a text of so many characters can make, in the units of `LineRegex.cost`. */
  cost(chars: number): number;
}

export interface Catalogue {
  /** By rank. */
  readonly patterns: readonly Pattern[];
}

/** A shorter literal would make the prefilter stop at nearly every line. */
const LITERAL_CHARS_MIN = 3;

type Unranked = Omit<Pattern, 'index'>;

const NO_FINDINGS: Findings = new Map();

interface Candidate {
  readonly pattern: Unranked;
  readonly priority: number;
  readonly order: number;
}

/** One file, compiled by itself. */
interface CompiledSource {
  readonly entries: readonly { readonly id: string; readonly pattern: Unranked | undefined }[];
  readonly priority: number;
  readonly problems: readonly Problem[];
}

/**
 * Sound files by what was parsed. Most of a start is spent here, and after an edit of one file all the others are as
 * they were: a daemon that compiled them all again would look away for more than a second.
 */
const known = new WeakMap<object, CompiledSource>();

/**
 * Every file checked, every problem reported at once. A file with a problem gives no patterns. `findings` of earlier
 * analyses are asked for where a file was not compiled before.
 */
export function compileCatalogue(
  sources: readonly PatternSource[],
  findings: () => Findings = () => NO_FINDINGS,
): {
  readonly catalogue: Catalogue;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const candidates: Candidate[] = [];
  const owners = new Map<string, string>();
  for (const source of sources) {
    const { entries, priority, problems: own } = compiledSource(source, findings);
    const found = [...own, ...duplicates(source, entries, owners)];
    problems.push(...found);
    if (found.length > 0) continue;
    const base = candidates.length;
    entries.forEach(({ pattern }, at) => {
      if (pattern !== undefined) candidates.push({ pattern, priority, order: base + at });
    });
  }
  candidates.sort((a, b) => b.priority - a.priority || b.pattern.severity - a.pattern.severity || a.order - b.order);
  return { catalogue: { patterns: candidates.map(({ pattern }, index) => ({ ...pattern, index })) }, problems };
}

/** Every id is noted as its file's, also where the file is refused. */
function duplicates(
  source: PatternSource,
  entries: CompiledSource['entries'],
  owners: Map<string, string>,
): readonly Problem[] {
  return entries.flatMap(({ id }, at) => {
    const owner = owners.get(id);
    owners.set(id, source.file);
    const message = `${id}: the id is already used in ${owner}`;
    return owner === undefined ? [] : [problemAt(source, ['patterns', at, 'id'], message)];
  });
}

function compiledSource(source: PatternSource, findings: () => Findings): CompiledSource {
  const { value } = source;
  if (typeof value !== 'object' || value === null) return compileSource(source, NO_FINDINGS);
  const before = known.get(value);
  if (before !== undefined) return before;
  const compiled = compileSource(source, findings());
  if (compiled.problems.length === 0) known.set(value, compiled);
  return compiled;
}

function compileSource(source: PatternSource, findings: Findings): CompiledSource {
  const parsed = patternDocument.safeParse(source.value);
  if (!parsed.success) {
    return { entries: [], priority: 0, problems: parsed.error.issues.map((issue) => shapeProblem(source, issue)) };
  }
  const problems: Problem[] = [];
  const { software, priority, patterns } = parsed.data;
  const anchor = compileAnchor(parsed.data.anchor, findings, (message) => {
    problems.push(problemAt(source, ['anchor'], `the anchor is refused: ${message}`));
  });
  const entries = patterns.map((entry, at) => {
    const report = (key: string, message: string): void => {
      problems.push(problemAt(source, ['patterns', at, ...key.split('.').map(asIndex)], `${entry.id}: ${message}`));
    };
    return {
      id: entry.id,
      pattern: compileEntry(entry, { software, anchor, known: knownOf(findings, parsed.data.anchor, entry) }, report),
    };
  });
  return { entries, priority, problems };
}

const asIndex = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part);

/** One entry's surroundings. */
interface Scope {
  readonly software: string;
  readonly anchor: Anchor | undefined;
  readonly known: Finding | undefined;
}

function compileAnchor(
  source: string | undefined,
  findings: Findings,
  refuse: (message: string) => void,
): Anchor | undefined {
  if (source === undefined) return undefined;
  try {
    return new Anchor(compileLineRegex(source, analyse(source, knownOf(findings, source))));
  } catch (thrown) {
    refuse(messageOf(thrown));
    return undefined;
  }
}

type Report = (key: string, message: string) => void;

function compileEntry(entry: PatternEntry, file: Scope, report: Report): Unranked | undefined {
  const compiled = compileRegex(entry, file.known, report);
  if (compiled === undefined) return undefined;
  const { regex, literals, ignoreCase } = compiled;
  // What a pattern keeps: with the file it would keep all that is known of its expressions.
  const { anchor } = file;
  const pattern: Unranked = {
    id: entry.id,
    software: file.software,
    symptom: entry.symptom,
    harmless: HARMLESS_SYMPTOMS.has(entry.symptom),
    confidence: entry.confidence,
    severity: entry.severity ?? SEVERITY[entry.symptom],
    remedy: entry.remedy ?? REMEDY[entry.symptom],
    notice: entry.notice,
    ends: entry.ends ?? [],
    consequence: entry.consequence ?? false,
    literals,
    ignoreCase,
    source: entry.regex,
    examples: entry.match,
    find: findOwnText(entry, regex, anchor),
    cost: (chars) => regex.cost(chars) + (anchor?.cost(chars) ?? 0),
  };
  if (file.known !== undefined) return pattern;
  checkExamples(entry, pattern, report);
  // Most patterns meet nothing but their examples.
  regex.rest();
  return pattern;
}

function compileRegex(
  entry: PatternEntry,
  known: Finding | undefined,
  report: Report,
): { readonly regex: LineRegex; readonly literals: readonly string[]; readonly ignoreCase: boolean } | undefined {
  try {
    const analysis = analyse(entry.regex, known);
    // What the analysis gives is in bytes already.
    const literals = entry.any?.map(asBytes) ?? analysis.literals;
    if (literals.length === 0 || literals.some((text) => text.length < LITERAL_CHARS_MIN)) {
      report('regex', `no literal of at least ${LITERAL_CHARS_MIN} characters is certain to be in a match: add "any"`);
      return undefined;
    }
    const ignoreCase = entry.any === undefined && analysis.ignoreCase;
    return { regex: compileLineRegex(entry.regex, analysis), literals, ignoreCase };
  } catch (thrown) {
    report('regex', `the expression is refused: ${messageOf(thrown)}`);
    return undefined;
  }
}

function checkExamples(entry: PatternEntry, pattern: Unranked, report: Report): void {
  entry.match.forEach((example, at) => {
    if (!matches(pattern, example)) report(`match.${at}`, `the example does not match: ${example}`);
  });
  entry.not_match.forEach((example, at) => {
    if (matches(pattern, example)) report(`not_match.${at}`, `the counter-example matches: ${example}`);
  });
}

/** An example passes the prefilter and the expression, as a line would. */
function matches(pattern: Omit<Pattern, 'index'>, example: string): boolean {
  const text = asBytes(example);
  const searched = pattern.ignoreCase ? text.toLowerCase() : text;
  return pattern.literals.some((literal) => searched.includes(literal)) && pattern.find(text) !== undefined;
}

function shapeProblem(source: PatternSource, issue: z.core.$ZodIssue): Problem {
  const hint = issue.code === 'unrecognized_keys' ? { hint: 'reeve schema pattern shows every key' } : {};
  return { ...problemAt(source, issue.path, issue.message), ...hint };
}

function problemAt(source: PatternSource, path: readonly PropertyKey[], message: string): Problem {
  const { line, column } = source.position(path);
  return { file: source.file, line, column, path: path.map(String).join('.'), message };
}

/**
 * The pattern of the lowest rank that fits, and that is accepted; latin1 text. For single lines: whole logs go through
 * the scanner.
 */
export function firstFit(
  text: string,
  catalogue: Catalogue,
  accept: (pattern: Pattern) => boolean = () => true,
): Pattern | undefined {
  const lower = text.toLowerCase();
  const line = new Line(text);
  return catalogue.patterns.find(
    (pattern) =>
      accept(pattern) &&
      pattern.literals.some((literal) => (pattern.ignoreCase ? lower : text).includes(literal)) &&
      pattern.find(text, line) !== undefined,
  );
}
