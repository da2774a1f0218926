/** Where the daemon keeps its state, for commands that look for it there. */
import { resolve } from 'node:path';
import { type Environment, expanded, type Flags } from './document/environment.ts';
import { findConfigFile, stateDirectory } from './document/paths.ts';
import { readYaml } from './files.ts';
import { valueAt } from './shape.ts';

/**
 * As the daemon finds it, also where the configuration is not sound: a daemon goes on with what it had while a person
 * edits, and it has secrets in its environment that a shell does not have. A file that is no YAML says nothing.
 */
export function stateDirectoryFor(flags: Flags, env: Environment, cwd: string): string {
  const file = resolve(cwd, findConfigFile(flags, env, cwd) ?? 'config/reeve.yaml');
  const { value, unresolved } = expanded(readYaml(file), env);
  const state = unresolved.has('state') ? undefined : valueAt(value, ['state']);
  const written = typeof state === 'string' && state !== '' ? state : undefined;
  return stateDirectory({ flags, env, cwd, file, written, isRoot: process.getuid?.() === 0 }).directory;
}
