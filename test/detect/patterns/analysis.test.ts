import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readPatternSources } from '../../../scripts/corpus.ts';
import { FINDINGS_FILE } from '../../../src/config/patterns.ts';
import { analyse, type Finding, findingsFrom, findingsText, keyOf } from '../../../src/detect/patterns/analysis.ts';
import { compileCatalogue } from '../../../src/detect/patterns/catalogue.ts';
import { patternDocument } from '../../../src/detect/patterns/pattern.ts';
import { aSource } from '../catalogue_source.ts';

const REGENERATE = 'node scripts/pattern_findings.ts writes the file anew';
const shipped = findingsFrom(readFileSync(FINDINGS_FILE, 'utf8'));
const files = readPatternSources().map(({ value }) => patternDocument.parse(value));
const checked = files.flatMap(({ anchor, patterns }) => [
  ...(anchor === undefined ? [] : [{ key: keyOf(anchor), source: anchor }]),
  ...patterns.map((entry) => ({ key: keyOf(anchor, entry), source: entry.regex })),
]);

describe('the findings that are shipped', () => {
  it('are for each pattern what its analysis finds now', () => {
    const wrong = checked.filter(({ key, source }) => {
      const known = shipped.get(key);
      return known !== undefined && !isDeepStrictEqual(analyse(source, known), asKnown(source));
    });
    expect(wrong, REGENERATE).toEqual([]);
  });

  it('cover nine of ten shipped patterns, and few that are no longer shipped', () => {
    expect(checked.filter(({ key }) => shipped.has(key)).length, REGENERATE).toBeGreaterThan(0.9 * checked.length);
    expect(shipped.size, REGENERATE).toBeLessThan(1.1 * checked.length);
  });

  it('give the same catalogue as a check in full', () => {
    const analysed = (sources: ReturnType<typeof readPatternSources>, findings?: typeof shipped) =>
      compileCatalogue(sources, findings && (() => findings)).catalogue.patterns.map(({ find, cost, ...rest }) => ({
        ...rest,
        found: rest.examples.map((line) => find(Buffer.from(line).toString('latin1'))),
        costs: [10, 200, 2_000, 16_000].map(cost),
      }));
    expect(analysed(readPatternSources(), shipped)).toEqual(analysed(readPatternSources()));
  });
});

const asKnown = (source: string) => ({ ...analyse(source), isKnown: true });

describe('findings of earlier checks', () => {
  const anchor = '^app';
  const entry = patternDocument.parse({
    software: 'app',
    patterns: [{ id: 'gone', symptom: 'process_crash', regex: 'child (?:\\w*\\s*)*died', match: ['app child x died'] }],
  }).patterns[0]!;

  it('are read as they were written, what nothing bounds among them', () => {
    const analysis = analyse(entry.regex);
    expect(analysis.growth.degree).toBe(Number.POSITIVE_INFINITY);
    const read = findingsFrom(findingsText([[keyOf(anchor, entry), analysis]]));
    expect(analyse(entry.regex, read.get(keyOf(anchor, entry)))).toEqual({ ...analysis, isKnown: true });
  });

  it('are another pattern’s as soon as anything of it or of its anchor is another', () => {
    const keys = [
      keyOf(anchor, entry),
      keyOf(undefined, entry),
      keyOf('^other', entry),
      keyOf(anchor),
      ...[{ regex: 'child' }, { match: ['app child y died'] }, { not_match: ['x'] }, { none: ['x'] }, { id: 'b' }].map(
        (change) => keyOf(anchor, { ...entry, ...change }),
      ),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(['', 'null', '[]', '{', '{"a":1,"b":[null],"c":[-1,1,"x"],"d":[0,1,2],"e":[0,0.5,"x"],"f":["0",1,"x"]}'])(
    'are none where the file says %s',
    (text) => {
      expect(findingsFrom(text).size).toBe(0);
    },
  );

  it('do not keep an edited pattern from being checked with its examples', () => {
    const known: Finding = [0, 1, 'child'];
    const findings = new Map([[keyOf(undefined, entry), known]]);
    const problemsOf = (change: object) =>
      compileCatalogue([aSource({ software: 'app', patterns: [{ ...entry, ...change }] })], () => findings).problems;
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ match: ['nothing of it'] })).toMatchObject([{ path: 'patterns.0.match.0' }]);
    expect(problemsOf({ regex: '(?=x)' })).toMatchObject([{ path: 'patterns.0.regex' }]);
  });
});
