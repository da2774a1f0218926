import { describe, expect, it } from 'vitest';
import { readExcerpt, withoutNone } from '../../src/classifier/lines.ts';

const tone = (line: string) => readExcerpt([line])[0]!.tone;
const wholes = (...lines: readonly string[]) => readExcerpt(lines).map(({ whole }) => whole);

describe('the tone of a line', () => {
  it.each([
    'E0101 12:00:00.000000 1 pod.go:1] it broke',
    'W0101 12:00:00.000000 1 pod.go:1] slow',
    '2026-01-01 12:00:00.000 E [src] it is so',
    'connection refused',
    'NullPointerException at x',
    'level=warn msg="queue is blocked"',
    'could not open the frontend',
    '2026/03/02 21:06:07 [feed:1] it is so',
  ])('is a complaint: %s', (line) => {
    expect(tone(line)).toBe('complaint');
  });

  it.each([
    'I0101 12:00:00.000000 1 pod.go:1] failed before',
    '2026-01-01 12:00:00.000 D [src] error',
    '2026-01-01 12:00:00.000 I [src] error',
  ])('is quiet where its level says so: %s', (line) => {
    expect(tone(line)).toBe('quiet');
  });

  it.each([
    '2026/03/02 21:06:07 [feed:2] it is so',
    'it could not be better',
    'it plays',
    'level=warn msg="using the default"',
    '0 errors',
    'failed=0 of 7',
    'no stalls',
    '[Trace][virtual PlainError* Meta::update(int&)][31][9k2p] got metadata',
  ])('is plain: %s', (line) => {
    expect(tone(line)).toBe('plain');
  });

  it('of a warning in one letter is a complaint only where it worries about something', () => {
    const warning = (text: string) => tone(`2026-01-01 12:00:00.000 W [src] ${text}`);
    expect([warning('the buffer overflowed'), warning('using the default')]).toEqual(['complaint', 'plain']);
  });
});

describe('a count of what did not happen', () => {
  it('is left out, and a count of what did is not', () => {
    expect(withoutNone('read 5 frames, 0 errors')).toBe('read 5 frames, ~');
    expect(withoutNone('dropped=0')).toBe('~');
    for (const line of ['10 errors', 'errors=0.5', 'errors: 0x80']) expect(withoutNone(line)).toBe(line);
  });
});

describe('an excerpt', () => {
  it('is at most 200 lines of at most 4,000 characters', () => {
    const lines = readExcerpt(Array.from({ length: 201 }, () => 'x'.repeat(4_001)));
    expect([lines.length, lines[0]!.whole.length, lines.at(-1)!.at]).toEqual([200, 4_000, 199]);
  });

  it('has no control characters and no colours', () => {
    expect(wholes('con\u001b[31mnection\u0007 refused')).toEqual(['connection refused']);
  });

  it('leaves out what a quoted value let through onto lines of its own, until it is closed', () => {
    const lines = ['level=info user="ann', 'connection refused', 'killed" ok', 'connection lost'];
    expect(wholes(...lines)).toEqual([lines[0], '', '', lines[3]]);
  });

  it('leaves out a statement to the next record', () => {
    const lines = ['2026-01-01 12:00:00 LOG: STATEMENT: select', 'error', 'fatal', '2026-01-01 12:00:01 LOG: ready'];
    expect(wholes(...lines)).toEqual([lines[0], '', '', lines[3]]);
  });

  it('leaves nothing out behind a quote that is closed, an apostrophe, or a line that begins no record', () => {
    for (const first of ['level=info user="ann"', "level=info it can't", 'he said "ann'])
      expect(wholes(first, 'connection refused')).toEqual([first, 'connection refused']);
  });
});
