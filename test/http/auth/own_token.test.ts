import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureToken } from '../../../src/http/auth/own_token.ts';

/** A state directory, and what was said of the token in it. */
function aState(text?: string, mode = 0o600) {
  const state = mkdtempSync(join(tmpdir(), 'reeve-token-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const path = join(state, 'token');
  if (text !== undefined) writeFileSync(path, text, { mode });
  const said: string[] = [];
  const ensure = () =>
    ensureToken(
      path,
      (file) => statSync(file).mode,
      (because) => said.push(because),
    );
  return { state, path, said, ensure };
}

const OWN = 'x'.repeat(43);

describe('the token of the installation', () => {
  it('is made at the first start, for its owner alone, and kept', () => {
    const { state, path, ensure, said } = aState();
    const token = ensure();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([ensure(), readFileSync(path, 'utf8'), said]).toEqual([token, `${token}\n`, []]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(state)).toEqual(['token']);
  });

  it('may be one that a person chose', () => {
    expect(aState(`${OWN}\n`).ensure()).toBe(OWN);
  });

  it.each([
    ['nothing', ''],
    ['half a token', OWN.slice(0, 20)],
    ['text', 'this is no token, though it is long enough'],
    ['bytes', '\0'.repeat(64)],
  ])('is made anew where the file holds %s, and that is said once', (_, text) => {
    const { ensure, said } = aState(text, 0o644);
    const token = ensure();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(ensure()).toBe(token);
    expect(said).toEqual([expect.stringContaining('a new one was made')]);
  });

  it('is made anew where a directory stands in its place, which is kept', () => {
    const { path, ensure, said } = aState();
    mkdirSync(join(path, 'within'), { recursive: true });
    expect(ensure()).toBe(readFileSync(path, 'utf8').trim());
    expect(existsSync(`${path}.broken/within`)).toBe(true);
    expect(said).toEqual([expect.stringContaining('a new token was made')]);
  });

  it('is refused where others can read it', () => {
    const { ensure } = aState(OWN, 0o644);
    expect(ensure).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('chmod') }));
  });
});
