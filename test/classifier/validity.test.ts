import { describe, expect, it } from 'vitest';
import { validUntil } from '../../src/classifier/validity.ts';

const HOST = 'https://cdn.example.net/ch7/index.m3u8';
const END_S = 1_767_225_600;
const payload = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: unknown) => `${payload({ alg: 'HS256', typ: 'JWT' })}.${payload(claims)}.c2lnbmF0dXJl`;
const policy = (condition: unknown) =>
  Buffer.from(JSON.stringify({ Statement: [{ Resource: `${HOST}?a=1>2`, Condition: condition }] }))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('=', '_')
    .replaceAll('/', '~');
const nimble = (text: string) => Buffer.from(text).toString('base64');
const LESS = { DateLessThan: { 'AWS:EpochTime': END_S } };
const MORE = { DateGreaterThan: { 'AWS:EpochTime': END_S - 9 } };

describe('until when an address holds', () => {
  it.each([
    ['in seconds', 'Expires=1767225600&Signature=x'],
    ['in thousandths', 'token=x&expires=1767225600000'],
    ['in hexadecimal', 'txSecret=0a1b2c&txTime=6955B900'],
    ['in small hexadecimal letters', 'txSecret=0a1b2c&txTime=6955b900'],
    ['in a list of its own', 'hdnts=st=1767222000~exp=1767225600~acl=/*~hmac=x'],
    ['at the head of that list', 'hdnea=exp=1767225600~acl=/*~hmac=x'],
    ["at the end of a server's own name for it", 'wowzatokenendtime=1767225600&wowzatokenhash=x'],
    ['as a date', 'sv=2022-11-02&se=2026-01-01T00%3A00%3A00Z&sig=x'],
    ['by when it was signed, and for how long', 'X-Amz-Date=20251231T230000Z&X-Amz-Expires=3600&X-Amz-Signature=x'],
    ['in a JSON web token', `token=${token({ sub: 'ch7', exp: END_S })}`],
    ['in one with its other claims after it', `jwt=${token({ iat: END_S - 9, exp: END_S, sub: 'ch7' })}`],
    ["in CloudFront's policy", `Policy=${policy({ ...MORE, ...LESS })}&Signature=x&Key-Pair-Id=K2`],
    [
      "in Nimble's signature",
      `wmsAuthSign=${nimble('server_time=12/31/2025 11:40:00 PM&hash_value=x&validminutes=20')}`,
    ],
    [
      "in Nimble's signature after midnight",
      `wmsAuthSign=${nimble('server_time=12/31/2025 12:00:00 AM&hash_value=x&validminutes=1440')}`,
    ],
  ])('is stated %s', (_, query) => {
    expect(validUntil(`GET ${HOST}?${query} 403`)).toBe(END_S * 1_000);
  });

  it('is stated in a part of the path', () => {
    expect(validUntil(`GET https://cdn.example.net/exp=${END_S}~acl=%2F*~hmac=x/ch7.m3u8`)).toBe(END_S * 1_000);
  });

  it.each([
    ['no parameter names it', 'token=1767225600'],
    ['it names its beginning only', 'st=1767225600&sig=x'],
    ['its date is none', 'se=2026-99-99T00:00:00Z'],
    ['eight letters are no time', 'txTime=0000000f'],
    ['the token does not say it', `token=${token({ sub: 'ch7', iat: END_S })}`],
    ['the token says it as text', `token=${token({ sub: `"exp":${END_S}` })}`],
    ['the token is no JSON', `token=${payload({})}.eyJhhhhhhhhhhhhhhhhh.x`],
    ['the policy names its beginning only', `Policy=${policy(MORE)}`],
    ['the policy is random', 'Policy=AAAAAAAA~~~~____----AAAA'],
    ['the signature lacks its minutes', `wmsAuthSign=${nimble('server_time=12/31/2025 11:40:00 PM&hash_value=x')}`],
  ])('is not known where %s', (_, query) => {
    expect(validUntil(`GET ${HOST}?${query} 403`)).toBeUndefined();
  });

  it('is looked for in a bounded part of what is encoded, in bounded time', () => {
    const late = token({ pad: 'x'.repeat(3_000), exp: END_S });
    expect(validUntil(`${HOST}?token=${late}`)).toBeUndefined();
    const started = performance.now();
    for (const text of ['a.eyJ', 'eyJ-', '?Policy=', '&Policy=a', '?wmsAuthSign=', '~exp=', 'a.eyJ~'])
      validUntil(text.repeat(4_000 / text.length));
    expect(performance.now() - started).toBeLessThan(250);
  });
});
