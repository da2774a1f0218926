import { describe, expect, it } from 'vitest';
import { engineDocument } from '../../src/engine/documents.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

const parse = (document: object) => engineDocument.parse(document);

describe('engine documents', () => {
  const problems = (document: object) =>
    engineDocument.safeParse(document).error?.issues.map(({ message }) => message) ?? [];
  const sup = { id: 'a', kind: 'supervisor', url: 'http://127.0.0.1:9001/RPC2' };

  it('convert durations to milliseconds and fill in what is left out', () => {
    expect(parse({ ...sup, poll: '250ms', timeout: '2m' })).toMatchObject({
      poll: 250,
      timeout: 120_000,
      change_timeout: 60_000,
      local: 'auto',
      autorestart_grace: 1_000,
      logs: [],
    });
  });

  it('accept a secret in clear for this machine only', () => {
    expect(problems({ ...sup, password: 'x' })).toEqual([]);
    expect(problems({ ...sup, url: 'http://[::1]:9001', password: 'x' })).toEqual([]);
    expect(problems({ ...sup, url: undefined, socket: '/s', password: 'x' })).toEqual([]);
    for (const url of ['http://10.0.0.1/RPC2', 'http://localhost.example.org/', 'http://127.0.0.1.example.org/']) {
      expect(problems({ ...sup, url, password: 'x' })).toHaveLength(1);
      expect(problems({ ...sup, url, password_env: 'X' })).toEqual([]);
    }
    expect(problems({ ...sup, url: 'http://a:b@127.0.0.1/' })).toHaveLength(1);
  });

  it('refuse what is misspelt, missing, twice or in the wrong place', () => {
    for (const wrong of [
      { ...sup, pol: '1s' },
      { ...sup, socket: '/s' },
      { ...sup, url: undefined },
      { ...sup, url: 'ftp://127.0.0.1/' },
      { ...sup, poll: '0s' },
      { ...sup, poll: 5 },
      { ...sup, id: '' },
      { ...sup, kind: 'systemd' },
      { id: 'c', kind: 'command', status: { argv: ['systemctl', 'is-active'] } },
      { id: 'c', kind: 'command', status: { argv: ['/bin/sh', '-c', 'x {channel}'] } },
      { id: 'c', kind: 'command' },
    ]) {
      expect(problems(wrong)).not.toEqual([]);
    }
  });
});
