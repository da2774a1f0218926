// The oracle that counts starts, and whoever makes them.
import type { Limits } from '../../../src/core/limits.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Invocation } from '../../../src/simulation/effect_log.ts';
import { Rolling } from '../../../src/simulation/invariants/rolling.ts';
import { Starts } from '../../../src/simulation/invariants/starts.ts';
import { beginGeneration, type Starter } from '../../../src/simulation/service_channel.ts';
import { aVerification, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

/** The oracle that counts starts; each call has a permit, a fence and an incident of its own. */
export function starts(limits: Partial<Limits> = {}, channels = 12) {
  const world = oracleEnvironment(channels);
  const context = { ...world.context, limits: { ...DEFAULT_LIMITS, ...limits } };
  const oracle = new Starts(context, new Rolling(context));
  let last = 0;
  const write = (fact: object, about: object = {}) => oracle.entry(world.entry(fact, about));
  const permitOf = (id: string, parent?: string, incident = `inc-${id}`) => permitTerms({ id, parent, incident });
  /** A restart that takes a millisecond. */
  const restart = (
    atMs: number,
    channel: string,
    with_: Partial<Invocation> & { parent?: string; incident?: string } = {},
  ) => {
    last += 1;
    const { parent, incident, ...call } = with_;
    world.at(atMs);
    const id = call.permit ?? `per-${last}`;
    write({ type: 'tool.started', permit: permitOf(id, parent, incident) }, { seq: last });
    const made: Invocation = { ...world.restart(channel, id), fence: last, ...call };
    oracle.invoked(made);
    if (!('endMs' in call)) made.endMs = atMs;
    return id;
  };
  const verified = (id: string, parent?: string, cured = true) =>
    write({ type: 'attempt.verified', permit: permitOf(id, parent), verification: aVerification({ cured }) });
  /** Somebody else started the channel, and Reeve saw it. */
  const foreign = (atMs: number, channel: string, by: Starter = 'human') => {
    world.at(atMs);
    const process = beginGeneration(channel, `f${atMs}`, atMs, by);
    oracle.started(process);
    write({ type: 'start.observed', generation: process.generation }, { channel });
  };
  return { ...world, oracle, write, restart, verified, foreign };
}
