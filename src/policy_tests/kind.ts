/** Registers policy tests with `reeve check`. */
import type { FileKind } from '../config/check.ts';
import { policyFrom } from './run.ts';

/** Policy tests as `reeve check` knows them. */
export const policyKind: FileKind = {
  name: 'policy',
  recognises: ({ value }) => typeof value === 'object' && value !== null && 'cases' in value,
  check: (files) => files.flatMap((file) => policyFrom(file).problems),
};
