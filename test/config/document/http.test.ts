import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, loadText, problemLines } from '../support.ts';

const BASE = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels: [{ id: a, engine: e }]
`;

const FIXTURES = join(import.meta.dirname, '../../http/fixtures');

const problemsOf = (more: string) => problemLines(loadText(BASE + more).problems).join('\n');

function aPair(key = 'key.pem', mode = 0o600): string {
  const folder = aFolder();
  copyFileSync(join(FIXTURES, 'cert.pem'), join(folder, 'cert.pem'));
  copyFileSync(join(FIXTURES, key), join(folder, 'key.pem'));
  chmodSync(join(folder, 'key.pem'), mode);
  return `tls: { cert_file: "${folder}/cert.pem", key_file: "${folder}/key.pem" }`;
}

describe('a listener', () => {
  it('is refused a key that others may read, that is another, or that is none', () => {
    expect(problemsOf(`http: { ${aPair('key.pem', 0o644)} }`)).toContain('everybody may read');
    expect(problemsOf(`http: { ${aPair('next_key.pem')} }`)).toContain('the key is not that of the certificate');
    expect(problemsOf(`http: { ${aPair('cert.pem')} }`)).toContain('expected a certificate and its key as PEM');
    expect(problemsOf('http: { tls: { cert_file: /nowhere/c, key_file: /nowhere/k } }')).toContain(
      'expected a readable',
    );
  });

  it('has no port where only a socket is named, and the usual one where nothing is', () => {
    const listen = (more: string) => loadText(BASE + more).config?.http.listen;
    expect(listen('http: { socket: /run/reeve.sock }')).toBeUndefined();
    expect(listen('')).toEqual({ host: '127.0.0.1', port: 7433 });
    expect(listen('http: { socket: /run/reeve.sock, listen: "127.0.0.1:1" }')).toEqual({ host: '127.0.0.1', port: 1 });
  });
});

describe('a listener is refused for', () => {
  it.each([
    [
      'a listener for everybody without names',
      'version: 1\nhttp: { listen: "0.0.0.0:7433" }\n',
      'open to other machines',
    ],
    [
      'two listeners on one port',
      'version: 1\nhttp: { metrics_listen: "127.0.0.1:7433" }\n',
      'the port 7433 is taken by listen',
    ],
  ])('%s', (_, text, message) => {
    expect(problemLines(loadText(text).problems).join('\n')).toContain(message);
  });
});
