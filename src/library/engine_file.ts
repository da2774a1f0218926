/** `config.yaml` of an engine's folder: its models, budgets and thresholds, where the program says nothing else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readYaml } from '../config/files.ts';
import { validate } from '../config/validate.ts';
import { ReeveError } from '../core/errors.ts';

const modelName = z.string().regex(/^[a-z]+\/.+$/, 'provider/model, for example ollama/qwen3:8b');
const count = z.int().min(1).max(1_000_000_000);
const share = z.number().gt(0).max(1);

const engineDocument = z.strictObject({
  llm: modelName.optional().describe('Asked where rules do not help.'),
  llm_secondary: modelName.optional().describe('Asked where the first fails, and by rules with use_secondary.'),
  embeddings: modelName.optional().describe('Makes the vectors that rules are compared by.'),
  session_limit: count.optional().describe('Sessions with a model in 24 hours.'),
  budget: z
    .strictObject({
      max_tool_calls: count.optional().describe('Tool calls of one session.'),
      max_tokens: count.optional().describe('Tokens of one session.'),
      max_tokens_per_day: count.optional(),
      max_seconds: count.optional().describe('Time of one session.'),
    })
    .optional(),
  thresholds: z
    .strictObject({
      likeness: share.optional().describe('Rules that are less alike are not looked at, where there are many.'),
      same_situation: share.optional().describe('From this likeness on an exploration is not made again.'),
    })
    .optional(),
});

export type EngineDocument = z.output<typeof engineDocument>;

/** What the file says; empty where there is none. Throws CONFIG_INVALID with every problem as `file:line:column`. */
export function engineFile(directory: string | undefined): EngineDocument {
  const file = directory === undefined ? undefined : join(directory, 'config.yaml');
  if (file === undefined || !existsSync(file)) return {};
  const parsed = readYaml(file);
  const read = validate(engineDocument, { ...parsed, value: parsed.value ?? {} });
  const problems = [...parsed.problems, ...read.problems];
  if (read.ok && problems.length === 0) return read.value;
  const lines = problems.map((one) => `${one.file}:${one.line}:${one.column}: ${one.message}`);
  throw new ReeveError('CONFIG_INVALID', `${file} cannot be used:\n${lines.join('\n')}`);
}
