import { describe, expect, it } from 'vitest';
import { redactPairs } from '../../src/collect/secret_pairs.ts';

describe('the value behind a name', () => {
  it.each([
    ['password=hunter42', 'password=[redacted]'],
    ['{"api_key": "hunter42"}', '{"api_key": "[redacted]"}'],
    ['{\\"token\\": \\"hunter42\\"}', '{\\"token\\": \\"[redacted]\\"}'],
    ['X-Api-Key: hunter42, next', 'X-Api-Key: [redacted], next'],
    ['stream key: hunter42', 'stream key: [redacted]'],
    ['?a=1&sig=hunter42&e=2', '?a=1&sig=[redacted]&e=2'],
    ['url=h%3Fa%3D1%26sig%3Dhunter42%26e%3D2', 'url=h%3Fa%3D1%26sig%3D[redacted]%26e%3D2'],
    ["secret='hunter42 without an end", "secret='[redacted]"],
  ])('that means a secret is cut out of %s', (text, safe) => {
    expect(redactPairs(text)).toBe(safe);
  });

  it.each(['tokens=12', 'tokenizer: fast', 'tokenbucket=5', 'key: C major', 'sig=42', 'policy: strict', 'monkey=1'])(
    'is left where the name means none: %s',
    (text) => {
      expect(redactPairs(text)).toBe(text);
    },
  );

  it('of a short name is a secret unless it is a count or a path', () => {
    expect(redactPairs('pwd=hunter42')).toBe('pwd=[redacted]');
    for (const text of ['pass=1', 'pass=100', 'PWD=/srv/reeve', 'pwd=~/x', 'pass: hunter42'])
      expect(redactPairs(text)).toBe(text);
    for (const text of ['pass=1000a', 'pass=1000', 'pwd=123456']) {
      expect(redactPairs(text)).toBe(`${text.slice(0, text.indexOf('='))}=[redacted]`);
    }
    for (const text of ['pass=0.5', 'pass=99.5%']) expect(redactPairs(text)).toBe(text);
  });

  it('is not cut twice', () => {
    expect(redactPairs('password=[redacted]')).toBe('password=[redacted]');
  });

  it('ends before what closes the sentence', () => {
    expect(redactPairs('(password=hunter42).')).toBe('(password=[redacted]).');
    expect(redactPairs('password=hunter42, user=ann')).toBe('password=[redacted], user=ann');
  });
});

describe('a header', () => {
  it('keeps its scheme and loses the one token behind it', () => {
    expect(redactPairs('Authorization: Bearer hunter42, client: h')).toBe(
      'Authorization: Bearer [redacted], client: h',
    );
  });

  it('of another scheme, or a cookie, loses the whole line', () => {
    expect(redactPairs('Authorization: Digest username="u", response="r"\nnext')).toBe(
      'Authorization: Digest [redacted]\nnext',
    );
    expect(redactPairs('Cookie: a=1; b=2\nnext')).toBe('Cookie: [redacted]\nnext');
  });
});
