/** The rules of a folder, from what operators write to what the rulebook compiles. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, type Problem } from '../core/errors.ts';
import { type Composite, DERIVED, type Rule, type RuleModelUse, type RuleStep } from '../core/rule.ts';
import { canonicalJson } from '../core/wire.ts';
import { loadYamlFolder } from './files.ts';
import { type OneRuleDocument, oneRuleDocument, ruleListDocument } from './rule_document.ts';
import { factOf } from './rule_facts.ts';
import { type RuleTool, stepsOf } from './rule_steps.ts';
import { valueAt } from './shape.ts';
import { inOrder, problemAt, validate } from './validate.ts';
import { listed, nearest } from './suggestions.ts';
import type { ParsedYaml, Path } from './yaml.ts';

export { regexProblem } from './rule_facts.ts';
export type { RuleTool } from './rule_steps.ts';

export interface LoadedRules {
  /** The sound ones, in the order of their files; use them only when there are no problems. */
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

export const RULE_SUFFIX = '.rule.yaml';
const RULES_MAX = 10_000;
const PROMPT_BYTES_MAX = 16_384;
const TOOL_CALLS = 15;
const TOKENS = 8_192;
const PRIORITY = 100;

/** Every rule of a folder. Sub-folders (proposals) do not count. */
export function loadRules(
  directory: string,
  tools: readonly RuleTool[],
  composites: readonly Composite[] = [],
): LoadedRules {
  return rulesFrom(loadYamlFolder(directory, RULE_SUFFIX), tools, composites);
}

/** Every rule among the files; each id once over all of them. */
export function rulesFrom(
  files: readonly ParsedYaml[],
  tools: readonly RuleTool[],
  composites: readonly Composite[] = [],
): LoadedRules {
  const sign = canonicalJson([tools.map(({ name, effect, cures }) => ({ name, effect, cures })), composites]);
  const found = files.map((parsed) => readOnce(parsed, sign, tools, composites));
  const problems = found.flatMap((each) => each.problems);
  const rules = found.flatMap((each) => each.rules);
  problems.push(...doubles(found.flatMap((each) => each.ids)), ...chainProblems(found.flatMap((each) => each.places)));
  if (rules.length > RULES_MAX && files[0]) {
    problems.push(
      problemAt(files[0], [], { message: `expected at most ${RULES_MAX} rules in all, got ${rules.length}` }),
    );
  }
  return { rules, problems: inOrder(problems) };
}

/** Ids and second names share one space: a person who types one must mean one rule. */
function doubles(named: Found['ids']): readonly Problem[] {
  const first = new Map<string, Found['ids'][number]>();
  return named.flatMap((one) => {
    const { parsed, path, id } = one;
    const owner = first.get(id);
    if (owner === undefined) {
      first.set(id, one);
      return [];
    }
    // A place costs a new parse where the file was read long ago: only what is wrong is looked up.
    const place = `${owner.parsed.file}:${owner.parsed.at(owner.path).line}`;
    const problem = { message: `the rule ${id} stands at ${place} already`, hint: `give it another ${path.at(-1)}` };
    return [problemAt(parsed, path, problem)];
  });
}

/** A derived fact is set somewhere, always with values of one type, and tested as what it is. */
function chainProblems(places: Found['places']): readonly Problem[] {
  const types = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { parsed, path, rule } of places) {
    for (const [index, { name, value }] of (rule.sets ?? []).entries()) {
      const before = types.get(name) ?? typeof value;
      types.set(name, before);
      const message = `${name} is ${before} elsewhere, here ${typeof value}`;
      const hint = 'a fact has one type';
      if (before !== typeof value) problems.push(problemAt(parsed, [...path, 'sets', index], { message, hint }));
    }
  }
  for (const { parsed, path, rule } of places) {
    for (const [index, { fact, test }] of rule.when.entries()) {
      if (!fact.startsWith(DERIVED)) continue;
      const name = fact.slice(DERIVED.length);
      const type = types.get(name);
      const wanted = test.kind === 'equals' ? typeof test.value : TYPE_OF_TEST[test.kind];
      if (type === wanted) continue;
      const meant = nearest(name, [...types.keys()]);
      const hint = meant === undefined ? 'a rule sets it with `sets`' : `did you mean ${meant}?`;
      const problem =
        type === undefined
          ? { message: `no rule sets ${name}`, hint }
          : { message: `${name} is ${type}, not ${wanted}` };
      problems.push(problemAt(parsed, [...path, 'when', index], problem));
    }
  }
  return problems;
}

const TYPE_OF_TEST = { contains: 'string', regex: 'string', at_least: 'number', below: 'number' } as const;

interface Found extends LoadedRules {
  /** A prompt lies in another file, which may change by itself. */
  readonly readsFiles: boolean;
  readonly ids: readonly { readonly parsed: ParsedYaml; readonly path: Path; readonly id: string }[];
  readonly places: readonly { readonly parsed: ParsedYaml; readonly path: Path; readonly rule: Rule }[];
}

/**
 * The contents of files as last read: a file that did not change gives the same objects, and whoever has compiled
 * them need not do so again. Held here, because nothing else holds a file that was read.
 */
const lastRead = new Map<string, { readonly parsed: ParsedYaml; readonly sign: string; readonly found: Found }>();
const REMEMBERED_MAX = 2_000;

