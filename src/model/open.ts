/** Opens the configured models. Adapters and client libraries are loaded here and only when they are asked for. */
import type { Clock } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import type { Append, Read } from '../core/journal.ts';
import type { Model } from '../core/model.ts';
import { type Caps, createGateway, type Priced } from './gateway.ts';
import type { ModelUse } from './use.ts';

/** What the configuration says of models. */
export interface ModelsSettings {
  readonly servers: readonly {
    readonly id: string;
    readonly kind: 'ollama' | 'openai';
    readonly url: string;
    readonly key: { reveal(): string } | undefined;
    readonly keepAliveMs: number;
    readonly price: Priced['price'];
  }[];
  readonly primary: Named;
  readonly secondary: Named | undefined;
  readonly embeddings: Named | undefined;
  readonly answerBytesMax: number;
  readonly budget: Caps;
}

interface Named {
  readonly server: string;
  readonly model: string;
}

export interface OpenDeps {
  readonly clock: Clock;
  readonly append: Append;
  readonly use: Read<ModelUse>;
}

/** The gateway to them, to be closed by `building`. Connects to nothing before it is asked. */
export async function openModels(
  settings: ModelsSettings,
  deps: OpenDeps,
  building: AsyncDisposableStack,
): Promise<Model> {
  const { embeddings, secondary } = settings;
  const open = async (named: Named): Promise<Priced> => {
    const { model, price } = await adapterOf(settings, named, deps.clock);
    return { model: building.use(model), price };
  };
  return createGateway({
    ...deps,
    primary: await open(settings.primary),
    secondary: secondary === undefined ? undefined : await open(secondary),
    embeddings: embeddings === undefined ? undefined : (await open(embeddings)).model,
    caps: settings.budget,
  });
}

async function adapterOf(settings: ModelsSettings, named: Named, clock: Clock) {
  const found = settings.servers.find(({ id }) => id === named.server);
  invariant(found !== undefined, `no model server ${named.server}`);
  const { id, kind, url, key, keepAliveMs, price } = found;
  const server = { id, url, key: key && (() => key.reveal()), bytesMax: settings.answerBytesMax };
  const { model } = named;
  const isForVectors = settings.embeddings === named;
  const embeddingModel = isForVectors ? model : undefined;
  if (kind === 'ollama') {
    const { ollamaModel } = await import('./ollama.ts');
    const keepAlive = `${Math.ceil(keepAliveMs / 1_000)}s`;
    return { model: ollamaModel({ server, model, embeddingModel, keepAlive }, clock), price };
  }
  const { openAiModel } = await import('./openai.ts');
  return { model: openAiModel({ server, model, embeddingModel }, clock), price };
}
