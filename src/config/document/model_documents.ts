/** What may stand under `models:` and `planner:` in `config/reeve.yaml`. */
import { z } from 'zod';
import { duration } from '../../core/document/duration.ts';
import { idField, textField, urlField } from './fields.ts';

/** `provider/model`: the id of a server, and what that server calls the model (slashes and colons may follow). */
export const MODEL_NAME = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\/([A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,199})$/;

const modelField = (description: string) =>
  z
    .string()
    .regex(MODEL_NAME, 'the id of a server, a slash, the name of the model: local/qwen3:8b')
    .describe(description);

const priceField = z.number().min(0).max(10_000);

const serverDocument = z.strictObject({
  id: idField('The provider: what stands before the slash in the name of a model.'),
  kind: z
    .enum(['ollama', 'openai'])
    .describe('openai: any server with its interface (vLLM, llama.cpp, LM Studio, the large providers).'),
  url: urlField('Default for ollama: http://127.0.0.1:11434. openai: up to and with /v1.').optional(),
  key_file: textField.optional().describe('The file that holds the key; only its owner may read it.'),
  allow_remote: z
    .boolean()
    .optional()
    .describe('Let the prompts leave this machine. Without it only loopback addresses are taken. Default false.'),
  keep_alive: duration('1s', '24h', 'ollama: how long the model stays loaded after a call. Default 30m.').optional(),
  price: z
    .strictObject({
      prompt_per_million: priceField.describe('Money for a million tokens of prompt.'),
      reply_per_million: priceField.describe('Money for a million tokens of reply.'),
    })
    .optional()
    .describe('What it costs, in your currency. Needed for a server that is not on this machine.'),
});

const tokens = z.int().min(100).max(100_000_000);
const money = z.number().positive().max(1_000_000);

export const modelsDocument = z
  .strictObject({
    servers: z.array(serverDocument).min(1).max(8),
    primary: modelField('The model that is asked.'),
    secondary: modelField('Asked instead when the first cannot be reached.').optional(),
    embeddings: modelField('The model that makes vectors, where vectors are used.').optional(),
    answer_bytes_max: z.int().min(4_096).max(4_194_304).optional().describe('Largest answer. Default 262144.'),
    budget: z
      .strictObject({
        calls_per_incident: z.int().min(1).max(100).optional().describe('Default 9.'),
        tokens_per_incident: tokens.optional().describe('Prompts and replies together. Default 30000.'),
        tokens_per_day: tokens.optional().describe('In any 24 hours. Default 1000000.'),
        money_per_incident: money.optional().describe('Default 0.10.'),
        money_per_day: money.optional().describe('In any 24 hours. Default 2.'),
      })
      .optional()
      .describe('What models may cost. No value switches a cap off.'),
  })
  .describe('Language models. Without this part Reeve has none and loads nothing for them.');

export const PLANNER_MODES = ['off', 'after_rules', 'before_rules'] as const;

export const plannerDocument = z
  .strictObject({
    mode: z
      .enum(PLANNER_MODES)
      .describe('after_rules: a model is asked where a rule says `plan: true` or has no step left. Default off.'),
    deadline: duration('500ms', '60s', 'How long a run waits for an answer. Default 8s.').optional(),
    name_patterns: z
      .boolean()
      .optional()
      .describe(
        'After an incident that nothing explained, ask which symptom its unrecognised lines show. Default false.',
      ),
    explore: z
      .boolean()
      .optional()
      .describe(
        'After an incident that no rule cured, look for a rule. REEVE_EXPLORE=1 must be set too. Default false.',
      ),
    reply_tokens_max: z.int().min(32).max(4_096).optional().describe('Default 256.'),
  })
  .describe('Whether a model may choose among what the guard allows.');

export type ModelsDocument = z.output<typeof modelsDocument>;
