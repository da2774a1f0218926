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
  readonly note: (rule: string, cured: boolean) => void;
  readonly counted: (how: 'resolved' | 'asked') => void;
}

/** A chain of rules about one trouble is no longer than a run of the daemon. */
const STEPS_MAX = 3;
const FOUND_MAX = 100;
const EVERY_MS_MIN = 1_000;

/**
 * Runs rounds one after the other, never two at once. An action may return facts (a plain object under `facts`): they
 * join the context, and the next rule that then fits is tried, at most three rules for one trouble. A rule never calls
 * another one.
 */
export function rounds(options: RoundsOptions, parts: RoundsParts): Disposable & { round(): Promise<RoundsReport> } {
  const controller = new AbortController();
  let timer: Disposable | undefined;
  const next = (): void => {
    if (controller.signal.aborted) return;
    timer = parts.clock.after(Math.max(EVERY_MS_MIN, options.everyMs), () => {
      round().then(next, next);
    });
  };
  const round = async (): Promise<RoundsReport> => {
    const report = await oneRound(options, parts, controller.signal);
    options.onRound?.(report);
    return report;
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

async function oneRound(options: RoundsOptions, parts: RoundsParts, signal: AbortSignal): Promise<RoundsReport> {
  const steps: RoundsReport['steps'][number][] = [];
  const failed: RoundsReport['failed'][number][] = [];
  let found = 0;
  for (const { name: scout, look } of options.scouts) {
    try {
      for (const context of (await look(signal)).slice(0, FOUND_MAX)) {
        if (signal.aborted) break;
        found += 1;
        steps.push(...(await chain(context, options, parts)).map((step) => ({ scout, ...step })));
      }
    } catch (thrown) {
      failed.push({ scout, because: messageOf(thrown) });
    }
  }
  return { found, steps, failed };
}

async function chain(context: Context, options: ResolveOptions, parts: RoundsParts) {
  const steps: { readonly rule: string; readonly ok: boolean; readonly because: string }[] = [];
  const tried = new Set<string>();
  let facts = context;
  while (steps.length < STEPS_MAX) {
    await parts.prepare(facts);
    const rule = [...parts.fitting(facts, options)].find(({ name }) => !tried.has(name));
    if (rule === undefined) break;
    tried.add(rule.name);
    try {
      const results = await rule.act();
      parts.note(rule.name, true);
      parts.counted(rule.type === 'deterministic' ? 'resolved' : 'asked');
      steps.push({ rule: rule.name, ok: true, because: 'acted' });
      const told = factsOf(results);
      if (told === undefined) break;
      facts = { ...facts, ...told };
    } catch (thrown) {
      parts.note(rule.name, false);
      steps.push({ rule: rule.name, ok: false, because: messageOf(thrown) });
    }
  }
  return steps;
}

/** Only texts, numbers and truth values become facts. */
function factsOf(results: readonly unknown[]): Context | undefined {
  const told = results.flatMap((result) => {
    const facts = (result as { readonly facts?: unknown } | null | undefined)?.facts;
    return typeof facts === 'object' && facts !== null ? Object.entries(facts) : [];
  });
  const plain = told.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return plain.length === 0 ? undefined : Object.fromEntries(plain);
}
