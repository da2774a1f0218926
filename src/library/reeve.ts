/** The rulebook for other programs: rules over facts, actions by name, and a model as the last resort. */
import { join } from 'node:path';
import { mayExplore } from '../config/gates.ts';
import { systemClock } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';
import type { Model } from '../core/model.ts';
import { ExploreBudget, type ExploreCaps, EXPLORE_CAPS } from '../rulebook/explore/budget.ts';
import { NGRAMS, type SimilarityState } from '../rulebook/rank.ts';
import type { z } from 'zod';
import { type EngineDocument, engineFile } from './engine_file.ts';
import { askModelOf, createExploring, type Exploration } from './exploring.ts';
import { KeptRules } from './kept.ts';
import { type MarkOptions, marked } from './mark.ts';
import type { Context } from './match.ts';
import { modelNamed } from './models.ts';
import { fitting, type ResolveOptions } from './resolver.ts';
import { type LibraryLikeness, likenessBy } from './likeness.ts';
import type { Rule } from './rule.ts';
import { RuleSet, type Synced, textOf } from './rule_set.ts';
import { rounds, type RoundsOptions, type RoundsReport } from './rounds.ts';
import { type LibraryStats, statsText, Tally } from './tally.ts';
import { Actions, defineTool, type Tool } from './tools.ts';

export interface ReeveOptions {
  /**
   * Folder with `config.yaml`, `rules/`, `prompts/` and `runs/`; what stands here comes before what its `config.yaml`
   * says. Without one, rules are added in code and nothing is kept.
   */
  readonly directory?: string;
  /** `provider/model`, or a model of your own. Without one only rules are used. */
  readonly model?: string | Model;
  /** Asked where the first fails, and by rules with `use_secondary`. */
  readonly secondary?: string | Model;
  /** Makes vectors of rules and of what is looked for: `provider/model`, or a model of your own. Default: n-grams. */
  readonly embeddings?: string | Model;
  /** Sessions with a model in 24 hours. Default 20. */
  readonly sessionLimit?: number;
  readonly budget?: Partial<ExploreCaps>;
  /** What tokens cost, in millionths of the currency. */
  readonly costOf?: (tokens: { readonly prompt: number; readonly reply: number }) => number;
  /** Where a rule that was found is written: `proposals` (default, for review), or among the `rules`. */
  readonly keepIn?: 'proposals' | 'rules';
  /** The second gate, instead of REEVE_EXPLORE=1 of the environment. */
  readonly explore?: () => boolean;
  /** Is given one line for each step of a resolution: what is searched, tried, and what helped. Default: none. */
  readonly log?: (line: string) => void;
}

/** Dispose it where its folder is to be used by another engine of this process. */
export interface Reeve extends Disposable {
  /** Registers a tool that a model may call. Its declaration is made from the zod schema of its input. */
  tool<Input extends z.ZodType>(tool: Parameters<typeof defineTool<Input>>[0]): Tool;
  /** Registers a function that rules call by name. */
  action(name: string, run: (params: never) => unknown, description?: string): void;
  /** The function with help: rules, retries, and where it is allowed a model. */
  mark<Args extends readonly unknown[], Value>(
    run: (...args: Args) => Value | Promise<Value>,
    options: MarkOptions<Args>,
  ): (...args: Args) => Promise<Value>;
  /** The first rule that fits, with its parameters filled in. Nothing is done before its `act`, whose end counts. */
  resolve(context: Context, options?: ResolveOptions): Rule | undefined;
  /** Looks for a rule with a model. Both gates must be open; a situation like one before costs nothing. */
  explore(
    context: Context,
    options?: { readonly tools?: readonly Tool[]; readonly collection?: string; readonly trace?: string },
  ): Promise<Rule | undefined>;
  /** Scouts look, rules act, on a schedule. Dispose it to end it. */
  periodically(options: RoundsOptions): Disposable & { round(): Promise<RoundsReport> };
  /** Reads the folder anew. Vectors of changed rules are made in the background. */
  sync(): Synced;
  /** Until every rule has its vector, or none is to be had: then n-grams are used, and the state says why. */
  embedded(): Promise<SimilarityState>;
  /** Makes the vector of a context ahead, within half a second or not at all: `resolve` never waits for the server. */
  prepare(context: Context): Promise<void>;
  /** A rule that lies in no file. */
  add(rule: Rule): void;
  readonly rules: readonly string[];
  stats(): LibraryStats & { readonly similarity: SimilarityState; readonly text: string };
}

