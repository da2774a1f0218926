/** Writes a hint as text for a prompt: what fits, what others do about it, the fix and its diff, within 400 tokens. */
import type { BundleCluster } from './bundle.ts';

/** The first line of every catalyst, as clients of ROSClaw-How know it. */
const HEADING = '## 🔧 Engineering Heuristics from ROSClaw-How';
/** Counted as four characters each, as that project counts them. */
const SNIPPET_TOKENS_MAX = 400;
const CHARS_MAX = SNIPPET_TOKENS_MAX * 4;
const NAME_CHARS = 240;
const INSIGHT_CHARS = 260;
const FIX_CHARS = 420;
const LINE_CHARS = 280;
const STAGING = '_(staging: not yet proven)_';

/** The text of a catalyst. `body` is the hint's own file, undefined where there is none. Never above the limit. */
export function snippetOf(
  { standardName, analogies }: BundleCluster,
  body: string | undefined,
  staging: boolean,
): string {
  const [analogy] = analogies;
  const fix = body === undefined ? '' : sectionOf(body, 'Fix');
  const parts = [
    staging ? `${HEADING} ${STAGING}` : HEADING,
    `**Seen elsewhere**: ${cut(standardName, NAME_CHARS)}`,
    ...(analogy === undefined ? [] : [`**Analogy** (${cut(analogy.sourceDomain, 40)}): ${textOf(analogy)}`]),
    ...(fix === '' ? [] : [`**Fix**: ${cut(fix, FIX_CHARS)}`]),
  ];
  const text = parts.join('\n');
  const diff = body === undefined ? [] : diffOf(body);
  return diff.length === 0 ? text : withDiff(text, diff);
}

/** The same in one line of at most 280 characters, for the prompt of Reeve's own planner. */
export function lineOf({ standardName, analogies }: BundleCluster, body: string | undefined): string {
  const fix = body === undefined ? '' : sectionOf(body, 'Fix');
  const [analogy] = analogies;
  const advice = fix !== '' ? fix : analogy === undefined ? '' : analogy.insight;
  return cut(`${cut(standardName, 120)}: ${advice}`, LINE_CHARS);
}

const textOf = ({ insight, actionSuggestion }: BundleCluster['analogies'][number]): string =>
  [cut(insight, INSIGHT_CHARS), cut(actionSuggestion, INSIGHT_CHARS)].filter((each) => each !== '').join(' Try: ');

/** Whole lines only, as many as there is room for. */
function withDiff(text: string, diff: readonly string[]): string {
  const lines: string[] = [];
  let left = CHARS_MAX - text.length - '\n```diff\n\n```'.length;
  for (const line of diff) {
    if (line.length + 1 > left) break;
    lines.push(line);
    left -= line.length + 1;
  }
  return lines.length === 0 ? text : `${text}\n\`\`\`diff\n${lines.join('\n')}\n\`\`\``;
}

/** The text below a heading of the second level, its fenced blocks left out, in one line. */
function sectionOf(body: string, heading: string): string {
  const lines = body.split(/\r?\n/);
  const from = lines.findIndex((line) => line.trim().toLowerCase() === `## ${heading.toLowerCase()}`);
  if (from < 0) return '';
  const rest = lines.slice(from + 1);
  const until = rest.findIndex((line) => /^#{1,2} |^```/.test(line));
  return (until < 0 ? rest : rest.slice(0, until)).join(' ').replace(/\s+/g, ' ').trim();
}

function diffOf(body: string): readonly string[] {
  const lines = body.split(/\r?\n/);
  const from = lines.findIndex((line) => /^```diff\b/.test(line));
  if (from < 0) return [];
  const rest = lines.slice(from + 1);
  const until = rest.findIndex((line) => line.startsWith('```'));
  const patch = (until < 0 ? rest : rest.slice(0, until)).map(printable);
  return patch.slice(0, patch.findLastIndex((line) => line.trim() !== '') + 1);
}

const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');

function cut(text: string, chars: number): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
}
