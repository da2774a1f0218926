import { describe, expect, it } from 'vitest';
import { clearOnlyOnLoopback, duration, httpUrl } from '../../src/engine/document_fields.ts';

describe('a duration of an engine', () => {
  it.each([
    ['100ms', 100],
    ['15s', 15_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['9999999s', 9_999_999_000],
  ])('%s is %i ms', (text, ms) => expect(duration.parse(text)).toBe(ms));

  it.each(['0s', '10', '1.5s', '-1s', ' 1s', '1 s', '10000000s', '1w'])('%j is refused', (text) => {
    expect(duration.safeParse(text).success).toBe(false);
  });
});

describe('the address of an engine', () => {
  it('is http or https, without credentials', () => {
    expect(httpUrl.safeParse('http://127.0.0.1:9001/RPC2').success).toBe(true);
    expect(httpUrl.safeParse('https://engine.example').success).toBe(true);
    for (const url of ['ftp://h/', 'unix:///run/s', 'http://ann:pw@h/', 'http://ann@h/', 'h:9001']) {
      expect([url, httpUrl.safeParse(url).success]).toEqual([url, false]);
    }
  });
});

describe('a secret in clear', () => {
  it.each([
    ['http://127.0.0.1:9001/RPC2', true],
    ['http://127.1.2.3', true],
    ['http://localhost/', true],
    ['http://[::1]:8080/', true],
    ['http://localhost.example/', false],
    ['http://127.0.0.1.example/', false],
    ['http://192.0.2.1/', false],
    [undefined, true],
  ])('may go to %s: %s', (url, expected) => {
    expect(clearOnlyOnLoopback({ url, password: 'x' })).toBe(expected);
    expect(clearOnlyOnLoopback({ url, token: 'x' })).toBe(expected);
    expect(clearOnlyOnLoopback({ url })).toBe(true);
  });
});
