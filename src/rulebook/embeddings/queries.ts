/** Vectors of what is looked for: asked for once, within half a second, and remembered. */
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Model } from '../../core/model.ts';
import type { Dense } from './dense.ts';
import { askedFor } from './vectors.ts';

const DEADLINE_MS = 500;
const REMEMBERED_MAX = 128;
const WAITING_MAX = 4;
/** After a failure no query waits for the model again for this long. */
const PAUSE_MS = MINUTE_MS;

interface QueryDeps {
  readonly model: Pick<Model, 'embed'>;
  readonly clock: Clock;
}

/** The newest 128 queries with their vectors. */
export class QueryVectors {
  readonly #deps: QueryDeps;
  readonly #onFailure: (because: string) => void;
  readonly #known = new Map<string, Dense>();
  readonly #asked = new Map<string, Promise<boolean>>();
  #pausedUntilMs = 0;

  constructor(deps: QueryDeps, onFailure: (because: string) => void) {
    this.#deps = deps;
    this.#onFailure = onFailure;
  }

  known(text: string): Dense | undefined {
    return this.#known.get(text);
  }

  clear(): void {
    this.#known.clear();
  }

  /** True once the vector is there. Several who look for one text wait for one call; too many do not wait at all. */
  async ask(text: string, dimensions: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#known.has(text)) return true;
    const underWay = this.#asked.get(text);
    if (underWay !== undefined) return orLeft(underWay, signal);
    const isPaused = this.#deps.clock.monotonicMs() < this.#pausedUntilMs;
    if (text === '' || isPaused || this.#asked.size >= WAITING_MAX) return false;
    const asked = this.#askModel(text, dimensions).finally(() => this.#asked.delete(text));
    this.#asked.set(text, asked);
    return orLeft(asked, signal);
  }

  async #askModel(text: string, dimensions: number): Promise<boolean> {
    const { model, clock } = this.#deps;
    try {
      const [vector] = await askedFor(model, [text], { clock, deadlineMs: DEADLINE_MS });
      if (vector?.length !== dimensions) throw new Error(`a vector of ${vector?.length} numbers, not of ${dimensions}`);
      this.#known.set(text, vector);
      const [oldest] = this.#known.keys();
      if (this.#known.size > REMEMBERED_MAX && oldest !== undefined) this.#known.delete(oldest);
      return true;
    } catch (thrown) {
      this.#pausedUntilMs = clock.monotonicMs() + PAUSE_MS;
      this.#onFailure(messageOf(thrown));
      return false;
    }
  }
}

/** Whoever leaves does not end the call for the others. */
function orLeft(asked: Promise<boolean>, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal === undefined) return asked;
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    void asked.then(resolve).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
