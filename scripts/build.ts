// Makes dist/ for the published package (Node runs no .ts under node_modules): one program out of src/ and the
// libraries it uses. Five hundred modules with their comments would cost a daemon 5 MB for as long as it runs
// (docs/performance.md). Names and lines stay, for whoever reads a stack trace. `npm run release` runs it; a checkout
// needs no build, and runs on the libraries as they are installed.
// Usage: node scripts/build.ts
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
// The library is a build of its own: the daemon must not carry its chunks.
const modules = [
  ...(await bundle(ROOT, 'src/main.ts', DIST)),
  ...(await bundle(ROOT, 'src/index.ts', join(DIST, 'library'))),
];
execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'tsconfig.types.json')], { stdio: 'inherit' });
cpSync(join(ROOT, 'src/http/console'), join(DIST, 'console'), { recursive: true });
writeFileSync(join(DIST, 'LICENSES.txt'), noticesOf(modules));

/** What the licences of the libraries ask to be handed on with them. */
function noticesOf(modules: readonly string[]): string {
  const homes = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const notices = [...homes].sort().map((home) => {
    const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    const files = readdirSync(home).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    const texts = files.map((file) => readFileSync(join(home, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  return `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
