import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../journal/support.ts';
import { loadText, problemLines } from '../support.ts';

const read = (heartbeat: string, env: Record<string, string> = {}) =>
  loadText(`version: 1\nheartbeat: ${heartbeat}\n`, env);
const problemsOf = (heartbeat: string, env: Record<string, string> = {}) =>
  problemLines(read(heartbeat, env).problems).join('\n');
const URL = 'https://switch.example.org/ping/0a1b';

describe('where the heartbeat goes', () => {
  it('is nowhere where nothing is configured', () => {
    expect(loadText('version: 1\n').config?.heartbeat).toBeUndefined();
  });

  it('is an address of the file or of the environment, once a minute if nothing else is said', () => {
    for (const written of [read(`{ url: "${URL}" }`), read('{ url_env: H }', { H: URL })]) {
      expect(written.config?.heartbeat).toMatchObject({ everyMs: 60_000 });
      expect(written.config?.heartbeat?.url.reveal()).toBe(URL);
      expect(JSON.stringify(written.config)).not.toContain(URL);
    }
    expect(read(`{ url: "${URL}", every: 10s }`).config?.heartbeat?.everyMs).toBe(10_000);
  });

  it('is an address in a file that only Reeve may read', () => {
    const file = join(temporaryDirectory(), 'address');
    writeFileSync(file, `${URL}\n`, { mode: 0o600 });
    expect(read(`{ url_file: ${file} }`).config?.heartbeat?.url.reveal()).toBe(URL);
    chmodSync(file, 0o644);
    expect(problemsOf(`{ url_file: ${file} }`)).toContain(`everybody may read ${file}`);
  });

  it.each([
    ['{ every: 1m }', 'expected one of url, url_env, url_file, got none of them'],
    [`{ url: "${URL}", url_env: H }`, 'expected one of url, url_env, url_file, got url and url_env'],
    ['{ url: "ftp://a/b" }', 'expected http:// or https://'],
    ['{ url_env: NOWHERE }', 'the environment variable NOWHERE is not set'],
    ['{ url_env: H }', 'expected an address such as https://host/path there, got something else'],
    [`{ url: "${URL}", every: 9s }`, 'expected at least 10s'],
    [`{ url: "${URL}", every: 61m }`, 'expected at most 1h'],
  ])('is refused where it is wrong: %s', (written, problem) => {
    expect(problemsOf(written, { H: 's3cret' })).toContain(problem);
    expect(problemsOf(written, { H: 's3cret' })).not.toContain('s3cret');
  });
});
