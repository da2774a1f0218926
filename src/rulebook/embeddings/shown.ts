/** What a model that makes vectors is shown of a text: plain words and kinds of values. */
import { isVariable, tokensOf } from '../../detect/templates/template_tokens.ts';

const WORDS_MAX = 200;
const CHARS_MAX = 2_000;
const LINES_MAX = 40;
const PLAIN_WORD = /^[\p{L}][\p{L}'-]{0,30}$/u;
const EDGES = /^[^\p{L}<]+|[^\p{L}>]+$/gu;

/**
 * The text without numbers, addresses, paths, quoted text and whatever else is no plain word, such as a host or
 * `key=value`: lines that differ in these alone are one text. At most 2,000 characters; empty where no word is left.
 */
export function shownTo(text: string): string {
  const words = text
    .slice(0, 2 * CHARS_MAX)
    .split('\n', LINES_MAX)
    .flatMap((line) => tokensOf(line))
    .flatMap((token) => {
      if (isVariable(token)) return token.match(/<[a-z]+>/)?.[0] ?? [];
      const word = token.replaceAll(EDGES, '');
      return PLAIN_WORD.test(word) ? [word.toLowerCase()] : [];
    });
  return words.slice(0, WORDS_MAX).join(' ').slice(0, CHARS_MAX);
}
