/** The tool that reads the newest log lines of a channel. */
import { able, channelAt, engineAt, OBSERVES, type Tool } from '../tool.ts';

const LOG_BYTES_MAX = 8_192;
/** An encoder writes these over one another, in one endless line, and they say nothing of a trouble. */
const PROGRESS = /^(?:frame|size)= *\S+ .*\btime=/;

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
    const lines = text.split(/[\r\n]+/).flatMap((line) => line.trim() || []);
    const said = lines.filter((line) => !PROGRESS.test(line));
    const newest = ports.clean(said.at(-1) ?? lines.at(-1) ?? '(none)');
    if (said.length === 0 && lines.length > 0) return `only progress reports; last: ${newest}`;
    return `${said.length} recent line${said.length === 1 ? '' : 's'}; last: ${newest}`;
  },
  effect: undefined,
};
