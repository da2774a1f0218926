/** Vectors of a model for the library: made in the background, kept in the engine's folder, loaded when configured. */
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Model } from '../core/model.ts';
import type { EmbeddedLikeness } from '../rulebook/embeddings/likeness.ts';
import { type Likeness, NGRAMS, type SimilarityState } from '../rulebook/rank.ts';

export interface LibraryLikeness extends Likeness, Disposable {
  /** The rules are others than before. Never waits. */
  touch(): void;
  /** Until the vectors are there, or it is known that they do not come. */
  settled(): Promise<void>;
  state(): SimilarityState;
}

export interface LibraryLikenessParts<Rule extends object> {
  readonly model: Model;
  /** Undefined: vectors are kept in memory only. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly rules: () => readonly Rule[];
  readonly textOf: (rule: Rule) => string;
}

/** Two engines may share a folder: the one that comes second keeps its vectors in memory. */
export function likenessBy<Rule extends object>(parts: LibraryLikenessParts<Rule>): LibraryLikeness {
  const { model, rules, textOf } = parts;
  let opened: EmbeddedLikeness | undefined;
  let failed: string | undefined;
  let isTouched = false;
  let isOver = false;
  const sync = (): void => {
    isTouched = false;
    const all = rules();
    opened?.sync(all, (at) => textOf(all[at] as Rule));
  };
  const opening = open(parts).then(
    (likeness) => {
      opened = likeness;
      if (isOver) opened[Symbol.dispose]();
      else sync();
    },
    (thrown: unknown) => {
      failed = messageOf(thrown);
    },
  );
  return {
    of: (query, items, text) => opened?.of(query, items, text),
    prepare: async (query, signal) => opened?.prepare(query, signal),
    touch() {
      // Many rules that are added one after the other are one change.
      if (opened === undefined || isTouched) return;
      isTouched = true;
      queueMicrotask(sync);
    },
    async settled() {
      await opening;
      await opened?.settled();
    },
    [Symbol.dispose]() {
      isOver = true;
      opened?.[Symbol.dispose]();
    },
    state: () => opened?.state() ?? { ...NGRAMS, model: model.name, because: failed ?? 'vectors are being made' },
  };
}

async function open({
  model,
  directory,
  clock,
}: Pick<LibraryLikenessParts<object>, 'model' | 'directory' | 'clock'>): Promise<EmbeddedLikeness> {
  const { EmbeddedLikeness } = await import('../rulebook/embeddings/likeness.ts');
  const { openVectorFile } = await import('../rulebook/embeddings/vector_file.ts');
  const stored = () => {
    try {
      return directory === undefined ? undefined : openVectorFile(join(directory, 'runs', 'rule_vectors.db'));
    } catch {
      return undefined;
    }
  };
  return new EmbeddedLikeness({ model, name: model.name, clock, store: stored(), retries: false });
}
