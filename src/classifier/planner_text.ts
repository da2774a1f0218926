/** Reduces log lines to the words that a planner may see. */
import { type Catalogue, firstFit, type Pattern } from '../detect/patterns/catalogue.ts';
import { asBytes } from '../detect/patterns/own_text.ts';
import { type ExcerptLine, readExcerpt } from './lines.ts';
import { isVariable, tokensOf } from '../detect/templates/template_tokens.ts';

/** So many words of a log line may stand in a row: fewer than an order to a reader would take. */
const RUN_MAX = 4;
const CHARS_MAX = 240;

/** Reads lines as a planner may see them. */
export interface PlannerText {
  /**
   * The line's shape: kinds of values, and only such words as the catalogue pattern that fits is made of.
   * Everything else is `<str>`; never five words of a log in a row, no host, no name, no path.
   */
  templateOf(line: string): string;
  /** The same for lines of one record or excerpt: text that a record let through onto lines of its own is `<str>`. */
  templatesOf(lines: readonly string[]): readonly string[];
}

/** Words are gathered from the catalogue once. */
export function createPlannerText(catalogue: Catalogue): PlannerText {
  const vocabularies = new Map<string, ReadonlySet<string>>();
  const vocabularyOf = (pattern: Pattern): ReadonlySet<string> => {
    const known = vocabularies.get(pattern.id);
    if (known !== undefined) return known;
    const plain = pattern.source.replaceAll(/\[([A-Za-z])[A-Za-z]\]/g, '$1');
    const words = new Set([...pattern.examples, plain].flatMap((text) => wordsOf(asBytes(text))));
    vocabularies.set(pattern.id, words);
    return words;
  };
  const templatesOf = (lines: readonly string[]): readonly string[] =>
    readExcerpt(lines).map((line) => shapeOf(line, catalogue, vocabularyOf));
  return { templatesOf, templateOf: (line) => templatesOf([line])[0] ?? '<str>' };
}

function shapeOf(
  { whole, text }: ExcerptLine,
  catalogue: Catalogue,
  vocabularyOf: (pattern: Pattern) => ReadonlySet<string>,
): string {
  const pattern = firstFit(whole, catalogue);
  if (pattern === undefined) return collapse(tokensOf(text).map(kindOf));
  const found = pattern.find(whole)!;
  const vocabulary = vocabularyOf(pattern);
  const own = tokensOf(text.slice(found.index, found.end)).flatMap((token) =>
    isVariable(token) ? [kindOf(token)] : wordsOf(token).map((word) => (vocabulary.has(word) ? word : '<str>')),
  );
  const before = tokensOf(text.slice(0, found.index)).map(kindOf);
  const after = tokensOf(text.slice(found.end)).map(kindOf);
  return `${pattern.id}: ${collapse([...before, ...breakRuns(own), ...after])}`.slice(0, CHARS_MAX);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]{2,}/g) ?? [];

const kindOf = (token: string): string => /<(?:url|time|id|ip|path|hex|num)>/.exec(token)?.[0] ?? '<str>';

function breakRuns(tokens: readonly string[]): readonly string[] {
  let run = 0;
  return tokens.flatMap((token) => {
    run = isVariable(token) ? 0 : run + 1;
    if (run <= RUN_MAX) return [token];
    run = 1;
    return ['<str>', token];
  });
}

function collapse(tokens: readonly string[]): string {
  const kept = tokens.filter((token, at) => token !== '<str>' || tokens[at - 1] !== '<str>');
  return kept.join(' ').slice(0, CHARS_MAX);
}
