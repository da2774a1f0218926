/** A model's better sentence for an insight, made in the background. It may rephrase, never claim anything else. */
import type { MemoryFact } from '../core/memory.ts';
import type { Model } from '../core/model.ts';
import { TOOL_NAMES } from '../core/tool.ts';
import { type Insight, NO_TOOL } from './insight.ts';

const CHARS_MAX = 300;
const TOKENS_MAX = 120;
const DEADLINE_MS = 20_000;

/** The fact to journal; undefined when there is no model, it did not answer, or its sentence is not to be used. */
export async function rephraseInsight(
  model: Model,
  insight: Insight,
): Promise<Extract<MemoryFact, { type: 'insight.worded' }> | undefined> {
  const answer = await model.generate({
    messages: [
      { role: 'system', content: 'Say the following finding in one plain English sentence. Add nothing to it.' },
      { role: 'user', content: insight.text },
    ],
    tokensMax: TOKENS_MAX,
    deadlineMs: DEADLINE_MS,
  });
  if (!answer.ok) return undefined;
  const text = answer.reply.text.trim();
  return isFaithful(text, insight)
    ? { type: 'insight.worded', insight: insight.id, text, model: answer.reply.model }
    : undefined;
}

/** One line that names the same tool and no other, the same strength, and no address. */
function isFaithful(text: string, { subject, strength }: Insight): boolean {
  if (text === '' || text.length > CHARS_MAX || /[\u0000-\u001f\u007f-\u009f]|:\/\//.test(text)) return false;
  const named = TOOL_NAMES.filter((tool) => text.includes(tool));
  const numbers = text.match(/\d+/g) ?? [];
  const sameTool = subject === NO_TOOL ? named.length === 0 : named.length === 1 && named[0] === subject;
  return sameTool && numbers.every((number) => Number(number) === strength || /^[1-5]\d\d$/.test(number));
}
