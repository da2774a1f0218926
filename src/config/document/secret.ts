/** Reads secrets from files and the environment. */
import { readFileSync, statSync } from 'node:fs';
import { inspect } from 'node:util';
import { messageOf } from '../../core/errors.ts';
import type { Meaning } from '../validate.ts';
import type { Environment } from './environment.ts';
import type { Reading } from './reading.ts';

const SECRET_BYTES_MAX = 64 * 1024;
const READABLE_BY_OTHERS = 0o004;
const WRITABLE_BY_OTHERS = 0o022;

/** A password or key. It shows itself only to who asks by name: not to logs, not to JSON, not to templates. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '(secret)';
  }

  toJSON(): string {
    return '(secret)';
  }

  [inspect.custom](): string {
    return '(secret)';
  }
}

/** The secret in an environment variable. */
export function secretFromEnvironment(name: string, env: Environment): Meaning<Secret> {
  const value = env[name];
  if (value !== undefined && value !== '') return { ok: new Secret(value) };
  return {
    no: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
    hint: `set ${name}, or keep the secret in a file that only Reeve can read`,
  };
}

/** Where a document says that a secret stands: in the variable, if it names one, else in the file. */
interface SecretPlace {
  readonly variable: string | undefined;
  readonly file: string | undefined;
}

/** The secret that a key `…_env` or `…_file` names. */
export function secretAt({ variable, file }: SecretPlace, from: Pick<Reading, 'env' | 'pathOf'>): Meaning<Secret> {
  return variable === undefined ? secretFromFile(from.pathOf(file ?? '')) : secretFromEnvironment(variable, from.env);
}

/** The secret in a file, without the line ending at its end. The file belongs to Reeve: others may not read it. */
export function secretFromFile(path: string): Meaning<Secret> {
  try {
    const { mode, size } = statSync(path);
    if ((mode & READABLE_BY_OTHERS) !== 0) return { no: `everybody may read ${path}`, hint: `chmod 600 ${path}` };
    if ((mode & WRITABLE_BY_OTHERS) !== 0) return { no: `others may write ${path}`, hint: `chmod 600 ${path}` };
    if (size > SECRET_BYTES_MAX) return { no: `expected a secret of at most 64 KiB in ${path}, got ${size} bytes` };
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? { no: `expected a secret in ${path}, got an empty file` } : { ok: new Secret(value) };
  } catch (thrown) {
    return {
      no: `expected a readable file with the secret: ${messageOf(thrown)}`,
      hint: 'check the path and its owner',
    };
  }
}
