import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/config/yaml.ts';
import { problemLines } from './support.ts';

const problemsOf = (input: string | Uint8Array) => problemLines(parseYaml('f.yaml', input).problems);

describe('parseYaml', () => {
  it('reads YAML 1.2 in the core schema: yes is text, 012 is 12, a lone << is an ordinary key', () => {
    const { value, problems } = parseYaml('f.yaml', 'a: yes\nb: 012\nc: 0x1f\nd: true\ne:\n"<<": {x: 1}\n1: one\n');
    expect(value).toEqual({ a: 'yes', b: 12, c: 31, d: true, e: null, '<<': { x: 1 }, '1': 'one' });
    expect(problems).toEqual([]);
  });

  it('does not let a directive bring the truths of YAML 1.1 back', () => {
    expect(parseYaml('f.yaml', '%YAML 1.1\n---\na: yes\n').value).toEqual({ a: 'yes' });
  });

  it.each([
    ['a byte order mark', '\ufeffa: 1\n'],
    ['Windows line endings', 'a: 1\r\n'],
    ['old Mac line endings', 'a: 1\rb: 2\r'],
  ])('takes %s', (_, text) => {
    const { value, problems } = parseYaml('f.yaml', text);
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ a: 1 });
  });

  it('says where each value and each key stands, and of a missing one where its parent is', () => {
    const { at } = parseYaml(
      'f.yaml',
      'limits:\n  window: 60s\nengines:\n  - id: a\n  - { id: b, poll: 1s }\nempty:\n',
    );
    expect(at(['limits', 'window'])).toEqual({ line: 2, column: 11 });
    expect(at(['limits', 'window'], 'key')).toEqual({ line: 2, column: 3 });
    expect(at(['limits'])).toEqual({ line: 1, column: 1 });
    expect(at(['engines', 1, 'poll'])).toEqual({ line: 5, column: 20 });
    expect(at(['engines', 0, 'missing'])).toEqual({ line: 4, column: 5 });
    expect(at(['engines', 7])).toEqual({ line: 3, column: 1 });
    expect(at(['empty'])).toEqual({ line: 6, column: 1 });
    expect(at([])).toEqual({ line: 1, column: 1 });
  });

  it('counts lines the same with \\r\\n', () => {
    expect(parseYaml('f.yaml', 'a: 1\r\nb:\r\n  c: 2\r\n').at(['b', 'c'])).toEqual({ line: 3, column: 6 });
  });

  it.each([
    ['a: 1\na: 2\n', '2:1 a: the key "a" stands here a second time (keep one of them)'],
    ['{a: 1, a: 2}', '1:8 a: the key "a" stands here a second time (keep one of them)'],
    ['a: &x 1\nb: *x\n', '2:4 b: the alias *x is not allowed (write the value out where it is used)'],
    ['a: *nowhere\n', '1:4 a: the alias *nowhere is not allowed (write the value out where it is used)'],
    ['__proto__: {x: 1}\n', '1:1 __proto__: the key "__proto__" is not allowed (choose another)'],
    ['a: {constructor: 1}\n', '1:5 a.constructor: the key "constructor" is not allowed (choose another)'],
    ['a:\n\tb: 1\n', '2:1 : expected spaces, got a tab as indentation (indent with two spaces)'],
    ['a: 1\n---\nb: 2\n', '2:1 : expected one document, got a second one (use one file for each, without ---)'],
    ['a: !!js/function x\n', '1:4 : tags (words that begin with !) are not allowed (write the plain value)'],
    ['a: !!binary aGk=\n', '1:4 : tags (words that begin with !) are not allowed (write the plain value)'],
    ['? [a, b]\n: 1\n', '1:3 : expected plain text as a key (put the key in quotes)'],
    ['a: @b\n', '1:4 : plain text may not begin with this character (put the text in quotes)'],
    [
      'a: b: c\n',
      '1:4 : expected one value after the key, got another "key: value" on the same line ' +
        '(put the text in quotes when it contains ": ")',
    ],
    [
      'a: x\u0007y\n',
      '1:5 : expected plain text, got the invisible character U+0007 (delete it, or write it as an escape)',
    ],
    [
      'a: x\u202ey\n',
      '1:5 : expected plain text, got the invisible character U+202E (delete it, or write it as an escape)',
    ],
  ])('refuses %j with the place and what to do', (text, problem) => {
    expect(problemsOf(text)[0]).toBe(problem);
  });

  it('takes 32 levels and refuses 33', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(problemsOf(nested(32))).toEqual([]);
    expect(problemsOf(nested(33))[0]).toContain('expected at most 32 levels of nesting');
  });

  it('refuses what nests so deep that the parser itself gives up', () => {
    const text = `channels:\n  - id: news\n    logs: [/var/log/news.log, ${'{ path: / '.repeat(6_000)}\n`;
    expect(problemsOf(text)[0]).toContain('expected at most 32 levels of nesting');
  });

  it.each([
    ['[', 50_000],
    ['- ', 50_000],
    ['{a: ', 50_000],
    ['"', 50_001],
    ['k: &a [*a', 20_000],
  ])('answers a bomb of %j with problems, bounded in number', (piece, times) => {
    const { value, problems } = parseYaml('f.yaml', piece.repeat(times));
    expect(value).toBeUndefined();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(100);
  });

  it('reads a mapping of twenty thousand keys in time, the check for double keys included', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(Object.keys(parseYaml('f.yaml', text).value as object)).toHaveLength(20_000);
  });

  it('never throws, whatever the text: it gives a value, problems, or both, each with a place in the file', () => {
    const shard = fc.constantFrom(
      ...[
        'a',
        ': ',
        '- ',
        '\n',
        '  ',
        '"',
        "'",
        '[',
        ']',
        '{',
        '}',
        '|',
        '>',
        '&x ',
        '*x',
        '!',
        '#',
        '%',
        '---',
        '\t',
        '?',
      ],
      ...['\r', '\0', '\ud800', '<<: ', '__proto__: ', '${A}', '1e9', '.nan', '@', '`', ','],
    );
    const text = fc.oneof(
      fc.array(shard, { maxLength: 60 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (input) => {
        const { problems } = parseYaml('f.yaml', input);
        for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(Array.isArray(parseYaml('f.yaml', bytes).problems)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads back what JSON writes', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abc_-.x1 '), minLength: 1, maxLength: 8 });
    const plain = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(plain, (value) => {
        const parsed = parseYaml('f.yaml', JSON.stringify(value));
        if (parsed.problems.length === 0) expect(parsed.value).toEqual(value);
        else expect(JSON.stringify(value)).toMatch(/[\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufffd]/);
      }),
    );
  });
});
