/** Runs policy tests. */
import { readYaml } from '../config/files.ts';
import { inOrder, problemAt, validate } from '../config/validate.ts';
import { nearest } from '../config/suggestions.ts';
import type { ParsedYaml } from '../config/yaml.ts';
import { messageOf, type Problem } from '../core/errors.ts';
import type { Answer } from './answer.ts';
import { answerByEnvelope } from './by_envelope.ts';
import { answerByLogs, type CreateDetector } from './by_logs.ts';
import { type Difference, differences } from './compare.ts';
import { type Expected, type PolicyCase, type PolicyDocument, policyDocument } from './document.ts';
import { frameOf, personaOf, type PolicySet } from './frame.ts';

/** One case and what came of it. */
export interface CaseResult {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly persona: string;
  readonly ok: boolean;
  readonly expected: Expected;
  readonly differences: readonly Difference[];
  /** Undefined when the case could not be run at all. */
  readonly answer: Answer | undefined;
}

/** The file as a document, or every problem in it. */
export function policyFrom(parsed: ParsedYaml): {
  readonly document: PolicyDocument | undefined;
  readonly problems: readonly Problem[];
} {
  if (parsed.value === undefined) return { document: undefined, problems: parsed.problems };
  const result = validate(policyDocument, parsed);
  const problems = [...parsed.problems, ...result.problems, ...(result.ok ? twice(result.value, parsed) : [])];
  return { document: problems.length === 0 ? result.value : undefined, problems: inOrder(problems) };
}

function twice({ cases }: PolicyDocument, parsed: ParsedYaml): readonly Problem[] {
  const names = cases.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [problemAt(parsed, ['cases', index, 'name'], { message: `the case "${name}" stands here a second time` })],
  );
}

/** Personas that a file names and that do not exist. */
export function unknownPersonas(
  parsed: ParsedYaml,
  document: PolicyDocument,
  { personas }: Pick<PolicySet, 'personas'>,
): readonly Problem[] {
  const known = new Set(personas.map(({ id }) => id));
  // Of cases that name none of their own it is one problem.
  const strangers = new Map(
    document.cases.map((one, index) => {
      const path = one.given.persona === undefined ? ['persona'] : ['cases', index, 'given', 'persona'];
      return [path.join(), { id: personaOf(one, document), path }];
    }),
  );
  return [...strangers.values()].flatMap(({ id, path }) => {
    if (known.has(id)) return [];
    const meant = nearest(id, known);
    const hint = meant === undefined ? `there are ${[...known].sort().join(', ')}` : `did you mean ${meant}?`;
    return [problemAt(parsed, path, { message: `there is no persona ${id}`, hint })];
  });
}

export interface PolicyRun {
  readonly results: readonly CaseResult[];
  /** Files that could not be used. Where there are any, nothing was run. */
  readonly problems: readonly Problem[];
}

/** Runs every case of the files, in their order, each in a world of its own. */
export async function runPolicy(
  files: readonly string[],
  set: PolicySet,
  createDetector: CreateDetector,
): Promise<PolicyRun> {
  const read = files.map((file) => {
    const parsed = readYaml(file);
    const { document, problems } = policyFrom(parsed);
    const strangers = document === undefined ? [] : unknownPersonas(parsed, document, set);
    return { parsed, document, problems: [...problems, ...strangers] };
  });
  const problems = read.flatMap((one) => one.problems);
  if (problems.length > 0) return { results: [], problems };
  const results: CaseResult[] = [];
  for (const { parsed, document } of read) {
    for (const [index, one] of (document?.cases ?? []).entries()) {
      const { line } = parsed.at(['cases', index]);
      results.push(await runCase(one, { document: document!, set, createDetector, file: parsed.file, line }));
    }
  }
  return { results, problems: [] };
}

interface CaseFrame {
  readonly document: PolicyDocument;
  readonly set: PolicySet;
  readonly createDetector: CreateDetector;
  readonly file: string;
  readonly line: number;
}

async function runCase(one: PolicyCase, at: CaseFrame): Promise<CaseResult> {
  const { file, line, document, set, createDetector } = at;
  const about = { file, line, name: one.name, persona: personaOf(one, document), expected: one.expect };
  try {
    const frame = frameOf(one, document, set);
    const answer =
      one.given.envelope === undefined ? await answerByLogs(frame, createDetector) : await answerByEnvelope(frame);
    const found = differences(answer, one.expect);
    return { ...about, ok: found.length === 0, differences: found, answer };
  } catch (thrown) {
    const failed = { what: 'failure', expected: 'none', got: messageOf(thrown) };
    return { ...about, ok: false, differences: [failed], answer: undefined };
  }
}
