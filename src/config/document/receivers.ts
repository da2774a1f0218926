/** Reads who is notified. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { RECEIVER_SECRETS, type ReceiverDocument, receiverDocument } from '../../escalate/receivers/documents.ts';
import type { SecretRule } from '../../escalate/receivers/secret_keys.ts';
import type { Path } from '../yaml.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretAt } from './secret.ts';

/** One receiver, with its secrets by name (`secret`, `routing_key` …) and absolute paths. */
export type ReceiverConfig = ReceiverDocument & { readonly secrets: Readonly<Record<string, Secret>> };

export function readReceivers(reading: Reading): readonly ReceiverConfig[] {
  reading.unique('receivers');
  return reading.entries('receivers', receiverDocument).map(({ path, value }) => {
    const found = Object.entries(RECEIVER_SECRETS[value.kind]).flatMap(([name, rule]) => {
      const secret = readSecret(reading, path, { name, rule, document: value });
      return secret === undefined ? [] : [[name, secret] as const];
    });
    const caFile = 'ca_file' in value && value.ca_file !== undefined ? { ca_file: reading.pathOf(value.ca_file) } : {};
    if (caFile.ca_file !== undefined) checkCertificates(reading, [...path, 'ca_file'], caFile.ca_file);
    return { ...value, ...caFile, secrets: Object.fromEntries(found) };
  });
}

/** They are read when the receiver is built: a start that fails there pages nobody. */
function checkCertificates(reading: Reading, at: Path, file: string): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    const message = `expected a readable file with certificates: ${messageOf(thrown)}`;
    return reading.note(at, message, 'check the path and its owner');
  }
  try {
    new X509Certificate(bytes);
  } catch (thrown) {
    reading.note(at, `expected certificates (PEM) in ${file}: ${messageOf(thrown)}`);
  }
}

interface Wanted {
  readonly name: string;
  readonly rule: SecretRule;
  readonly document: ReceiverDocument;
}

/** The secret called `name`; undefined, with a problem where one is due, when there is none. */
function readSecret(reading: Reading, path: Path, { name, rule, document }: Wanted): Secret | undefined {
  const written = document as unknown as Readonly<Record<string, string | undefined>>;
  const [variable, file] = [written[`${name}_env`], written[`${name}_file`]];
  if (variable !== undefined && file !== undefined) {
    reading.note([...path, `${name}_file`], `expected ${name}_env or ${name}_file, got both`, 'keep one');
  }
  if (variable === undefined && file === undefined) {
    const hint = `add ${name}_env: with the name of a variable, or ${name}_file: with the path of a file`;
    if (rule.required) reading.note([...path, 'kind'], `expected ${name}_env or ${name}_file, got neither`, hint);
    return undefined;
  }
  const meaning = secretAt({ variable, file }, reading);
  const at = [...path, variable === undefined ? `${name}_file` : `${name}_env`];
  if ('no' in meaning) {
    reading.note(at, meaning.no, meaning.hint);
    return undefined;
  }
  const problem = rule.problem?.(meaning.ok.reveal());
  if (problem !== undefined) reading.note(at, `${problem}, got something else`);
  return meaning.ok;
}
