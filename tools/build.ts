// Makes dist/ for the published package (Node runs no .ts under node_modules): one program out of src/ and the libraries
// it uses. Five hundred modules with their comments would cost a daemon 5 MB for as long as it lives
// (docs/performance.md). Names and lines stay, for whoever reads a stack trace. Runs as `prepack`; a checkout needs no
// build, and runs on the libraries as they are installed.
// Usage: node tools/build.ts
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** They look for files of their own while they run, so they stay packages. */
const EXTERNAL = ['pino', 'pino-pretty'];

rmSync(DIST, { recursive: true, force: true });
const bundle = await rolldown({ cwd: ROOT, input: 'src/main.ts', platform: 'node', external: EXTERNAL });
const { output } = await bundle.write({
  dir: DIST,
  comments: false,
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
});
await bundle.close();
cpSync(join(ROOT, 'src/http/console'), join(DIST, 'console'), { recursive: true });
const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
writeFileSync(join(DIST, 'LICENSES.txt'), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));

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
