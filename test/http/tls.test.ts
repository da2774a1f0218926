import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { Server as TlsServer } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCertificate, watchCertificate } from '../../src/http/tls.ts';
import { fakeClock } from '../support/fake_clock.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const textOf = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');

/** A certificate and its key in a folder, with a watch on them. */
function watched() {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  let edits = 0;
  const put = (which: '' | 'next_') => {
    copyFileSync(join(FIXTURES, `${which}cert.pem`), files.certFile);
    copyFileSync(join(FIXTURES, `${which}key.pem`), files.keyFile);
    touch();
  };
  /** Another time of change, whatever the file system's clock is worth. */
  const touch = () => {
    edits += 1;
    for (const file of Object.values(files)) utimesSync(file, edits, edits);
  };
  put('');
  const { clock, advance } = fakeClock();
  const used: string[] = [];
  const reports: string[] = [];
  const changed: string[] = [];
  const server = { setSecureContext: ({ cert }: { cert: string }) => used.push(cert) } as unknown as TlsServer;
  const deps = {
    clock,
    report: (text: string) => reports.push(text),
    onChange: ({ cert }: { cert: string }) => changed.push(cert),
  };
  const watch = watchCertificate(files, [server, server], deps);
  onTestFinished(() => watch[Symbol.dispose]());
  return { files, put, touch, advance, used, reports, changed, watch };
}

describe('a certificate', () => {
  it('is read with its key, and refused where the two are none', () => {
    const { files } = watched();
    expect(readCertificate(files)).toEqual({ cert: textOf('cert.pem'), key: textOf('key.pem') });
    writeFileSync(files.keyFile, textOf('next_key.pem'));
    expect(() => readCertificate(files)).toThrow(/http\.tls: .*cert\.pem and .*key\.pem/);
    expect(() => readCertificate({ ...files, certFile: '/nowhere' })).toThrow(/http\.tls: \/nowhere/);
  });
});

describe('a certificate that is replaced', () => {
  it('is used by every listener within a minute', async () => {
    const { put, advance, used, changed, reports } = watched();
    put('next_');
    await advance(59_999);
    expect(used).toEqual([]);
    await advance(1);
    const next = textOf('next_cert.pem');
    expect([used, changed]).toEqual([[next, next], [next]]);
    expect(reports).toEqual(['the certificate was read again']);
  });

  it('by one that is not sound leaves the old one in use, and is reported once', async () => {
    const { files, touch, advance, used, reports, put } = watched();
    writeFileSync(files.certFile, 'no certificate');
    touch();
    await advance(180_000);
    expect(used).toEqual([]);
    expect(reports).toEqual([expect.stringContaining('the new certificate is not used')]);
    put('next_');
    await advance(60_000);
    expect(used).toHaveLength(2);
  });

  it('is used once it can be read, though its files bear the same time', async () => {
    const { files, put, touch, advance, used, reports } = watched();
    put('next_');
    rmSync(files.keyFile);
    mkdirSync(files.keyFile);
    touch();
    await advance(60_000);
    expect([used, reports]).toEqual([[], [expect.stringMatching(/is not used: .*EISDIR/)]]);
    const { mtime } = statSync(files.keyFile);
    rmSync(files.keyFile, { recursive: true });
    copyFileSync(join(FIXTURES, 'next_key.pem'), files.keyFile);
    utimesSync(files.keyFile, mtime, mtime);
    await advance(60_000);
    expect(used).toHaveLength(2);
  });

  it('is not read again while its files stay as they are, or after the watch has ended', async () => {
    const { advance, reports, put, watch } = watched();
    await advance(600_000);
    watch[Symbol.dispose]();
    put('next_');
    await advance(600_000);
    expect(reports).toEqual([]);
  });
});
