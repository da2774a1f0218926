/** Reads YAML files and folders. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, type Problem } from '../core/errors.ts';
import { FILE_BYTES_MAX } from './decode.ts';
import { type ParsedYaml, parseYaml } from './yaml.ts';

const FILES_MAX = 1_000;
const YAML_NAME = /\.ya?ml$/;

/**
 * The contents of files as last read, for as long as they are in use: after an edit of one file all the others
 * are the same objects, and whoever has worked them out need not do so again.
 */
const known = new Map<string, { readonly sha256: string; readonly parsed: WeakRef<ParsedYaml> }>();

function parsedOnce(file: string, bytes: Buffer): ParsedYaml {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const before = known.get(file);
  const same = before?.sha256 === sha256 ? before.parsed.deref() : undefined;
  if (same !== undefined) return same;
  const parsed = parseYaml(file, bytes);
  known.set(file, { sha256, parsed: new WeakRef(parsed) });
  return parsed;
}

/** One file, read and parsed; a file that cannot be read is one with a problem. */
export function readYaml(file: string): ParsedYaml {
  try {
    const status = statSync(file);
    if (!status.isFile()) return unusable(file, 'expected a file, got something else');
    if (status.size > 2 * FILE_BYTES_MAX) return unusable(file, `expected at most ${FILE_BYTES_MAX / 1024} KiB`);
    return parsedOnce(file, readFileSync(file));
  } catch (thrown) {
    return unusable(file, `expected a readable file: ${messageOf(thrown)}`);
  }
}

/**
 * The files of a folder whose names end in `suffix`, by name, parsed with places. Sub-folders and hidden names are left
 * alone. A YAML file with another ending is a problem, because it would silently not count.
 */
export function loadYamlFolder(directory: string, suffix: string): readonly ParsedYaml[] {
  const names = namesIn(directory);
  if (!Array.isArray(names)) return [unusable(directory, names)];
  const files = names.filter((name) => !name.startsWith('.') && YAML_NAME.test(name)).sort();
  if (files.length > FILES_MAX)
    return [unusable(directory, `expected at most ${FILES_MAX} files, got ${files.length}`)];
  return files.map((name) => {
    const file = join(directory, name);
    if (name.endsWith(suffix)) return readYaml(file);
    return unusable(
      file,
      `this file is not read: its name does not end in ${suffix}`,
      'rename it, or move it elsewhere',
    );
  });
}

function namesIn(directory: string): string[] | string {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => entry.name);
  } catch (thrown) {
    return `expected a readable folder: ${messageOf(thrown)}`;
  }
}

function unusable(file: string, message: string, hint = 'check the path, its owner and its mode'): ParsedYaml {
  const problem: Problem = { file, line: 1, column: 1, path: '', message, hint };
  return { file, value: undefined, at: () => ({ line: 1, column: 1 }), problems: [problem] };
}
