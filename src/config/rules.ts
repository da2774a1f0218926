import { RE2JS } from 're2js';
import { messageOf, type Problem } from '../core/errors.ts';
import type { Rule, RuleFact, RuleStep } from '../core/rule.ts';
import { type ToolName, type ToolSpec, toolNamed } from '../core/tool.ts';
import { parseDuration } from './duration.ts';
import { loadYamlFolder } from './files.ts';
import {
  FACT_TESTS,
  type FactDocument,
  type OneRuleDocument,
  oneRuleDocument,
  RULE_FACTS,
  ruleListDocument,
  STEP_KINDS,
  type StepDocument,
} from './rule_document.ts';
import { inOrder, problemAt, validate, valueAt } from './validate.ts';
import { listed, nearest, shown } from './words.ts';
import type { ParsedYaml, Path } from './yaml.ts';

/** What a rule must know of a tool. The guard's table of tools fits. */
export type RuleTool = Pick<ToolSpec, 'name' | 'effect' | 'cures'>;

export interface LoadedRules {
  /** The sound ones, in the order of their files; use them only when there are no problems. */
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

export const RULE_SUFFIX = '.rule.yaml';
const CALLS_MAX = 3;
const RULES_MAX = 1_000;
const PRIORITY = 100;

/** Every rule of a folder. Sub-folders (proposals) do not count. */
export function loadRules(directory: string, tools: readonly RuleTool[]): LoadedRules {
  return rulesFrom(loadYamlFolder(directory, RULE_SUFFIX), tools);
}

/** Every rule among the files; each id once over all of them. */
export function rulesFrom(files: readonly ParsedYaml[], tools: readonly RuleTool[]): LoadedRules {
  const found = files.map((parsed) => rulesIn(parsed, tools));
  const problems = found.flatMap((each) => each.problems);
  const rules = found.flatMap((each) => each.rules);
  const first = new Map<string, string>();
  for (const { parsed, path, id } of found.flatMap((each) => each.ids)) {
    const owner = first.get(id);
    const here = `${parsed.file}:${parsed.at(path).line}`;
    if (owner === undefined) first.set(id, here);
    else
      problems.push(
        problemAt(parsed, path, { message: `the rule ${id} stands at ${owner} already`, hint: 'give it another id' }),
      );
  }
  if (rules.length > RULES_MAX && files[0]) {
    problems.push(
      problemAt(files[0], [], { message: `expected at most ${RULES_MAX} rules in all, got ${rules.length}` }),
    );
  }
  return { rules, problems: inOrder(problems) };
}

interface Found extends LoadedRules {
  readonly ids: readonly { readonly parsed: ParsedYaml; readonly path: Path; readonly id: string }[];
}

/** The rules of one file, sound entries only, with everything that is wrong with any. */
function rulesIn(parsed: ParsedYaml, tools: readonly RuleTool[]): Found {
  if (parsed.value === undefined) return { rules: [], ids: [], problems: parsed.problems };
  const list = valueAt(parsed.value, ['rules']);
  const paths: readonly Path[] = Array.isArray(list) ? list.map((_, index) => ['rules', index]) : [[]];
  const whole = Array.isArray(list) ? validate(ruleListDocument, parsed) : validate(oneRuleDocument, parsed);
  const problems: Problem[] = [...parsed.problems, ...whole.problems];
  const rules = paths.flatMap((path) => {
    const entry = validate(oneRuleDocument, parsed, path);
    return entry.ok ? [ruleOf(entry.value, { parsed, path, tools, problems })] : [];
  });
  const ids = paths.flatMap((path) => {
    const id = valueAt(parsed.value, [...path, 'id']);
    return typeof id === 'string' ? [{ parsed, path: [...path, 'id'], id }] : [];
  });
  return { rules, ids, problems };
}

interface Place {
  readonly parsed: ParsedYaml;
  readonly path: Path;
  readonly tools: readonly RuleTool[];
  readonly problems: Problem[];
}

function ruleOf(document: OneRuleDocument, place: Place): Rule {
  const note = (path: Path, message: string, hint?: string): void => {
    place.problems.push(problemAt(place.parsed, [...place.path, ...path], { message, hint }));
  };
  const { line } = place.parsed.at([...place.path, 'id']);
  return {
    id: document.id,
    description: document.description,
    classification: document.classification,
    priority: document.priority ?? PRIORITY,
    when: (document.when ?? []).flatMap(
      (fact, index) => testOf(fact, (...said) => note(['when', index], ...said)) ?? [],
    ),
    // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
    then: stepsOf(document, { note, tools: place.tools }),
    origin: `${place.parsed.file}:${line}`,
  };
}

type Say = (message: string, hint?: string) => void;

function testOf(document: FactDocument, say: Say): RuleFact | undefined {
  const { fact } = document;
  const kinds = FACT_TESTS.filter((key) => document[key] !== undefined);
  const row = RULE_FACTS.find(({ name }) => name === fact);
  if (kinds.length !== 1 || !row) {
    say(
      `expected one of ${listed(FACT_TESTS)}, got ${kinds.length === 0 ? 'none' : listed(kinds, 'and')}`,
      'one test to a line',
    );
    return undefined;
  }
  const { equals, contains, regex } = document;
  const isText = row.kind === 'text';
  if (contains !== undefined || regex !== undefined) {
    if (!isText) say(`${fact} is ${KIND_WORDS[row.kind]}: it has no text to search`, 'use equals, at_least or below');
    const why = regex === undefined ? undefined : regexProblem(regex);
    if (why !== undefined) say(...why);
    return {
      fact,
      test: regex === undefined ? { kind: 'contains', text: contains ?? '' } : { kind: 'regex', pattern: regex },
    };
  }
  if (equals === undefined) return boundOf(document, row, say);
  const wanted = { text: 'string', truth: 'boolean', number: 'number', milliseconds: 'number' }[row.kind];
  if (typeof equals !== wanted) say(`${fact} is ${KIND_WORDS[row.kind]}, got ${shown(equals)}`);
  else if (row.words && !row.words.includes(String(equals))) {
    const meant = nearest(String(equals), row.words);
    say(
      `${fact} is never ${shown(equals)}`,
      meant === undefined ? `it is one of ${listed(row.words)}` : `did you mean ${meant}?`,
    );
  }
  return { fact, test: { kind: 'equals', value: equals } };
}

const KIND_WORDS = { text: 'a text', number: 'a number', truth: 'true or false', milliseconds: 'a time' } as const;

function boundOf(document: FactDocument, row: (typeof RULE_FACTS)[number], say: Say): RuleFact | undefined {
  const kind = document.at_least === undefined ? 'below' : 'at_least';
  const limit = document[kind];
  if (row.kind === 'text' || row.kind === 'truth') {
    say(
      `${row.name} is ${KIND_WORDS[row.kind]}: it has no size`,
      row.kind === 'truth' ? 'use equals' : 'use equals or contains',
    );
    return undefined;
  }
  if (row.kind === 'milliseconds') {
    const meaning = parseDuration(limit);
    if ('ok' in meaning) return { fact: row.name, test: { kind, value: meaning.ok } };
    say(meaning.no, meaning.hint);
    return undefined;
  }
  if (typeof limit === 'number' && Number.isFinite(limit)) return { fact: row.name, test: { kind, value: limit } };
  say(`expected a number, got ${shown(limit)}`, 'write it without quotes');
  return undefined;
}

/** Why a pattern is refused, in words; undefined when it runs in linear time. */
export function regexProblem(pattern: string): readonly [message: string, hint: string] | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (thrown) {
    const detail = messageOf(thrown)
      .replace(/^error parsing regexp: /, '')
      .slice(0, 120);
    if (/\(\?<?[=!]/.test(pattern))
      return ['look-around is not supported: it has no linear-time form', 'use two tests instead'];
    if (/\\[1-9]|\\k</.test(pattern))
      return ['back-references are not supported: they have no linear-time form', 'spell it out'];
    return [`not a pattern in RE2 syntax: ${detail}`, 'in YAML, single quotes keep backslashes as they are'];
  }
}

interface Steps {
  readonly note: (path: Path, message: string, hint?: string) => void;
  readonly tools: readonly RuleTool[];
}

function stepsOf(document: OneRuleDocument, { note, tools }: Steps): readonly RuleStep[] {
  const steps = document.then.map((step, index) => stepOf(step, (...said) => note(['then', index], ...said)));
  const calls: ToolName[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'call') {
      if (index < steps.length - 1)
        note(['then', index + 1], `nothing comes after ${step.kind}`, 'make it the last step');
      break;
    }
    const why = misfit(step.tool, { document, before: calls, tools });
    if (why !== undefined) note(['then', index], ...why);
    calls.push(step.tool);
  }
  const all = steps.filter(({ kind }) => kind === 'call').length;
  if (all > CALLS_MAX)
    note(['then', CALLS_MAX], `expected at most ${CALLS_MAX} calls, got ${all}`, 'a run has three steps');
  return steps;
}

