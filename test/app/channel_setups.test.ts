import { describe, expect, it } from 'vitest';
import { channelSetupsOf } from '../../src/app/channel_setups.ts';
import { loadConfig } from '../../src/config/config.ts';
import { aFolder, loadText } from '../config/support.ts';

/** The setup of the one channel of a configuration with these lines. */
function setupWith(lines: string) {
  const text = `version: 1\nengines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]\n${lines}`;
  const cwd = aFolder({ 'config/reeve.yaml': text });
  const { config, problems } = loadConfig({ cwd, env: {} });
  expect(problems).toEqual([]);
  return channelSetupsOf(config!)[0]!;
}

const asked = (means: string, times = '') =>
  `channels: [{ id: news, engine: e }]
prometheus:
  - { id: p, url: "http://127.0.0.1:9090"${times}, queries: [{ query: q, means: ${means}, channel: news }] }\n`;

it.each(['output_position', 'playlist_age_seconds'])(
  'a value of %s stands still only once it is older than any that is used',
  (means) => {
    expect(setupWith(asked(means)).stallAfterMs).toBe(100_000);
    expect(setupWith(asked(means, ', every: 5s, stale_after: 15s')).stallAfterMs).toBe(20_000);
    expect(setupWith(asked(means, ', every: 30s, stale_after: 15s')).stallAfterMs).toBe(90_000);
  },
);

it('an output that answers or does not is known by three looks', () => {
  expect(setupWith(asked('up'))).toMatchObject({ stallAfterMs: 30_000, outputEveryMs: 10_000, hasOutputProbe: true });
});

it('an output that is looked at by itself stands after its own time', () => {
  const output = 'output: { hls: "http://127.0.0.1/a.m3u8", stall_after: 7s }';
  const lines = asked('output_position').replace('engine: e', `engine: e, ${output}`);
  expect(setupWith(lines).stallAfterMs).toBe(7_000);
});

it.each([
  ['nothing is asked', 'channels: [{ id: news, engine: e }]\n'],
  ['only another channel is asked about', asked('output_position').replace('id: news', 'ids: [sport, news]')],
])('where %s a channel has what suits a probe', (_, lines) => {
  expect(setupWith(lines)).toMatchObject({
    ...{ hasOutputProbe: false, hasSource: false, stallAfterMs: 6_000, outputEveryMs: 2_000, sourceEveryMs: 10_000 },
  });
});

it('a query whose labels name the channel may be about any', () => {
  expect(setupWith(asked('output_position').replace(', channel: news', '')).stallAfterMs).toBe(100_000);
});

/** The servers that these channels publish to, by channel. */
function publishedTo(...channels: readonly string[]) {
  const { config } = loadText(`version: 1
engines: [{ id: local, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
channels:
${channels.map((channel) => `  - ${channel}`).join('\n')}
`);
  return Object.fromEntries(channelSetupsOf(config!).map(({ id, publishesTo }) => [id, publishesTo]));
}

const onIcecast = (id: string, group: string, host = 'radio:8000'): string =>
  `{ id: ${id}, engine: local, group: ${group}, output: { status: { kind: icecast, url: "http://${host}", mount: /${id} } } }`;

describe('the server that a channel publishes to', () => {
  it('is the one whose status page it shares with another channel', () => {
    expect(publishedTo(onIcecast('a', 'x'), onIcecast('b', 'x'), onIcecast('c', 'x', 'other:8000'))).toEqual({
      ...{ a: 'radio:8000', b: 'radio:8000', c: undefined },
    });
  });

  it('is that of a channel alone in its group, and may be shared with another group', () => {
    expect(publishedTo(onIcecast('a', 'x'), onIcecast('b', 'y'), onIcecast('c', 'z', 'other:8000'))).toEqual({
      ...{ a: 'radio:8000', b: 'radio:8000', c: 'other:8000' },
    });
  });

  it('is not known where each channel of a group has a page of its own: it may be the server itself', () => {
    expect(publishedTo(onIcecast('a', 'x', 'one:8000'), onIcecast('b', 'x', 'two:8000'))).toEqual({});
  });

  it('is not known of a server that makes its channels itself, nor of a playlist', () => {
    const onDemand = '{ id: a, engine: local, output: { status: { kind: jellyfin, url: "http://tv:8096" } } }';
    const playlist = '{ id: b, engine: local, output: { hls: "http://tv:8096/b.m3u8" } }';
    expect(publishedTo(onDemand, playlist)).toEqual({});
  });
});
