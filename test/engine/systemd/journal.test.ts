import { describe, expect, it } from 'vitest';
import { linesOfJournal } from '../../../src/engine/systemd/journal.ts';

const entry = (MESSAGE: unknown, time: unknown = '1785240001250000') =>
  JSON.stringify({ MESSAGE, __REALTIME_TIMESTAMP: time });

describe('the journal of a unit', () => {
  it('becomes lines with their times, without what follows the text', () => {
    expect(linesOfJournal(`${entry('one')}\n${entry('two \n')}\n`, 1_000)).toBe(
      '2026-07-28T12:00:01.250Z one\n2026-07-28T12:00:01.250Z two\n',
    );
  });

  it('reads bytes where the text is not UTF-8, and a line without its time where that is none', () => {
    expect(linesOfJournal(entry([104, 105], 'soon'), 1_000)).toBe('hi\n');
  });

  it('leaves out what is no entry, and a message that is null or holds what is no byte', () => {
    const lines = ['nonsense', '7', 'null', '{}', entry(null), entry([256]), entry([1.5])];
    expect(linesOfJournal(lines.join('\n'), 1_000)).toBe('');
  });

  it('keeps the newest lines within its bytes', () => {
    const lines = linesOfJournal(`${entry('old', '')}\n${entry('new', '')}`, 5);
    expect(lines).toContain('new');
    expect(lines).not.toContain('old');
  });
});
