import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

type Imports = Readonly<Record<string, string>>;

/**
 * What a process prints that lives within a limit of ulimit(1). `imports` gives names and files below the root of the
 * project; `code` may `await`.
 */
export function limited(limit: string, imports: Imports, code: string) {
  const lines = Object.entries(imports).map(([names, file]) => `import { ${names} } from '${resolve(ROOT, file)}';`);
  const text = [...lines, code].join('\n');
  const argv = ['-c', `ulimit ${limit}; exec "$@"`, 'sh', process.execPath, '--input-type=module', '-e', text];
  const { status, stdout, stderr } = spawnSync('sh', argv, { encoding: 'utf8', timeout: 30_000 });
  return { status, stdout, stderr };
}

/** The same where no descriptor is left while `then` runs, until it calls `free()`. */
export const withoutDescriptors = (imports: Imports, then: string) =>
  limited(
    '-n 64',
    imports,
    `import { closeSync, openSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    const held = [];
    const free = () => held.splice(0).forEach(closeSync);
    await wait(50);
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    ${then}`,
  );

/** The same where a file holds no more than 4 KiB: what is longer is written as far as it goes, as on a full disk. */
export const withShortFiles = (imports: Imports, code: string) => limited('-f 8', imports, code);
