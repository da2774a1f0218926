import { generateKeyPairSync } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { headBits, headKeyFrom, parseHead, statementIn } from '../../src/journal/heads.ts';

const PLAIN = { at: '2026-01-01T00:00:00.000Z', seq: 7, hash: 'ab'.repeat(32) };
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const SIGNER = headKeyFrom(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const CHECKER = headKeyFrom(publicKey.export({ type: 'spki', format: 'pem' }).toString());
const MAC = headKeyFrom('a secret of more than sixteen\n');

describe('the signature of a head', () => {
  it.each([
    ['Ed25519', SIGNER, CHECKER],
    ['HMAC', MAC, headKeyFrom('a secret of more than sixteen')],
  ])('%s holds for what was signed, and for nothing else', (_, signer, checker) => {
    const signed = { ...PLAIN, signature: signer.sign!(PLAIN) };
    expect(checker.holds(signed)).toBe(true);
    expect(checker.holds({ ...signed, seq: 8 })).toBe(false);
    expect(checker.holds({ ...signed, hash: 'ac'.repeat(32) })).toBe(false);
    expect(checker.holds({ ...signed, at: '2026-01-01T00:00:00.001Z' })).toBe(false);
    expect(checker.holds(PLAIN)).toBe(false);
    expect(checker.holds({ ...signed, signature: `${signed.signature}A` })).toBe(false);
  });

  it('of one kind is none of the other, and a public key signs nothing', () => {
    expect(CHECKER.holds({ ...PLAIN, signature: MAC.sign!(PLAIN) })).toBe(false);
    expect(MAC.holds({ ...PLAIN, signature: SIGNER.sign!(PLAIN) })).toBe(false);
    expect(CHECKER.sign).toBeUndefined();
  });

  it.each([
    ['short', /at least 16/],
    ['-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----', /./],
    [
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      /Ed25519/,
    ],
  ])('is not made with %.30s', (text, reason) => expect(() => headKeyFrom(text)).toThrow(reason));
});

describe('a head as people give it', () => {
  it('is a hash or its beginning, with its number where it is known', () => {
    expect(parseHead('AB'.repeat(32))).toEqual({ seq: undefined, hash: 'ab'.repeat(32) });
    expect(parseHead(` 12:${'a'.repeat(13)}\n`)).toEqual({ seq: 12, hash: 'a'.repeat(13) });
    for (const text of ['', 'a'.repeat(12), 'a'.repeat(65), 'xyz', ':abc', `x:${'a'.repeat(20)}`]) {
      expect(parseHead(text), text).toBeUndefined();
    }
  });

  it('stands in lines of a witness or of a log, among others that are about something else', () => {
    expect(statementIn(JSON.stringify({ level: 'info', msg: 'journal head', ...PLAIN }))).toEqual(PLAIN);
    for (const line of ['', '{', '[]', 'null', '{"seq":1}', JSON.stringify({ ...PLAIN, hash: 'x' })]) {
      expect(statementIn(line), line).toBeUndefined();
    }
  });

  test.prop([fc.string()])('is distinguished from any other text without a throw', (text) => {
    expect([undefined, 'object']).toContain(typeof statementIn(text) === 'object' ? 'object' : statementIn(text));
    expect(() => parseHead(text)).not.toThrow();
  });

  test.prop([fc.stringMatching(/^[0-9a-f]{64}$/)])('keeps its first 52 bits in a number, exactly', (hash) => {
    expect(headBits(hash).toString(16).padStart(13, '0')).toBe(hash.slice(0, 13));
  });
});
