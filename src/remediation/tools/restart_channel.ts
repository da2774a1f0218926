/** The tool that ends a channel's process and begins a new generation of it. */
import { CURABLE_BY } from '../../core/classification.ts';
import { able, CHANGES, channelAt, engineAt, type Tool } from '../tool.ts';

export const restartChannel: Tool = {
  spec: {
    ...CHANGES,
    name: 'restart_channel',
    summary: 'Ends the process of the channel and starts a new one.',
    risk: 'high',
    idempotent: false,
    cooldownMs: 30_000,
    attemptsMax: 1,
    timeoutMs: 20_000,
    capability: 'restart',
    cures: CURABLE_BY.start,
    settleMs: 500,
    verifyWithinMs: 30_000,
    targets: ['channel', 'group', 'engine'],
    onMany: 'each_channel',
    startsProcess: true,
    curesOutput: true,
    mayFollowCureOf: CURABLE_BY.credentials,
  },
  run: async (ports, target, context, engine) =>
    able(engineAt(ports, target, engine), 'restart')(channelAt(target), context),
  effect: {
    by: 'samples',
    check(ports, { terms, sinceMs, previousGeneration }) {
      const { target } = terms.call;
      if (target.kind !== 'channel') return { state: 'failed', because: 'it is no longer configured' };
      return ports.freshOutput(target.id, sinceMs, previousGeneration);
    },
  },
  phrase: { verb: '(?:restart_channel|restart|kick)', thing: '' },
};
