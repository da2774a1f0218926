/** Compares an answer with what was expected. */
import type { Answer, Decision } from './answer.ts';
import type { Expected } from './document.ts';

/** One thing that was expected and did not come. */
export interface Difference {
  readonly what: string;
  readonly expected: string;
  readonly got: string;
}

type Read = (answer: Answer, expected: Expected) => string;

const NONE = 'none';

/** The decision that the expectation speaks of: about its tool where it names one, else the first. */
export const decisionFor = (answer: Answer, expected: Expected): Decision | undefined =>
  expected.tool === undefined ? answer.decisions[0] : answer.decisions.find(({ tool }) => tool === expected.tool);

const ruleOf = ({ plan }: Answer): string => (plan?.by.kind === 'rule' ? plan.by.rule : NONE);

const reasonOf = ({ outcome, pages }: Answer): string =>
  outcome?.kind === 'escalated' ? outcome.reason : (pages[0]?.reason ?? NONE);

/** How each key of an expectation is read from an answer. */
const READS: { readonly [Key in keyof Expected]-?: Read } = {
  classification: ({ classification }) => classification ?? NONE,
  plan: ({ plan }) => plan?.kind ?? NONE,
  rule: ruleOf,
  tool: (answer, expected) => decisionFor(answer, expected)?.tool ?? answer.decisions[0]?.tool ?? NONE,
  verdict: (answer, expected) => decisionFor(answer, expected)?.verdict ?? 'not asked',
  code: (answer, expected) => decisionFor(answer, expected)?.code ?? NONE,
  retry_after: (answer, expected) => String(decisionFor(answer, expected)?.retryAfterMs ?? NONE),
  tools: ({ tools }) => tools.join(', ') || NONE,
  outcome: ({ outcome }) => outcome?.kind ?? NONE,
  reason: reasonOf,
  page: ({ pages }) => String(pages.length > 0),
};

const UNITS: Readonly<Record<string, string>> = { retry_after: ' ms' };

/** Everything in which the answer is not what was expected. Empty: the case holds. */
export function differences(answer: Answer, expected: Expected): readonly Difference[] {
  const keys = Object.keys(READS) as (keyof Expected)[];
  const found = keys.flatMap((what) => {
    const wanted = expected[what];
    if (wanted === undefined) return [];
    const text = Array.isArray(wanted) ? wanted.join(', ') || NONE : String(wanted);
    const got = READS[what](answer, expected);
    const unit = UNITS[what] ?? '';
    return got === text ? [] : [{ what, expected: `${text}${unit}`, got: got === NONE ? got : `${got}${unit}` }];
  });
  const failed = answer.failures.map((text) => ({ what: 'failure', expected: NONE, got: text }));
  return [...found, ...failed];
}
