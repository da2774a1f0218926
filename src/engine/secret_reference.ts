/** Which secret of a document is meant, wherever it comes from. */

/** Where a secret comes from. Code that may read files and the environment resolves it. */
export interface SecretReference {
  readonly clear: string | undefined;
  readonly env: string | undefined;
  readonly file: string | undefined;
}

/** `secretOf(document, 'password')`; undefined where none is configured. */
export function secretOf(document: object, name: 'password' | 'token'): SecretReference | undefined {
  const keys = document as Readonly<Record<string, string | undefined>>;
  const found = { clear: keys[name], env: keys[`${name}_env`], file: keys[`${name}_file`] };
  return found.clear === undefined && found.env === undefined && found.file === undefined ? undefined : found;
}
