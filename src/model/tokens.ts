/** How many tokens a call is counted as: what the server says, but never so few that a cap could be evaded. */

const CHARS_PER_TOKEN_MOST = 8;
const TOKENS_MAX = 10_000_000;

/** At least one token for every eight characters; a server that says nothing is taken at that. */
export function countedTokens(reported: number | undefined, chars: number): number {
  const least = Math.ceil(chars / CHARS_PER_TOKEN_MOST);
  return Math.min(TOKENS_MAX, Math.max(least, Math.ceil(reported ?? 0)));
}
