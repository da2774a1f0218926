/** What is known of an expression before it is used: how far matching it may go, and what every match of it holds. */
import { sha256 } from '../../core/digest.ts';
import type { PatternEntry } from './pattern.ts';
import { parseRegex, platformSyntax } from './regex.ts';
import { requiredLiterals } from './regex_facts.ts';
import { type Growth, growthOf } from './regex_growth.ts';

export interface Analysis {
  /** The expression in the syntax of the platform's own RegExp. */
  readonly nativeSource: string;
  readonly ignoreCase: boolean;
  readonly growth: Growth;
  /** Every match holds one of these, in bytes; empty where none is certain. */
  readonly literals: readonly string[];
  /** It is that of an earlier check, in which RE2 took the expression and its examples were as they must be. */
  readonly isKnown: boolean;
}

/** Degree and visits of the growth (a degree that nothing bounds is null), then the literals. */
export type Finding = readonly [degree: number | null, visits: number, ...literals: string[]];

/** What earlier checks of sound patterns found, by `keyOf`. */
export type Findings = ReadonlyMap<string, Finding>;

const KEY_BYTES = 12;

/**
 * Names a pattern, or an anchor alone, by all that goes into its check: whatever is changed in it gives another key.
 */
export function keyOf(anchor: string | undefined, entry?: PatternEntry): string {
  const digest = sha256(JSON.stringify([anchor ?? null, entry ?? null]));
  return digest.subarray(0, KEY_BYTES).toString('base64url');
}

/** What is known of a pattern, or of an anchor alone. */
export const knownOf = (findings: Findings, anchor: string | undefined, entry?: PatternEntry): Finding | undefined =>
  findings.size === 0 ? undefined : findings.get(keyOf(anchor, entry));

/** Reads what `findingsText` wrote. What is not of that form is left out: it only saves time. */
export function findingsFrom(text: string): Findings {
  try {
    return new Map(
      Object.entries(JSON.parse(text) ?? {}).filter((entry): entry is [string, Finding] => isFinding(entry[1])),
    );
  } catch {
    return new Map();
  }
}

/** By hand: a schema takes 70 ms for a thousand of them, and a start has better things to do. */
function isFinding(value: unknown): value is Finding {
  if (!Array.isArray(value)) return false;
  const [degree, visits, ...literals]: unknown[] = value;
  const isDegree = degree === null || (Number.isInteger(degree) && (degree as number) >= 0);
  return isDegree && typeof visits === 'number' && visits >= 1 && literals.every((text) => typeof text === 'string');
}

/** One line for each pattern, in the order of keys. */
export function findingsText(found: readonly (readonly [key: string, Analysis])[]): string {
  const lines = found.map(([key, { growth, literals }]) => {
    const degree = Number.isFinite(growth.degree) ? growth.degree : null;
    return `${JSON.stringify(key)}:${JSON.stringify([degree, growth.visits, ...literals])}`;
  });
  return `{\n${[...new Set(lines)].sort().join(',\n')}\n}\n`;
}

/** Throws `RegexRefused` where the expression is not of the language that patterns are written in. */
export function analyse(source: string, known?: Finding): Analysis {
  if (known !== undefined) {
    const [degree, visits, ...literals] = known;
    const growth = { degree: degree ?? Number.POSITIVE_INFINITY, visits };
    return { ...platformSyntax(source), growth, literals, isKnown: true };
  }
  const { root, ignoreCase, nativeSource } = parseRegex(source);
  const literals = requiredLiterals(root, ignoreCase) ?? [];
  return { nativeSource, ignoreCase, growth: growthOf(root), literals, isKnown: false };
}
