/** Composite actions: files that give a sequence of calls one name. */
import { invariant, type Problem } from '../core/errors.ts';
import type { Composite } from '../core/rule.ts';
import { type ToolName, toolNamed } from '../core/tool.ts';
import { compositeDocument } from './rule_document.ts';
import { inOrder, problemAt, validate } from './validate.ts';
import type { ParsedYaml } from './yaml.ts';

export interface LoadedComposites {
  readonly composites: readonly Composite[];
  readonly problems: readonly Problem[];
}

/** One composite of each file, each name once; every problem at its place. */
export function compositesFrom(files: readonly ParsedYaml[]): LoadedComposites {
  const problems: Problem[] = [];
  const composites = new Map<string, Composite>();
  for (const parsed of files) {
    problems.push(...parsed.problems);
    if (parsed.value === undefined) continue;
    const read = validate(compositeDocument, parsed);
    problems.push(...read.problems);
    if (!read.ok) continue;
    const { name, description, calls } = read.value;
    const origin = `${parsed.file}:${parsed.at(['name']).line}`;
    const before = composites.get(name);
    if (before === undefined) composites.set(name, { name, description, calls: calls.map(known), origin });
    else {
      const message = `the action ${name} stands at ${before.origin} already`;
      problems.push(problemAt(parsed, ['name'], { message, hint: 'give it another name' }));
    }
  }
  return { composites: [...composites.values()], problems: inOrder(problems) };
}

function known(call: string): ToolName {
  const tool = toolNamed(call);
  invariant(tool !== undefined, `the schema let the unknown tool ${call} through`);
  return tool;
}
