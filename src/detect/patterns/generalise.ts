/** Makes an expression of log lines: fixed words stay, what changes from line to line becomes a bounded gap. */
import { tokensOf } from '../templates/template_tokens.ts';

/** Gaps are bounded, so that the time for a line grows with its length alone. */
const WORD_GAP = '\\S{1,120}';
const IN_WORD_GAP = '\\S{0,80}';
const WIDE_GAP = '.{1,160}';
const LINE_GAP = '.{0,160}';
const TOKENS_MAX = 14;
const LINES_MAX = 12;
/** Below this an expression says too little: it would fit unrelated lines. */
const LITERAL_CHARS_MIN = 10;
/** What stands where a secret stood. */
const REDACTED = '[redacted]';
const LEVELS =
  /^[[(]?(?:trace|debug|info|notice|warn|warning|error|eror|err|fatal|critical|crit|alert|emerg)[\])]?:?$/i;

/** Kinds of text that may hold spaces. */
const WIDE = new Set(['<str>', '<time>']);

/**
 * One expression (RE2 syntax) that fits all the lines, or why there is none. `names`: words that stand for one thing of
 * many, the ids of channels for example.
 */
export function generalise(
  lines: readonly string[],
  names: readonly string[] = [],
): { readonly ok: true; readonly regex: string } | { readonly ok: false; readonly because: string } {
  const known = new Set(names);
  const shapes = lines.slice(0, LINES_MAX).map((line) => trimmed(tokensIn(line).map((token) => named(token, known))));
  const [first, ...rest] = shapes;
  if (first === undefined) return { ok: false, because: 'no line was given' };
  const common = rest.reduce<readonly string[]>(commonTokens, first.slice(0, TOKENS_MAX));
  const tokens = trimmed(common);
  const literal = tokens
    .filter((token) => token !== GAP)
    .join('')
    .replaceAll(/<[a-z]+>/g, '');
  if (literal.length < LITERAL_CHARS_MIN) {
    return { ok: false, because: `only ${literal.length} fixed characters are left: it would fit unrelated lines` };
  }
  return { ok: true, regex: expressionOf(tokens) };
}

/** A secret that is not shown may be anything in the line itself. */
const tokensIn = (line: string): readonly string[] => tokensOf(line.replaceAll(REDACTED, '<str>'));

/** Between two tokens that were not neighbours in every line. */
const GAP = '\u0000';
const NAME = '<name>';

function named(token: string, names: ReadonlySet<string>): string {
  const bare = token.replaceAll(/^[^\w]+|[^\w]+$/g, '');
  return bare !== '' && names.has(bare) ? token.replace(bare, NAME) : token;
}

/** Without the time, the level and whatever varies before the first word, and without what varies at the end. */
function trimmed(tokens: readonly string[]): readonly string[] {
  const says = (token: string): boolean =>
    !LEVELS.test(token) && /[a-z]{3,}/i.test(token.replaceAll(/<[a-z]+>/g, '')) && token !== GAP;
  const from = tokens.findIndex(says);
  return from < 0 ? [] : tokens.slice(from, tokens.findLastIndex(says) + 1);
}

/** The longest common run of tokens in order; a gap where something else stands between. */
function commonTokens(a: readonly string[], b: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] = a[i] === b[j] && a[i] !== GAP ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const common: string[] = [];
  let [i, j, isGap] = [0, 0, false];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j] && a[i] !== GAP) {
      if (isGap && common.length > 0) common.push(GAP);
      common.push(a[i]!);
      [i, j, isGap] = [i + 1, j + 1, false];
    } else {
      isGap = true;
      if (at(i + 1, j) >= at(i, j + 1)) i += 1;
      else j += 1;
    }
  }
  return common;
}

function expressionOf(tokens: readonly string[]): string {
  let expression = '';
  for (const [at, token] of tokens.entries()) {
    if (token === GAP) expression += LINE_GAP;
    else expression += (at === 0 || tokens[at - 1] === GAP ? '' : '\\s{1,8}') + tokenExpression(token);
  }
  return expression;
}

function tokenExpression(token: string): string {
  const parts = token.split(/(<[a-z]+>)/).filter((part) => part !== '');
  return parts
    .map((part) => {
      if (!/^<[a-z]+>$/.test(part)) return escaped(part);
      if (WIDE.has(part)) return WIDE_GAP;
      return parts.length === 1 ? WORD_GAP : IN_WORD_GAP;
    })
    .join('');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
