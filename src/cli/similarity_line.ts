/** Says in one line what rules are compared by, for `reeve stats` and `reeve rules list`. */
import { plain } from './output.ts';

/** What the daemon says of it. */
export interface WireSimilarity {
  readonly backend: 'ngrams' | 'embeddings';
  readonly model?: string;
  readonly rules: number;
  readonly embedded: number;
  readonly because?: string;
}

/** For example `rules are compared by n-grams instead of local/nomic-embed-text: the model gave no vectors`. */
export function similarityLine({ backend, model, rules, embedded, because }: WireSimilarity): string {
  if (model === undefined) return 'rules are compared by n-grams';
  if (backend === 'embeddings') return `rules are compared by vectors of ${plain(model)} (${embedded} of ${rules})`;
  const why = plain(because ?? 'not ready');
  return `rules are compared by n-grams instead of ${plain(model)} (${embedded} of ${rules} have a vector): ${why}`;
}
