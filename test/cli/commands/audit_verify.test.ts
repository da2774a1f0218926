import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addVerify } from '../../../src/cli/commands/audit_verify.ts';
import { headKeyFrom } from '../../../src/journal/heads.ts';
import { SqliteStore } from '../../../src/journal/sqlite.ts';
import { chainOf, temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

/** A journal of so many records, and what each of them hashes to. */
function aJournal(count = 5) {
  const path = join(temporaryDirectory(), 'journal.db');
  const store = SqliteStore.open(path);
  const rows = chainOf(count);
  store.append(rows);
  store.close();
  return { path, hashes: rows.map(({ hash }) => hash) };
}
const verify = (path: string, flags: readonly string[] = [], options?: RunOptions) =>
  ran(
    (program, cli) => addVerify(program.command('audit') as Command, cli, () => path),
    ['audit', 'verify', ...flags],
    options,
  );
const fileOf = (text: string): string => {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, text);
  return path;
};

describe('the audit of a journal', () => {
  it('that is whole says how many records it holds, and what that does not prove', async () => {
    const { path } = aJournal();
    const { out, code } = await verify(path);
    expect(out).toContain('the chain holds: 5 records');
    expect(out).toContain('Nobody outside was asked');
    expect(code).toBe(0);
  });

  it('finds the heads that were kept outside, and counts what came after them', async () => {
    const { path, hashes } = aJournal();
    const { out } = await verify(path, ['--head', `2:${hashes[1]}`, '--head', hashes[2]!.slice(0, 13)]);
    expect(out).toContain('2 heads found; only the file vouches for the last 2');
  });

  it('that lacks a head ends with 1', async () => {
    const { path } = aJournal();
    const { out, code } = await verify(path, ['--head', `2:${'f'.repeat(64)}`]);
    expect(out).toContain('the chain is broken at record 2');
    expect(code).toBe(1);
    const { out: json } = await verify(path, ['--head', `2:${'f'.repeat(64)}`], { json: true });
    expect(JSON.parse(json)).toMatchObject({ ok: false, first_bad: 2, heads: [{ found: 'no' }] });
  });
});

describe('the heads that are given', () => {
  it('are refused where they are none: twelve digits, a file without a head, a key without a file', async () => {
    const { path } = aJournal();
    await expect(verify(path, ['--head', 'a'.repeat(12)])).rejects.toThrow(/13 to 64 hex digits/);
    await expect(verify(path, ['--heads', fileOf('nothing\n')])).rejects.toThrow(/holds no head of a journal/);
    await expect(verify(path, ['--key', fileOf('x')])).rejects.toThrow('--key needs --heads');
    await expect(verify(path, ['--heads', '/nowhere/at/all'])).rejects.toThrow(/--heads: .*ENOENT/);
  });

  it('are taken from a file only where the key has signed them', async () => {
    const { path, hashes } = aJournal();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { publicKey: another } = generateKeyPairSync('ed25519');
    const pem = (key: typeof publicKey) => fileOf(key.export({ type: 'spki', format: 'pem' }).toString());
    const signer = headKeyFrom(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const plain = { at: '2026-01-01T00:00:00.000Z', seq: 3, hash: hashes[2]! };
    const heads = fileOf(`${JSON.stringify({ ...plain, signature: signer.sign?.(plain) })}\n`);
    expect((await verify(path, ['--heads', heads, '--key', pem(publicKey)])).out).toContain('1 head found');
    await expect(verify(path, ['--heads', heads, '--key', pem(another)])).rejects.toThrow(/signature of the head/);
  });
});