/** An engine over one folder of rules. Files are read at once; problems are in what `sync` returns. */
export function createReeve(options: ReeveOptions = {}): Reeve {
  const { set, tally, actions, tools, matching, explored, likeness } = partsOf(options);
  const { log } = options;
  const counted = (how: 'resolved' | 'asked') => tally.count(how === 'resolved' ? 'resolves' : 'model_asked');
  const note = (rule: string, cured: boolean) => tally.note(rule, cured);
  const prepare = (context: Context) => set.prepare(context);
  const helping = { fitting: matching, prepare, note, counted, log };
  /** A rule of somebody who acts on it by themselves: whether its actions went through is all that is known. */
  const observed = (rule: Rule): Rule =>
    rule.observed((ok) => {
      note(rule.name, ok);
      if (ok) counted(rule.type === 'deterministic' ? 'resolved' : 'asked');
    });
  const explore = async (order: Exploration): Promise<Rule | undefined> => {
    const { rule, from } = await explored(order);
    if (from === 'model') counted('asked');
    // What a model was asked for is counted already.
    return from === 'model' ? rule?.observed((ok) => note(rule.name, ok)) : rule && observed(rule);
  };
  const similarity = () => likeness?.state() ?? NGRAMS;
  set.sync();
  return {
    tool: (tool) => {
      const made = defineTool(tool);
      tools.push(made);
      return made;
    },
    action: (name, run, description = '') => actions.register({ name, run: run as never, description }),
    mark: (run, how) => marked(run, how, { ...helping, explore: (order) => explored({ ...order, tools }) }),
    resolve: (context, how = {}) => {
      for (const rule of matching(context, how)) return observed(rule);
      log?.('no match found');
      return undefined;
    },
    explore: async (context, { tools: own = [], collection = 'default', trace } = {}) => {
      return explore({ context, collection, tools: own, ...(trace !== undefined && { trace }) });
    },
    periodically: (how) =>
      rounds(how, {
        ...{ clock: systemClock, ...helping },
        explore: async (context, collection) => {
          const { rule, from } = await explored({ context, collection, tools });
          if (from === 'model') counted('asked');
          return rule;
        },
      }),
    sync: () => set.sync(),
    embedded: async () => {
      await likeness?.settled();
      return similarity();
    },
    prepare,
    [Symbol.dispose]: () => likeness?.[Symbol.dispose](),
    add: (rule) => set.add(rule.document),
    get rules() {
      return set.names;
    },
    stats: () => {
      const stats = tally.stats();
      return { ...stats, similarity: similarity(), text: statsText(stats) };
    },
  };
}

/** What the program says, then what the folder's `config.yaml` says. */
function optionsWith(options: ReeveOptions, { llm, llm_secondary, ...file }: EngineDocument) {
  const { max_tool_calls, max_tokens, max_tokens_per_day, max_seconds } = file.budget ?? {};
  const budget = {
    ...(max_tool_calls !== undefined && { toolCallsPerSession: max_tool_calls }),
    ...(max_tokens !== undefined && { tokensPerSession: max_tokens }),
    ...(max_tokens_per_day !== undefined && { tokensPerDay: max_tokens_per_day }),
    ...(max_seconds !== undefined && { sessionMsMax: max_seconds * SECOND_MS }),
    ...options.budget,
  };
  return {
    ...{ ...options, budget },
    model: options.model ?? llm,
    secondary: options.secondary ?? llm_secondary,
    embeddings: options.embeddings ?? file.embeddings,
    sessionLimit: options.sessionLimit ?? file.session_limit,
    thresholds: file.thresholds ?? {},
  };
}

function partsOf(given: ReeveOptions) {
  const options = optionsWith(given, engineFile(given.directory));
  const { directory, costOf, log } = options;
  const [model, secondary, embeddings] = [options.model, options.secondary, options.embeddings].map((one, at) =>
    typeof one === 'string' ? modelNamed(one, systemClock, undefined, { vectors: at === 2 }) : one,
  );
  let likeness: LibraryLikeness | undefined;
  const set = new RuleSet(
    directory,
    embeddings &&
      ((rules) => {
        likeness = likenessBy({ model: embeddings, directory, clock: systemClock, rules: () => rules.all(), textOf });
        return likeness;
      }),
    options.thresholds.likeness,
  );
  const tally = new Tally(directory, log);
  const actions = new Actions();
  const tools: Tool[] = [];
  const caps = { ...EXPLORE_CAPS, ...options.budget };
  const limited = { ...caps, sessionsPerDay: options.sessionLimit ?? caps.sessionsPerDay };
  const budget = new ExploreBudget(limited, systemClock, costOf);
  const resolving = {
    ...{ set, tally, log },
    call: (name: string, params: Readonly<Record<string, unknown>>) => actions.call(name, params),
    ask: (rule: Rule) => askModelOf(rule, { model, secondary, budget, tools, directory }),
  };
  const exploring = createExploring({
    ...resolving,
    ...{ actions, model, secondary, budget },
    isOpen: options.explore ?? (() => mayExplore()),
    kept: new KeptRules(directory === undefined ? undefined : join(directory, options.keepIn ?? 'proposals')),
    sameSituation: options.thresholds.same_situation,
  });
  const explored = async (order: Exploration) => {
    await set.prepare(order.context);
    const before = budget.costMicros;
    const found = await exploring(order);
    if (found.from === 'model') tally.count('explorations', budget.costMicros - before);
    return found;
  };
  const matching = (context: Context, how: ResolveOptions) => fitting(resolving, context, how);
  return { set, tally, actions, tools, matching, explored, likeness };
}
