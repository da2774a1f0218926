/** The tool that reads the newest log lines of a channel. */
import { able, channelAt, engineAt, OBSERVES, type Tool } from '../tool.ts';

const LOG_BYTES_MAX = 8_192;

export const fetchRecentLogs: Tool = {
  spec: {
    ...OBSERVES,
    name: 'fetch_recent_logs',
    summary: 'Reads the newest log lines of the channel.',
    cooldownMs: 5_000,
    attemptsMax: 3,
    timeoutMs: 5_000,
    capability: 'logs',
    targets: ['channel', 'group', 'engine'],
    onMany: 'first_channel',
  },
  async run(ports, target, context, of) {
    const engine = engineAt(ports, target, of);
    const text = await able(engine, 'recentLogs')(channelAt(target), LOG_BYTES_MAX, context.signal);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return `${lines.length} recent lines; last: ${ports.clean(lines.at(-1) ?? '(none)')}`;
  },
  effect: undefined,
};
