/** Forward chaining: rules set facts for the other rules of the same moment, and never call one. */
import type { LibraryRuleDocument } from './document.ts';
import { type Context, matched } from './match.ts';

/** As in the daemon: facts that a fourth round would draw are not drawn. */
const ROUNDS_MAX = 3;

/**
 * The context with the facts that these rules set, without those that they retract. Each rule at most once, in the
 * order of their names, in at most three rounds; within one round no rule sees what another one sets.
 */
export function derived(setters: readonly LibraryRuleDocument[], context: Context): Context {
  if (setters.length === 0) return context;
  const facts = new Map(Object.entries(context));
  const done = new Set<LibraryRuleDocument>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = Object.fromEntries(facts);
    const fitting = setters.filter((rule) => !done.has(rule) && matched(rule, before) !== undefined);
    if (fitting.length === 0) break;
    for (const rule of fitting) {
      done.add(rule);
      for (const [name, value] of Object.entries(rule.sets ?? {})) facts.set(name, value);
      for (const name of rule.retracts ?? []) facts.delete(name);
    }
  }
  return Object.fromEntries(facts);
}

/** It says something to other rules. */
export const isSetter = ({ sets, retracts }: LibraryRuleDocument): boolean =>
  sets !== undefined || retracts !== undefined;

/** It does something, itself or by a model. */
export const isActor = (rule: LibraryRuleDocument): boolean => rule.then !== undefined || rule.llm_config !== undefined;
