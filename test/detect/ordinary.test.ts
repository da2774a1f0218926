import { describe, expect, it } from 'vitest';
import { firstFit } from '../../src/detect/patterns/catalogue.ts';
import { asBytes } from '../../src/detect/patterns/own_text.ts';
import { withoutForeign } from '../../src/detect/search/untrusted_spans.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const ordinary = catalogue.patterns.filter(({ harmless, symptom }) => harmless && symptom !== 'unknown');
const GRAVE = [
  ['(28: No space left on device)', 'disk_full'],
  ['Too many open files', 'fd_exhaustion'],
  ['Cannot allocate memory', 'process_killed_oom'],
] as const;

describe('a pattern of what is ordinary', () => {
  it.each(GRAVE)('never fits a line that also says: %s', (text) => {
    const swallowed = ordinary.flatMap(({ id, examples, find }) =>
      examples
        .map((example) => `${asBytes(example)}: ${text}`)
        .filter((line) => withoutForeign(line).includes(text) && find(line) !== undefined)
        .map(() => id),
    );
    expect(ordinary.length).toBeGreaterThan(150);
    expect(swallowed).toEqual([]);
  });

  it.each(GRAVE)('leaves that line to a pattern that names it: %s is %s', (text, symptom) => {
    const line = `2026/11/25 10:25:14 [notice] 7#7: cache manager process started: ${text}`;
    expect(firstFit(line, catalogue)?.symptom).toBe(symptom);
  });

  it('still fits where an outsider wrote that text', () => {
    const line = '2026/11/25 10:25:14 [notice] 7#7: *1 rewritten data: "/No space left on device", client: 192.0.2.7';
    expect(firstFit(line, catalogue)?.symptom).toBe('benign_noise');
  });
});
