/** Splits a line into tokens and replaces what varies by its kind. */

/** Kinds of text that change from line to line. */
const VARIABLES: readonly (readonly [string, RegExp])[] = [
  ['<url>', /[a-z][a-z0-9+.-]{1,12}:\/\/[^\s"'<>\])},]*/gi],
  ['<time>', /\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d| UTC)?/g],
  ['<time>', /\b[A-Z][a-z]{2} [ \d]\d(?:, \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?/g],
  ['<time>', /\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g],
  ['<id>', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['<ip>', /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[(?=[^\]]*:)[0-9a-f:]{3,}\](?::\d{1,5})?/gi],
  ['<str>', /"(?:[^"\\]|\\.)*"|(?<![\w])'[^']*'(?!\w)/g],
  ['<path>', /(?<![\w<])(?:[A-Za-z]:\\|\.{0,2}\/)[^\s:,"'()<>]+/g],
  ['<hex>', /\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b/gi],
  ['<num>', /(?<![\w<])[-+]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=\b|[a-zA-Z%])/g],
];

const TOKENS_MAX = 40;
const TOKEN_CHARS_MAX = 60;

/** The words of a line with everything variable replaced by its kind; at most 40. */
export function tokensOf(text: string): readonly string[] {
  let typed = text;
  for (const [kind, pattern] of VARIABLES) typed = typed.replaceAll(pattern, kind);
  const tokens = typed.split(/\s+/).filter((token) => token !== '');
  return tokens.slice(0, TOKENS_MAX).map((token) => token.slice(0, TOKEN_CHARS_MAX));
}

/** True for a token that stands for many: it says nothing about which message this is. */
export const isVariable = (token: string): boolean => token === '<*>' || /<[a-z]+>/.test(token);
