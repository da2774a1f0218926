/** Opens the model server that `reeve ask` is configured to use, or the one that is there. */
import type { Clock } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { Model } from '../core/model.ts';
import { peerName } from '../core/peer.ts';
import { type ModelsSettings, openServer } from '../model/open.ts';

export interface AskBackend extends Disposable {
  readonly name: string;
  readonly model: Model;
  /** What its server calls the model to ask; undefined where it has none. */
  readonly chosen: string | undefined;
}

type Server = ModelsSettings['servers'][number];

/** Servers on this machine that need no configuration. Those elsewhere stand in it, with `allow_remote`. */
const LOCAL: Readonly<Record<string, { readonly kind: Server['kind']; readonly url: string }>> = {
  ollama: { kind: 'ollama', url: 'http://127.0.0.1:11434' },
  vllm: { kind: 'openai', url: 'http://127.0.0.1:8000/v1' },
  llamacpp: { kind: 'openai', url: 'http://127.0.0.1:8080/v1' },
  lmstudio: { kind: 'openai', url: 'http://127.0.0.1:1234/v1' },
};
const LIST_MS = 3_000;
const KEEP_ALIVE_MS = 1_800_000;
const BYTES_MAX = 262_144;
/** Models that give vectors and answer nothing. */
const FOR_VECTORS = /embed|bge-|minilm/i;

export interface AskChoice {
  readonly backend: string | undefined;
  readonly model: string | undefined;
}

/**
 * The server that was named; else the primary one of `models:`; else Ollama on this machine, where it answers.
 * Undefined where there is none. Throws USAGE for a name that is none of them.
 */
export async function openAskBackend(
  settings: ModelsSettings | undefined,
  { backend, model }: AskChoice,
  clock: Clock,
): Promise<AskBackend | undefined> {
  const server = serverFor(settings, backend);
  const own = settings?.primary.server === server.id ? settings.primary.model : undefined;
  const named = model?.startsWith(`${server.id}/`) ? model.slice(server.id.length + 1) : model;
  const wanted = named ?? own;
  const bytesMax = settings?.answerBytesMax ?? BYTES_MAX;
  const opened = await openServer(server, { model: wanted ?? '-', bytesMax }, clock);
  const end = (): void => opened[Symbol.dispose]();
  const made = { name: server.id, model: opened, [Symbol.dispose]: end };
  if (wanted !== undefined) return { ...made, chosen: wanted };
  const names = await opened.list(LIST_MS);
  const chosen = names?.filter((name) => !FOR_VECTORS.test(name)).sort()[0];
  if (chosen !== undefined || backend !== undefined) {
    if (chosen !== undefined) return { ...made, chosen };
    end();
    throw new ReeveError('MODEL_UNREACHABLE', `${server.id} (${peerName(server.url)}) has no model that could answer`, {
      hint: 'Is it running, and has it a model? reeve ask --list-models',
    });
  }
  end();
  return undefined;
}

function serverFor(settings: ModelsSettings | undefined, backend: string | undefined): Server {
  const servers = settings?.servers ?? [];
  const name = backend ?? settings?.primary.server ?? 'ollama';
  const found = servers.find(({ id }) => id === name) ?? servers.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  const local = Object.hasOwn(LOCAL, name) ? LOCAL[name] : undefined;
  if (local === undefined) {
    const known = [...servers.map(({ id }) => id), ...Object.keys(LOCAL), 'none'];
    throw new ReeveError('USAGE', `--backend: there is no ${JSON.stringify(name)}`, {
      hint: `known: ${known.join(', ')}`,
    });
  }
  const price = { promptPerMillion: 0, replyPerMillion: 0 };
  return { id: name, ...local, key: undefined, keepAliveMs: KEEP_ALIVE_MS, price };
}
