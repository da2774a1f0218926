/** The short memory of a conversation: first in, first out, at a share of the model's context. Pure. */
import type { MemoryFact } from '../core/memory.ts';
import { conceptsOf, isClosed } from './concepts.ts';
import { termsOf } from './search.ts';

/** One question with its answer. */
export interface Exchange {
  /** The id of the question. */
  readonly turn: string;
  readonly question: string;
  readonly answer: string;
  /** Ids that the answer cites. */
  readonly cites: readonly string[];
}

/** Part of the model's context that the conversation may fill. */
export const CONTEXT_SHARE = 0.7;
const CHARS_PER_TOKEN = 4;
const DISTILLED_CHARS_MAX = 400;
const FIRST_SENTENCE_CHARS = 200;

/** A safe guess of how many tokens a text is: at least one for every four UTF-8 bytes. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / CHARS_PER_TOKEN);

const tokensOfExchange = ({ question, answer }: Exchange): number => tokensIn(question) + tokensIn(answer);

export interface Fitted {
  /** What stays, oldest first. */
  readonly kept: readonly Exchange[];
  /** What is pushed out, oldest first: to be distilled. */
  readonly evicted: readonly Exchange[];
}

/**
 * Pushes out the oldest exchanges until what is left and the new message fit into 70 % of the context. `incoming`:
 * everything else that the next call sends, as one text or several. The newest message alone may be too large: then
 * nothing is kept, and the caller must refuse or cut it.
 */
export function fitted(exchanges: readonly Exchange[], incoming: readonly string[], contextTokens: number): Fitted {
  const roomTokens = Math.floor(contextTokens * CONTEXT_SHARE);
  let used = incoming.reduce((sum, text) => sum + tokensIn(text), 0);
  let first = exchanges.length;
  while (first > 0) {
    used += tokensOfExchange(exchanges[first - 1]!);
    if (used > roomTokens) break;
    first -= 1;
  }
  return { kept: exchanges.slice(first), evicted: exchanges.slice(0, first) };
}

/** What is kept of an exchange that was pushed out: one fact, found again by its text and by what it cites. */
export function distilled(
  exchange: Exchange,
  session: string | undefined,
): Extract<MemoryFact, { type: 'dialogue.distilled' }> {
  const { turn, question, answer, cites } = exchange;
  const concepts = conceptsOf(`${question} ${answer}`).filter(isClosed);
  const terms = [...new Set([...concepts.map((each) => each.slice(each.indexOf(':') + 1)), ...termsOf(question)])];
  const summary = `asked: ${firstSentence(question)} answered: ${firstSentence(answer)} (${terms.join(' ')})`;
  return { type: 'dialogue.distilled', turn, session, text: summary.slice(0, DISTILLED_CHARS_MAX), cites: [...cites] };
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const end = /[.?!](?=\s|$)/.exec(line);
  return (end === null ? line : line.slice(0, end.index + 1)).slice(0, FIRST_SENTENCE_CHARS);
}
