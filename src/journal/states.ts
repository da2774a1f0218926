/** Advances all projections together. */
import { invariant } from '../core/errors.ts';
import type { JournalEntry, Projection, Read } from '../core/journal.ts';

type AnyProjection = Projection<unknown>;

/** A projection's state as a snapshot keeps it. */
export interface NamedState {
  readonly name: string;
  readonly state: string;
}

/** The states of all projections, advanced together or not at all. */
export class States {
  readonly #projections: AnyProjection[] = [];
  #states = new Map<string, unknown>();
  #applying = false;

  get applying(): boolean {
    return this.#applying;
  }

  register<State>(projection: Projection<State>, ready: () => boolean): Read<State> {
    const known = this.#projections.some(({ name }) => name === projection.name);
    invariant(!known, `two projections are called ${projection.name}`);
    this.#projections.push(projection as AnyProjection);
    this.#states.set(projection.name, projection.initial);
    return () => {
      invariant(ready(), `${projection.name} was read before the journal was open`);
      return this.#states.get(projection.name) as State;
    };
  }

  /** Names of projections that the snapshot does not hold: new ones, or ones whose shape got a new name. */
  missingFrom(saved: readonly NamedState[]): ReadonlySet<string> {
    const names = new Set(saved.map(({ name }) => name));
    return new Set(this.#projections.map(({ name }) => name).filter((name) => !names.has(name)));
  }

  load(saved: readonly NamedState[]): void {
    for (const { name, state } of saved) if (this.#states.has(name)) this.#states.set(name, JSON.parse(state));
  }

  /** The states after the entries, not yet in force. A projection that throws is a bug, and changes nothing. */
  after(entries: readonly JournalEntry[], only?: ReadonlySet<string>): Map<string, unknown> {
    const next = new Map(this.#states);
    this.#applying = true;
    try {
      for (const projection of this.#projections) {
        if (only !== undefined && !only.has(projection.name)) continue;
        for (const entry of entries) next.set(projection.name, applyOne(projection, next, entry));
      }
    } finally {
      this.#applying = false;
    }
    return next;
  }

  put(next: Map<string, unknown>): void {
    this.#states = next;
  }

  /** Every state as JSON. A state that JSON would change is a bug: after a restart it would be another one. */
  save(): readonly NamedState[] {
    return this.#projections.map(({ name }) => {
      const state = this.#states.get(name);
      refuseUnJson(state, name);
      return { name, state: JSON.stringify(state) };
    });
  }
}

function applyOne(projection: AnyProjection, states: Map<string, unknown>, entry: JournalEntry): unknown {
  try {
    return projection.apply(states.get(projection.name), entry);
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : String(thrown);
    invariant(false, `projection ${projection.name} failed on entry ${entry.seq} (${entry.fact.type}): ${because}`);
  }
}

/** `undefined` members are left out by JSON and read back the same, so they may stay. */
function refuseUnJson(value: unknown, path: string): void {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    invariant(Number.isFinite(value), `${path} is ${value}, which JSON cannot say`);
    return;
  }
  invariant(typeof value === 'object', `${path} is a ${typeof value}, which JSON cannot say`);
  const plain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
  invariant(plain, `${path} is a ${value.constructor?.name}, which JSON cannot say`);
  for (const [key, member] of Object.entries(value)) refuseUnJson(member, `${path}.${key}`);
}
