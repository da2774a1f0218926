/** Applies environment variables and flags to the configuration. */
import type { Problem } from '../../core/errors.ts';
import { valueAt } from '../shape.ts';
import { problemAt, type Source } from '../validate.ts';
import { nearest } from '../suggestions.ts';
import type { ParsedYaml, Path } from '../yaml.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What may be set on the command line: text as typed. Each goes before the environment and the file. */
export interface Flags {
  readonly config?: string | undefined;
  readonly state?: string | undefined;
  readonly listen?: string | undefined;
  readonly metricsListen?: string | undefined;
  readonly metricsPrefix?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly phase?: string | undefined;
  readonly persona?: string | undefined;
  readonly personas?: string | undefined;
  readonly rules?: string | undefined;
  readonly patterns?: string | undefined;
}

interface Override {
  readonly path: Path;
  readonly flag: keyof Flags;
  readonly option: string;
  readonly variable: string;
}

const override = (path: Path, flag: keyof Flags, option: string): Override => ({
  path,
  flag,
  option: `--${option}`,
  variable: `REEVE_${option.replaceAll('-', '_').toUpperCase()}`,
});

/** What a flag or a variable may say instead of the file. `state` has more sources and is not here (paths.ts). */
const OVERRIDES: readonly Override[] = [
  override(['http', 'listen'], 'listen', 'listen'),
  override(['http', 'metrics_listen'], 'metricsListen', 'metrics-listen'),
  override(['metrics_prefix'], 'metricsPrefix', 'metrics-prefix'),
  override(['log', 'level'], 'logLevel', 'log-level'),
  override(['phase'], 'phase', 'phase'),
  override(['persona'], 'persona', 'persona'),
  override(['personas'], 'personas', 'personas'),
  override(['rules'], 'rules', 'rules'),
  override(['patterns'], 'patterns', 'patterns'),
];

/** The options that stand for a value of the file, as a command line takes them. */
export const OVERRIDE_OPTIONS: readonly { readonly option: string; readonly description: string }[] = OVERRIDES.map(
  ({ path, option, variable }) => ({
    option: `${option} <value>`,
    description: `instead of ${path.join('.')} in the file (${variable})`,
  }),
);

/** A value that does not come from the file. */
export interface Origin {
  readonly path: string;
  /** For people and problems: `--listen` or `REEVE_LISTEN`. */
  readonly from: string;
}

/** The file's value with flags and variables laid over it. */
export function overridden(
  value: unknown,
  flags: Flags,
  env: Environment,
): { readonly value: unknown; readonly origins: readonly Origin[] } {
  const origins: Origin[] = [];
  let result = value;
  for (const { path, flag, option, variable } of OVERRIDES) {
    const text = flags[flag] ?? env[variable];
    if (text === undefined) continue;
    result = placed(result, path, typed(flag, text));
    origins.push({ path: path.join('.'), from: flags[flag] === undefined ? variable : option });
  }
  return { value: result, origins };
}

/** The phase is a number in the file; whatever does not look like one stays text and is refused by name. */
const typed = (flag: keyof Flags, text: string): unknown =>
  flag === 'phase' && /^\d{1,3}$/.test(text) ? Number(text) : text;

/** A copy with the value at the path. Where the file has something else than a mapping on the way, it is left alone. */
function placed(target: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (target !== undefined && (typeof target !== 'object' || target === null || Array.isArray(target))) return target;
  const members = (target ?? {}) as Record<string, unknown>;
  return { ...members, [key]: placed(members[key], rest, value) };
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `$${` stands for a plain `${`. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

export type Expanded = Source & {
  readonly problems: readonly Problem[];
  /** Paths whose text is not known: nothing more can be checked about them. */
  readonly unresolved: ReadonlySet<string>;
};

/** One problem for one reason, however often it stands in the file. */
class Missing {
  readonly paths = new Set<string>();
  readonly #found = new Map<string, { readonly problem: Problem; readonly lines: Set<number> }>();

  add(problem: Problem): void {
    this.paths.add(problem.path);
    const before = this.#found.get(problem.message);
    if (before) before.lines.add(problem.line);
    else this.#found.set(problem.message, { problem, lines: new Set() });
  }

  get problems(): readonly Problem[] {
    return [...this.#found.values()].map(({ problem, lines }) => {
      const also = [...lines].filter((line) => line !== problem.line).slice(0, 10);
      return also.length === 0
        ? problem
        : { ...problem, message: `${problem.message} (also for line ${also.join(', ')})` };
    });
  }
}

/**
 * Every `${NAME}` and `${NAME:-default}` in the text values replaced from the environment. A name that is unset or
 * empty and has no default is a problem. What is put in is not looked at again.
 */
export function expanded(parsed: ParsedYaml, env: Environment): Expanded {
  const missing = new Missing();
  const written = new Map<string, string>();
  const walk = (value: unknown, path: Path): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
    }
    if (typeof value !== 'string' || !value.includes('${')) return value;
    written.set(JSON.stringify(path), value);
    return value.replace(REFERENCE, (reference, inside: string | undefined, end: string) => {
      if (inside === undefined) return '${';
      const found = lookUp(inside, end === '}', env);
      if ('value' in found) return found.value;
      missing.add(problemAt(parsed, path, found));
      return reference;
    });
  };
  const value = walk(parsed.value, []);
  return {
    file: parsed.file,
    at: parsed.at,
    value,
    problems: missing.problems,
    unresolved: missing.paths,
    written: (path) =>
      written.get(JSON.stringify(path.map((part, index) => segment(parsed.value, path, index) ?? part))),
  };
}

/** A path from outside may name a list's index as text. */
function segment(root: unknown, path: Path, index: number): string | number | undefined {
  const part = path[index];
  return Array.isArray(valueAt(root, path.slice(0, index))) ? Number(part) : part;
}

type Found = { readonly value: string } | { readonly message: string; readonly hint?: string };

function lookUp(inside: string, closed: boolean, env: Environment): Found {
  const [name = '', ...rest] = inside.split(':-');
  if (!closed) return { message: 'expected "}" after "${"', hint: 'write $${ for a plain ${' };
  if (!NAME.test(name)) {
    return { message: 'expected ${NAME} or ${NAME:-default}', hint: 'write $${ for a plain ${' };
  }
  const value = env[name];
  if (value !== undefined && value !== '') return { value };
  if (rest.length > 0) return { value: rest.join(':-') };
  const meant = nearest(name, Object.keys(env));
  return {
    message: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
    hint:
      meant === undefined || meant === name ? `set it, or give a default: \${${name}:-…}` : `did you mean ${meant}?`,
  };
}
