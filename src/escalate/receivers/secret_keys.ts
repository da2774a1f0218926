/** How the document of a receiver names its secrets: never in clear, always by a variable or a file. */
import type { z } from 'zod';
import { textField } from '../../core/document/fields.ts';

/** The two keys under which a secret called `name` may be given. */
export const secretKeys = <Name extends string>(name: Name, what: string) =>
  ({
    [`${name}_env`]: textField.optional().describe(`The environment variable that holds ${what}.`),
    [`${name}_file`]: textField.optional().describe(`The file that holds ${what}; only its owner may read it.`),
  }) as { readonly [Key in `${Name}_env` | `${Name}_file`]: z.ZodOptional<typeof textField> };

/** One secret of a kind of receiver. */
export interface SecretRule {
  readonly required: boolean;
  /** What is wrong with the text, without showing it; undefined when it is sound. */
  readonly problem?: (text: string) => string | undefined;
}

/** The secrets of a kind, by the name that `secretKeys` got. */
export type SecretRules = Readonly<Record<string, SecretRule>>;
