/** Registers policy tests with `reeve check`. */
import type { FileKind, KnownPersonas } from '../config/check.ts';
import type { Problem } from '../core/errors.ts';
import type { ParsedYaml } from '../config/yaml.ts';
import { policyFrom, unknownPersonas } from './run.ts';

/** Policy tests as `reeve check` knows them. */
export const policyKind: FileKind = {
  name: 'policy',
  recognises: ({ value }) => typeof value === 'object' && value !== null && 'cases' in value,
  check: (files, known) => files.flatMap((file) => problemsIn(file, known)),
};

function problemsIn(parsed: ParsedYaml, known: KnownPersonas): readonly Problem[] {
  const { document, problems } = policyFrom(parsed);
  const personas = document && known();
  return personas === undefined ? problems : [...problems, ...unknownPersonas(parsed, document!, { personas })];
}
