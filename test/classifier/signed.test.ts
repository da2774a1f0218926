import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const HOST = 'https://cdn.example.net/ch7/index.m3u8';
/** 2026-11-24 21:38:10 UTC */
const NOW_S = Date.UTC(2026, 10, 24, 21, 38, 10) / 1_000;

const encoded = (text: string) => Buffer.from(text).toString('base64url');

const refusedAt = (time: string, query: string) =>
  classifyExcerpt([`${time} ${HOST}?${query}: Server returned 403 Forbidden (access denied)`], catalogue);
const refused = (query: string) => refusedAt('2026-11-24 21:38:10', query);
const EXPIRED = { symptom: 'auth_expired', remedy: 'refresh_credentials' };

describe('a refused address that contains its expiry time', () => {
  it.each([
    ['in seconds', 'Expires=1767225600&Signature=x'],
    ['in thousandths', 'token=x&expires=1767225600000'],
    ['in a list of its own', 'hdnts=st=1767222000~exp=1767225600~acl=/*~hmac=x'],
    ['as a date', 'sv=2022-11-02&st=2026-11-01T00%3A00%3A00Z&se=2026-11-22T00%3A00%3A00Z&sig=x'],
    ['by when it was signed, and for how long', 'X-Amz-Date=20261120T080000Z&X-Amz-Expires=3600&X-Amz-Signature=x'],
    ['in hexadecimal', 'txSecret=0a1b2c&txTime=6955B900'],
    ['in a token', `token=eyJhbGciOiJIUzI1NiJ9.${encoded('{"sub":"ch7","exp":1767225600}')}.c2ln`],
    ['in a policy', `Policy=${encoded('{"a":{"DateLessThan":{"AWS:EpochTime":1767225600}}}')}&Key-Pair-Id=K2`],
  ])('has expired where that is over, %s', (_, query) => {
    expect(refused(query)).toMatchObject(EXPIRED);
  });

  it.each([
    ['its time is not over', `expires=${NOW_S + 60}`],
    ['it was signed for a week', 'X-Amz-Date=20261124T200000Z&X-Amz-Expires=604800&X-Amz-Signature=x'],
    ['it names the start of its validity only', 'st=1767225600&sig=x'],
    ['its hexadecimal time is not over', `txTime=${(NOW_S + 60).toString(16)}`],
    ['its token still holds', `token=eyJhbGciOiJIUzI1NiJ9.${encoded(`{"exp":${NOW_S + 60}}`)}.c2ln`],
    ['its policy still holds', `Policy=${encoded(`{"DateLessThan":{"AWS:EpochTime":${NOW_S + 60}}}`)}`],
    ['it names no time', 'token=1767225600'],
    ['its date is none', 'se=2026-99-99T00:00:00Z'],
  ])('is refused where %s', (_, query) => {
    expect(refused(query)).toMatchObject({ symptom: 'auth_denied' });
  });

  it('has expired for sure fifteen hours later, as a log may write local time', () => {
    const hours = (count: number) => `expires=${NOW_S - count * 3_600}`;
    expect(refused(hours(15)).symptom).toBe('auth_denied');
    expect(refused(`expires=${NOW_S - 15 * 3_600 - 1}`).symptom).toBe('auth_expired');
  });

  it('has expired a minute later where the log writes its offset from UTC', () => {
    const line = (endS: number) =>
      `192.0.2.1 - - [24/Nov/2026:22:38:10 +0100] "GET /a.ts?md5=x&expires=${endS} HTTP/1.1" 403 9`;
    expect(classifyExcerpt([line(NOW_S - 60)], catalogue).symptom).toBe('auth_denied');
    expect(classifyExcerpt([line(NOW_S - 61)], catalogue)).toMatchObject(EXPIRED);
  });

  it('has expired where the server calls it gone', () => {
    const gone = (endS: number) =>
      classifyExcerpt([`2026-11-24 21:38:10 GET ${HOST}?expires=${endS}: HTTP error 410 Gone`], catalogue).symptom;
    expect(gone(1_767_225_600)).toBe('auth_expired');
    expect(gone(NOW_S + 60)).not.toBe('auth_expired');
  });

  it('is refused where the log does not say when', () => {
    expect(refusedAt('[http]', 'Expires=1767225600').symptom).toBe('auth_denied');
  });

  it('is refused where another address of the excerpt still holds', () => {
    const lines = [
      `2026-11-24 21:38:09 opening ${HOST}?expires=${NOW_S + 600}`,
      `2026-11-24 21:38:10 ${HOST}?expires=1767225600: Server returned 403 Forbidden (access denied)`,
    ];
    expect(classifyExcerpt(lines, catalogue).symptom).toBe('auth_denied');
  });
});