function stepOf(document: StepDocument, say: Say): RuleStep {
  const kinds = STEP_KINDS.filter((kind) => document[kind] !== undefined);
  if (kinds.length !== 1) {
    say(
      `expected one of ${listed(STEP_KINDS)}, got ${kinds.length === 0 ? 'none' : listed(kinds, 'and')}`,
      'one thing to a step',
    );
  }
  const tool = document.call === undefined ? undefined : toolNamed(document.call);
  if (tool !== undefined) return { kind: 'call', tool };
  if (document.wait) return { kind: 'wait', escalateAfterMs: document.wait.escalate_after };
  return document.stop ? { kind: 'stop' } : { kind: 'escalate' };
}

/**
 * A change must cure what the rule is about. One exception: a restart may follow a tool that does, for channels that
 * stay dark after their credentials or their cache are right again.
 */
function misfit(
  tool: ToolName,
  rule: {
    readonly document: OneRuleDocument;
    readonly before: readonly ToolName[];
    readonly tools: readonly RuleTool[];
  },
): readonly [message: string, hint: string] | undefined {
  const { classification } = rule.document;
  const cures = (name: ToolName): boolean =>
    rule.tools.some((spec) => spec.name === name && spec.cures.includes(classification));
  const spec = rule.tools.find(({ name }) => name === tool);
  if (!spec || spec.effect === 'observe' || cures(tool)) return undefined;
  if (tool === 'restart_channel' && rule.before.some(cures)) return undefined;
  const able = rule.tools.filter(({ name }) => cures(name)).map(({ name }) => name);
  const hint = able.length === 0 ? 'nothing does: wait or escalate' : `${listed(able)} can`;
  return [`${tool} does not cure ${classification}`, hint];
}
