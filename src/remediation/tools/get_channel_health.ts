/** The tool that reads the process state and output of a channel. */
import { channelAt, OBSERVES, type Tool } from '../tool.ts';

export const getChannelHealth: Tool = {
  spec: {
    ...OBSERVES,
    name: 'get_channel_health',
    summary: 'Reads the process state and output of the channel.',
    cooldownMs: 5_000,
    attemptsMax: 3,
    timeoutMs: 5_000,
    capability: 'observe',
    targets: ['channel'],
    onMany: 'first_channel',
  },
  run: async (ports, target) => ports.healthLine(channelAt(target)),
  effect: undefined,
};
