import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * What a process prints in which no descriptor is left while `then` runs. `imports` gives names and files below the
 * root of the project; `then` may `await`, and ends with `free()` for the descriptors to come back.
 */
export function withoutDescriptors(imports: Readonly<Record<string, string>>, then: string) {
  const lines = Object.entries(imports).map(([names, file]) => `import { ${names} } from '${resolve(ROOT, file)}';`);
  const code = `${lines.join('\n')}
    import { closeSync, openSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    const held = [];
    const free = () => held.splice(0).forEach(closeSync);
    await wait(50);
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    ${then}`;
  const argv = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync('sh', argv, { encoding: 'utf8', timeout: 30_000 });
  return { status, stdout, stderr };
}
