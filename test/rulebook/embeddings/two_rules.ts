// Likeness by vectors over two rules, with the calls that its model got.
import { onTestFinished } from 'vitest';
import { EmbeddedLikeness } from '../../../src/rulebook/embeddings/likeness.ts';
import type { VectorStore } from '../../../src/rulebook/embeddings/vector_file.ts';
import { ranked, textOf } from '../../../src/rulebook/rank.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aRule } from '../support.ts';
import { vectorModel } from './support.ts';

export const NONE = () => undefined;

export const disk = aRule({ id: 'b_disk', description: 'The volume is full' });

export const network = aRule({ id: 'a_network', description: 'A peer is unreachable' });

export const RULES = [disk, network];

/** Shares no word with either rule. */
export const QUERY = 'no space left on device';

export const PROBES = 1;

interface Setup {
  readonly model?: ReturnType<typeof vectorModel>;
  readonly store?: VectorStore;
  readonly name?: string;
}

export function likenessWith({ model = vectorModel(), store, name = 'local/embed' }: Setup = {}) {
  const time = fakeClock();
  const notes: string[] = [];
  const note = (_: object, text: string) => void notes.push(text);
  const log = { info: note, warn: note };
  const likeness = new EmbeddedLikeness({ model: model.model, name, clock: time.clock, store, log, retries: true });
  onTestFinished(() => likeness[Symbol.dispose]());
  const sync = async (rules = RULES) => {
    likeness.sync(rules, (at) => textOf(rules[at]!));
    await likeness.settled();
  };
  const order = (query = QUERY, rules = RULES) =>
    ranked(
      rules.map((rule) => ({ rule })),
      query,
      NONE,
      likeness,
    ).map(({ rule }) => rule.id);
  return { likeness, model, notes, sync, order, ...time };
}
