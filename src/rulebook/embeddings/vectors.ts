/** Asks a model for vectors and trusts nothing of what comes. */
import { type Clock, deadline } from '../../core/clock.ts';
import type { Model } from '../../core/model.ts';
import { type Dense, unitOf } from './dense.ts';

/** No usable vectors came; the message says why. */
export class VectorsFailed extends Error {}

export interface VectorsAsked {
  readonly clock: Clock;
  /** It is over by then, whatever the model does. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

const DIMENSIONS_MAX = 8_192;

/** One unit vector for each text, all of one length. Throws VectorsFailed. */
export async function askedFor(
  model: Pick<Model, 'embed'>,
  texts: readonly string[],
  { clock, deadlineMs, signal }: VectorsAsked,
): Promise<readonly Dense[]> {
  const late = (): VectorsFailed => new VectorsFailed(`no vectors within ${deadlineMs} ms`);
  using limit = deadline(clock, deadlineMs, late, signal);
  const rows = await orAborted(model.embed(texts, deadlineMs), limit.signal);
  if (!Array.isArray(rows)) throw new VectorsFailed('the model gave no vectors');
  const vectors = rows.map((row: unknown) => (isRow(row) ? unitOf(row) : undefined));
  const length = vectors[0]?.length;
  if (vectors.length !== texts.length || vectors.some((vector) => vector === undefined || vector.length !== length))
    throw new VectorsFailed('the model gave vectors that are none: another number, another length, or not finite');
  return vectors as Dense[];
}

const isRow = (row: unknown): row is readonly number[] =>
  Array.isArray(row) && row.length <= DIMENSIONS_MAX && row.every((number) => typeof number === 'number');

function orAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
