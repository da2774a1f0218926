/** Reads the shipped patterns for scripts and tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { type Catalogue, compileCatalogue } from '../src/detect/patterns/catalogue.ts';
import type { PatternSource } from '../src/detect/patterns/pattern.ts';

export const PATTERNS_FOLDER = join(import.meta.dirname, '../config/patterns');

/** The pattern files of a folder with the place of every value. */
export function readPatternSources(folder = PATTERNS_FOLDER): readonly PatternSource[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => {
    const file = join(folder, name);
    const counter = new LineCounter();
    const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: counter });
    const position = (path: readonly PropertyKey[]) => {
      const node = document.getIn(path as string[], true) as { range?: [number, number, number] } | undefined;
      const { line, col } = counter.linePos(node?.range?.[0] ?? 0);
      return { line, column: col };
    };
    return { file, value: document.toJS() as unknown, position };
  });
}

/** The shipped catalogue; throws on the first problem in it. */
export function readCatalogue(accept: (software: string) => boolean = () => true): Catalogue {
  const sources = readPatternSources().filter(({ value }) => accept((value as { software: string }).software));
  const { catalogue, problems } = compileCatalogue(sources);
  if (problems.length > 0) {
    throw new Error(
      problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
    );
  }
  return catalogue;
}
