import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sandbox.ts';

const FOLDERS = ['config', 'personas', 'test/policy'];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => join(folder, path)),
);

describe('a file that an operator edits', () => {
  it.each(files)('%s names a schema that is there', (file) => {
    const [, schema] = /^# yaml-language-server: \$schema=(\S+)/.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
    expect(schema).toBeDefined();
    expect(existsSync(resolve(ROOT, dirname(file), schema ?? ''))).toBe(true);
  });
});
