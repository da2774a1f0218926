/** Opens what rules are compared by: n-grams, and vectors of a model where the configuration names one. */
import { join } from 'node:path';
import type { Infrastructure } from './infrastructure.ts';
import type { ModelName } from '../config/document/models.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Model } from '../core/model.ts';
import type { Rule } from '../core/rule.ts';
import { type Likeness, NGRAMS, type SimilarityState, textOf } from '../rulebook/rank.ts';

export interface Similarity {
  /** Undefined: n-grams alone. */
  readonly likeness: Likeness | undefined;
  /** The rules in force from now on. Never waits. After the journal is opened. */
  sync(rules: readonly Rule[]): void;
  state(): SimilarityState;
}

/** Without a model for vectors. */
export const ONLY_NGRAMS: Similarity = { likeness: undefined, sync: () => undefined, state: () => NGRAMS };

interface SimilarityDeps {
  /** The model for vectors; undefined: none is configured. */
  readonly named: ModelName | undefined;
  readonly model: Model;
  readonly infrastructure: Pick<Infrastructure, 'clock' | 'state'> & { readonly log: Log };
}

/** Without `models.embeddings` nothing of it is loaded. */
export async function openSimilarity(deps: SimilarityDeps, building: AsyncDisposableStack): Promise<Similarity> {
  const { named, model, infrastructure } = deps;
  const { clock, state, log } = infrastructure;
  if (named === undefined) return ONLY_NGRAMS;
  const { EmbeddedLikeness } = await import('../rulebook/embeddings/likeness.ts');
  const { openVectorFile } = await import('../rulebook/embeddings/vector_file.ts');
  const opened = () => {
    try {
      return openVectorFile(join(state, 'rule_vectors.db'), (because) => log.warn({}, `vectors of rules: ${because}`));
    } catch (thrown) {
      log.warn({}, `vectors of rules are kept in memory only: ${messageOf(thrown)}`);
      return undefined;
    }
  };
  const name = `${named.server}/${named.model}`;
  const likeness = building.use(new EmbeddedLikeness({ model, name, clock, store: opened(), log, retries: true }));
  const sync = (rules: readonly Rule[]) => likeness.sync(rules, (at) => textOf(rules[at] as Rule));
  return { likeness, sync, state: () => likeness.state() };
}
