import { describe, expect, it } from 'vitest';
import { redactShapes } from '../../src/collect/secret_shapes.ts';

const HEX = '0123456789abcdef'.repeat(2);
const RANDOM = `aB3${'xY7'.repeat(10)}`;

describe('a secret without a name', () => {
  it.each([
    ['a key of Amazon', `AKIA${'A1'.repeat(8)}`],
    ['a mark of GitHub', `ghp_${'a1'.repeat(8)}`],
    ['a mark of Stripe', `sk_live_${'a1'.repeat(8)}`],
    ['the token of a Telegram bot', `123456789:AA${'b'.repeat(33)}`],
  ])('is known by its shape: %s', (_, secret) => {
    expect(redactShapes(`x ${secret} y`)).toBe('x [redacted] y');
  });

  it('has the full length of its shape, and one character less is none', () => {
    for (const short of [`AKIA${'A1'.repeat(7)}A`, `ghp_${'a'.repeat(15)}`, `sk_live_${'a'.repeat(15)}`])
      expect(redactShapes(short)).toBe(short);
  });

  it('does not begin in the middle of a word', () => {
    const secret = `XAKIA${'A1'.repeat(8)}`;
    expect(redactShapes(secret)).toBe(secret);
  });
});

describe('an address that holds the right to write to it', () => {
  it('keeps its host and loses the rest', () => {
    expect(redactShapes('https://hooks.slack.com/services/T0/B0/abc')).toBe(
      'https://hooks.slack.com/services/[redacted]',
    );
    expect(redactShapes(`https://discord.com/api/webhooks/12345/${RANDOM}`)).toBe(
      'https://discord.com/api/webhooks/12345/[redacted]',
    );
  });
});

describe('a segment of a path', () => {
  it('that is a hash or looks random is a token', () => {
    expect(redactShapes(`/get/${HEX}/x.ts`)).toBe('/get/[redacted]/x.ts');
    expect(redactShapes(`/get/${RANDOM}`)).toBe('/get/[redacted]');
  });

  it('of 31 characters, of words, or in a folder that names its members by a hash is none', () => {
    for (const path of [`/get/${HEX.slice(1)}`, `/get/${'a-long-name-of-a-programme'.repeat(2)}`, `/blobs/${HEX}`])
      expect(redactShapes(path)).toBe(path);
  });
});

describe('the token behind Bearer and Basic', () => {
  it('is a credential where it has a digit, is long, or decodes to a user and a password', () => {
    expect(redactShapes('Bearer abcdefg1')).toBe('Bearer [redacted]');
    expect(redactShapes(`Bearer ${'a'.repeat(25)}`)).toBe('Bearer [redacted]');
    expect(redactShapes(`Basic ${Buffer.from('ann:pw').toString('base64')}`)).toBe('Basic [redacted]');
  });

  it('is prose where it is a word', () => {
    for (const text of ['Bearer authentication required', 'Basic authentication', `Bearer ${'a'.repeat(24)}`])
      expect(redactShapes(text)).toBe(text);
  });
});
