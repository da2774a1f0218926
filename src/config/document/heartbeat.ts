// Where Reeve says that it lives, so that somebody else pages when it no longer does (law L4).
import { z } from 'zod';
import { duration } from '../../core/document/duration.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { textField, urlField, urlProblem } from './fields.ts';
import type { Reading } from './reading.ts';
import { Secret, secretAt } from './secret.ts';

export const heartbeatPart = z
  .strictObject({
    url: urlField('The address that is asked with GET. Whoever knows it can pretend that Reeve lives.').optional(),
    url_env: textField.optional().describe('The environment variable that holds the address.'),
    url_file: textField.optional().describe('The file that holds it.'),
    every: duration(
      '10s',
      '1h',
      'How often. The service should page after three that did not come. Default 1m.',
    ).optional(),
  })
  .describe("A dead man's switch elsewhere: it pages when Reeve is silent, or cannot page. docs/receivers.md");

export interface HeartbeatConfig {
  readonly everyMs: number;
  readonly url: Secret;
}

const KEYS = ['url', 'url_env', 'url_file'] as const;

/** Undefined where none is configured. */
export function readHeartbeat(
  reading: Reading,
  document: z.output<typeof heartbeatPart> | undefined,
): HeartbeatConfig | undefined {
  if (document === undefined) return undefined;
  const { every = MINUTE_MS, url, url_env: name, url_file: file } = document;
  const written = KEYS.filter((key) => document[key] !== undefined);
  const [key] = written;
  if (key === undefined || written.length > 1) {
    const got = key === undefined ? 'none of them' : written.join(' and ');
    reading.note(['heartbeat'], `expected one of ${KEYS.join(', ')}, got ${got}`, 'write one');
    return undefined;
  }
  if (url !== undefined) return { everyMs: every, url: new Secret(url) };
  const meaning = secretAt({ variable: name, file }, reading);
  const secret = 'ok' in meaning ? meaning.ok : undefined;
  // What stands there is a secret: it is not repeated.
  const problem = 'no' in meaning ? meaning.no : addressProblem(meaning.ok.reveal());
  if (problem !== undefined) reading.note(['heartbeat', key], problem, 'no' in meaning ? meaning.hint : undefined);
  return secret && problem === undefined ? { everyMs: every, url: secret } : undefined;
}

const addressProblem = (text: string): string | undefined =>
  urlProblem(text) && 'expected an address such as https://host/path there, got something else';
