/** The policies that a backtest compares. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { unsound } from '../config/check.ts';
import { readYaml } from '../config/files.ts';
import { personaFrom } from '../config/personas.ts';
import { loadRules } from '../config/rules.ts';
import { nearest } from '../config/suggestions.ts';
import type { Phase } from '../core/control.ts';
import { ReeveError } from '../core/errors.ts';
import type { Persona } from '../core/persona.ts';
import type { Rule } from '../core/rule.ts';
import { TOOL_SPECS } from '../remediation/catalog.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { createRulebook } from '../rulebook/rulebook.ts';
import type { PolicySet } from '../policy_tests/frame.ts';

/** Who decides in one course of a recording. */
export interface Policy {
  /** For people: `persona cautious`, `rules of DIR`. */
  readonly name: string;
  /** For every channel; undefined: as the configuration says. */
  readonly persona: Persona | undefined;
  readonly rules: readonly Rule[];
}

const STANDARD_PERSONA = 'system_admin';

/** The policy of the flags: a persona by name or file (else the configured ones), and a folder of rules. */
export function policyOf(
  options: { readonly persona: string | undefined; readonly rules: string | undefined },
  files: PolicySet & { readonly settings: Settings | undefined },
): Policy {
  const rules = options.rules === undefined ? files.rules : rulesIn(options.rules, files);
  const standard = files.settings === undefined ? STANDARD_PERSONA : undefined;
  const wanted = options.persona ?? standard;
  const persona = wanted === undefined ? undefined : personaNamed(wanted, files.personas);
  const who = persona === undefined ? 'the configured personas' : `persona ${persona.id}`;
  return { name: options.rules === undefined ? who : `${who}, rules of ${options.rules}`, persona, rules };
}

/** Another persona (by name or file), or another folder of rules, in place of the base's. */
export function policyAgainst(nameOrPath: string, base: Policy, files: PolicySet): Policy {
  if (existsSync(nameOrPath) && statSync(nameOrPath).isDirectory())
    return { ...base, name: `rules of ${nameOrPath}`, rules: rulesIn(nameOrPath, files) };
  const persona = personaNamed(nameOrPath, files.personas);
  return { ...base, name: `persona ${persona.id}`, persona };
}

function personaNamed(nameOrPath: string, known: readonly Persona[]): Persona {
  const found = known.find(({ id }) => id === nameOrPath);
  if (found !== undefined) return found;
  if (/\.ya?ml$/.test(nameOrPath) || existsSync(nameOrPath)) return personaIn(nameOrPath);
  const ids = known.map(({ id }) => id).sort();
  const meant = nearest(nameOrPath, ids);
  throw new ReeveError('USAGE', `there is no persona ${nameOrPath}`, {
    hint: meant === undefined ? `there are ${ids.join(', ')}; a file (*.yaml) will do too` : `did you mean ${meant}?`,
  });
}

function personaIn(path: string): Persona {
  const { personas, problems } = personaFrom(readYaml(resolve(path)));
  const [persona] = personas;
  if (persona !== undefined && problems.length === 0) return persona;
  throw unsound(problems, `reeve check ${path}`);
}

function rulesIn(folder: string, { composites }: PolicySet): readonly Rule[] {
  const { rules, problems } = loadRules(resolve(folder), [...TOOL_SPECS.values()], composites);
  if (problems.length > 0) throw unsound(problems, `reeve check ${folder}`);
  // By no rules nothing is ever done: a wrong folder would look like a quiet month. An empty one is meant so.
  if (rules.length > 0 || readdirSync(folder).length === 0) return rules;
  throw new ReeveError('USAGE', `no rules (*.rule.yaml) in ${folder}`, {
    hint: 'without the option the configured rules decide',
  });
}

/** What the decision path reads. `otherwise`: the settings of the configuration, for personas that it assigns. */
export function settingsFor(
  policy: Policy,
  frame: { readonly limits: PolicySet['limits']; readonly phase: Phase; readonly otherwise: Settings | undefined },
): Settings {
  const { persona, rules } = policy;
  const personaOf = persona === undefined ? frame.otherwise?.personaOf : () => persona;
  if (personaOf === undefined) throw new ReeveError('USAGE', 'no persona is known', { hint: 'name one: --persona' });
  return { limits: frame.limits, rulebook: createRulebook(rules), personaOf, initialPhase: () => frame.phase };
}
