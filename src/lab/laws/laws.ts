import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { Scope } from '../../core/scope.ts';
import type { Life } from '../plant.ts';
import type { Batch, Delivery, Invocation } from '../record.ts';
import type { Reeve } from '../reeve.ts';
import type { Script } from '../script.ts';
import type { Case, Violation } from './case.ts';
import { Starts } from './starts.ts';

export type { Violation } from './case.ts';

const VIOLATIONS_MAX = 20;

export interface LawsDeps {
  readonly script: Script;
  readonly limits: Limits;
  readonly persona: Persona;
  readonly nowMs: () => number;
}

/**
 * Asserts every law that can be observed, after every event, from what the world itself has written down: calls that
 * reached the engine, messages that reached receivers, entries that became durable. It never asks the guard.
 */
export class Laws {
  readonly violations: Violation[] = [];
  readonly #case: Case;
  readonly #starts: Starts;

  constructor(deps: LawsDeps) {
    this.#case = { ...deps, broke: (law, because) => this.broke(law, because) };
    this.#starts = new Starts(this.#case);
  }

  broke(law: string, because: string): void {
    if (this.violations.length >= VIOLATIONS_MAX) return;
    this.violations.push({ law, atMs: this.#case.nowMs(), because });
  }

  batch(batch: Batch): void {
    this.#starts.batch(batch);
  }

  invoked(invocation: Invocation): void {
    this.#starts.invoked(invocation);
  }

  delivered(_delivery: Delivery): void {}

  /** A new life of a channel, as it really began. */
  lived(life: Life): void {
    this.#starts.lived(life);
  }

  /** A person said something, and it was taken. */
  said(_name: string, _scope: Scope, _forMs: number): void {}

  died(_atMs: number): void {}

  healed(_atMs: number): void {}

  afterEvent(_nowMs: number): void {}

  demand(_reeve: Reeve, _nowMs: number): void {}
}
