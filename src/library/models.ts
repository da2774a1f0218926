/** Models by name, `provider/model`: where each provider answers and which variable holds its key. */
import { environmentValue } from '../config/gates.ts';
import type { Clock } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { Model } from '../core/model.ts';

interface Provider {
  readonly url: string;
  readonly key: string | undefined;
}

/** All but Ollama speak the interface of OpenAI. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  ollama: { url: 'http://127.0.0.1:11434', key: undefined },
  openai: { url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com/v1', key: 'ANTHROPIC_API_KEY' },
  gemini: { url: 'https://generativelanguage.googleapis.com/v1beta/openai', key: 'GEMINI_API_KEY' },
  vllm: { url: 'http://127.0.0.1:8000/v1', key: undefined },
  llamacpp: { url: 'http://127.0.0.1:8080/v1', key: undefined },
  lmstudio: { url: 'http://127.0.0.1:1234/v1', key: undefined },
};
const BYTES_MAX = 1_048_576;
const VECTORS_BYTES_MAX = 4 * 1_048_576;

/** For what a model is named. */
export interface NamedFor {
  /** It makes vectors. */
  readonly vectors?: boolean;
}

/**
 * The model of a name such as `gemini/gemini-2.0-flash` or `ollama/qwen2.5`. The library of an adapter is loaded with
 * the first call. Throws USAGE for a provider that is not known. `url` replaces the provider's usual address.
 */
export function modelNamed(name: string, clock: Clock, url?: string, { vectors = false }: NamedFor = {}): Model {
  const [, provider = '', model = ''] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const found = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (found === undefined || model === '')
    throw new ReeveError('USAGE', `a model is named provider/model, got ${name}`, {
      hint: `providers: ${Object.keys(PROVIDERS).join(', ')}`,
    });
  const { key } = found;
  const embeddingModel = vectors ? model : undefined;
  const bytesMax = vectors ? VECTORS_BYTES_MAX : BYTES_MAX;
  const server = {
    ...{ id: provider, url: (url ?? found.url).replace(/\/+$/, ''), bytesMax },
    key: key === undefined ? undefined : () => environmentValue(key) ?? '',
  };
  let opened: Promise<Model> | undefined;
  const open = async (): Promise<Model> => {
    if (provider !== 'ollama')
      return (await import('../model/openai.ts')).openAiModel({ server, model, embeddingModel }, clock);
    return (await import('../model/ollama.ts')).ollamaModel(
      { server, model, embeddingModel, keepAlive: '300s' },
      clock,
    );
  };
  const adapter = (): Promise<Model> => {
    opened ??= open();
    return opened;
  };
  return {
    name,
    generate: async (request) => (await adapter()).generate(request),
    embed: async (texts, deadlineMs) => (await adapter()).embed(texts, deadlineMs),
    list: async (deadlineMs) => (await adapter()).list(deadlineMs),
  };
}
