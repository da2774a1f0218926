import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checked, validate } from '../../src/config/validate.ts';
import { nearest, shown } from '../../src/config/suggestions.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { problemLines } from './support.ts';

const problemsOf = (schema: z.ZodType, text: string) =>
  problemLines(validate(schema, parseYaml('f.yaml', text)).problems);

describe('validate', () => {
  it('gives the parsed value when all is well', () => {
    const schema = z.strictObject({ a: z.int(), b: z.string().transform((text) => text.length) });
    expect(validate(schema, parseYaml('f.yaml', 'a: 1\nb: abc\n'))).toEqual({
      ok: true,
      value: { a: 1, b: 3 },
      problems: [],
    });
  });

  it('can be laid on a part, and still names places in the whole', () => {
    const parsed = parseYaml('f.yaml', 'list:\n  - { n: 1 }\n  - { n: x }\n');
    const { problems } = validate(z.strictObject({ n: z.number() }), parsed, ['list', 1]);
    expect(problemLines(problems)).toEqual(['3:10 list.1.n: expected a number, got "x" ()']);
  });

  it.each([
    ['n: x', '1:4 n: expected a number, got "x" (How many.)'],
    ['n: 0', '1:4 n: expected at least 1, got the number 0 (the nearest allowed value is 1)'],
    ['n: 6', '1:4 n: expected at most 5, got the number 6 (the nearest allowed value is 5)'],
    ['n: 1.5', '1:4 n: expected a whole number, got the number 1.5 (How many.)'],
    ['n: "3"', '1:4 n: expected a number, got "3" (write it without quotes)'],
    ['n: .inf', '1:4 n: expected a number, got the number Infinity'],
    ['n:', '1:1 n: expected a number, got nothing'],
    ['s: 7', '1:4 s: expected text, got the number 7 (put it in quotes: "7")'],
    ['s: 010', '1:4 s: expected text, got the number 010 (put it in quotes: "010")'],
    ['s: 2.10', '1:4 s: expected text, got the number 2.10 (put it in quotes: "2.10")'],
    ['s: [a]', '1:4 s: expected text, got a list'],
    ['s: abcdef', '1:4 s: expected at most 5 characters, got 6'],
    ['b: yes', '1:4 b: expected true or false, got "yes" (write true: in YAML 1.2 this word is text)'],
    ['b: off', '1:4 b: expected true or false, got "off" (write false: in YAML 1.2 this word is text)'],
    ['e: larg', '1:4 e: expected small, medium or large, got "larg" (did you mean large?)'],
    ['e: 7', '1:4 e: expected small, medium or large, got the number 7'],
    ['l: a', '1:4 l: expected a list, got "a" (write a list: [ … ] or lines with "- ")'],
    ['t: a', '1:4 t: expected a list, got "a" (write a list: [ … ] or lines with "- ")'],
    ['l: [1, 2, 3]', '1:4 l: expected at most 2 entries, got 3'],
    ['o: {}', '1:4 o.k: expected text, got nothing'],
    ['o: { k: a, kk: b }', '1:12 o.kk: unknown key "kk" (did you mean k?)'],
    ['o: { k: a, zzz: b }', '1:12 o.zzz: unknown key "zzz" (known here: k)'],
    ['o: { k: a, <<: { x: 1 } }', '1:12 o.<<: unknown key "<<" (merge keys are not supported: write the keys out)'],
  ])('%s', (text, expected) => {
    const schema = z.strictObject({
      n: z.int().min(1).max(5).describe('How many.').optional(),
      s: z.string().max(5).optional(),
      b: z.boolean().optional(),
      e: z.enum(['small', 'medium', 'large']).optional(),
      t: z.tuple([z.string()], z.string()).optional(),
      l: z.array(z.unknown()).max(2).optional(),
      o: z.strictObject({ k: z.string() }).optional(),
    });
    const [first] = problemsOf(schema, text);
    expect(first).toContain(expected);
  });

  it('gives the issue of the option that was meant, not "invalid union"', () => {
    const schema = z.strictObject({
      u: z.union([z.string(), z.strictObject({ value: z.int().max(5), sure: z.literal(true) })]),
    });
    expect(problemsOf(schema, 'u: 5')).toEqual([
      '1:4 u: expected text or a mapping (lines of "key: value"), got the number 5 ()',
    ]);
    expect(problemsOf(schema, 'u: { value: 9, sur: true }')).toEqual([
      '1:4 u.sure: expected true, got nothing ()',
      '1:13 u.value: expected at most 5, got the number 9 (the nearest allowed value is 5)',
      '1:16 u.sur: unknown key "sur" (did you mean sure?)',
    ]);
  });

  it('names the kinds where a union goes by kind, and checks the rest by the kind that is there', () => {
    const schema = z.strictObject({
      k: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('http'), port: z.int() }),
        z.strictObject({ kind: z.literal('command') }),
      ]),
    });
    expect(problemsOf(schema, 'k: { kind: comand }')).toEqual([
      '1:12 k.kind: expected http or command, got "comand" (did you mean command?)',
    ]);
    expect(problemsOf(schema, 'k: {}')).toEqual(['1:4 k.kind: expected http or command, got nothing ()']);
    expect(problemsOf(schema, 'k: { kind: http, prt: 1 }')).toEqual([
      '1:4 k.port: expected a number, got nothing ()',
      '1:18 k.prt: unknown key "prt" (did you mean port?)',
    ]);
    expect(problemsOf(schema, 'k: { kind: command, port: 1 }')).toEqual([
      '1:21 k.port: unknown key "port" (known here: kind)',
    ]);
  });

  it('keeps what a schema says itself, and adds what came', () => {
    const schema = z.strictObject({
      a: z.string().regex(/^x/, 'a word with x'),
      b: z.string().refine(() => false, 'b is never right'),
      c: z.string().regex(/^x/, 'expected a word with x'),
      d: z.strictObject({}).refine(() => false, 'give either this or that'),
    });
    expect(problemsOf(schema, 'a: y\nb: y\nc: y\nd: {}\n')).toEqual([
      '1:4 a: expected a word with x, got "y" ()',
      '2:4 b: b is never right, got "y" ()',
      '3:4 c: expected a word with x, got "y" ()',
      '4:4 d: give either this or that ()',
    ]);
  });

  it('lets one function be the whole check of a value', () => {
    const field = checked(
      (input) => (input === 'ok' ? { ok: 1 } : { no: 'expected ok', hint: 'write ok', path: ['in'] }),
      {},
    );
    expect(problemsOf(z.strictObject({ a: field }), 'a: 1')).toEqual(['1:4 a.in: expected ok (write ok)']);
    expect(problemsOf(z.strictObject({ a: field }), '{}')).toEqual(['1:1 a.in: expected ok (write ok)']);
    expect(validate(z.strictObject({ a: field }), parseYaml('f.yaml', 'a: ok'))).toMatchObject({ value: { a: 1 } });
  });

  it('names at most a hundred problems and counts the rest', () => {
    const text = Array.from({ length: 250 }, (_, index) => `k${index}: 1`).join('\n');
    const problems = problemsOf(z.strictObject({}), text);
    expect(problems).toHaveLength(100);
    expect(problems.at(-1)).toContain('and 151 more problems in this file');
  });
});

