/** What the decision pipeline knows of each configured channel and engine. */
import type { ChannelConfig, Config } from '../config/config.ts';
import { PUBLISHED_TO_KINDS } from '../collect/status/schema.ts';
import { calmPacesOf } from '../config/document/calm_paces.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';

/** Used where neither a probe nor a query says how often the output is looked at. */
const NO_STALL_MS = 6_000;
const NO_PROBE_MS = 2_000;
const NO_SOURCE_MS = 10_000;

export function channelSetupsOf(config: Config): readonly ChannelSetup[] {
  const servers = publishedTo(config.channels);
  return config.channels.map((channel) => setupOf(channel, config, servers.get(channel.id)));
}

/**
 * Which server each channel publishes to. One that shares its status page with no other may be that server itself, and
 * must not be kept down because its own page does not answer; alone in its group it is not waited for by others.
 */
function publishedTo(channels: readonly ChannelConfig[]): ReadonlyMap<string, string> {
  const pushing = channels.flatMap(({ id, group, output }) =>
    output?.kind === 'status' && PUBLISHED_TO_KINDS.has(output.status.kind)
      ? [{ id, group, server: new URL(output.status.url).host }]
      : [],
  );
  const byServer = Map.groupBy(pushing, ({ server }) => server);
  const byGroup = Map.groupBy(channels, ({ group }) => group);
  const known = pushing.filter(
    ({ group, server }) => byServer.get(server)!.length > 1 || byGroup.get(group)!.length === 1,
  );
  return new Map(known.map(({ id, server }) => [id, server]));
}

function setupOf(channel: ChannelConfig, { collectors }: Config, publishesTo: string | undefined): ChannelSetup {
  const { id, group, engine, expected, hasSource, hasOutputProbe, output, source } = channel;
  const asked = collectors.prometheus.flatMap(({ everyMs, staleAfterMs, queries }) =>
    queries.flatMap((query) => ((query.channel ?? id) === id ? [{ everyMs, staleAfterMs, ...query }] : [])),
  );
  /** How often others look, where the channel has no probe of its own. */
  const byOthers = (meanings: readonly string[]) => asked.filter(({ means }) => meanings.includes(means));
  const outputs = byOthers(['up', 'playlist_age_seconds', 'output_position']);
  const sources = byOthers(['source_up']);
  /** Until its next scrape a value is what it was: that it stands proves something once it is older than any used. */
  const standMs = byOthers(['playlist_age_seconds', 'output_position']).map(
    ({ everyMs, staleAfterMs }) => staleAfterMs + everyMs,
  );
  return {
    ...{ id, group, engine, expected, ...calmPacesOf(channel) },
    hasSource: hasSource || sources.some((query) => query.channel === id),
    hasOutputProbe: hasOutputProbe || outputs.some((query) => query.channel === id),
    stallAfterMs:
      output?.stallAfterMs ?? Math.max(NO_STALL_MS, ...outputs.map(({ everyMs }) => 3 * everyMs), ...standMs),
    outputEveryMs: output?.everyMs ?? Math.max(NO_PROBE_MS, ...outputs.map(({ everyMs }) => everyMs)),
    sourceEveryMs: source?.everyMs ?? Math.max(NO_SOURCE_MS, ...sources.map(({ everyMs }) => everyMs)),
    ...(publishesTo === undefined ? {} : { publishesTo }),
  };
}

export const engineSetupsOf = ({ engines }: Config): readonly EngineSetup[] =>
  engines.map(({ id, poll: pollMs, autorestart_grace: autorestartGraceMs, host }) => ({
    id,
    pollMs,
    autorestartGraceMs,
    hostEveryMs: host?.every,
  }));
