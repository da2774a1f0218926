// The token of this installation, which the command line on the same machine uses.
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, renameSync } from 'node:fs';
import { ReeveError } from '../../core/errors.ts';
import { writeWhole } from '../../resilience/write_whole.ts';

/** As it goes into a header. */
const TOKEN = /^[\x21-\x7e]{32,1024}$/;

/**
 * The token of this installation, created on first start: 256 bits, readable by its owner only. What stands there and
 * can be no token, as after a power cut, is replaced: `onReplaced` hears why. Throws CONFIG_INVALID when others may
 * read the file.
 */
export function ensureToken(
  path: string,
  modeOf: (path: string) => number,
  onReplaced: (because: string) => void = () => undefined,
): string {
  if (!existsSync(path)) return newToken(path);
  if (lstatSync(path).isDirectory()) {
    renameSync(path, `${path}.broken`);
    onReplaced(`${path} was a directory, which is kept as ${path}.broken: a new token was made`);
    return newToken(path);
  }
  const token = readToken(path);
  if (token === undefined || !TOKEN.test(token)) {
    const found = token === undefined ? 'cannot be read' : 'held no token (32 characters or more without a space)';
    onReplaced(`${path} ${found}: a new one was made`);
    return newToken(path);
  }
  if ((modeOf(path) & 0o077) === 0) return token;
  throw new ReeveError('CONFIG_INVALID', `${path} can be read by others`, { hint: `chmod 600 ${path}` });
}

function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Under another name until it is on the disk: half a token would lock everybody out. */
function newToken(path: string): string {
  const token = randomBytes(32).toString('base64url');
  writeWhole(`${path}.new`, `${token}\n`, { flag: 'w', mode: 0o600 });
  renameSync(`${path}.new`, path);
  return token;
}
