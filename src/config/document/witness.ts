// Where the head of the journal is sent, so that a rewritten journal is found out.
import { z } from 'zod';
import { HOUR_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { headKeyFrom } from '../../journal/heads.ts';
import { duration } from '../../core/document/duration.ts';
import { textField, urlField } from './fields.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretAt } from './secret.ts';

export const witnessPart = z
  .strictObject({
    every: duration('1m', '24h', 'How often the head is logged and sent. Default 1h.').optional(),
    file: textField
      .optional()
      .describe('A file elsewhere, of this Reeve alone, that gets one line a time: another host, or append-only.'),
    url: urlField('Gets each head as a POST with a JSON body.').optional(),
    key_env: textField.optional().describe('The environment variable that holds the key.'),
    key_file: textField
      .optional()
      .describe('The file that holds it: an Ed25519 private key as PEM, or a secret for HMAC-SHA-256.'),
  })
  .describe("The journal's head, sent out: a person who rewrites the journal cannot rewrite what was sent.");

export interface WitnessConfig {
  readonly everyMs: number;
  readonly file: string | undefined;
  readonly url: string | undefined;
  readonly key: Secret | undefined;
}

const EVERY_MS = HOUR_MS;

export function readWitness(reading: Reading, document: z.output<typeof witnessPart> | undefined): WitnessConfig {
  const { every, file, url, key_env: name, key_file: keyFile } = document ?? {};
  return {
    everyMs: every ?? EVERY_MS,
    file: file === undefined ? undefined : reading.pathOf(file),
    url,
    key: keyOf(reading, name, keyFile),
  };
}

function keyOf(reading: Reading, name: string | undefined, file: string | undefined): Secret | undefined {
  const path = ['journal', 'witness', name === undefined ? 'key_file' : 'key_env'];
  if (name === undefined && file === undefined) return undefined;
  if (name !== undefined && file !== undefined)
    reading.note(path, 'expected key_env or key_file, got both', 'keep one');
  const meaning = secretAt({ variable: name, file }, reading);
  if (!('ok' in meaning)) {
    reading.note(path, meaning.no, meaning.hint);
    return undefined;
  }
  try {
    if (headKeyFrom(meaning.ok.reveal()).sign !== undefined) return meaning.ok;
    reading.note(path, 'expected a private key, got a public one', 'openssl genpkey -algorithm ed25519');
  } catch (thrown) {
    reading.note(path, messageOf(thrown), 'openssl genpkey -algorithm ed25519, or openssl rand -hex 32');
  }
  return undefined;
}
