import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig, type Secret } from '../../../src/config/config.ts';
import { aFolder, ENV, FULL, loadText, MINIMAL, problemLines, writeInto } from '../support.ts';

describe('secrets in a configuration', () => {
  const hook = (keys: string) => `${MINIMAL}receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1/", ${keys} }]\n`;

  it('come from a variable or from a file, without the line ending', () => {
    const cwd = aFolder({ 'config/secret': 'a secret from a file\n' });
    chmodSync(join(cwd, 'config/secret'), 0o600);
    writeInto(cwd, 'config/reeve.yaml', hook('secret_file: secret'));
    const secretOf = (config: ReturnType<typeof loadConfig>['config']): Secret | undefined => {
      const receiver = config?.receivers[0];
      return receiver?.secrets.secret;
    };
    expect(secretOf(loadConfig({ cwd, env: {} }).config)?.reveal()).toBe('a secret from a file');
    expect(secretOf(loadText(hook('secret_env: S'), { S: 'a secret from a variable' }).config)?.reveal()).toBe(
      'a secret from a variable',
    );
    expect(
      secretOf(loadText(`${MINIMAL}receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1/" }]\n`).config),
    ).toBeUndefined();
  });

  it.each([
    [0o644, 'everybody may read'],
    [0o604, 'everybody may read'],
    [0o660, 'others may write'],
    [0o622, 'others may write'],
    [0o600, undefined],
    [0o640, undefined],
    [0o400, undefined],
  ])('a file of mode %o: %s', (mode, message) => {
    const cwd = aFolder({ 'config/secret': 'x'.repeat(16), 'config/reeve.yaml': hook('secret_file: secret') });
    chmodSync(join(cwd, 'config/secret'), mode);
    const { problems } = loadConfig({ cwd, env: {} });
    if (message === undefined) expect(problems).toEqual([]);
    else
      expect(problems[0]).toMatchObject({ path: 'receivers.0.secret_file', message: expect.stringContaining(message) });
  });

  it.each([
    ['secret_env: S', 'the environment variable S is not set'],
    ['secret_file: nowhere', 'expected a readable file with the secret'],
    ['secret_env: S, secret_file: f', 'expected secret_env or secret_file, got both'],
  ])('refuses %s', (keys, message) => {
    expect(problemLines(loadText(hook(keys)).problems).join('\n')).toContain(message);
  });

  it('show themselves to no log, no JSON and no template', () => {
    const { config } = loadText(FULL.replace('password_env: TB_PASSWORD', 'password: ${TB_PASSWORD}'), ENV);
    const engine = config?.engines[0];
    expect(engine?.kind === 'supervisor' && engine.password).toBe('tb-pw');
    const shownEverywhere = [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      `${{ ...engine }}`,
      inspect({ ...engine }),
    ];
    expect(shownEverywhere.join('\n')).not.toMatch(/tb-pw|hook-pw/);
  });

  it('in clear are for loopback only', () => {
    const engine = (url: string) => `version: 1\nengines: [{ id: e, kind: supervisor, url: "${url}", password: x }]\n`;
    expect(loadText(engine('http://127.0.0.1:9001/RPC2')).problems).toEqual([]);
    expect(problemLines(loadText(engine('http://192.0.2.1:9001/RPC2')).problems).join()).toContain('loopback');
  });

  it.each([
    ['receivers: [{ id: r, kind: alertmanager, url: "http://u:hunter2@127.0.0.1/" }]', 'no user and no password'],
    [
      'receivers: [{ id: r, kind: alertmanager, url: "http://127.0.0.1/?api_key=hunter2" }]',
      'api_key holds a secret in clear',
    ],
    [
      'engines: [{ id: e, kind: http, url: "http://u:hunter2@127.0.0.1/", list: { path: /, fields: { name: "" } } }]',
      'credentials',
    ],
  ])('in an address are refused and not repeated: %s', (line, message) => {
    const problems = problemLines(loadText(`version: 1\n${line}\n`).problems).join('\n');
    expect(problems).toContain(message);
    expect(problems).not.toContain('hunter2');
  });

  it('in an address may come from the environment', () => {
    const text = `version: 1\nreceivers: [{ id: r, kind: alertmanager, url: "http://127.0.0.1/?api_key=\${KEY}" }]\n`;
    expect(loadText(text, { KEY: 'k' }).config?.receivers[0]).toHaveProperty('url', 'http://127.0.0.1/?api_key=k');
  });
});
