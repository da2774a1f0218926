/** Where configuration files, shipped files and the state directory lie. */
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment, Flags, Origin } from './environment.ts';

/** Where the package itself keeps its personas, rules, patterns and schemas: above the sources, and above `dist`. */
export const SHIPPED = dirname(findPackageJSON(import.meta.url) ?? import.meta.filename);

/** The folders that an operator edits, and where the package keeps its own. */
const FOLDERS = {
  personas: 'personas',
  rules: 'config/rules',
  actions: 'config/actions',
  patterns: 'config/patterns',
} as const;
export type FolderName = keyof typeof FOLDERS;
export const FOLDER_NAMES = Object.keys(FOLDERS) as FolderName[];

/** What is promoted is one of these. */
type Promoted = 'patterns' | 'rules';

/** What was promoted where its folder is the package's own: beside the configuration file. */
export const addedFolder = (name: Promoted, configFile: string): string => join(dirname(configFile), `${name}.d`);

/** Where a file that is promoted is copied to: an upgrade writes the package's own folder anew. */
export function promotedFolder(
  name: Promoted,
  { file, folders }: { readonly file: string; readonly folders: Readonly<Record<Promoted, string>> },
): string {
  const isOwn = folders[name] !== shippedFolder(name) || file === join(SHIPPED, 'config/reeve.yaml');
  return isOwn ? folders[name] : addedFolder(name, file);
}

const SYSTEM_FOLDER = '/etc/reeve';

/**
 * The configuration file: `--config`, `REEVE_CONFIG`, `./config/reeve.yaml`, `/etc/reeve/reeve.yaml`, and where
 * `reeve init /etc/reeve` writes it. Undefined when none was given and none of the last three exists.
 */
export function findConfigFile(
  flags: Flags,
  env: Environment,
  cwd: string,
  system: string = SYSTEM_FOLDER,
): string | undefined {
  const file = flags.config ?? env.REEVE_CONFIG;
  if (file !== undefined) return resolve(cwd, file);
  const usual = [resolve(cwd, 'config/reeve.yaml'), join(system, 'reeve.yaml'), join(system, 'config/reeve.yaml')];
  return usual.find((path) => existsSync(path));
}

/** The state directory: a flag, the environment (ours, systemd's, the desktop's), the file, the usual place. */
export function stateDirectory(places: {
  readonly flags: Flags;
  readonly env: Environment;
  readonly cwd: string;
  readonly file: string;
  /** `state:` of the file. */
  readonly written: string | undefined;
  readonly isRoot: boolean;
}): { readonly directory: string; readonly origin: Origin | undefined } {
  const { flags, env, cwd } = places;
  const from = (directory: string, origin: string) => ({ directory, origin: { path: 'state', from: origin } });
  if (flags.state !== undefined) return from(resolve(cwd, flags.state), '--state');
  if (env.REEVE_STATE) return from(resolve(cwd, env.REEVE_STATE), 'REEVE_STATE');
  // systemd separates several directories by colons; the first is ours.
  const granted = env.STATE_DIRECTORY?.split(':')[0];
  if (granted) return from(resolve(cwd, granted), 'STATE_DIRECTORY');
  if (env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)) {
    return from(join(env.XDG_STATE_HOME, 'reeve'), 'XDG_STATE_HOME');
  }
  if (places.written !== undefined)
    return { directory: resolve(dirname(places.file), places.written), origin: undefined };
  const home = places.isRoot || !env.HOME ? '/var/lib' : join(env.HOME, '.local/state');
  return { directory: join(home, 'reeve'), origin: undefined };
}

/** Where a folder is looked for that the file does not name: beside the file, and for one in `config/` around it. */
export function placesOf(name: FolderName, file: string): readonly string[] {
  const home = dirname(file);
  return [join(home, name), ...(basename(home) === 'config' ? [join(dirname(home), FOLDERS[name])] : [])];
}

export const shippedFolder = (name: FolderName): string => join(SHIPPED, FOLDERS[name]);

/**
 * A folder of the configuration: as written, else the one beside the file; of a file in `config/`, where the package
 * itself has it (`../personas`); else the package's own.
 */
export function folderOf(
  name: FolderName,
  base: { readonly file: string; readonly written: string | undefined; readonly from: string },
): string {
  if (base.written !== undefined) return resolve(base.from, base.written);
  return placesOf(name, base.file).find((folder) => existsSync(folder)) ?? shippedFolder(name);
}
