/** The rules of a folder, indexed; files that did not change are neither read as rules nor indexed again. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../core/errors.ts';
import { cosine, createTextIndex, type TextIndex, type TextVector, vectorOf } from '../core/similarity.ts';
import { type Likeness, rankScore } from '../rulebook/rank.ts';
import type { Outcomes } from '../rulebook/record/uplift.ts';
import { type LibraryRuleDocument, parseLibraryRule } from './document.ts';
import { derived, isActor, isSetter } from './derive.ts';
import { type Context, prepare } from './match.ts';
import { isSame, readOr, type Stamp, stampOf } from './rule_file.ts';

/** What a synchronisation did. */
export interface Synced {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly problems: readonly Problem[];
}

interface Held {
  /** Of the file as it lay there: while this is the same, it is not read. Absent: it lies in no file. */
  readonly stamp: Stamp | undefined;
  readonly sha256: string;
  readonly document: LibraryRuleDocument;
}

interface News {
  readonly file: string;
  readonly path: string;
  readonly stamp: Stamp;
}

/** Candidates of one search. */
const TOP_K = 20;
/** Below this likeness a rule is not looked at (docs/rulebook.md has the curve). */
const LIKENESS_MIN = 0.05;
const RULES_MAX = 20_000;
const SCAN_MAX = 200;
const SUFFIX = '.rule.yaml';

type RuleLikeness = Likeness & { touch(): void };

export class RuleSet {
  readonly #directory: string | undefined;
  readonly #files = new Map<string, Held>();
  readonly #byName = new Map<string, LibraryRuleDocument>();
  readonly #indexes = new Map<string, TextIndex>();
  readonly #vectors = new WeakMap<LibraryRuleDocument, TextVector>();
  /** Keys of `equals` facts, with how many rules test them. */
  readonly #metadata = new Map<string, number>();

  /** Rules by name, those that set or retract facts among them, until a rule comes or goes: each resolution asks. */
  #sorted: readonly LibraryRuleDocument[] | undefined;
  readonly #sortedIn = new Map<string, readonly LibraryRuleDocument[]>();
  #setters: readonly LibraryRuleDocument[] | undefined;
  readonly #likeness: RuleLikeness | undefined;
  readonly #likenessMin: number;

  /** `likenessFor` makes what puts rules in order wherever it is ready; n-grams do so otherwise. */
  constructor(
    directory: string | undefined,
    likenessFor?: (set: RuleSet) => RuleLikeness,
    likenessMin: number = LIKENESS_MIN,
  ) {
    this.#directory = directory;
    this.#likenessMin = likenessMin;
    this.#likeness = likenessFor?.(this);
  }

  get names(): readonly string[] {
    return this.all().map(({ name }) => name);
  }

  named(name: string): LibraryRuleDocument | undefined {
    return this.#byName.get(name);
  }

  /** By name. The same list for as long as no rule comes or goes. */
  all(collection?: string): readonly LibraryRuleDocument[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (collection === undefined) return this.#sorted;
    const known = this.#sortedIn.get(collection);
    const rules = known ?? this.#sorted.filter((rule) => collectionOf(rule) === collection);
    if (known === undefined && rules.length > 0) this.#sortedIn.set(collection, rules);
    return rules;
  }

