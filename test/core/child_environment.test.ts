import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/core/child_environment.ts';

const SRC = join(import.meta.dirname, '../../src');

describe('the environment of a program', () => {
  it('holds a path, a language and what is given, and nothing of our own', () => {
    process.env.REEVE_TEST_SECRET = 'not for children';
    const seen = execFileSync('/usr/bin/env', { env: childEnvironment({ XDG_RUNTIME_DIR: '/run/user/7' }) }).toString();
    delete process.env.REEVE_TEST_SECRET;
    const variables = new Map(
      seen
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    );
    expect([...variables.keys()].sort()).toEqual(['LANG', 'PATH', 'XDG_RUNTIME_DIR']);
    expect(variables.get('PATH')).toContain('/usr/bin');
    expect(variables.get('XDG_RUNTIME_DIR')).toBe('/run/user/7');
  });

  it('is given wherever a program is started', () => {
    const starts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
      // A type starts nothing.
      .filter(({ text }) => /^import (?!type)[^;]*from 'node:child_process'/m.test(text));
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.filter(({ text }) => !/env: childEnvironment\(/.test(text)).map(({ path }) => path)).toEqual([]);
    const calls = starts.flatMap(({ text }) => text.match(/\b(?:spawn|execFile|exec|fork)(?:Sync)?\(/g) ?? []);
    const given = starts.flatMap(({ text }) => text.match(/env: childEnvironment\(/g) ?? []);
    expect(given).toHaveLength(calls.length);
  });
});
