/** Loads personas. */
import type { Problem } from '../core/errors.ts';
import { type Persona, personaDocument } from '../core/persona.ts';
import { TOOL_ALIASES, TOOL_NAMES } from '../core/tool.ts';
import { loadYamlFolder } from './files.ts';
import { inOrder, problemAt, validate } from './validate.ts';
import { listed, nearest } from './suggestions.ts';
import type { ParsedYaml } from './yaml.ts';

export interface LoadedPersonas {
  /** The sound ones; use them only when there are no problems. */
  readonly personas: readonly Persona[];
  readonly problems: readonly Problem[];
}

const KNOWN_TOOLS = [...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)];

/** Every persona of a folder: one to a file, each id once. */
export function loadPersonas(directory: string): LoadedPersonas {
  return personasFrom(loadYamlFolder(directory, '.yaml'));
}

/** Every persona among the files. */
export function personasFrom(files: readonly ParsedYaml[]): LoadedPersonas {
  const personas: Persona[] = [];
  const problems: Problem[] = [];
  const first = new Map<string, string>();
  for (const parsed of files) {
    const result = personaFrom(parsed);
    problems.push(...result.problems);
    for (const persona of result.personas) {
      const owner = first.get(persona.id);
      if (owner === undefined) personas.push(persona);
      else problems.push(twice(parsed, persona.id, owner));
      first.set(persona.id, owner ?? parsed.file);
    }
  }
  return { personas, problems: inOrder(problems) };
}

/** The one persona of a file. */
export function personaFrom(parsed: ParsedYaml): LoadedPersonas {
  if (parsed.value === undefined) return { personas: [], problems: parsed.problems };
  const result = validate(personaDocument, parsed);
  const problems = [...parsed.problems, ...result.problems.map(withToolHint)];
  return { personas: result.ok && problems.length === 0 ? [Object.freeze(result.value)] : [], problems };
}

const twice = (parsed: ParsedYaml, id: string, owner: string): Problem =>
  problemAt(parsed, ['id'], { message: `the persona ${id} stands in ${owner} already`, hint: 'give it another id' });

/** A tool's name is a key, so the schema alone cannot say which was meant. */
function withToolHint(problem: Problem): Problem {
  const [policy, tool] = problem.path.split('.');
  if (policy !== 'tool_access_policy' || tool === undefined || problem.hint !== undefined) return problem;
  const meant = nearest(tool, KNOWN_TOOLS);
  return {
    ...problem,
    hint: meant === undefined ? `the tools are ${listed(TOOL_NAMES, 'and')}` : `did you mean ${meant}?`,
  };
}
