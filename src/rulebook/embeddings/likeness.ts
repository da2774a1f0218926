/** Likeness by vectors of a model: made in the background, kept by content, left out wherever one is missing. */
import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Model } from '../../core/model.ts';
import type { Likeness, SimilarityState } from '../rank.ts';
import { type Dense, likenessOf } from './dense.ts';
import { QueryVectors } from './queries.ts';
import { shownTo } from './shown.ts';
import { askedFor, VectorsFailed } from './vectors.ts';
import type { VectorStore } from './vector_file.ts';

export interface EmbeddedLikenessDeps {
  readonly model: Pick<Model, 'embed'>;
  /** `provider/model`: vectors of one are no use to another. */
  readonly name: string;
  readonly clock: Clock;
  /** Undefined: vectors are kept in memory only. */
  readonly store: VectorStore | undefined;
  /** Called once when n-grams take over, and once when vectors are back. */
  readonly log?: Pick<Log, 'info' | 'warn'> | undefined;
  /** Tries again by itself after a failure. Without it the next `sync` does. */
  readonly retries: boolean;
}

/** Texts of one request: their vectors must fit into one bounded answer. */
const BATCH = 16;
const SYNC_DEADLINE_MS = 30 * SECOND_MS;
/** 64 MiB of numbers, whatever length a server gives its vectors. */
const NUMBERS_MAX = 16 * 1024 * 1024;
const RETRY_MS = MINUTE_MS;
const RETRY_MS_MAX = 16 * MINUTE_MS;
/** What the server says of this text tells whether the model behind its name is the one of the kept vectors. */
const PROBE = 'which model answers under this name';
const SAME_MODEL = 0.999;

const hashOf = (text: string): string => hash('sha256', text, 'hex');

interface Shown {
  readonly key: string;
  readonly text: string;
}

/** Vectors of rules and queries. `of` sends nothing; `prepare` waits half a second at most; `sync` never waits. */
export class EmbeddedLikeness implements Likeness, Disposable {
  readonly #deps: EmbeddedLikenessDeps;
  readonly #queries: QueryVectors;
  readonly #stop = new AbortController();
  #vectors = new Map<string, Dense>();
  /** Of the objects that were compared, for as long as they are the same. */
  #ofItem = new WeakMap<object, Dense>();
  readonly #shown = new WeakMap<object, Shown>();
  #wanted: ReadonlyMap<string, string> = new Map();
  #probe: Dense | undefined;
  #pass: Promise<void> | undefined;
  #isStale = false;
  #failure: string | undefined;
  #retryMs = RETRY_MS;
  #retry: Disposable | undefined;

