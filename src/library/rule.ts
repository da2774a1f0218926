/** A rule as programs hold it: what it tests, what it does, and what a match has filled in. */
import { readFileSync, writeFileSync } from 'node:fs';
import { yamlText } from '../config/yaml_text.ts';
import { ReeveError } from '../core/errors.ts';
import { type LibraryFact, type LibraryRuleDocument, parseLibraryRule, soundRule } from './document.ts';

/** One action with its parameters. */
export interface RuleAction {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Calls a registered action. Rejects where it fails. */
export type CallAction = (name: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Runs the model of a probabilistic rule. Nothing of it is kept. */
export type AskModel = (rule: Rule) => Promise<unknown>;

interface Bound {
  readonly call: CallAction;
  readonly ask: AskModel;
  /** Hears how `act` ended. */
  readonly onActed?: ((ok: boolean) => void) | undefined;
}

interface Matched extends Bound {
  readonly actions: readonly RuleAction[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** When facts hold, then actions. Immutable. */
export class Rule {
  readonly document: LibraryRuleDocument;
  /** The actions; of a rule that `resolve` gave, with its parameters filled in. */
  readonly actions: readonly RuleAction[];
  /** What `resolve` was asked with; empty for a rule that was not matched. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly #bound: Bound | undefined;

  constructor(document: LibraryRuleDocument, matched?: Matched) {
    this.document = document;
    this.actions =
      matched?.actions ?? (document.then ?? []).map(({ action, params }) => ({ action, params: params ?? {} }));
    this.context = matched?.context ?? {};
    this.#bound = matched;
  }

  get name(): string {
    return this.document.name;
  }

  get description(): string {
    return this.document.description;
  }

  get when(): readonly LibraryFact[] {
    return this.document.when;
  }

  get tags(): readonly string[] {
    return this.document.tags ?? [];
  }

  get collection(): string {
    return this.document.collection ?? 'default';
  }

  get type(): 'deterministic' | 'probabilistic' {
    return this.document.llm_config === undefined ? 'deterministic' : 'probabilistic';
  }

  /** Runs the actions one after the other, or asks the model. Rejects with the first that fails. */
  async act(): Promise<readonly unknown[]> {
    const bound = this.#bound;
    if (bound === undefined)
      throw new ReeveError('USAGE', `${this.name} was not matched: its parameters are not known`, {
        hint: 'call act() on what resolve() or explore() gave',
      });
    try {
      const results = await this.#done(bound);
      bound.onActed?.(true);
      return results;
    } catch (thrown) {
      bound.onActed?.(false);
      throw thrown;
    }
  }

  async #done(bound: Bound): Promise<readonly unknown[]> {
    if (this.type === 'probabilistic') return [await bound.ask(this)];
    const results: unknown[] = [];
    for (const { action, params } of this.actions) results.push(await bound.call(action, params));
    return results;
  }

  /** The same rule, whose `act` is reported. Only of one that was matched. */
  observed(onActed: (ok: boolean) => void): Rule {
    const { document, actions, context } = this;
    return new Rule(document, this.#bound && { ...this.#bound, actions, context, onActed });
  }

  /** The rule as YAML, with its placeholders; written to `path` where one is given, never over another file. */
  toYaml(path?: string): string {
    const text = yamlText(this.document);
    if (path !== undefined) writeFileSync(path, text, { flag: 'wx' });
    return text;
  }

  /** The rule of a YAML file. Throws CONFIG_INVALID with every problem as `file:line:column`. */
  static fromYaml(path: string): Rule {
    return new Rule(soundRule(parseLibraryRule(path, readFileSync(path))));
  }
}