  #forget(): void {
    this.#sorted = undefined;
    this.#setters = undefined;
    this.#sortedIn.clear();
  }

  tagged(tags: readonly string[], collection: string): readonly LibraryRuleDocument[] {
    return this.all(collection).filter((rule) => rule.tags?.some((tag) => tags.includes(tag)));
  }

  /** The context with what the rules of the collection set and retract. */
  derived(context: Context, collection: string): Context {
    this.#setters ??= this.all().filter(isSetter);
    if (this.#setters.length === 0) return context;
    return derived(
      this.#setters.filter((rule) => collectionOf(rule) === collection),
      context,
    );
  }

  /** Reads the folder. A file that is not sound leaves the last sound rule of that file in force. */
  sync(): Synced {
    const directory = this.#directory === undefined ? undefined : join(this.#directory, 'rules');
    if (directory === undefined || !existsSync(directory))
      return { added: 0, changed: 0, removed: 0, unchanged: 0, problems: [] };
    const names = readdirSync(directory).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
    const looked = names.length > RULES_MAX ? names.sort().slice(0, RULES_MAX) : names;
    const problems: Problem[] = [];
    const counts = { added: 0, changed: 0, unchanged: 0 };
    const gone = this.#goneFrom(names);
    // Before the others: what was renamed is another file with the same rule.
    for (const file of gone) this.#drop(file);
    // By name, because of two files with one rule the first counts; only those that say something new.
    const news = looked.flatMap((name) => this.#newsOf(name, `${directory}/${name}`, problems) ?? []);
    news.sort((a, b) => (a.file < b.file ? -1 : 1));
    for (const one of news) counts[this.#take(one, problems)] += 1;
    counts.unchanged += looked.length - news.length;
    if (gone.length + counts.added + counts.changed > 0) this.#likeness?.touch();
    return { ...counts, removed: gone.length, problems };
  }

  #goneFrom(names: readonly string[]): readonly string[] {
    const present = new Set(names);
    return [...this.#files].flatMap(([file, { stamp }]) => (stamp === undefined || present.has(file) ? [] : [file]));
  }

  /** A rule that lies in no file. */
  add(document: LibraryRuleDocument): void {
    this.#put(`memory/${document.name}`, { stamp: undefined, sha256: '', document });
    this.#likeness?.touch();
  }

  /** The file, where it may say something else than before; undefined where it lies as it did. */
  #newsOf(file: string, path: string, problems: Problem[]): News | undefined {
    const status = readOr(file, problems, () => stampOf(path));
    if (status === undefined || isSame(this.#files.get(file)?.stamp, status)) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = status;
    return { file, path, stamp: { size, mtimeMs, ctimeMs, ino } };
  }

  #take({ file, path, stamp }: News, problems: Problem[]): 'added' | 'changed' | 'unchanged' {
    const before = this.#files.get(file);
    const bytes = readOr(file, problems, () => readFileSync(path));
    if (bytes === undefined) return 'unchanged';
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (before?.sha256 === sha256) {
      this.#files.set(file, { ...before, stamp });
      return 'unchanged';
    }
    const { document, problems: wrong } = parseLibraryRule(file, bytes);
    problems.push(...wrong);
    if (document === undefined) return 'unchanged';
    const twin = this.#byName.get(document.name);
    if (twin !== undefined && twin !== before?.document) {
      const message = `there is a rule ${document.name} already`;
      problems.push({ file, line: 1, column: 1, path: 'name', message, hint: 'give it another name' });
      return 'unchanged';
    }
    this.#put(file, { stamp, sha256, document });
    return before === undefined ? 'added' : 'changed';
  }

  #put(file: string, held: Held): void {
    this.#drop(file);
    this.#files.set(file, held);
    this.#byName.set(held.document.name, held.document);
    this.#forget();
    this.#index(collectionOf(held.document)).add(held.document.name, textOf(held.document));
    this.#count(held.document, 1);
    this.#vectorOf(held.document);
    prepare(held.document);
  }

  #drop(file: string): void {
    const held = this.#files.get(file);
    if (held === undefined) return;
    const { document } = held;
    this.#files.delete(file);
    this.#count(document, -1);
    // A program may have added another one of its name.
    if (this.#byName.get(document.name) !== document) return;
    this.#byName.delete(document.name);
    this.#forget();
    this.#index(collectionOf(document)).remove(document.name);
  }

  #count({ when }: LibraryRuleDocument, by: 1 | -1): void {
    for (const { fact, equals } of when) {
      if (equals === undefined) continue;
      const count = (this.#metadata.get(fact) ?? 0) + by;
      if (count === 0) this.#metadata.delete(fact);
      else this.#metadata.set(fact, count);
    }
  }

  #index(collection: string): TextIndex {
    const index = this.#indexes.get(collection) ?? createTextIndex(RULES_MAX);
    this.#indexes.set(collection, index);
    return index;
  }

  /**
   * The rules that the context may mean: those whose `equals` facts it does not contradict, the likest first, weighted
   * by their record. Where the context has no text of its own, every one that is not contradicted.
   */
  search(context: Context, collection: string, recordOf: (name: string) => Outcomes | undefined) {
    const query = this.queryOf(context);
    const fits = (name: string) => {
      const rule = this.#byName.get(name);
      return rule !== undefined && isActor(rule) && !contradicts(rule, context);
    };
    const byVectors = query === '' ? undefined : this.#byVectors(query, collection, fits);
    if (byVectors !== undefined)
      return inOrder(byVectors.map((one) => ({ ...one, score: rankScore(one.likeness, recordOf(one.rule.name)) })));
    // Likeness puts rules in order; where there are few, none is left out for want of it.
    const few = this.#index(collection).size <= SCAN_MAX;
    const names =
      query === '' || few
        ? this.all(collection).flatMap(({ name }) => (fits(name) ? [name] : []))
        : this.#index(collection)
            .query(query, TOP_K, fits)
            .map(({ id }) => id);
    const vector = vectorOf(query);
    const found = names.flatMap((name) => {
      const rule = this.#byName.get(name);
      if (rule === undefined) return [];
      const likeness = query === '' ? 1 : cosine(vector, this.#vectorOf(rule));
      return likeness < this.#likenessMin && !few
        ? []
        : [{ rule, likeness, score: rankScore(likeness, recordOf(name)) }];
    });
    return inOrder(found);
  }

  /** Every rule that is not contradicted, as far as there are few; else the likest. Undefined: vectors are missing. */
  #byVectors(query: string, collection: string, fits: (name: string) => boolean) {
    if (this.#likeness === undefined) return undefined;
    const rules = this.all(collection).filter(({ name }) => fits(name));
    const alike = this.#likeness.of(query, rules, (at) => textOf(rules[at] as LibraryRuleDocument));
    if (alike === undefined) return undefined;
    const found = rules.map((rule, at) => ({ rule, likeness: alike[at] ?? 0 }));
    if (found.length <= SCAN_MAX) return found;
    return found.sort((a, b) => b.likeness - a.likeness || (a.rule.name < b.rule.name ? -1 : 1)).slice(0, TOP_K);
  }

  /** Half a second at most, and nothing without a model for vectors. */
  async prepare(context: Context): Promise<void> {
    await this.#likeness?.prepare(this.queryOf(context));
  }

  /** The longest text of the context whose key is no known metadata. */
  queryOf(context: Context): string {
    return Object.entries(context)
      .flatMap(([key, value]) => (typeof value === 'string' && !this.#metadata.has(key) ? [value] : []))
      .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
  }

  #vectorOf(rule: LibraryRuleDocument): TextVector {
    const known = this.#vectors.get(rule) ?? vectorOf(textOf(rule));
    this.#vectors.set(rule, known);
    return known;
  }
}

const inOrder = <Found extends { readonly score: number; readonly rule: LibraryRuleDocument }>(found: Found[]) =>
  found.sort((a, b) => b.score - a.score || (a.rule.name < b.rule.name ? -1 : 1));

export const collectionOf = ({ collection }: LibraryRuleDocument): string => collection ?? 'default';

/** What a rule is found by: its description, the examples of its facts, and the strings that these look for. */
export const textOf = ({ description, when }: LibraryRuleDocument): string =>
  [
    description,
    ...when.flatMap(({ examples = [] }) => examples),
    ...when.flatMap(({ contains = '', regex = '' }) => [contains, regex.replaceAll(REGEX_SIGNS, ' ')]),
  ].join(' ||| ');

/** Names of groups, classes such as \\S, and all other signs of a pattern. */
const REGEX_SIGNS = /\(\?P?<\w+>|\\[a-zA-Z]|[\\[\](){}^$.*+?|]/g;

const contradicts = ({ when }: LibraryRuleDocument, context: Context): boolean =>
  when.some(
    ({ fact, equals }) =>
      equals !== undefined && Object.hasOwn(context, fact) && String(context[fact]) !== String(equals),
  );