  constructor(deps: EmbeddedLikenessDeps) {
    this.#deps = deps;
    this.#queries = new QueryVectors(deps, (because) => this.#fail(because));
    this.#kept(() => {
      this.#vectors = new Map(deps.store?.load(deps.name));
      this.#probe = this.#vectors.get(hashOf(PROBE));
    });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#retry?.[Symbol.dispose]();
    this.#deps.store?.[Symbol.dispose]();
  }

  /** Takes over what rules there are; what has no vector yet gets one in the background. */
  sync(items: readonly object[], textOf: (at: number) => string): void {
    const shown = items.map((item, at) => this.#shownOf(item, () => textOf(at)));
    this.#wanted = new Map(shown.flatMap(({ key, text }) => (text === '' ? [] : [[key, text] as const])));
    this.#isStale = true;
    this.#begin();
  }

  /** Until what was begun has come to an end, well or not. */
  async settled(): Promise<void> {
    while (this.#pass !== undefined) await this.#pass;
  }

  of(query: string, items: readonly object[], textOf: (at: number) => string): readonly number[] | undefined {
    const asked = this.#isComplete() ? this.#queries.known(shownTo(query)) : undefined;
    if (asked === undefined) return undefined;
    const rows: number[] = [];
    for (const [at, item] of items.entries()) {
      const vector = this.#vectorOf(item, () => textOf(at));
      if (vector?.length !== asked.length) return undefined;
      rows.push(likenessOf(asked, vector));
    }
    return rows;
  }

  async prepare(query: string, signal?: AbortSignal): Promise<void> {
    if (!this.#isComplete()) return;
    const found = await this.#queries.ask(shownTo(query), this.#probe?.length ?? 0, signal);
    if (found) this.#recover();
  }

  state(): SimilarityState {
    const embedded = [...this.#wanted.keys()].filter((key) => this.#vectors.has(key)).length;
    const isUsed = this.#failure === undefined && this.#isComplete();
    const missing = isUsed ? undefined : (this.#failure ?? 'vectors are being made');
    return {
      backend: isUsed ? 'embeddings' : 'ngrams',
      model: this.#deps.name,
      rules: this.#wanted.size,
      embedded,
      dimensions: this.#probe?.length,
      because: missing,
    };
  }

  #isComplete(): boolean {
    return this.#probe !== undefined && !this.#isStale;
  }

  #vectorOf(item: object, textOf: () => string): Dense | undefined {
    const known = this.#ofItem.get(item) ?? this.#vectors.get(this.#shownOf(item, textOf).key);
    if (known !== undefined) this.#ofItem.set(item, known);
    return known;
  }

  #shownOf(item: object, textOf: () => string): Shown {
    const known = this.#shown.get(item);
    if (known !== undefined) return known;
    const text = shownTo(textOf());
    const made = { key: hashOf(text), text };
    this.#shown.set(item, made);
    return made;
  }

  #begin(): void {
    if (this.#pass !== undefined || this.#stop.signal.aborted) return;
    this.#pass = this.#runPass().finally(() => {
      this.#pass = undefined;
      if (this.#isStale && this.#failure === undefined) this.#begin();
    });
  }

  async #runPass(): Promise<void> {
    const wanted = this.#wanted;
    try {
      await this.#probeModel();
      if (wanted.size * (this.#probe?.length ?? 0) > NUMBERS_MAX)
        throw new VectorsFailed(`${wanted.size} rules with vectors of ${this.#probe?.length} numbers are too much`);
      const missing = [...wanted].filter(([key]) => !this.#vectors.has(key));
      for (let at = 0; at < missing.length; at += BATCH) await this.#embed(missing.slice(at, at + BATCH));
      if (wanted !== this.#wanted) return;
      this.#forgetOthers();
      this.#isStale = false;
      this.#recover();
    } catch (thrown) {
      this.#fail(messageOf(thrown));
    }
  }

  /** Another model behind the same name makes every vector worthless. */
  async #probeModel(): Promise<void> {
    const [now] = await this.#ask([PROBE]);
    const before = this.#probe;
    if (now === undefined) return;
    if (before === undefined || before.length !== now.length || likenessOf(before, now) < SAME_MODEL) {
      this.#vectors.clear();
      this.#ofItem = new WeakMap();
      this.#queries.clear();
    }
    this.#probe = now;
    this.#put(new Map([[hashOf(PROBE), now]]));
  }

  async #embed(batch: readonly (readonly [string, string])[]): Promise<void> {
    const rows = await this.#ask(batch.map(([, text]) => text));
    if (rows.some(({ length }) => length !== this.#probe?.length))
      throw new VectorsFailed('vectors of one model differ in length');
    this.#put(new Map(batch.flatMap(([key], at) => (rows[at] === undefined ? [] : [[key, rows[at]] as const]))));
  }

  #ask(texts: readonly string[]): Promise<readonly Dense[]> {
    const { model, clock } = this.#deps;
    return askedFor(model, texts, { clock, deadlineMs: SYNC_DEADLINE_MS, signal: this.#stop.signal });
  }

  #put(vectors: ReadonlyMap<string, Dense>): void {
    for (const [key, vector] of vectors) this.#vectors.set(key, vector);
    this.#kept(() => this.#deps.store?.put(this.#deps.name, vectors));
  }

  #forgetOthers(): void {
    const kept = new Set([...this.#wanted.keys(), hashOf(PROBE)]);
    for (const key of this.#vectors.keys()) if (!kept.has(key)) this.#vectors.delete(key);
    this.#kept(() => this.#deps.store?.keep(this.#deps.name, kept));
  }

  /** A file that fails costs the next start some calls, and nothing now. */
  #kept(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#deps.log?.warn({}, `vectors of rules are kept in memory only: ${messageOf(thrown)}`);
    }
  }

  #fail(because: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#failure === undefined)
      this.#deps.log?.warn({ model: this.#deps.name }, `rules are compared by n-grams, not by vectors: ${because}`);
    this.#failure = because;
    if (!this.#deps.retries || this.#retry !== undefined) return;
    this.#retry = this.#deps.clock.after(this.#retryMs, () => {
      this.#retry = undefined;
      this.#begin();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
  }

  #recover(): void {
    this.#retryMs = RETRY_MS;
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#deps.log?.info({ model: this.#deps.name }, 'rules are compared by vectors again');
  }
}
