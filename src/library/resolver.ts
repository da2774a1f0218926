/** Finds the rules that fit a context: named ones first, then by tag, then by likeness. */
import { isActor } from './derive.ts';
import type { LibraryRuleDocument } from './document.ts';
import { type Context, filledIn, matched, missingParams } from './match.ts';
import { type AskModel, type CallAction, Rule } from './rule.ts';
import type { RuleSet } from './rule_set.ts';
import { collectionOf } from './rule_set.ts';
import type { Tally } from './tally.ts';

/** Where to look, and in which order. */
export interface ResolveOptions {
  /** These first, in this order. */
  readonly rules?: readonly string[];
  /** Then those with one of these tags. */
  readonly tags?: readonly string[];
  /** Then by likeness. Default true. */
  readonly fallback?: boolean;
  /** Default `default`. Named rules are found in every collection. */
  readonly collection?: string;
}

export interface ResolverParts {
  readonly set: RuleSet;
  readonly tally: Tally;
  readonly call: CallAction;
  readonly ask: AskModel;
  /** Says in one line what is tried. */
  readonly log?: ((line: string) => void) | undefined;
}

/** Every rule that fits, each once, in the order in which they are tried. A rule is tested when it is due. */
export function* fitting(parts: ResolverParts, context: Context, options: ResolveOptions = {}): Iterable<Rule> {
  const seen = new Set<string>();
  const facts = parts.set.derived(context, options.collection ?? 'default');
  for (const document of candidates(parts, facts, options)) {
    if (seen.has(document.name)) continue;
    seen.add(document.name);
    const rule = isActor(document) ? ruleFor(parts, document, facts) : undefined;
    parts.log?.(`trying "${document.name}": ${rule === undefined ? 'no match' : 'match'}`);
    if (rule !== undefined) yield rule;
  }
}

function* candidates({ set, tally, log }: ResolverParts, context: Context, options: ResolveOptions) {
  const { rules = [], tags = [], fallback = true, collection = 'default' } = options;
  for (const name of rules) {
    const document = set.named(name);
    if (document !== undefined) yield document;
  }
  const rank = (found: readonly LibraryRuleDocument[]) => {
    const likely = new Map(
      set.search(context, collection, (name) => tally.recordOf(name)).map((one, at) => [one.rule, at]),
    );
    return [...found].sort((a, b) => (likely.get(a) ?? likely.size) - (likely.get(b) ?? likely.size));
  };
  if (tags.length > 0) yield* rank(set.tagged(tags, collection));
  // Without names and tags there is nothing else to go by.
  if (fallback || (rules.length === 0 && tags.length === 0)) {
    const found = set.search(context, collection, (name) => tally.recordOf(name));
    log?.(`searching ${found.length} candidates`);
    for (const { rule } of found) if (collectionOf(rule) === collection) yield rule;
  }
}

/** The rule with its parameters filled in; undefined where it does not fit or a parameter has no value. */
export function ruleFor(
  { call, ask }: Pick<ResolverParts, 'call' | 'ask'>,
  document: LibraryRuleDocument,
  context: Context,
): Rule | undefined {
  const captures = matched(document, context);
  if (captures === undefined) return undefined;
  const known = { ...context, ...captures };
  if (missingParams(document, known).length > 0) return undefined;
  return new Rule(document, { call, ask, actions: filledIn(document, known), context });
}
