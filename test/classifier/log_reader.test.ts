import { describe, expect, it } from 'vitest';
import { LogReader } from '../../src/classifier/log_reader.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const readerOf = (...lines: readonly string[]) =>
  new LogReader({
    linesOf: () => ({ source: 'news', lines, lastMs: 9_000 }),
    clean: (text) => text.replaceAll('s3cret', 'REDACTED'),
  });
const read = (...lines: readonly string[]) =>
  readerOf(...lines).read('news', catalogue, { at: 1_010_000, monoMs: 10_000 });

const FULL = 'av_interleaved_write_frame(): No space left on device';

describe('a reading of the last lines', () => {
  it('names the cause, as one symptom of the log, as old as the last line', () => {
    const reading = read('Connection refused by 192.0.2.1', FULL, 'key s3cret', 'Conversion failed!');
    expect(reading).toMatchObject({ kind: 'disk_full', origin: 'log', whole: true, channel: 'news' });
    expect(reading).toMatchObject({ at: 1_009_000, monoMs: 9_000, countInWindow: 1 });
    expect(JSON.stringify(reading)).toContain('REDACTED');
    expect(JSON.stringify(reading)).not.toContain('s3cret');
  });

  it.each([
    ['before the last ones', [FULL, 'one', 'two', 'three', 'four'], ['three', 'four', FULL]],
    ['among the last ones', ['one', 'two', FULL, 'three'], ['two', 'three', FULL]],
    ['the last one', ['one', 'two', 'three', FULL], ['two', 'three', FULL]],
    ['the only one', [FULL], [FULL]],
  ])('keeps the line that named the cause, as the last of three, where it is %s', (_, lines, kept) => {
    expect(read(...lines)).toMatchObject({
      kind: 'disk_full',
      evidence: kept.map((text) => ({ source: 'news', text })),
    });
  });

  it.each([
    ['harmless', ['[info] client 192.0.2.7 disconnected']],
    ['not known', ['ERROR: the frobnicator is unwell']],
    ['seen of the process itself', ['Segmentation fault (core dumped)']],
  ])('says nothing of what is %s', (_, lines) => {
    expect(read(...lines)).toBeUndefined();
  });

  it('gives no reading where there are no lines', () => {
    expect(read()).toBeUndefined();
    const reader = new LogReader({ linesOf: () => undefined, clean: (text) => text });
    expect(reader.read('news', catalogue, { at: 0, monoMs: 0 })).toBeUndefined();
  });

  it('waits when five logs have been read within a second', () => {
    const reader = readerOf(FULL);
    const at = (monoMs: number) => reader.read('news', catalogue, { at: 0, monoMs });
    for (let count = 0; count < 5; count += 1) expect(at(10_000)).toMatchObject({ kind: 'disk_full' });
    expect(at(10_999)).toBe('waits');
    expect(at(11_000)).toMatchObject({ kind: 'disk_full' });
  });
});
