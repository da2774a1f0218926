/** Looks for a rule where none fits, with a model: cached, bounded, and validated before anything is kept. */
import { messageOf } from '../../core/errors.ts';
import type { Model } from '../../core/model.ts';
import type { ExploreBudget } from './budget.ts';
import { SessionCache } from './cache.ts';
import { runSession, type SessionEnd, type SessionTool } from './session.ts';

/** What is explored. */
export interface Situation {
  /** Compared as it is: the collection, the classification. */
  readonly kind: string;
  /** What likeness compares: the longest text of the situation. */
  readonly text: string;
  /** What the model is shown: everything that came with the trouble, as data. */
  readonly shown: string;
  readonly incident?: string | undefined;
}

/** What differs between those who explore. `Rule` is their form of a rule. */
export interface ExplorePorts<Rule> {
  readonly model: Model | undefined;
  readonly secondary?: Model | undefined;
  readonly budget: ExploreBudget;
  /** Both gates: what is configured, and what the environment says. */
  readonly isOpen: () => boolean;
  /** A rule that is kept already and fits. */
  readonly known: (situation: Situation) => Rule | undefined;
  readonly searchRules: (query: string, situation: Situation) => unknown;
  readonly listRules: (situation: Situation) => unknown;
  readonly searchActions: (query: string) => unknown;
  readonly listActions: () => unknown;
  /** Lines that came with the trouble and hold the text. */
  readonly logLines: (situation: Situation, containing: string) => readonly string[];
  /** JSON Schema of a proposed rule. */
  readonly ruleSchema: Readonly<Record<string, unknown>>;
  /** The rule, or everything that is wrong with it. Writes nothing. */
  readonly check: (document: unknown, situation: Situation) => Rule | readonly string[];
  /** Tries the rule out, where that can be done; a text is the reason why it failed. */
  readonly retest?: (rule: Rule, situation: Situation) => Promise<string | undefined>;
  /** Keeps a validated rule as a proposal. */
  readonly keep: (rule: Rule, situation: Situation) => void;
  readonly task: string;
  /** From this likeness on two situations are one; undefined: as calibrated. */
  readonly sameSituation?: number | undefined;
}

/** How an exploration ended. `modelCalls` is 0 where it cost nothing. */
export interface Explored<Rule> {
  readonly rule: Rule | undefined;
  readonly from: 'gate' | 'cache' | 'rules' | 'model' | 'budget';
  readonly because: string;
  readonly modelCalls: number;
}

const ATTEMPTS_MAX = 2;

/** One for each session; what it found is forgotten with it, what it kept is not. */
export class Explorer<Rule> {
  readonly #ports: ExplorePorts<Rule>;
  readonly #cache: SessionCache<Rule | undefined>;
  #explorations = 0;

  constructor(ports: ExplorePorts<Rule>) {
    this.#ports = ports;
    this.#cache = new SessionCache(ports.sameSituation);
  }

  /** Sessions that were held with a model. */
  get explorations(): number {
    return this.#explorations;
  }

