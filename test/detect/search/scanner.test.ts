import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { createScanner, type FoundRecord } from '../../../src/detect/search/scanner.ts';
import type { Pattern } from '../../../src/detect/patterns/catalogue.ts';
import { aCatalogue } from '../catalogue_source.ts';

const catalogue = aCatalogue([
  { id: 'refused', regex: 'Connection refused' },
  { id: 'denied', regex: 'status 40[13]\\b', match: ['status 403'] },
  { id: 'full', regex: '(?i)no space left' },
]);

const scan = (input: string | Buffer, encoding: BufferEncoding = 'utf8') => {
  const bytes = typeof input === 'string' ? Buffer.from(input, encoding) : input;
  const matched: { id: string; record: FoundRecord }[] = [];
  const complained: string[] = [];
  const lines = createScanner(catalogue).scan(bytes, 0, bytes.length, {
    matched: (record: FoundRecord, pattern: Pattern) => matched.push({ id: pattern.id, record }),
    complained: ({ text }) => complained.push(text),
    overBudget: () => undefined,
  });
  return { lines, complained, matched, ids: matched.map(({ id }) => id) };
};

describe('createScanner', () => {
  it('finds the patterns of each line, one per line', () => {
    const { ids, lines } = scan('a Connection refused, status 403\nfine\nNO SPACE LEFT\n');
    expect(ids).toEqual(['refused', 'full']);
    expect(lines).toBe(2);
  });

  it('gives the record without its end, whether CRLF or LF', () => {
    const { matched } = scan('x\r\na Connection refused\r\nb status 401\n');
    expect(matched.map(({ record }) => record.text)).toEqual(['a Connection refused', 'b status 401']);
    expect(matched.every(({ record }) => record.isLine)).toBe(true);
  });

  it('treats what a return ends as progress: seen, and not a line', () => {
    const { ids, lines } = scan('Connection refused\rok\n');
    expect(ids).toEqual(['refused']);
    expect(lines).toBe(0);
  });

  it('finds patterns beside bytes that are no text', () => {
    const garbage = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
      Buffer.from('\xff Connection refused \x00\n', 'latin1'),
    ]);
    expect(scan(garbage).ids).toEqual(['refused']);
  });

  it('splits at newlines only, not at what Unicode calls a line', () => {
    expect(scan('a\u2028Connection refused\n').matched[0]?.record.text).toContain('\xe2\x80\xa8');
  });

  it('finds a literal in a very long line, and counts the line once', () => {
    const line = `${'x'.repeat(40_000)} status 403 ${'y'.repeat(30_000)} Connection refused ${'z'.repeat(20_000)}\n`;
    const { ids, lines, matched } = scan(line);
    expect([ids.length, lines]).toEqual([1, 1]);
    expect(matched[0]!.record.text.length).toBeLessThanOrEqual(16 * 1024);
  });

  it('looks past a decoy far away in the same long line', () => {
    const line = `status 40${'x'.repeat(50_000)} status 4031 ${'y'.repeat(30_000)} Connection refused\n`;
    expect(scan(line).ids).toEqual(['refused']);
  });

  it('reports complaints that no pattern knows, and nothing else', () => {
    const { complained } = scan('widget failed to frob\nall is well\nConnection refused: failed\n');
    expect(complained).toEqual(['widget failed to frob']);
  });

  it('lets a harmless pattern of a better rank decide for the line, however common its text', () => {
    const two = aCatalogue([
      { id: 'refused', regex: 'Connection refused' },
      { id: 'health_check', regex: 'GET /healthz', symptom: 'benign_noise', severity: 90 },
    ]);
    const bytes = Buffer.from('GET /healthz\nGET /healthz: Connection refused\nGET /: Connection refused\n');
    const ids: string[] = [];
    const sink = {
      matched: (_: FoundRecord, { id }: Pattern) => ids.push(id),
      complained: () => {},
      overBudget: () => {},
    };
    expect(createScanner(two).scan(bytes, 0, bytes.length, sink)).toBe(2);
    expect(ids).toEqual(['health_check', 'refused']);
  });

  const word = fc.constantFrom(
    'Connection refused',
    'status 403',
    'status 4031',
    'no space LEFT',
    'ok',
    '',
    '\r',
    'x'.repeat(300),
  );
  property.prop([fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 60 })])(
    'says of whole chunks what it says of each line alone',
    (lines) => {
      const texts = lines.map((words) => words.join(' '));
      const together = scan(`${texts.join('\n')}\n`);
      const alone = texts.map((text) => scan(`${text}\n`));
      expect(together.ids).toEqual(alone.flatMap(({ ids }) => ids));
      expect(together.lines).toBe(alone.reduce((sum, { lines: count }) => sum + count, 0));
    },
  );
});
