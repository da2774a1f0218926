import type { PatternSource } from '../../src/detect/patterns/pattern.ts';
import { type Catalogue, compileCatalogue } from '../../src/detect/patterns/catalogue.ts';

/** A pattern file as the configuration hands it over; every value stands at line 7. */
export const aSource = (value: unknown, file = 'test.yaml'): PatternSource => ({
  file,
  value,
  position: (path) => ({ line: 7, column: path.length + 1 }),
});

/** Patterns with only what a test is about; each expression is its own example unless one is given. */
export function aCatalogue(
  patterns: readonly {
    readonly id: string;
    readonly regex: string;
    readonly match?: readonly string[];
    readonly symptom?: string;
    readonly severity?: number;
  }[],
  rest: object = {},
): Catalogue {
  const entries = patterns.map(({ id, regex, match, symptom, severity }) => ({
    id,
    regex,
    symptom: symptom ?? 'upstream_unreachable',
    severity: severity ?? 50,
    match: match ?? [regex],
    ...rest,
  }));
  const { catalogue, problems } = compileCatalogue([aSource({ software: 'test', patterns: entries })]);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return catalogue;
}
