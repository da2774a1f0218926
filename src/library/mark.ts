/** Wraps a function: when it fails, rules are tried and the function is run again, until it works or none is left. */
import { inspect } from 'node:util';
import { messageOf, ReeveError } from '../core/errors.ts';
import { captured, traceOf } from './capture.ts';
import type { Context } from './match.ts';
import type { ResolveOptions } from './resolver.ts';
import type { Rule } from './rule.ts';

/** How a marked function is helped. */
export interface MarkOptions<Args extends readonly unknown[]> extends ResolveOptions {
  /** The facts of a failure: from the arguments and, last, what was thrown. */
  readonly contextFrom: (...args: [...Args, unknown]) => Context | Promise<Context>;
  /** How many different rules are tried. Default 3. */
  readonly maxRetries?: number;
  /** Look for a new rule with a model when none helped; REEVE_EXPLORE=1 must be set, too. Default false. */
  readonly explorable?: boolean;
}

export interface MarkParts {
  readonly fitting: (context: Context, options: ResolveOptions) => Iterable<Rule>;
  /** Before `fitting`; half a second at most. */
  readonly prepare: (context: Context) => Promise<void>;
  readonly explore: (order: {
    readonly context: Context;
    readonly collection: string;
    readonly trace: string;
    readonly retest: (rule: Rule) => Promise<string | undefined>;
  }) => Promise<{ readonly rule: Rule | undefined; readonly from: string }>;
  readonly note: (rule: string, cured: boolean) => void;
  readonly counted: (how: 'resolved' | 'asked') => void;
  readonly log?: ((line: string) => void) | undefined;
}

const RETRIES = 3;

/**
 * The function with help: it resolves with the value of the first run that works, and rejects with what the first run
 * threw when nothing helped. Throws USAGE for what cannot be marked so.
 */
export function marked<Args extends readonly unknown[], Value>(
  run: (...args: Args) => Value | Promise<Value>,
  options: MarkOptions<Args>,
  parts: MarkParts,
): (...args: Args) => Promise<Value> {
  refuseUnsound(run, options);
  return async (...args) => {
    const first = await captured(() => run(...args));
    if (first.ok) return first.value;
    const context = await contextOf(run.name, () => options.contextFrom(...args, first.thrown), parts.log);
    if (context === undefined) throw first.thrown;
    /** Acts and runs the function again; undefined: it did not help, and why. */
    const tried = async (rule: Rule) => {
      const acted = await captured(() => rule.act());
      const again = acted.ok ? await captured(() => run(...args)) : acted;
      const cured = acted.ok && again.ok;
      parts.note(rule.name, cured);
      return cured
        ? { ok: true as const, value: (again as { readonly value: Value }).value }
        : { ok: false as const, because: again.ok ? 'it failed' : traceOf(again.thrown).slice(0, 400) };
    };
    await parts.prepare(context);
    const retriesMax = options.maxRetries ?? RETRIES;
    let attempts = 0;
    for (const rule of parts.fitting(context, options)) {
      if (attempts >= retriesMax) break;
      attempts += 1;
      const result = await tried(rule);
      if (!result.ok) {
        parts.log?.(`"${rule.name}" did not help: ${result.because.split('\n', 1)[0]}`);
        continue;
      }
      parts.log?.(`resolved by "${rule.name}" on attempt ${attempts}`);
      parts.counted(rule.type === 'deterministic' ? 'resolved' : 'asked');
      return result.value;
    }
    parts.log?.(`no rule resolved it after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`);
    if (options.explorable !== true) throw first.thrown;
    let value: { readonly of: Value } | undefined;
    const retest = async (rule: Rule): Promise<string | undefined> => {
      const result = await tried(rule);
      if (!result.ok) return result.because;
      value = { of: result.value };
      return undefined;
    };
    const trace = [traceOf(first.thrown), first.output].join('\n');
    const found = await parts.explore({ context, collection: options.collection ?? 'default', trace, retest });
    if (found.from === 'model') parts.counted('asked');
    // A rule of the cache, or one that was there already, was not tried out on the way.
    if (value === undefined && found.rule !== undefined && found.from !== 'model') await retest(found.rule);
    if (value === undefined) throw first.thrown;
    return value.of;
  };
}

const VALUE_CHARS = 80;
const shown = (value: unknown): string => inspect(value, { depth: 0, breakLength: Infinity }).slice(0, VALUE_CHARS);

/** Types do not reach who calls it from JavaScript. */
function refuseUnsound(run: unknown, options: Partial<MarkOptions<never>> | undefined): void {
  const expected = (where: string, what: string, got: unknown): ReeveError =>
    new ReeveError('USAGE', `mark: ${where}: ${what} was expected, got ${shown(got)}`);
  if (typeof run !== 'function') throw expected('the first argument', 'a function', run);
  const { contextFrom, maxRetries = RETRIES } = options ?? {};
  if (typeof contextFrom !== 'function') throw expected('options.contextFrom', 'a function', contextFrom);
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw expected('options.maxRetries', 'a whole number from 0', maxRetries);
}

/** Undefined where it cannot be had: what the function itself threw must not be lost for that. */
async function contextOf(
  name: string,
  from: () => unknown,
  log: ((line: string) => void) | undefined,
): Promise<Context | undefined> {
  const where = `contextFrom of ${name === '' ? 'a function without a name' : name}`;
  try {
    const found = await from();
    if (typeof found === 'object' && found !== null) return found as Context;
    log?.(`${where}: an object with facts was expected, got ${shown(found)}`);
  } catch (thrown) {
    log?.(`${where}: ${messageOf(thrown)}`);
  }
  return undefined;
}
