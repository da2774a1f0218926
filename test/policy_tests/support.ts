import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { type PolicyCase, type PolicyDocument, policyDocument } from '../../src/policy_tests/document.ts';
import { type Frame, frameOf, type PolicySet } from '../../src/policy_tests/frame.ts';
import { aPersona } from '../support/a.ts';

export const aPolicySet = (...personas: readonly string[]): PolicySet => ({
  personas: ['system_admin', ...personas].map((id) => aPersona({ id })),
  ...{ rules: [], limits: DEFAULT_LIMITS },
});

/** A file of one case, as it is read. */
export function aCase(given: object, file: object = {}): readonly [PolicyCase, PolicyDocument] {
  const document = policyDocument.parse({ ...file, cases: [{ name: 'a case', given, expect: { page: false } }] });
  return [document.cases[0]!, document];
}

export const aFrame = (given: object, file: object = {}, set = aPolicySet()): Frame =>
  frameOf(...aCase(given, file), set);
