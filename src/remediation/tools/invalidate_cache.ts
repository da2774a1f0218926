/** The tool that drops an engine's cached addresses and guide. */
import { CURABLE_BY } from '../../core/classification.ts';
import { able, CHANGES, cured, engineAt, noProbe, notYet, type Tool } from '../tool.ts';

export const invalidateCache: Tool = {
  spec: {
    ...CHANGES,
    name: 'invalidate_cache',
    summary: "Drops the engine's cached addresses and guide, for the channel or for all.",
    risk: 'low',
    idempotent: true,
    cooldownMs: 30_000,
    attemptsMax: 2,
    timeoutMs: 15_000,
    capability: 'cache',
    cures: CURABLE_BY.cache,
    settleMs: 500,
    verifyWithinMs: 30_000,
    targets: ['channel', 'group', 'engine'],
    onMany: 'whole',
  },
  run: async (ports, target, context, engine) => {
    const channel = target.kind === 'channel' ? target.id : undefined;
    return able(engineAt(ports, target, engine), 'invalidateCache')(channel, context);
  },
  effect: {
    by: 'probe',
    comparesCache: true,
    async check({ engine }, { terms, signal, cacheEntriesBefore: before }) {
      if (engine?.probeCache === undefined) return noProbe(terms.call.tool);
      const entries = await engine.probeCache(signal);
      const emptier = entries === 0 || (before !== undefined && entries < before);
      return emptier ? cured(`${entries} entries left, ${before ?? '?'} before`) : notYet(`still ${entries} entries`);
    },
  },
  phrase: { verb: '(?:invalidate|clear)', thing: '\\s+cache' },
};
