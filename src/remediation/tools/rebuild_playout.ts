/** The tool that has an engine plan again what a channel plays. */
import { CURABLE_BY } from '../../core/classification.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { ReeveError } from '../../core/errors.ts';
import { able, CHANGES, channelAt, cured, engineAt, noProbe, notYet, type Tool } from '../tool.ts';

export const rebuildPlayout: Tool = {
  spec: {
    ...CHANGES,
    name: 'rebuild_playout',
    summary: 'Has the engine plan again what the channel plays.',
    risk: 'medium',
    idempotent: false,
    cooldownMs: 120_000,
    attemptsMax: 1,
    timeoutMs: MINUTE_MS,
    capability: 'rebuild',
    cures: CURABLE_BY.playout,
    settleMs: 1_000,
    verifyWithinMs: MINUTE_MS,
    targets: ['channel'],
    onMany: 'whole',
    curesOutput: true,
  },
  async run(ports, target, context, of) {
    const engine = engineAt(ports, target, of);
    const { itemsAdded, summary } = await able(engine, 'rebuildPlayout')(channelAt(target), context);
    if (itemsAdded > 0) return `${itemsAdded} items added; ${summary}`;
    throw new ReeveError('ENGINE_REFUSED', `the rebuild added no items: ${summary}`);
  },
  effect: {
    by: 'probe',
    async check({ engine }, { terms, signal }) {
      const { target, tool } = terms.call;
      if (engine?.probePlayout === undefined || target.kind !== 'channel') return noProbe(tool);
      const plays = await engine.probePlayout(target.id, signal);
      return plays ? cured('it has something to play now') : notYet('nothing to play yet');
    },
  },
  phrase: { verb: 'rebuild', thing: '(?:\\s+playout)?' },
};