  /** `tools` come beside the built-in ones. Never rejects for what a model does. */
  async explore(situation: Situation, tools: readonly SessionTool<Rule>[] = []): Promise<Explored<Rule>> {
    const { model, budget, isOpen, known } = this.#ports;
    const free = (from: Explored<Rule>['from'], because: string, rule?: Rule): Explored<Rule> => ({
      ...{ rule, from, because, modelCalls: 0 },
    });
    if (!isOpen()) return free('gate', 'exploration is not switched on, in the configuration and by REEVE_EXPLORE=1');
    const cached = this.#cache.find(situation.kind, situation.text);
    if (cached !== undefined) return free('cache', 'a situation like this was explored already', cached.result);
    const fitting = known(situation);
    if (fitting !== undefined) return free('rules', 'a rule fits already', fitting);
    if (model === undefined) return free('gate', 'no model is configured');
    const session = budget.begin();
    if (typeof session === 'string') return free('budget', session);
    this.#explorations += 1;
    const diagnoses: string[] = [];
    let modelCalls = 0;
    let answers = 0;
    let last: SessionEnd<Rule> | undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && last?.result === undefined; attempt += 1) {
      last = await this.#attempt(model, situation, { session, diagnoses, tools });
      modelCalls += last.modelCalls;
      answers += last.answers;
      if (last.diagnosis !== undefined) diagnoses.push(last.diagnosis);
      if (last.because === GIVEN_UP || last.modelCalls === 0) break;
    }
    const rule = last?.result;
    const unkept = rule === undefined ? undefined : this.#keep(rule, situation);
    // A server that was down says nothing of the situation: it is asked again at the next one like it.
    const isDone = answers > 0 && last?.isUnanswered !== true && unkept === undefined;
    if (isDone) this.#cache.add(situation.kind, situation.text, rule);
    return { rule, from: 'model', because: unkept ?? last?.because ?? 'no attempt was made', modelCalls };
  }

  /** Why the rule was not kept; undefined where it was. What it has mended on the way stays mended. */
  #keep(rule: Rule, situation: Situation): string | undefined {
    try {
      this.#ports.keep(rule, situation);
      return undefined;
    } catch (thrown) {
      return `a rule was found, and could not be kept: ${messageOf(thrown)}`;
    }
  }

  /** Of an earlier attempt only the diagnosis is sent: not its course, and not its errors. */
  #attempt(
    model: Model,
    situation: Situation,
    {
      session,
      diagnoses,
      tools,
    }: {
      readonly session: Exclude<ReturnType<ExploreBudget['begin']>, string>;
      readonly diagnoses: readonly string[];
      readonly tools: readonly SessionTool<Rule>[];
    },
  ): Promise<SessionEnd<Rule>> {
    const before = diagnoses.map((diagnosis) => `An earlier attempt held for the cause: ${diagnosis}`);
    const { secondary, task } = this.#ports;
    return runSession({
      ...{ model, secondary, task, budget: session, incident: situation.incident },
      callsMax: Math.ceil(session.toolCallsMax / ATTEMPTS_MAX),
      situation: [...before, situation.shown].join('\n'),
      tools: [...builtIn(this.#ports, situation), ...tools],
    });
  }
}

const GIVEN_UP = 'the model gave up';
const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false };
const textInput = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string', maxLength: 400 } },
  required: [name],
  additionalProperties: false,
});

function textOf(input: unknown, name: string): string {
  const value = (input as Record<string, unknown> | null)?.[name];
  if (typeof value !== 'string') throw new Error(`${name}: a text was expected`);
  return value.slice(0, 400);
}

function builtIn<Rule>(ports: ExplorePorts<Rule>, situation: Situation): readonly SessionTool<Rule>[] {
  const look = (name: string, description: string, answer: () => unknown): SessionTool<Rule> => ({
    ...{ name, description, input: NO_INPUT, run: async () => ({ say: answer() }) },
  });
  const ask = (
    name: string,
    description: string,
    key: string,
    answer: (text: string) => unknown,
  ): SessionTool<Rule> => ({
    ...{ name, description, input: textInput(key), run: async (input) => ({ say: answer(textOf(input, key)) }) },
  });
  return [
    ask('search_rules', 'Rules like a text. Look here before you propose one.', 'query', (text) =>
      ports.searchRules(text, situation),
    ),
    ask('search_actions', 'Actions like a text.', 'query', ports.searchActions),
    look('list_rules', 'The names of all rules.', () => ports.listRules(situation)),
    look('list_actions', 'The names of all actions. A rule may use these and no others.', ports.listActions),
    ask('read_log_lines', 'Lines that came with the trouble and hold a text.', 'containing', (text) =>
      ports.logLines(situation, text),
    ),
    ...ending(ports, situation),
  ];
}

/** Proposing, and the two ways to end. A proposal is checked as it comes; its problems are answered. */
function ending<Rule>(ports: ExplorePorts<Rule>, situation: Situation): readonly SessionTool<Rule>[] {
  let proposed: Rule | undefined;
  const isProblems = (checked: Rule | readonly string[]): checked is readonly string[] => Array.isArray(checked);
  return [
    {
      name: 'propose',
      description: 'Propose a rule. What is wrong with it is answered; then propose it again.',
      input: { type: 'object', properties: { rule: ports.ruleSchema }, required: ['rule'] },
      run: async (input) => {
        const checked = ports.check((input as Record<string, unknown> | null)?.rule, situation);
        if (isProblems(checked)) return { say: { problems: checked.slice(0, 10) } };
        proposed = checked;
        return { say: 'it is sound; call done' };
      },
    },
    {
      name: 'done',
      description: 'The proposed rule is the answer.',
      input: NO_INPUT,
      run: async () => {
        if (proposed === undefined) return { say: { problems: ['nothing sound was proposed yet'] } };
        const failed = await ports.retest?.(proposed, situation);
        if (failed === undefined) return { end: proposed, because: 'a rule was found' };
        proposed = undefined;
        return { say: { problems: [`tried out, it failed: ${failed.slice(0, 400)}`] } };
      },
    },
    {
      name: 'give_up',
      description: 'There is no rule for this.',
      input: NO_INPUT,
      run: async () => ({ end: undefined, because: GIVEN_UP }),
    },
  ];
}
