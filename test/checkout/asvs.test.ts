import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sandbox.ts';

const page = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]*) \| (.*)\|$/gm)].map(
  ([, number, , , verdict, shownBy]) => ({ number: number!, verdict: verdict!, shownBy: shownBy!.trim() }),
);
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|test|docs|config|deploy)\/[^`]+|[\w-]+\.(?:json|md))`/g)].map(([, path]) => path!);

describe('the page about ASVS', () => {
  it('has each requirement once, with a known verdict', () => {
    expect(rows.length).toBe(253);
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
    expect(rows.filter(({ verdict }) => !['yes', 'partly', 'no', 'n/a'].includes(verdict))).toEqual([]);
  });

  it('names a file for each yes, and only files that are there', () => {
    const unshown = rows.filter(({ verdict, shownBy }) => verdict === 'yes' && pathsIn(shownBy).length === 0);
    expect(unshown).toEqual([]);
    const missing = rows.flatMap(({ shownBy }) => pathsIn(shownBy)).filter((path) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });

  it('says what is missing for each no and each partly', () => {
    const silent = rows.filter(({ verdict, shownBy }) => /^(?:no|partly)$/.test(verdict) && shownBy === '');
    expect(silent).toEqual([]);
  });

  it('adds up its rows correctly', () => {
    const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
    const sum = `${rows.length} requirements: ${count('yes')} yes, ${count('partly')} partly, ${count('no')} no, ${count('n/a')} n/a`;
    expect(page).toContain(sum);
  });

  it('is summed up correctly, chapter by chapter, on the page about security', () => {
    const summary = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
    const verdicts = [...summary.matchAll(/^\| V(\d+) [^|]+ \| (\w+) \|/gm)].map(([, chapter, verdict]) => [
      chapter,
      verdict,
    ]);
    const chapters = [...new Set(rows.map(({ number }) => number.split('.')[0]!))];
    expect(verdicts).toEqual(chapters.map((chapter) => [chapter, sumOf(chapter)]));
  });
});

/** One requirement that is not met makes a chapter `partly`. */
function sumOf(chapter: string): string {
  const own = rows.filter(({ number }) => number.startsWith(`${chapter}.`)).map(({ verdict }) => verdict);
  if (own.every((verdict) => verdict === 'n/a')) return 'none';
  return own.every((verdict) => verdict === 'n/a' || verdict === 'yes') ? 'yes' : 'partly';
}
