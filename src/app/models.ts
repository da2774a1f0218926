/** Opens the configured models, where there are any: without `models:` nothing of them is loaded. */
import type { Infrastructure } from './infrastructure.ts';
import type { Config } from '../config/config.ts';
import type { Read } from '../core/journal.ts';
import type { Log } from '../core/log.ts';
import type { Model } from '../core/model.ts';
import { ONLY_NGRAMS, openSimilarity, type Similarity } from './similarity.ts';
import { type ModelUse, modelUseProjection } from '../model/use.ts';

export interface Models {
  /** Undefined: none is configured. */
  readonly model: Model | undefined;
  readonly use: Read<ModelUse>;
  /** What rules are compared by. */
  readonly similarity: Similarity;
}

/** Before the journal is opened: what models have cost is one of its states. */
export async function openConfiguredModels(
  { models }: Pick<Config, 'models'>,
  infrastructure: Pick<Infrastructure, 'clock' | 'ledger' | 'state'> & { readonly log: Log },
  building: AsyncDisposableStack,
): Promise<Models> {
  const { clock, ledger } = infrastructure;
  const use = ledger.register(modelUseProjection);
  if (models === undefined) return { model: undefined, use, similarity: ONLY_NGRAMS };
  const { openModels } = await import('../model/open.ts');
  const model = await openModels(models, { clock, append: ledger.append, use }, building);
  const similarity = await openSimilarity({ named: models.embeddings, model, infrastructure }, building);
  return { model, use, similarity };
}
