import type { Model } from '../../../src/core/model.ts';

/** Texts about the same matter have the same vector, whatever their words are. */
const MATTERS = ['disk', 'network', 'model'] as const;
const PATTERNS: readonly (readonly [RegExp, (typeof MATTERS)[number]])[] = [
  [/space|volume|full/, 'disk'],
  [/socket|unreachable|peer/, 'network'],
];

/** One axis for each matter, and a little of what all texts share. */
export function meaningOf(text: string): readonly number[] {
  const matter = PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'model';
  return [...MATTERS.map((one) => (one === matter ? 3 : 0)), 1];
}

type Rows = readonly (readonly number[])[] | undefined;

/** A model that makes the given vectors, and keeps what it was asked. */
export function vectorModel(embed: (texts: readonly string[]) => Rows | Promise<Rows> = (all) => all.map(meaningOf)) {
  const asked: (readonly string[])[] = [];
  const scripted = { asked, embed, model: undefined as unknown as Pick<Model, 'embed'> };
  scripted.model = {
    embed: async (texts) => {
      asked.push(texts);
      return scripted.embed(texts);
    },
  };
  return scripted;
}

export const never = (): Promise<never> => new Promise(() => undefined);
