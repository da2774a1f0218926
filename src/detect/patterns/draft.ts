/** Drafts a pattern from lines that a person or a model named, and holds it against everything that is known. */
import type { SymptomKind } from '../../core/symptom.ts';
import { tokensOf } from '../templates/template_tokens.ts';
import { type Catalogue, compileCatalogue, type Pattern } from './catalogue.ts';
import { asBytes } from './own_text.ts';
import { generalise } from './generalise.ts';
import type { PatternDocument, PatternSource } from './pattern.ts';

/** A line that was seen, and what it was taken for; `unknown` where nothing recognised it. */
export interface KnownLine {
  readonly text: string;
  readonly symptom: SymptomKind;
}

export interface DraftOrder {
  readonly lines: readonly string[];
  readonly symptom: SymptomKind;
  /** Ids of channels: they stand for one of many. */
  readonly names: readonly string[];
  readonly catalogue: Catalogue;
  /** What was heard before: evidence of the journal, and lines that nothing recognised. */
  readonly history: readonly KnownLine[];
  /** Ids that are taken besides those of the catalogue. */
  readonly taken: readonly string[];
}

/** A pattern that is sound in itself, and what it would have matched. */
export interface PatternDraft {
  readonly id: string;
  readonly symptom: SymptomKind;
  readonly regex: string;
  readonly document: PatternDocument;
  /** Recorded lines that it fits: those that nothing recognised or that say the same. */
  readonly fits: readonly KnownLine[];
  /** Recorded lines, and examples of other patterns, that it fits and that say something else. */
  readonly clashes: readonly KnownLine[];
}

export type Drafted =
  | { readonly ok: true; readonly draft: PatternDraft }
  | { readonly ok: false; readonly because: string };

const MATCH_MAX = 6;
const NOT_MATCH_MAX = 4;
const CONFIDENCE = 0.8;
const SOFTWARE = 'taught';
const LINE_CHARS_MAX = 400;

/** They name no trouble. */
const LEVELS = new Set(['trace', 'debug', 'info', 'notice', 'warn', 'warning', 'error', 'err', 'fatal', 'critical']);

/** Compiles in linear time or is refused; matches all its lines; an id that is not taken. */
export function draftPattern(order: DraftOrder): Drafted {
  const lines = [...new Set(order.lines)].map((line) => line.slice(0, LINE_CHARS_MAX));
  const general = generalise(lines, order.names);
  if (!general.ok) return general;
  const id = freeId(lines[0] ?? '', order);
  const entry = {
    id,
    symptom: order.symptom,
    confidence: CONFIDENCE,
    regex: general.regex,
    match: lines.slice(0, MATCH_MAX),
  };
  const first = compiledEntry({ ...entry, not_match: [] });
  if (typeof first === 'string') return { ok: false, because: first };
  const notMatch = nearMisses(first, lines, order.history);
  const document = documentOf({ ...entry, not_match: notMatch });
  const pattern = compiledEntry(document.patterns[0]!);
  if (typeof pattern === 'string') return { ok: false, because: pattern };
  const matched = linesKnown(order).filter(({ text }) => pattern.find(asBytes(text)) !== undefined);
  const says = ({ symptom }: KnownLine): boolean => symptom === order.symptom || symptom === 'unknown';
  const draft = { id, symptom: order.symptom, regex: general.regex, document };
  return { ok: true, draft: { ...draft, fits: matched.filter(says), clashes: matched.filter((one) => !says(one)) } };
}

type Entry = PatternDocument['patterns'][number];

const documentOf = (entry: Entry): PatternDocument => ({ software: SOFTWARE, priority: 40, patterns: [entry] });

/** The compiled pattern, or why it is refused. */
function compiledEntry(entry: Entry): Pattern | string {
  const { catalogue, problems } = compileCatalogue([sourceOf(documentOf(entry))]);
  return catalogue.patterns[0] ?? problems[0]?.message ?? 'it gives no pattern';
}

const sourceOf = (value: unknown): PatternSource => ({
  file: 'a draft',
  value,
  position: () => ({ line: 1, column: 1 }),
});

/** Everything that was heard, and the examples of every pattern in force. */
function linesKnown({ catalogue, history }: DraftOrder): readonly KnownLine[] {
  const examples = catalogue.patterns.flatMap(({ symptom, examples: texts }) =>
    texts.map((text) => ({ text, symptom })),
  );
  return [...history, ...examples];
}

/** Recorded lines that are near to it and that it does not fit: they say where it ends. */
function nearMisses(pattern: Pattern, lines: readonly string[], history: readonly KnownLine[]): string[] {
  const own = new Set(lines.flatMap(tokensOf));
  const near = (text: string): number => tokensOf(text).filter((token) => own.has(token)).length;
  const missed = history.filter(({ text }) => near(text) >= 2 && pattern.find(asBytes(text)) === undefined);
  const texts = [...new Set(missed.map(({ text }) => text))].filter((text) => text.length <= LINE_CHARS_MAX);
  return texts.sort((a, b) => near(b) - near(a) || (a < b ? -1 : 1)).slice(0, NOT_MATCH_MAX);
}

function freeId(line: string, { catalogue, taken }: DraftOrder): string {
  const words = (line.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => !LEVELS.has(word));
  const base = `taught_${words.slice(0, 4).join('_')}`.slice(0, 48);
  const used = new Set([...taken, ...catalogue.patterns.map(({ id }) => id)]);
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? base : `${base}_${count}`;
    if (!used.has(id)) return id;
  }
}

/** The document as a file. Texts are JSON strings, which YAML 1.2 reads as they are. */
export function patternText({ software, priority, patterns }: PatternDocument, head: readonly string[]): string {
  const quoted = (text: string): string => JSON.stringify(text);
  const listed = (key: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`    ${key}:`, ...texts.map((text) => `      - ${quoted(text)}`)];
  const entries = patterns.flatMap(({ id, symptom, confidence, regex, match, not_match: notMatch }) => [
    `  - id: ${id}`,
    `    symptom: ${symptom}`,
    `    confidence: ${confidence}`,
    `    regex: ${quoted(regex)}`,
    ...listed('match', match),
    ...listed('not_match', notMatch),
  ]);
  const comments = head.map((line) => `# ${line.replaceAll(/[\r\n]+/g, ' ')}`);
  return `${[...comments, `software: ${software}`, `priority: ${priority}`, 'patterns:', ...entries].join('\n')}\n`;
}
