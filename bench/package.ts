/** Builds the package that a bench measures, as npm installs it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const CHECKOUT = resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'scripts/build.ts', 'scripts/bundle.ts', 'tsconfig.json', 'tsconfig.types.json'];
const SHIPPED = ['package.json', 'bin', 'personas', 'config'];

/**
 * The package as npm and the container install it: bundled, without sources. A checkout strips types as it starts, and
 * keeps what that takes for as long as the daemon runs. The folder goes away with the process.
 */
export function builtPackage(): string {
  const root = mkdtempSync(join(tmpdir(), 'reeve-package-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const part of [...SOURCES, ...SHIPPED]) cpSync(join(CHECKOUT, part), join(root, part), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  rmSync(join(root, 'src'), { recursive: true });
  return root;
}
