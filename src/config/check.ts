/** Checks files for `reeve check`. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { messageOf, type Problem, ReeveError } from '../core/errors.ts';
import { type Persona, personaDocument } from '../core/persona.ts';
import type { Composite } from '../core/rule.ts';
import { compositesFrom } from './composites.ts';
import { configDocument } from './document/document.ts';
import { findConfigFile, folderOf, shippedFolder } from './document/paths.ts';
import { loadYamlFolder, readYaml } from './files.ts';
import { type LoadOptions, loadConfiguration } from './load.ts';
import { loadPersonas, personasFrom } from './personas.ts';
import { compositeDocument } from './rule_document.ts';
import { RULE_SUFFIX, rulesFrom } from './rules.ts';
import { inOrder } from './validate.ts';
import { listed } from './suggestions.ts';
import type { ParsedYaml } from './yaml.ts';

/** A kind of file that an operator edits: how it is known, and what is wrong with some of them. */
export interface FileKind {
  readonly name: string;
  recognises(parsed: ParsedYaml): boolean;
  /** All files of the kind at once, so that it can find what stands twice. */
  check(files: readonly ParsedYaml[], personas: KnownPersonas): readonly Problem[];
}

/** Those that there will be; undefined where the configuration is not sound, for then it is not known. */
export type KnownPersonas = () => readonly Persona[] | undefined;

export interface CheckOptions extends LoadOptions {
  /** Files and folders to check by themselves. None: the whole configuration. */
  readonly files: readonly string[];
  /** Kinds of other rooms (patterns, hints, policy tests), asked after our own. */
  readonly kinds?: readonly FileKind[];
}

const FILES_MAX = 5_000;
const DEPTH_MAX = 6;

/** Every problem of the whole configuration, or of the files and folders named. */
export function checkAll(options: CheckOptions): readonly Problem[] {
  const { files, cwd = process.cwd() } = options;
  const personas = personasOf(options);
  if (files.length === 0) {
    const problems = [...loadConfiguration(options).problems, ...policyProblems(options, personas)];
    return shownFrom(cwd, inOrder(problems));
  }
  const problems: Problem[] = [];
  const parsed = files.flatMap((file) => filesIn(resolve(cwd, file), problems)).map(readYaml);
  const kinds = [...ownKinds(options), ...(options.kinds ?? [])];
  const sorted = new Map<FileKind, ParsedYaml[]>();
  for (const file of parsed) {
    const kind = file.value === undefined ? undefined : kinds.find((candidate) => candidate.recognises(file));
    if (kind) sorted.set(kind, [...(sorted.get(kind) ?? []), file]);
    else problems.push(...(file.value === undefined ? file.problems : [stranger(file, kinds)]));
  }
  for (const [kind, members] of sorted) problems.push(...kind.check(members, personas));
  return shownFrom(cwd, inOrder(withoutDoubles(problems)));
}

/** Of the configuration that is found, else those that are shipped; read once, and only where they are asked for. */
function personasOf(options: CheckOptions): KnownPersonas {
  const { flags = {}, env = process.env, cwd = process.cwd() } = options;
  let known: { readonly personas: readonly Persona[] | undefined } | undefined;
  return () => {
    known ??=
      findConfigFile(flags, env, cwd) === undefined
        ? loadPersonas(shippedFolder('personas'))
        : { personas: loadConfiguration({ ...options, checks: [] }).configuration?.personas };
    return known.personas;
  };
}

/** The policy tests of the whole configuration lie where `reeve init` puts them: beside its folder config. */
function policyProblems(options: CheckOptions, personas: KnownPersonas): readonly Problem[] {
  const { flags = {}, env = process.env, cwd = process.cwd(), kinds = [] } = options;
  const home = dirname(findConfigFile(flags, env, cwd) ?? '');
  const folder = join(dirname(home), 'test/policy');
  const policy = kinds.find(({ name }) => name === 'policy');
  if (policy === undefined || basename(home) !== 'config' || !existsSync(folder)) return [];
  const problems: Problem[] = [];
  const files = filesUnder(folder, problems).map(readYaml);
  return [...problems, ...policy.check(files, personas)];
}

/** What is allowed and dangerous in the configuration, or in those among the files and folders named. */
export function warningsIn(options: CheckOptions): readonly Problem[] {
  const { files, cwd = process.cwd() } = options;
  const all = files.flatMap((file) => filesUnder(resolve(cwd, file), []));
  const isConfig = (file: string): boolean => ownKinds(options).at(-1)?.recognises(readYaml(file)) === true;
  const configs = files.length === 0 ? [undefined] : all.filter(isConfig);
  const warnings = configs.flatMap((file) => {
    const { configuration } = loadConfiguration(file === undefined ? options : { ...options, file });
    return configuration?.config.warnings ?? [];
  });
  return shownFrom(cwd, warnings);
}

