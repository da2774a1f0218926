// Does node_modules hold what package-lock.json asks for? Exit 0 when it does, 1 when `npm ci` is due.
// Plain JavaScript without dependencies: it runs before anything is installed, on whatever Node there is.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/** A package for another machine may be absent; one that is there must have the version of the lock. */
function isSatisfied([path, wanted], installed) {
  if (path === '' || wanted.link || !path.includes('node_modules/')) return true;
  const present = installed[path];
  if (!present) return Boolean(wanted.optional || wanted.peer);
  return present.version === wanted.version;
}

const wanted = packagesOf(join(root, 'package-lock.json'));
const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
const fresh = wanted && installed && Object.entries(wanted).every((entry) => isSatisfied(entry, installed));
process.exit(fresh ? 0 : 1);
