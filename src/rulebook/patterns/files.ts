/** Proposed patterns as files in the state directory: immutable, because a service may not write its configuration. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYamlFolder } from '../../config/files.ts';
import { patternSourcesOf } from '../../config/patterns.ts';
import { messageOf, ReeveError } from '../../core/errors.ts';
import { makeDirectory } from '../../resilience/make_directory.ts';
import { writeWhole } from '../../resilience/write_whole.ts';
import { type Catalogue, compileCatalogue } from '../../detect/patterns/catalogue.ts';

export interface PatternFile {
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly sha256: string;
}

const SUFFIX = '.yaml';
const FILES_MAX = 500;
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

export const patternFolder = (state: string): string => join(state, 'proposals', 'patterns');

/** The files, by name. What cannot be read is left out: no start may fail of proposals, which do nothing yet. */
export function patternFiles(folder: string): readonly PatternFile[] {
  const names = namesIn(folder).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
  return names.sort().flatMap((name) => {
    const file = join(folder, name);
    const text = textOf(file);
    if (text === undefined) return [];
    const sha256 = createHash('sha256').update(text).digest('hex');
    return [{ id: name.slice(0, -SUFFIX.length), file, text, sha256 }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The proposed patterns, compiled by themselves; unsound ones are left out. */
export function proposedCatalogue(folder: string): Catalogue {
  if (!existsSync(folder)) return { patterns: [] };
  return compileCatalogue(patternSourcesOf(loadYamlFolder(folder, SUFFIX))).catalogue;
}

/** Durable when it returns. Throws CONFIG_INVALID where a file of that name exists, or where there are too many. */
export function writePatternFile(folder: string, id: string, text: string): PatternFile {
  const file = join(folder, `${id}${SUFFIX}`);
  try {
    makeDirectory(folder, FOLDER_MODE);
    if (patternFiles(folder).length >= FILES_MAX) throw new Error(`there are ${FILES_MAX} proposals already`);
    writeWhole(file, text, { flag: 'wx', mode: FILE_MODE });
  } catch (cause) {
    const hint = 'Promote or retire some, or make room in the state directory.';
    throw new ReeveError('CONFIG_INVALID', `${file} could not be written: ${messageOf(cause)}`, { cause, hint });
  }
  return patternFiles(folder).find((each) => each.id === id)!;
}
