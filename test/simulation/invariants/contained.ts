// The oracle of containments, over a journal that is written by hand.
import { DEFAULT_LIMITS, type Limits } from '../../../src/core/limits.ts';
import { Containments } from '../../../src/simulation/invariants/containments.ts';
import type { InvariantContext } from '../../../src/simulation/invariants/context.ts';
import { Proofs } from '../../../src/simulation/invariants/proofs.ts';
import { Rolling } from '../../../src/simulation/invariants/rolling.ts';
import { Starts } from '../../../src/simulation/invariants/starts.ts';
import { aPersona } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

export interface Given {
  readonly poolOf?: InvariantContext['poolOf'];
  readonly bias?: boolean;
  readonly limits?: Partial<Limits>;
}

/** The oracle of containments, in a Reeve that has run since time began. */
export function containments({ poolOf = () => 'unasked', bias = true, limits = {} }: Given = {}) {
  const world = oracleEnvironment(12);
  const context: InvariantContext = {
    ...{ ...world.context, poolOf, limits: { ...DEFAULT_LIMITS, ...limits } },
    persona: aPersona({ containment_bias: bias }),
  };
  const starts = new Starts(context, new Rolling(context));
  const proofs = new Proofs(context);
  const oracle = new Containments(context, starts, proofs);
  /** These become durable together. */
  const put = (atMs: number, ...facts: readonly object[]) => {
    world.at(atMs);
    const batch = facts.map((fact) => world.entry(fact));
    for (const entry of batch) oracle.entry(entry, batch);
  };
  put(0, { type: 'reeve.started' });
  return { ...world, starts, proofs, oracle, put };
}
