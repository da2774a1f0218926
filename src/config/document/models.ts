/** Reads `models:` and `planner:`: which servers there are, what they may cost, and whether a model may choose. */
import { isLoopback } from './fields.ts';
import {
  MODEL_NAME,
  modelsDocument,
  type ModelsDocument,
  type PLANNER_MODES,
  plannerDocument,
} from './model_documents.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretFromFile } from './secret.ts';
import { MINUTE_MS } from '../../core/duration.ts';

/** A model by its server and its name there. */
export interface ModelName {
  readonly server: string;
  readonly model: string;
}

export interface ModelServerConfig {
  readonly id: string;
  readonly kind: 'ollama' | 'openai';
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: Secret | undefined;
  readonly keepAliveMs: number;
  /** Money for a million tokens; 0 where it costs nothing. */
  readonly price: { readonly promptPerMillion: number; readonly replyPerMillion: number };
}

/** What models may cost, in tokens and in the operator's currency. */
export interface ModelBudget {
  readonly callsPerIncident: number;
  readonly tokensPerIncident: number;
  readonly tokensPerDay: number;
  readonly moneyPerIncident: number;
  readonly moneyPerDay: number;
}

export interface ModelsConfig {
  readonly servers: readonly ModelServerConfig[];
  readonly primary: ModelName;
  readonly secondary: ModelName | undefined;
  readonly embeddings: ModelName | undefined;
  readonly answerBytesMax: number;
  readonly budget: ModelBudget;
}

export interface PlannerConfig {
  readonly mode: (typeof PLANNER_MODES)[number];
  readonly deadlineMs: number;
  readonly replyTokensMax: number;
  readonly namePatterns: boolean;
  /** The first gate of exploration; the second is in the environment. */
  readonly explore: boolean;
}

const OLLAMA_URL = 'http://127.0.0.1:11434';
const KEEP_ALIVE_MS = 30 * MINUTE_MS;
const ANSWER_BYTES_MAX = 256 * 1024;

/** Undefined where the file has no `models:`, or where it is not sound (the problems are noted). */
export function readModels(reading: Reading): ModelsConfig | undefined {
  const document = reading.part('models', modelsDocument);
  if (document === undefined) return undefined;
  const servers = document.servers.map((server, index) => serverOf(reading, server, index));
  const ids = servers.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) === index) continue;
    reading.note(['models', 'servers', index, 'id'], `the id ${id} stands here a second time`, 'give it another id');
  }
  const named = (key: 'primary' | 'secondary' | 'embeddings'): ModelName | undefined => {
    const written = document[key];
    if (written === undefined) return undefined;
    const [, server = '', model = ''] = MODEL_NAME.exec(written) ?? [];
    if (!ids.includes(server)) {
      const hint = `the servers are ${ids.join(', ')}; write ${ids[0]}/${model}`;
      reading.note(['models', key], `there is no model server ${server}`, hint);
    }
    return { server, model };
  };
  const primary = named('primary')!;
  return {
    servers,
    primary,
    secondary: named('secondary'),
    embeddings: named('embeddings'),
    answerBytesMax: document.answer_bytes_max ?? ANSWER_BYTES_MAX,
    budget: budgetOf(document.budget ?? {}),
  };
}

function serverOf(reading: Reading, server: ModelsDocument['servers'][number], index: number): ModelServerConfig {
  const { id, kind, key_file: file, price } = server;
  const at = (key: string) => ['models', 'servers', index, key];
  if (server.url === undefined && kind === 'openai') {
    reading.note(
      ['models', 'servers', index],
      'expected a url for a server of kind openai',
      'http://127.0.0.1:8000/v1',
    );
  }
  const url = (server.url ?? OLLAMA_URL).replace(/\/+$/, '');
  const parsed = URL.parse(url);
  const isRemote = parsed !== null && !isLoopback(parsed.hostname.replace(/^\[|\]$/g, ''));
  if (isRemote && server.allow_remote !== true) {
    const hint = 'allow_remote: true lets the prompts leave this machine';
    reading.note(at('url'), `${parsed.host} is not on this machine`, hint);
  }
  if (isRemote && file !== undefined && parsed.protocol === 'http:') {
    reading.note(at('url'), 'a key would cross the network in clear', 'use https://');
  }
  if (isRemote && price === undefined) {
    const hint = 'price: { prompt_per_million: 0, reply_per_million: 0 } where it costs nothing';
    reading.note(['models', 'servers', index], `expected the price of ${id}, so that the caps on money hold`, hint);
  }
  return {
    id,
    kind,
    url,
    key: keyOf(reading, file, at('key_file')),
    keepAliveMs: server.keep_alive ?? KEEP_ALIVE_MS,
    price: { promptPerMillion: price?.prompt_per_million ?? 0, replyPerMillion: price?.reply_per_million ?? 0 },
  };
}

function keyOf(reading: Reading, file: string | undefined, at: readonly (string | number)[]): Secret | undefined {
  if (file === undefined) return undefined;
  const meaning = secretFromFile(reading.pathOf(file));
  if ('ok' in meaning) return meaning.ok;
  reading.note(at, meaning.no, meaning.hint);
  return undefined;
}

const budgetOf = (written: NonNullable<ModelsDocument['budget']>): ModelBudget => ({
  callsPerIncident: written.calls_per_incident ?? 9,
  tokensPerIncident: written.tokens_per_incident ?? 30_000,
  tokensPerDay: written.tokens_per_day ?? 1_000_000,
  moneyPerIncident: written.money_per_incident ?? 0.1,
  moneyPerDay: written.money_per_day ?? 2,
});

/** Off unless the file says otherwise; a mode without a model is refused. */
export function readPlanner(reading: Reading, models: ModelsConfig | undefined): PlannerConfig {
  const document = reading.part('planner', plannerDocument);
  const mode = document?.mode ?? 'off';
  const hasModels = models !== undefined || reading.isWritten('models');
  if (mode !== 'off' && !hasModels) {
    const hint = 'models: { servers: [{ id: local, kind: ollama }], primary: local/qwen3:8b }';
    reading.note(['planner', 'mode'], `the planner is ${mode}, and there is no model`, hint);
  }
  const { deadline: deadlineMs = 8_000, reply_tokens_max: replyTokensMax = 256, name_patterns } = document ?? {};
  const explore = document?.explore ?? false;
  if (explore && !hasModels) reading.note(['planner', 'explore'], 'there is no model to explore with', 'write models:');
  return { mode, deadlineMs, replyTokensMax, namePatterns: name_patterns ?? false, explore };
}
