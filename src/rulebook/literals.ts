/** A text that every match of a pattern holds: looking for it first costs next to nothing. */
import { parseRegex } from '../detect/patterns/regex.ts';
import { requiredLiterals } from '../detect/patterns/regex_facts.ts';

const CACHE_MAX = 20_000;
const known = new Map<string, ((text: string) => boolean) | undefined>();

/** False only where the pattern cannot match the text. Undefined where the pattern has no such text. */
export function mayMatch(pattern: string): ((text: string) => boolean) | undefined {
  if (known.has(pattern)) return known.get(pattern);
  const test = testOf(pattern);
  if (known.size < CACHE_MAX) known.set(pattern, test);
  return test;
}

function testOf(pattern: string): ((text: string) => boolean) | undefined {
  // The search for literals reads bytes; beyond ASCII a byte is no letter.
  if (/[^\x00-\x7f]/.test(pattern)) return undefined;
  try {
    const parsed = parseRegex(pattern);
    const literals = requiredLiterals(parsed.root, parsed.ignoreCase);
    if (literals === undefined) return undefined;
    if (!parsed.ignoreCase) return (text) => literals.some((literal) => text.includes(literal));
    // Letters whose lower case has another length are left to the pattern itself.
    return (text) => /[^\x00-\x7f]/.test(text) || literals.some((literal) => text.toLowerCase().includes(literal));
  } catch {
    // Syntax that RE2 knows and the search for literals does not: the pattern itself decides.
    return undefined;
  }
}
