/** Opens the configured models, where there are any: without `models:` nothing of them is loaded. */
import type { Infrastructure } from './infrastructure.ts';
import type { Config } from '../config/config.ts';
import type { Read } from '../core/journal.ts';
import type { Model } from '../core/model.ts';
import { type ModelUse, modelUseProjection } from '../model/use.ts';

export interface Models {
  /** Undefined: none is configured. */
  readonly model: Model | undefined;
  readonly use: Read<ModelUse>;
}

/** Before the journal is opened: what models have cost is one of its states. */
export async function openConfiguredModels(
  { models }: Pick<Config, 'models'>,
  { clock, ledger }: Pick<Infrastructure, 'clock' | 'ledger'>,
  building: AsyncDisposableStack,
): Promise<Models> {
  const use = ledger.register(modelUseProjection);
  if (models === undefined) return { model: undefined, use };
  const { openModels } = await import('../model/open.ts');
  return { model: await openModels(models, { clock, append: ledger.append, use }, building), use };
}
