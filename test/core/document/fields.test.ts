import { describe, expect, it } from 'vitest';
import { idField, urlProblem } from '../../../src/core/document/fields.ts';

const field = idField('the channel');
const problemOf = (input: unknown): string => field.safeParse(input).error?.issues[0]?.message ?? 'taken';

describe('an id', () => {
  it.each(['a', 'news', 'news-2.hd_1', 'A'.repeat(64)])('%s is taken', (id) => expect(problemOf(id)).toBe('taken'));

  it.each(['', '-news', '.news', 'news/2', 'news 2', 'ü', 'A'.repeat(65), undefined, null, ['news']])(
    '%j is refused',
    (id) => expect(problemOf(id)).toContain('expected an id'),
  );

  it('is text: for a number it says to put it in quotes', () => expect(problemOf(7)).toContain('expected text'));

  it('is never fleet, which means everything', () => {
    expect(problemOf('fleet')).toContain('means everything');
    expect(problemOf('fleet2')).toBe('taken');
  });
});

describe('an address in a file', () => {
  it.each(['http://127.0.0.1:8080/path', 'https://example.org/{id}.m3u8', 'http://[::1]:65535'])('%s is taken', (url) =>
    expect(urlProblem(url)).toBeUndefined(),
  );

  it.each([
    ['', 'expected an address'],
    [7, 'expected an address'],
    ['ftp://example.org', 'expected http:// or https://'],
    ['example.org', 'expected http:// or https://'],
    ['http://a b/', 'expected an address'],
    ['http://example.org:65536/', 'expected an address'],
    ['http://example.org:0/', 'expected a port from 1 to 65535'],
  ])('%j is refused: %s', (url, problem) => expect(urlProblem(url)?.no).toContain(problem));

  it.each(['http://user@example.org/', 'http://user:secret@example.org/', 'http://:secret@example.org/'])(
    '%s is refused and not repeated, because it may hold a secret',
    (url) => {
      expect(urlProblem(url)?.no).toBe('an address carries no user and no password');
      expect(JSON.stringify(urlProblem(url))).not.toContain('secret@');
    },
  );
});
