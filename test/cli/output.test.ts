import { describe, expect, it } from 'vitest';
import { json, listed, ndjson, paint, plain, table, type Terminal } from '../../src/cli/output.ts';

function terminal(colours = false): Terminal & { readonly written: string[] } {
  const written: string[] = [];
  const out = (text: string) => void written.push(text);
  return { written, out, err: () => undefined, stdin: (async function* () {})(), colours };
}

describe('a list', () => {
  it('is a table, or says that there is nothing', () => {
    expect(listed(['id', 'state'], [['news']])).toBe('id    state\nnews');
    expect(listed(['id', 'state'], [])).toBe('none');
  });
});

describe('a table', () => {
  it('has columns as wide as their widest cell and no blanks at the ends of lines', () => {
    expect(
      table(
        ['id', 'state'],
        [
          ['news', 'up'],
          ['a', 'stopped'],
        ],
      ),
    ).toBe('id    state\nnews  up\na     stopped');
  });

  it('takes a row that is shorter than the head', () => {
    expect(table(['id', 'state'], [['news']])).toBe('id    state\nnews');
  });
});

describe('text of others', () => {
  it('keeps letters, tabs and umlauts', () => expect(plain('Zürich\tok')).toBe('Zürich\tok'));

  it.each([
    ['an escape sequence', '\u001b[31mred', '?[31mred'],
    ['a line break', 'one\ntwo\rthree', 'one?two?three'],
    ['a C1 control', 'a\u009bb', 'a?b'],
    ['a direction override', 'a\u202eb\u2066c', 'a?b?c'],
    ['a zero-width space', 'a\u200bb', 'a?b'],
  ])('has %s replaced', (_, text, safe) => expect(plain(text)).toBe(safe));
});

describe('colour', () => {
  it('is written only where the terminal shows it', () => {
    expect(paint(terminal(false), 'red', 'down')).toBe('down');
    expect(paint(terminal(true), 'red', 'down')).toBe('\u001b[31mdown\u001b[39m');
  });
});

describe('JSON', () => {
  it('is one document on one line', () => {
    const to = terminal();
    json(to, { text: 'one\ntwo' });
    expect(to.written).toEqual(['{"text":"one\\ntwo"}\n']);
  });

  it('of several values is one document a line, and nothing for none', () => {
    const to = terminal();
    ndjson(to, [{ at: 1 }, { at: 2 }]);
    ndjson(to, []);
    expect(to.written).toEqual(['{"at":1}\n', '{"at":2}\n']);
  });
});
