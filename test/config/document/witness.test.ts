import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const read = (witness: string, env: Record<string, string> = {}) =>
  loadText(`version: 1\njournal: { witness: { ${witness} } }\n`, env);
const problemsOf = (witness: string, env: Record<string, string> = {}) =>
  problemLines(read(witness, env).problems).join('\n');
const SECRET = 'ab'.repeat(32);

describe('where the head of the journal is sent', () => {
  it('is nowhere, once an hour to the log alone, where nothing is configured', () => {
    expect(loadText('version: 1\n').config?.journal.witness).toEqual({
      ...{ everyMs: 3_600_000, file: undefined, url: undefined, key: undefined },
    });
  });

  it('is a file beside the configuration and an address, as often as it says', () => {
    const { config, cwd } = read('every: 1m, file: heads.log, url: "http://127.0.0.1/h"');
    expect(config?.journal.witness).toMatchObject({
      ...{ everyMs: 60_000, file: join(cwd, 'config/heads.log'), url: 'http://127.0.0.1/h' },
    });
    expect(problemsOf('every: 59s')).toContain('expected at least 1m');
  });

  it('is signed with a secret or a private key, and not with a public one', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(read('key_env: K', { K: SECRET }).config?.journal.witness.key?.reveal()).toBe(SECRET);
    expect(read('key_env: K', { K: pem }).config?.journal.witness.key?.reveal()).toBe(pem);
    const open = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(problemsOf('key_env: K', { K: open })).toContain('expected a private key, got a public one');
  });

  it('takes one key, which must be there', () => {
    expect(problemsOf('key_env: K, key_file: k', { K: SECRET })).toContain('expected key_env or key_file, got both');
    expect(problemsOf('key_env: K')).toContain('the environment variable K is not set');
    expect(problemsOf('key_file: nowhere')).toContain('expected a readable file with the secret');
  });
});
