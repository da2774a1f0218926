/** Loads the shipped personas and rules. */
import { resolve } from 'node:path';
import { SHIPPED } from '../config/document/paths.ts';
import { loadPersonas } from '../config/personas.ts';
import { loadRules } from '../config/rules.ts';
import { invariant } from '../core/errors.ts';
import type { Persona } from '../core/persona.ts';
import { TOOL_SPECS } from '../remediation/catalog.ts';
import { createRulebook, type Rulebook } from '../rulebook/rulebook.ts';

/** The personas and rules that come with Reeve: what a simulation runs by default. */
export interface ShippedFiles {
  readonly personas: readonly Persona[];
  readonly rulebook: Rulebook;
}

let loaded: ShippedFiles | undefined;

export function shippedFiles(): ShippedFiles {
  if (loaded !== undefined) return loaded;
  const { personas } = loadPersonas(resolve(SHIPPED, 'personas'));
  const { rules, problems } = loadRules(resolve(SHIPPED, 'config/rules'), [...TOOL_SPECS.values()]);
  invariant(problems.length === 0, 'the shipped rules have problems');
  loaded = { personas, rulebook: createRulebook(rules) };
  return loaded;
}