/** A file can be read twice: by itself, and as part of a configuration. */
function withoutDoubles(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** `file:line:col: path: message (hint)`, one problem to a line. */
export function formatProblem({ file, line, column, path, message, hint }: Problem): string {
  const about = path === '' ? '' : `${path}: `;
  return `${file}:${line}:${column}: ${about}${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** The error of who cannot work with such files: each problem on a line of its own. */
export function unsound(problems: readonly Problem[], hint: string): ReeveError {
  const many = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return new ReeveError('CONFIG_INVALID', `${many}:\n${problems.map(formatProblem).join('\n')}`, { hint });
}

/** What `reeve check --json` prints. Warnings leave it sound. */
export const checkReport = (problems: readonly Problem[], warnings: readonly Problem[] = []) => ({
  ok: problems.length === 0,
  problems,
  warnings,
});

/** Files below the working directory are named from there, as people typed them. */
const shownFrom = (cwd: string, problems: readonly Problem[]): readonly Problem[] =>
  problems.map((problem) => {
    const near = relative(cwd, problem.file);
    return problem.file.startsWith('/') && near !== '' && !near.startsWith('..') ? { ...problem, file: near } : problem;
  });

function stranger(parsed: ParsedYaml, kinds: readonly FileKind[]): Problem {
  const names = listed(kinds.map(({ name }) => name));
  return {
    file: parsed.file,
    line: 1,
    column: 1,
    path: '',
    message: parsed.value === null ? 'the file is empty' : 'cannot see what this file is for',
    hint: `expected a ${names} file, in the folder of its kind`,
  };
}

/** Who named a wrong folder must not read that all is sound. */
function filesIn(path: string, problems: Problem[]): readonly string[] {
  const before = problems.length;
  const found = filesUnder(path, problems);
  const place = { file: path, line: 1, column: 1, path: '' };
  if (found.length === 0 && problems.length === before)
    problems.push({
      ...place,
      message: 'expected a folder with .yaml files, found none in it',
      hint: 'check the path',
    });
  if (found.length >= FILES_MAX)
    problems.push({
      ...place,
      message: `expected fewer than ${FILES_MAX} files`,
      hint: 'check its folders one by one',
    });
  return found;
}

function filesUnder(path: string, problems: Problem[], depth = 0): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    if (depth >= DEPTH_MAX) return [];
    const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !SKIPPED.test(name));
    return entries
      .sort((a, b) => a.name.localeCompare(b.name))
      .filter((entry) => entry.isDirectory() || /\.ya?ml$/.test(entry.name))
      .flatMap((entry) => filesUnder(join(path, entry.name), problems, depth + 1))
      .slice(0, FILES_MAX);
  } catch (thrown) {
    const message = `expected a readable file or folder: ${messageOf(thrown)}`;
    problems.push({ file: path, line: 1, column: 1, path: '', message, hint: 'check the path' });
    return [];
  }
}

/** Hidden names, packages, and proposals that are not promoted yet. */
const SKIPPED = /^\.|^node_modules$|^proposed$/;

function ownKinds(options: CheckOptions): readonly FileKind[] {
  const { tools } = options;
  return [
    {
      name: 'rule',
      recognises: ({ file }) => file.endsWith(RULE_SUFFIX),
      check: (files) => rulesFrom(files, tools, compositesOf(options)).problems,
    },
    {
      name: 'action',
      recognises: (parsed) =>
        inFolder(parsed, 'actions') || sharesKeys(parsed, Object.keys(compositeDocument.shape), 3),
      check: (files) => compositesFrom(files).problems,
    },
    {
      name: 'persona',
      recognises: (parsed) => inFolder(parsed, 'personas') || sharesKeys(parsed, Object.keys(personaDocument.shape), 3),
      check: (files) => personasFrom(files).problems,
    },
    {
      name: 'config',
      recognises: (parsed) => basename(parsed.file) === 'reeve.yaml' || sharesKeys(parsed, CONFIG_KEYS, 2),
      check: (files) => files.flatMap(({ file }) => loadConfiguration({ ...options, file }).problems),
    },
  ];
}

/** The composites of the configuration, or those that are shipped: rules are checked with them. */
function compositesOf({ flags = {}, env = process.env, cwd = process.cwd() }: CheckOptions): readonly Composite[] {
  const file = findConfigFile(flags, env, cwd);
  const folder = folderOf('actions', {
    file: file ?? resolve(cwd, 'config/reeve.yaml'),
    written: undefined,
    from: cwd,
  });
  return compositesFrom(loadYamlFolder(folder, '.yaml')).composites;
}

const CONFIG_KEYS = Object.keys(configDocument.shape).filter((key) => key !== 'persona' && key !== 'rules');

const inFolder = ({ file }: ParsedYaml, name: string): boolean => basename(dirname(file)) === name;

const sharesKeys = ({ value }: ParsedYaml, keys: readonly string[], count: number): boolean =>
  typeof value === 'object' && value !== null && keys.filter((key) => Object.hasOwn(value, key)).length >= count;
