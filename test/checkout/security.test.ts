import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOKEN_SCOPES } from '../../src/core/access.ts';
import { ROOT } from './sandbox.ts';

const PAGES = ['SECURITY.md', 'docs/security.md', 'docs/exposure.md', 'docs/audit.md'];
const text = (page: string) => readFileSync(join(ROOT, page), 'utf8');

describe.each(PAGES)('%s', (page) => {
  it('names only tests, files and pages that are there', () => {
    const named = [...text(page).matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
    const linked = [...text(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path!);
    const missing = [
      ...named.filter((path) => !existsSync(join(ROOT, path))),
      ...linked.filter((path) => !existsSync(resolve(ROOT, dirname(page), path))),
    ];
    expect(missing).toEqual([]);
  });
});

describe('the threat page', () => {
  it('has a row for each scope that a token may hold, with a test that shows it', () => {
    const rows = text('docs/security.md')
      .split('\n## ')
      .find((part) => part.startsWith('Who may write what'))!
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| who'));
    expect(rows.length).toBeGreaterThan(12);
    for (const row of rows) expect(row).toMatch(/`test\//);
    const who = rows.map((row) => row.split('|')[1]).join();
    for (const scope of TOKEN_SCOPES.filter((one) => one !== 'metrics')) expect(who).toContain(`\`${scope}\``);
  });

  it('goes through every chapter of ASVS 5.0', () => {
    const chapters = [...text('docs/security.md').matchAll(/^\| V(\d+) .*\| (yes|partly|none) \|/gm)].map(([, n]) =>
      Number(n),
    );
    expect(chapters).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
  });

  it('names every scope where tokens are explained', () => {
    for (const scope of TOKEN_SCOPES) expect(text('docs/exposure.md')).toContain(`| \`${scope}\` |`);
  });
});
