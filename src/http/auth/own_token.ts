// The token of this installation, which the command line on the same machine uses.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ReeveError } from '../../core/errors.ts';

/**
 * The token of this installation, created on first start: 256 bits, readable by its owner only.
 * Throws CONFIG_INVALID when others may read the file.
 */
export function ensureToken(path: string, modeOf: (path: string) => number): string {
  if (!existsSync(path)) {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(path, 0o600);
  }
  if ((modeOf(path) & 0o077) !== 0) {
    throw new ReeveError('CONFIG_INVALID', `${path} can be read by others`, { hint: `chmod 600 ${path}` });
  }
  const token = readFileSync(path, 'utf8').trim();
  if (token.length >= 32) return token;
  throw new ReeveError('CONFIG_INVALID', `${path} should hold a token of at least 32 characters, got ${token.length}`, {
    hint: 'Delete the file: the next start makes a new token.',
  });
}