describe('messages and suggestions', () => {
  it.each([
    ['restart_chanel', 'restart_channel'],
    ['Restart-Channel', 'restart_channel'],
    ['restartchannel', 'restart_channel'],
    ['fetch_logs', undefined],
    ['fetch_recent_log', 'fetch_recent_logs'],
    ['', undefined],
  ])('nearest to %j is %j', (typed, expected) => {
    expect(nearest(typed, ['restart_channel', 'fetch_recent_logs'])).toBe(expected);
  });

  it('shows a value on one short line without secrets and without anything a terminal obeys', () => {
    expect(shown(`x\u001b[31m\n${'y'.repeat(100)}`)).toMatch(/^"x\?\[31m\?y+…"$/);
    expect(shown('x'.repeat(500)).length).toBeLessThan(70);
    expect(shown('hunter2', 'password')).toBe('a hidden value');
    expect(shown('hunter2', 'token_env')).toBe('a hidden value');
    expect(shown('hunter2', 'tokens')).toBe('a hidden value');
    expect(shown(0, 'tokens_per_day')).toBe('the number 0');
    expect(shown('http://user:hunter2@host/x?token=hunter2')).toBe('"http://***@host/x?token=***"');
    expect(shown('\u202eevil\ud800')).toBe('"?evil?"');
  });
});
