import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { signalGroup, startGroup } from '../../src/resilience/program_group.ts';

describe('a program in a group of its own', () => {
  it('is given a folder, its variables and nothing else', async () => {
    const child = startGroup(['sh', '-c', 'pwd; env'], { cwd: '/', env: { OWN: '1' } });
    let printed = '';
    child.stdout!.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    await once(child, 'close');
    expect(printed.split('\n')).toEqual(expect.arrayContaining(['/', 'OWN=1', 'LANG=C.UTF-8']));
    expect(printed).not.toMatch(/NODE|VITEST|HOME/);
  });

  it.each([
    ['is not there', '/nowhere/at-all', 'ENOENT'],
    ['cannot even be tried', '/dev/null/no-folder', 'ENOTDIR'],
  ])('that %s fails a moment later, and is over then', async (_, program, code) => {
    const child = startGroup([program]);
    const closed = new Promise((resolve) => child.once('close', resolve));
    const [error] = await once(child, 'error');
    expect(error).toMatchObject({ code });
    await closed;
    signalGroup(child, 'SIGTERM');
  });
});
