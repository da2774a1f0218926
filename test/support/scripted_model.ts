/** Models that answer as a script says, for tests of everything above the wire. */
import type { Model, ModelAnswer, ModelRequest } from '../../src/core/model.ts';

export type Script = (request: ModelRequest) => string | ModelAnswer | Promise<string | ModelAnswer>;

export interface ScriptedModel extends Model {
  readonly asked: ModelRequest[];
}

/** A text is a reply of that text. */
export function scriptedModel(script: Script): ScriptedModel {
  const asked: ModelRequest[] = [];
  return {
    name: 'test/scripted',
    asked,
    async generate(request) {
      asked.push(request);
      const answer = await script(request);
      if (typeof answer !== 'string') return answer;
      return {
        ok: true,
        reply: { text: answer, model: 'scripted', promptTokens: 100, replyTokens: 10, durationMs: 1 },
      };
    },
    embed: async () => undefined,
    list: async () => ['scripted'],
  };
}

/** The index of a choice in a prompt; undefined where it is not offered. */
export function offered({ messages }: ModelRequest, tool: string): number | undefined {
  const found = new RegExp(`^(\\d+): ${tool} `, 'm').exec(messages.at(-1)?.content ?? '');
  return found === null ? undefined : Number(found[1]);
}

/** A script that picks the first of these tools that is offered, on the first witness; else it escalates. */
export const chooses =
  (...tools: readonly string[]): Script =>
  (request) => {
    const [choice] = [...tools, 'escalate'].flatMap((tool) => offered(request, tool) ?? []);
    return JSON.stringify({ choice, evidence_ids: ['s1'], because_code: 'evidence_fits_tool' });
  };
