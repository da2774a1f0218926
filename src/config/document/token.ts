// A token that stands in the environment or in a file of its own, never in the configuration.
import type { Path } from '../yaml.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretAt } from './secret.ts';

const TOKEN_CHARS_MIN = 16;

interface Tokened {
  /** Stands before the keys, where they say whose token it is. */
  readonly prefix?: string;
  readonly token_env?: string | undefined;
  readonly token_file?: string | undefined;
}

/** The token, which has to be there. */
export function tokenFrom(reading: Reading, path: Path, tokened: Tokened): Secret | undefined {
  const { token_env: name, token_file: file, prefix = '' } = tokened;
  if ((name === undefined) === (file === undefined)) {
    reading.note(path, `expected token_env or token_file, got ${name === undefined ? 'neither' : 'both'}`, 'write one');
    return undefined;
  }
  const meaning = secretAt({ variable: name, file }, reading);
  const at = [...path, prefix + (name === undefined ? 'token_file' : 'token_env')];
  if (!('ok' in meaning)) {
    reading.note(at, meaning.no, meaning.hint);
    return undefined;
  }
  const { length } = meaning.ok.reveal();
  if (length < TOKEN_CHARS_MIN) {
    reading.note(
      at,
      `expected a token of at least ${TOKEN_CHARS_MIN} characters, got ${length}`,
      'openssl rand -hex 32',
    );
  }
  return meaning.ok;
}