function readOnce(
  parsed: ParsedYaml,
  sign: string,
  tools: readonly RuleTool[],
  composites: readonly Composite[],
): Found {
  const before = lastRead.get(parsed.file);
  if (
    before !== undefined &&
    before.parsed === parsed &&
    before.sign === sign &&
    before.found.problems.length === 0 &&
    !before.found.readsFiles
  )
    return before.found;
  const found = rulesIn(parsed, tools, composites);
  if (lastRead.size < REMEMBERED_MAX || before !== undefined) lastRead.set(parsed.file, { parsed, sign, found });
  return found;
}

/** The rules of one file, sound entries only, with everything that is wrong with any. */
function rulesIn(parsed: ParsedYaml, tools: readonly RuleTool[], composites: readonly Composite[]): Found {
  if (parsed.value === undefined)
    return { rules: [], ids: [], places: [], problems: parsed.problems, readsFiles: false };
  const list = valueAt(parsed.value, ['rules']);
  const paths: readonly Path[] = Array.isArray(list) ? list.map((_, index) => ['rules', index]) : [[]];
  const whole = Array.isArray(list) ? validate(ruleListDocument, parsed) : validate(oneRuleDocument, parsed);
  const problems: Problem[] = [...parsed.problems, ...whole.problems];
  const places = paths.flatMap((path) => {
    const entry = validate(oneRuleDocument, parsed, path);
    if (!entry.ok) return [];
    return [{ parsed, path, rule: ruleOf(entry.value, { parsed, path, tools, composites, problems }) }];
  });
  const ids = paths.flatMap((path) =>
    ['id', 'name'].flatMap((key) => {
      const id = valueAt(parsed.value, [...path, key]);
      const isAlso = key === 'name' && id === valueAt(parsed.value, [...path, 'id']);
      return typeof id === 'string' && !isAlso ? [{ parsed, path: [...path, key], id }] : [];
    }),
  );
  const readsFiles = JSON.stringify(parsed.value).includes(FILE_URL);
  return { rules: places.map(({ rule }) => rule), ids, places, problems, readsFiles };
}

interface Place {
  readonly parsed: ParsedYaml;
  readonly path: Path;
  readonly tools: readonly RuleTool[];
  readonly composites: readonly Composite[];
  readonly problems: Problem[];
}

type Note = (path: Path, message: string, hint?: string) => void;

function ruleOf(document: OneRuleDocument, place: Place): Rule {
  const note: Note = (path, message, hint) => {
    place.problems.push(problemAt(place.parsed, [...place.path, ...path], { message, hint }));
  };
  const { line } = place.parsed.at([...place.path, 'id']);
  return {
    id: document.id,
    description: document.description,
    classification: document.classification,
    priority: document.priority ?? PRIORITY,
    when: (document.when ?? []).flatMap(
      (fact, index) => factOf(fact, (...problem) => note(['when', index], ...problem)) ?? [],
    ),
    // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
    then: thenOf(document, place, note),
    ...extrasOf(document, place, note),
    origin: `${place.parsed.file}:${line}`,
  };
}

/** A rule does one thing at least: it takes steps, leaves the choice to a model, or sets a fact for other rules. */
function thenOf(document: OneRuleDocument, { tools, composites }: Place, note: Note): readonly RuleStep[] {
  const { llm_config: model, sets, retracts } = document;
  if (document.then === undefined && model === undefined && sets === undefined && retracts === undefined)
    note([], 'expected then, llm_config, sets or retracts, got none', 'a rule does something');
  if (document.then !== undefined && model !== undefined)
    note(['llm_config'], 'expected then or llm_config, got both', 'use a step `- plan: true` to ask the planner');
  if (model !== undefined) return [{ kind: 'plan' }, { kind: 'escalate' }];
  return stepsOf(document, { note, tools, composites });
}

/** What is optional is left out where it was not written. */
function extrasOf(document: OneRuleDocument, place: Place, note: Note): Partial<Rule> {
  const { name, tags, collection, examples, explorable, retracts } = document;
  const model = document.llm_config && modelUseOf(document.llm_config, place, note);
  const sets = document.sets?.map(({ fact, value }) => ({ name: fact, value }));
  const extras = { name, tags, collection, examples, explorable, retracts, sets, llmConfig: model };
  return Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined));
}

function modelUseOf(document: NonNullable<OneRuleDocument['llm_config']>, place: Place, note: Note): RuleModelUse {
  const { prompt_template: template, tools = [], constraints = {}, use_secondary: useSecondary = false } = document;
  const known = place.tools.map(({ name }) => name);
  for (const [index, tool] of tools.entries()) {
    if (known.some((name) => name === tool)) continue;
    const meant = nearest(tool, known);
    const hint = meant === undefined ? `there are ${listed(known, 'and')}` : `did you mean ${meant}?`;
    note(['llm_config', 'tools', index], `there is no tool ${tool}`, hint);
  }
  return {
    prompt: template.startsWith(FILE_URL) ? promptIn(template, place, note) : template,
    tools,
    toolCallsMax: constraints.max_tool_calls ?? TOOL_CALLS,
    tokensMax: constraints.max_tokens ?? TOKENS,
    useSecondary,
  };
}

const FILE_URL = 'file://';

/** A prompt in a file of its own, named from the folder of the rule. */
function promptIn(template: string, { parsed }: Place, note: Note): string {
  const path = resolve(dirname(parsed.file), template.slice(FILE_URL.length));
  try {
    const { size } = statSync(path);
    if (size <= PROMPT_BYTES_MAX) return readFileSync(path, 'utf8');
    note(['llm_config', 'prompt_template'], `expected at most ${PROMPT_BYTES_MAX} bytes at ${path}, got ${size}`);
  } catch (thrown) {
    note(['llm_config', 'prompt_template'], `expected a readable prompt: ${messageOf(thrown)}`, 'check the path');
  }
  return '';
}
