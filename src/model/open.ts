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

const VECTORS_BYTES_MAX = 4 * 1024 * 1024;

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
    embeddings: embeddings === undefined ? undefined : await open(embeddings),
    caps: settings.budget,
  });
}

async function adapterOf(settings: ModelsSettings, named: Named, clock: Clock) {
  const found = settings.servers.find(({ id }) => id === named.server);
  invariant(found !== undefined, `no model server ${named.server}`);
  const embeddingModel = settings.embeddings === named ? named.model : undefined;
  // Vectors are long, and their texts come in batches: a cap that fits a reply would cut them off.
  const bytesMax = Math.max(settings.answerBytesMax, embeddingModel === undefined ? 0 : VECTORS_BYTES_MAX);
  const asked = { model: named.model, embeddingModel, bytesMax };
  return { model: await openServer(found, asked, clock), price: found.price };
}

/** One server with one model, without the gateway's caps and record. Connects to nothing before it is asked. */
export async function openServer(
  { id, kind, url, key, keepAliveMs }: ModelsSettings['servers'][number],
  asked: { readonly model: string; readonly embeddingModel?: string | undefined; readonly bytesMax: number },
  clock: Clock,
): Promise<Model & Disposable> {
  const { model, embeddingModel, bytesMax } = asked;
  const server = { id, url, key: key && (() => key.reveal()), bytesMax };
  if (kind === 'ollama') {
    const { ollamaModel } = await import('./ollama.ts');
    const keepAlive = `${Math.ceil(keepAliveMs / 1_000)}s`;
    return ollamaModel({ server, model, embeddingModel, keepAlive }, clock);
  }
  const { openAiModel } = await import('./openai.ts');
  return openAiModel({ server, model, embeddingModel }, clock);
}
