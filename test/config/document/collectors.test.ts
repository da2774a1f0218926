import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const BASE = 'version: 1\nengines: [{ id: e, kind: supervisor, socket: /x }]\n';
const ENV = { TOKEN: 'x'.repeat(32), SHORT: 'abc' };
const load = (text: string) => loadText(BASE + text, ENV);
const CHANNEL = 'channels: [{ id: news, engine: e }]\n';

describe('sources of lines besides files', () => {
  it('are settled with their defaults', () => {
    const { config, problems } = load(`${CHANNEL}
intake:
  tokens: [{ name: promtail, token_env: TOKEN }]
  alerts: [{ alertname: EncoderSlow, means: encoder_overload }]
syslog: { udp: "127.0.0.1:5514", channels: [{ app: enc, channel: news }] }
journald: { units: [enc.service], channels: [{ unit: enc.service, channel: news }] }
prometheus:
  - id: main
    url: http://127.0.0.1:9090
    queries:
      - { query: 'up{job="tv"}', means: up, channel: news }
      - { query: slots, means: pool_pressure, engine: e }
      - { query: 'errors > 5', means: symptom, symptom: encoder_overload, channel_labels: [stream] }
`);
    expect(problemLines(problems)).toEqual([]);
    const { intake, syslog, journald, prometheus } = config!.collectors;
    expect(intake.tokens.map(({ name, token }) => [name, token.reveal()])).toEqual([['promtail', ENV.TOKEN]]);
    expect(intake).toMatchObject({ channelLabels: ['channel'], lateMs: 120_000 });
    expect(intake.alerts).toEqual([
      { alertname: 'EncoderSlow', means: 'encoder_overload', channelLabels: ['channel'] },
    ]);
    expect(syslog).toMatchObject({ udp: { host: '127.0.0.1', port: 5514 }, tcp: undefined, allowFrom: [] });
    expect(journald).toEqual({ units: ['enc.service'], channels: [{ unit: 'enc.service', channel: 'news' }] });
    expect(prometheus[0]).toMatchObject({ everyMs: 10_000, staleAfterMs: 90_000, token: undefined });
    expect(prometheus[0]?.queries.map(({ means, channelLabels }) => [means, channelLabels])).toEqual([
      ['up', ['channel']],
      ['pool_pressure', ['channel']],
      ['symptom', ['stream']],
    ]);
    expect(JSON.stringify(config)).not.toContain(ENV.TOKEN);
  });

  it('take no value of Prometheus that is older than evidence may be', () => {
    const query = 'queries: [{ query: q, means: up }]';
    const staleMs = (written: string, limits = '') =>
      load(`${limits}prometheus: [{ id: p, url: "http://x", ${written}${query} }]\n`).config?.collectors.prometheus[0]
        ?.staleAfterMs;
    expect(staleMs('stale_after: 10m, ')).toBe(120_000);
    expect(staleMs('stale_after: 20s, ')).toBe(20_000);
    expect(staleMs('', 'limits: { evidence_age_max: 60s }\n')).toBe(60_000);
  });

  it('do not exist unless they are configured', () => {
    expect(load('').config?.collectors).toMatchObject({
      intake: { tokens: [], alerts: [] },
      syslog: undefined,
      journald: undefined,
      prometheus: [],
    });
  });

  it('a channel may be seen through status pages and DASH, and its logs may have formats', () => {
    const { config, problems } = load(`
channels:
  - ids: [a, b]
    engine: e
    logs: ["/log/{id}.log", { path: "/log/{id}.progress", format: ffmpeg_progress }]
    output: { status: { kind: icecast, url: "http://127.0.0.1:8000", mount: "/{id}.mp3" }, every: 3s }
    source: { status: { kind: nginx_rtmp, url: "http://127.0.0.1:8080/stat", stream: live/in } }
  - { id: d, engine: e, output: { dash: "http://127.0.0.1/d.mpd" } }
sources:
  - { id: docker, path: "/var/lib/docker/*.log", format: docker_json }
  - { id: kube, command: [kubectl, logs, -f, x], channel: a }
  - { id: pipe, stdin: true }
`);
    expect(problemLines(problems)).toEqual([]);
    const [a, b, d] = config!.channels;
    expect(a).toMatchObject({
      logs: ['/log/a.log', '/log/a.progress'],
      logFormats: [{ path: '/log/a.progress', format: 'ffmpeg_progress' }],
    });
    expect(b?.output).toMatchObject({ kind: 'status', status: { kind: 'icecast', target: '/b.mp3' }, everyMs: 3_000 });
    expect(b?.source).toMatchObject({
      status: { kind: 'nginx_rtmp', url: 'http://127.0.0.1:8080/stat', target: 'live/in' },
    });
    expect(d?.output).toMatchObject({ kind: 'dash', url: 'http://127.0.0.1/d.mpd' });
    expect(config!.sources.map(({ from, format, channel }) => [from.kind, format, channel])).toEqual([
      ['file', 'docker_json', undefined],
      ['command', 'text', 'a'],
      ['stdin', 'text', undefined],
    ]);
  });

  it.each([
    ['a token that is nowhere', 'intake: { tokens: [{ name: a }] }', 'expected token_env or token_file, got neither'],
    ['a token that is short', 'intake: { tokens: [{ name: a, token_env: SHORT }] }', 'at least 16 characters, got 3'],
    ['a symptom that is none', 'intake: { alerts: [{ alertname: a, means: sadness }] }', 'intake.alerts.0.means'],
    [
      'an alert that means nothing',
      'intake: { alerts: [{ alertname: a, means: benign_noise }] }',
      'intake.alerts.0.means',
    ],
    ['syslog open to everybody', 'syslog: { udp: "0.0.0.0:514" }', 'open to other machines, and no sender is allowed'],
    ['syslog nowhere', 'syslog: {}', 'expected udp, tcp or both, got neither'],
    [
      'a subnet that is none',
      'syslog: { udp: "0.0.0.0:514", allow_from: [10.0.0.0/33] }',
      'expected an address or a subnet',
    ],
    ['a channel that is not there', 'journald: { channels: [{ unit: a, channel: nope }] }', 'there is no channel nope'],
    [
      'an alert that has a meaning already',
      'intake: { alerts: [{ alertname: a, means: stalled_output }, { alertname: a, means: disk_full }] }',
      'the alert a stands here a second time',
    ],
    [
      'an alert of Reeve itself',
      'intake: { alerts: [{ alertname: ReeveDown, means: stalled_output }] }',
      'which is no evidence',
    ],
    [
      'a unit that is not followed',
      'journald: { units: [enc, "cam@*"], channels: [{ unit: other, channel: news }] }',
      'other is none of the units that are followed',
    ],
    ['a misspelt key', 'journald: { unit: [a] }', 'journald'],
    [
      'a query without its symptom',
      'prometheus: [{ id: p, url: "http://x", queries: [{ query: q, means: symptom }] }]',
      'expected symptom with means: symptom',
    ],
    [
      'a pool without an engine',
      'prometheus: [{ id: p, url: "http://x", queries: [{ query: q, means: pool_pressure, engine: z }] }]',
      'there is no engine z',
    ],
    [
      'an engine for viewers',
      'prometheus: [{ id: p, url: "http://x", queries: [{ query: q, means: viewers, engine: e }] }]',
      'expected engine with means: pool_pressure only',
    ],
    [
      'a source of two kinds',
      'sources: [{ id: a, path: /x, stdin: true }]',
      'expected one of path, command and stdin, got 2',
    ],
    [
      'standard input twice',
      'sources: [{ id: a, stdin: true }, { id: b, stdin: true }]',
      'source a follows standard input already',
    ],
    [
      'reports without a channel',
      'sources: [{ id: a, path: /x, format: ffmpeg_progress }]',
      'reports of an encoder name no channel',
    ],
    [
      'a mount that is missing',
      'channels: [{ id: a, engine: e, output: { status: { kind: icecast, url: "http://x" } } }]',
      'icecast needs mount',
    ],
    [
      'a stream where there is one only',
      'channels: [{ id: a, engine: e, output: { status: { kind: owncast, url: "http://x", stream: y } } }]',
      'owncast has no stream',
    ],
    [
      'sessions of a channel that is always on',
      'channels: [{ id: a, engine: e, output: { status: { kind: tunarr, url: "http://x", stream: y } } }]',
      'write expected: on_demand',
    ],
    [
      'two channels on one mount',
      'channels: [{ ids: [a, b], engine: e, output: { status: { kind: icecast, url: "http://x", mount: /m } } }]',
      '2 channels would share this',
    ],
    [
      'what is expected of a stream that nobody looks at',
      'channels: [{ id: a, engine: e, source: { status: { kind: owncast, url: "http://x" }, expect: mpegts } }]',
      'a status page is looked at, not the stream',
    ],
    [
      'a source that is nowhere',
      'channels: [{ id: a, engine: e, source: { every: 5s } }]',
      'expected either url or status, got neither',
    ],
  ])('%s is reported', (_, text, message) => {
    expect(problemLines(load(text).problems).join('\n')).toContain(message);
  });
});
