/** One value of a file, checked by one function, so that its message is exact. */
import { z } from 'zod';

/** What a check of one value says: its meaning, or why not and what to write instead. */
export type Meaning<T> =
  | { readonly ok: T }
  | { readonly no: string; readonly hint?: string; readonly path?: readonly (string | number)[] };

/**
 * A value whose whole check is one function, so that its message is exact; `json` is what editors see of it.
 * The function gets whatever stands in the file, of any type.
 */
export function checked<T>(check: (input: unknown) => Meaning<T>, json: z.core.GlobalMeta & Record<string, unknown>) {
  return z
    .unknown()
    .transform((input, context): T => {
      const meaning = check(input);
      if ('ok' in meaning) return meaning.ok;
      const { no, hint, path } = meaning;
      context.addIssue({ code: 'custom', message: no, params: { isFinal: true, hint }, path: [...(path ?? [])] });
      return z.NEVER;
    })
    .meta(json);
}
