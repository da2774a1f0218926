/** Periodic resolution: scouts look for trouble, rules act on what they found, at most three steps for each. */
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Context } from './match.ts';
import type { ResolveOptions } from './resolver.ts';
import type { Rule } from './rule.ts';

/** Looks at one system, and says what is wrong there: one context for each trouble, none where all is well. */
export interface Scout {
  readonly name: string;
  readonly look: (signal: AbortSignal) => Promise<readonly Context[]> | readonly Context[];
}

export interface RoundsOptions extends ResolveOptions {
  readonly scouts: readonly Scout[];
  /** From the end of one round to the begin of the next; at least 1,000 ms. */
  readonly everyMs: number;
  /** Look for a new rule with a model where none fits; REEVE_EXPLORE=1 must be set, too. Default false. */
  readonly explorable?: boolean;
  /** Called after each round. */
  readonly onRound?: (report: RoundsReport) => void;
}

/** What one round came to. */
export interface RoundsReport {
  readonly found: number;
  readonly steps: readonly {
    readonly scout: string;
    readonly rule: string;
    readonly ok: boolean;
    readonly because: string;
  }[];
  /** Scouts that failed, with why. */
  readonly failed: readonly { readonly scout: string; readonly because: string }[];
}

interface RoundsParts {
  readonly clock: Clock;
  readonly fitting: (context: Context, options: ResolveOptions) => Iterable<Rule>;
  /** Before `fitting`; half a second at most. */
  readonly prepare: (context: Context) => Promise<void>;
  readonly explore: (context: Context, collection: string) => Promise<Rule | undefined>;
  readonly note: (rule: string, cured: boolean) => void;
  readonly counted: (how: 'resolved' | 'asked') => void;
}

/** A chain of rules about one trouble is no longer than a run of the daemon. */
const STEPS_MAX = 3;
const FOUND_MAX = 100;
const EVERY_MS_MIN = 1_000;

/** A trouble that a scout reported, as long as it reports the same in one round after the other. */
interface Trouble {
  /** Rules that were tried on it. */
  readonly tried: Set<string>;
  /** Those of the last round: whether they helped is seen when the scout looks again. */
  acted: readonly Rule[];
}

/**
 * Runs rounds one after the other, never two at once. An action may return facts (a plain object under `facts`): they
 * join the context, and the next rule that then fits is tried, at most three rules for one trouble and round. A rule
 * never calls another one. What a rule did counts as a cure when its scout no longer reports the same trouble; where it
 * still does, the next rule that fits is tried.
 */
export function rounds(options: RoundsOptions, parts: RoundsParts): Disposable & { round(): Promise<RoundsReport> } {
  const controller = new AbortController();
  const troubles = new Map<Scout, Map<string, Trouble>>();
  let timer: Disposable | undefined;
  const next = (): void => {
    if (controller.signal.aborted) return;
    timer = parts.clock.after(Math.max(EVERY_MS_MIN, options.everyMs), () => {
      round().then(next, next);
    });
  };
  let last: Promise<unknown> = Promise.resolve();
  const round = (): Promise<RoundsReport> => {
    const made = last.then(() => oneRound(options, parts, { signal: controller.signal, troubles }));
    last = made.catch(() => undefined);
    return made.then((report) => {
      options.onRound?.(report);
      return report;
    });
  };
  next();
  return {
    round,
    [Symbol.dispose]() {
      controller.abort();
      timer?.[Symbol.dispose]();
    },
  };
}

interface Memory {
  readonly signal: AbortSignal;
  readonly troubles: Map<Scout, Map<string, Trouble>>;
}

async function oneRound(options: RoundsOptions, parts: RoundsParts, memory: Memory): Promise<RoundsReport> {
  const { signal, troubles } = memory;
  const steps: RoundsReport['steps'][number][] = [];
  const failed: RoundsReport['failed'][number][] = [];
  let found = 0;
  for (const scout of options.scouts) {
    try {
      const contexts = (await scout.look(signal)).slice(0, FOUND_MAX);
      const now = judged(contexts, troubles.get(scout), parts);
      troubles.set(scout, now);
      for (const context of contexts) {
        if (signal.aborted) break;
        found += 1;
        const trouble = now.get(keyOf(context)) ?? newTrouble();
        steps.push(...(await chain(context, trouble, options, parts)).map((step) => ({ scout: scout.name, ...step })));
      }
    } catch (thrown) {
      failed.push({ scout: scout.name, because: messageOf(thrown) });
    }
  }
  return { found, steps, failed };
}

const newTrouble = (): Trouble => ({ tried: new Set(), acted: [] });

/** Texts, numbers and truth values make the trouble; what else a context holds does not tell two troubles apart. */
const keyOf = (context: Context): string =>
  JSON.stringify(
    Object.entries(context)
      .filter(([, value]) => isPlain(value))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** What was done in the round before helped where its trouble is gone, and did not where it is still there. */
function judged(
  contexts: readonly Context[],
  before: ReadonlyMap<string, Trouble> | undefined,
  { note, counted }: RoundsParts,
): Map<string, Trouble> {
  const now = new Map(contexts.map((context) => [keyOf(context), newTrouble()]));
  for (const [key, trouble] of before ?? []) {
    const isThere = now.has(key);
    for (const rule of trouble.acted) {
      note(rule.name, !isThere);
      if (!isThere) counted(rule.type === 'deterministic' ? 'resolved' : 'asked');
    }
    if (isThere) now.set(key, { tried: trouble.tried, acted: [] });
  }
  return now;
}

async function chain(context: Context, trouble: Trouble, options: RoundsOptions, parts: RoundsParts) {
  const steps: { readonly rule: string; readonly ok: boolean; readonly because: string }[] = [];
  const acted: Rule[] = [];
  let facts = context;
  while (steps.length < STEPS_MAX) {
    const rule = await ruleFor(facts, { trouble, options, parts, mayExplore: steps.length === 0 });
    if (rule === undefined) break;
    trouble.tried.add(rule.name);
    try {
      const results = await rule.act();
      acted.push(rule);
      steps.push({ rule: rule.name, ok: true, because: 'acted' });
      const newFacts = factsOf(results);
      if (newFacts === undefined) break;
      facts = { ...facts, ...newFacts };
    } catch (thrown) {
      parts.note(rule.name, false);
      steps.push({ rule: rule.name, ok: false, because: messageOf(thrown) });
    }
  }
  trouble.acted = acted;
  return steps;
}

interface Looked {
  readonly trouble: Trouble;
  readonly options: RoundsOptions;
  readonly parts: RoundsParts;
  readonly mayExplore: boolean;
}

/** The next rule that fits and was not tried on this trouble; where there is none, what a model finds. */
async function ruleFor(facts: Context, { trouble, options, parts, mayExplore }: Looked): Promise<Rule | undefined> {
  await parts.prepare(facts);
  for (const rule of parts.fitting(facts, options)) if (!trouble.tried.has(rule.name)) return rule;
  if (!mayExplore || options.explorable !== true) return undefined;
  const found = await parts.explore(facts, options.collection ?? 'default');
  return found === undefined || trouble.tried.has(found.name) ? undefined : found;
}

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Only texts, numbers and truth values become facts. */
function factsOf(results: readonly unknown[]): Context | undefined {
  const newFacts = results.flatMap((result) => {
    const facts = (result as { readonly facts?: unknown } | null | undefined)?.facts;
    return typeof facts === 'object' && facts !== null ? Object.entries(facts) : [];
  });
  const plain = newFacts.filter(([, value]) => isPlain(value));
  return plain.length === 0 ? undefined : Object.fromEntries(plain);
}
