import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { ANSWER_CHARS_MAX, Grounder, grounded } from '../../src/ask/grounding.ts';
import { redact } from '../../src/collect/redact.ts';

const known = new Set(['inc-81', 'inc-81#12', 'channel:news']);
const ground = { known, redact };
const check = (text: string) => grounded(text, ground);
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      '[inc-81]',
      '[inc-99]',
      'inc-99',
      '. ',
      '? ',
      '\n',
      '[',
      ']',
      '. [inc-81] ',
      ' A',
      'in[x]c-7',
      '！',
    ),
    fc.string({ maxLength: 12 }),
  ),
  { maxLength: 30 },
);

describe('grounding', () => {
  it.each([
    ['News was down [inc-81].', 'News was down [inc-81].', ['inc-81'], 0],
    ['News was down. [inc-81] It came back.', 'News was down. [inc-81] It came back. [uncited]', ['inc-81'], 1],
    ['It was [inc-81, channel:news; inc-99].', 'It was [inc-81, channel:news].', ['inc-81', 'channel:news'], 0],
    ['It was [inc-99].', 'It was (no such id). [uncited]', [], 1],
    ['Shall I look at it?', 'Shall I look at it?', [], 0],
    ['See inc-99 [inc-81#12].', 'See (no such id) [inc-81#12].', ['inc-81#12'], 0],
    ['Sure. [uncited] in[x]c-99 ran.', 'Sure. (uncited) [uncited] in(x)c-99 ran. [uncited]', [], 2],
    ['', '', [], 0],
  ])('%j becomes %j', (text, shown, cites, uncited) => expect(check(text)).toEqual({ text: shown, cites, uncited }));

  it('cuts an answer that is too long and says so', () => {
    expect(check('a'.repeat(ANSWER_CHARS_MAX)).text).not.toContain('was cut');
    expect(check('a'.repeat(ANSWER_CHARS_MAX + 1)).text).toContain('the rest of the answer was cut');
  });

  test.prop([pieces])('shows the same whether the text comes at once or letter by letter', (all) => {
    const text = all.join('');
    const shown: string[] = [];
    const grounder = new Grounder(ground, (piece) => shown.push(piece));
    for (const letter of text) grounder.take(letter);
    const end = grounder.end();
    expect(end).toEqual(check(text));
    expect(shown.join('')).toBe(end.text);
  });

  test.prop([pieces])(
    'leaves no bracket but those of ids that exist and the two marks, and no id that does not',
    (all) => {
      const { text, cites } = check(all.join(''));
      for (const [, inside = ''] of text.matchAll(/\[([^\]]*)\]/g)) {
        const ids = inside.split(', ');
        expect(['uncited', 'redacted'].includes(inside) || ids.every((id) => known.has(id))).toBe(true);
      }
      expect(cites.every((id) => known.has(id))).toBe(true);
      expect((text.match(/\binc-[\w#]+/gi) ?? []).filter((id) => !known.has(id))).toEqual([]);
    },
  );
});
