/** Loads configuration, personas, rules and patterns as one set. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Problem } from '../core/errors.ts';
import type { Persona, PersonaId } from '../core/persona.ts';
import type { Composite, Rule } from '../core/rule.ts';
import { canonicalJson } from '../core/wire.ts';
import { compositesFrom } from './composites.ts';
import { type Config, configFrom, type LoadConfig, loadConfig } from './config.ts';
import { addedFolder, FOLDER_NAMES, type FolderName, findConfigFile, folderOf } from './document/paths.ts';
import { loadYamlFolder, readYaml } from './files.ts';
import { personasFrom } from './personas.ts';
import { RULE_SUFFIX, type RuleTool, rulesFrom } from './rules.ts';
import { withUpstreamWait } from './upstream_wait.ts';
import { valueAt } from './shape.ts';
import { inOrder, problemAt } from './validate.ts';
import { listed, nearest } from './suggestions.ts';
import { bounded, type ParsedYaml, type Path } from './yaml.ts';

/** One sound set: everything that an operator edits, read together. */
export interface Configuration {
  readonly config: Config;
  readonly personas: readonly Persona[];
  readonly rules: readonly Rule[];
  /** What rules may call by one name; expanded already in `rules`. */
  readonly composites: readonly Composite[];
  /** Pattern files as they stand; whoever detects compiles them. */
  readonly patterns: readonly ParsedYaml[];
  /** Of the configuration and of what every file of its folders says. */
  readonly sha256: string;
}

export interface LoadOptions extends LoadConfig {
  /** The guard's tools: a rule may call only what cures its classification. */
  readonly tools: readonly RuleTool[];
  /** Further checks, for files that other rooms understand: patterns for example. */
  readonly checks?: readonly ((set: Pick<Configuration, 'patterns'>) => readonly Problem[])[];
}

export type LoadedConfiguration =
  | { readonly configuration: Configuration; readonly problems: readonly [] }
  | { readonly configuration: undefined; readonly problems: readonly Problem[] };

/**
 * Reads configuration, personas, rules and patterns. All sound, or none used and every problem of all reported at once.
 */
export function loadConfiguration(options: LoadOptions): LoadedConfiguration {
  const { flags = {}, env = process.env, cwd = process.cwd(), tools, checks = [] } = options;
  const found = options.file ?? findConfigFile(flags, env, cwd);
  if (found === undefined) return { configuration: undefined, problems: loadConfig(options).problems };
  const parsed = readYaml(resolve(cwd, found));
  const { config, problems } = configFrom(parsed, { flags, env, cwd });
  const folders = config?.folders ?? foldersAsWritten(parsed);

  const personaFiles = loadYamlFolder(folders.personas, '.yaml');
  const personas = personasFrom(personaFiles);
  const withAdded = (name: 'patterns' | 'rules', suffix: string): readonly ParsedYaml[] => {
    const added = addedFolder(name, parsed.file);
    return [folders[name], ...(existsSync(added) ? [added] : [])].flatMap((folder) => loadYamlFolder(folder, suffix));
  };
  const ruleFiles = withAdded('rules', RULE_SUFFIX);
  const actionFiles = loadYamlFolder(folders.actions, '.yaml');
  const actions = compositesFrom(actionFiles);
  const rules = rulesFrom(ruleFiles, tools, actions.composites);
  const patterns = withAdded('patterns', '.yaml');

  const all = [
    ...problems,
    ...personas.problems,
    ...actions.problems,
    ...rules.problems,
    ...patterns.flatMap((file) => file.problems),
    ...checks.flatMap((check) => check({ patterns })),
  ];
  if (config && personas.problems.length === 0) all.push(...unknownPersonas(config, parsed, personas.personas));
  if (!config || all.length > 0) return { configuration: undefined, problems: bounded(inOrder(all)) };
  const values = [...personaFiles, ...actionFiles, ...ruleFiles, ...patterns].map(({ file, value }) => ({
    file,
    value,
  }));
  const sha256 = createHash('sha256').update(config.sha256).update(canonicalJson(values)).digest('hex');
  const ruled = withUpstreamWait(rules.rules, config.escalation.upstreamAfterMs);
  const { composites } = actions;
  const configuration = { config, personas: personas.personas, rules: ruled, composites, patterns, sha256 };
  return { configuration: Object.freeze(configuration), problems: [] };
}

/** The folders of a configuration that is not sound: its personas and rules are checked all the same. */
function foldersAsWritten(parsed: ParsedYaml): Record<FolderName, string> {
  const folder = (name: FolderName): [FolderName, string] => {
    const written = valueAt(parsed.value, [name]);
    const usable = typeof written === 'string' && !written.includes('${') ? written : undefined;
    return [name, folderOf(name, { file: parsed.file, written: usable, from: dirname(parsed.file) })];
  };
  return Object.fromEntries(FOLDER_NAMES.map(folder)) as Record<FolderName, string>;
}

/** Everybody that the configuration names, with the place where it does. */
function unknownPersonas(config: Config, parsed: ParsedYaml, personas: readonly Persona[]): readonly Problem[] {
  const known = new Set<PersonaId>(personas.map(({ id }) => id));
  const used = new Set([config.persona, ...config.channels.map(({ persona }) => persona)]);
  for (const { persona } of config.groups) if (persona !== undefined) used.add(persona);
  return [...used]
    .filter((id) => !known.has(id))
    .map((id) => {
      const meant = nearest(id, known);
      const there = known.size === 0 ? 'there is none' : `there are ${listed([...known].sort(), 'and')}`;
      const hint = meant === undefined ? there : `did you mean ${meant}?`;
      const message = `there is no persona ${id} in ${config.folders.personas}`;
      return problemAt(parsed, placeOfPersona(parsed.value, id) ?? [], { message, hint });
    });
}

function placeOfPersona(value: unknown, id: PersonaId): Path | undefined {
  if (valueAt(value, ['persona']) === id) return ['persona'];
  for (const key of ['groups', 'channels']) {
    const list = valueAt(value, [key]);
    const index = Array.isArray(list) ? list.findIndex((item) => valueAt(item, ['persona']) === id) : -1;
    if (index >= 0) return [key, index, 'persona'];
  }
  return undefined;
}
