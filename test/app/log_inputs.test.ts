import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogInputs, type LogInputDeps } from '../../src/app/log_inputs.ts';
import { PoolReadings } from '../../src/collect/prometheus/pool.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { EngineSample, Sample } from '../../src/core/sample.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { aFreePort, serve } from '../collect/support/serving.ts';
import { aDirectory, countChunk } from '../collect/support/tailing.ts';
import { loadText } from '../config/support.ts';

const CHANNELS = `version: 1
engines: [{ id: local, kind: supervisor, socket: /nowhere/socket }]
channels: [{ id: news, engine: local }, { id: sport, engine: local, output: { tcp: "127.0.0.1:1" } }]
`;

/** The inputs of a configuration, started, and what came in by them. */
function inputsOf(yaml: string, stateDirectory = aDirectory()) {
  const { config, problems } = loadText(`${CHANNELS}${yaml}`, {}, { state: stateDirectory });
  expect(problems).toEqual([]);
  const lines: (readonly [source: string, channel: string | undefined, text: string])[] = [];
  const [samples, symptoms]: [Sample[], Symptom[]] = [[], []];
  const warnings: (readonly [source: unknown, text: string])[] = [];
  const note = (fields: object, text: string) => void warnings.push([(fields as { source: unknown }).source, text]);
  const pools = new PoolReadings(systemClock, () => new Map([['main: q', 60_000]]));
  const deps: LogInputDeps = {
    ...{ clock: systemClock, pools, log: { info: note, warn: note, error: note } },
    sink: (chunk) => {
      const { count, records } = countChunk(chunk);
      lines.push(...records.map((text) => [chunk.source, chunk.channel, text.trimEnd()] as const));
      return count;
    },
    channelOf: (name) => (['news', 'sport'].includes(name) ? name : undefined),
    onSample: (sample) => samples.push(sample),
    onSymptom: (symptom) => symptoms.push(symptom),
    onFailed: () => undefined,
  };
  const inputs = createLogInputs(config!, deps);
  onTestFinished(() => inputs[Symbol.asyncDispose]());
  inputs.start();
  return { inputs, lines, samples, symptoms, warnings, pools };
}

const ndjson = (...rows: readonly object[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

describe('what is pushed', () => {
  it('comes in by a feed of its own for each form, which counts it', async () => {
    const { inputs, lines } = inputsOf('');
    expect(inputs.intake.take('ndjson', ndjson({ line: 'it broke', channel: 'news' }))).toMatchObject({ lines: 1 });
    await expect.poll(() => lines).toEqual([['intake:ndjson', 'news', expect.stringContaining('it broke')]]);
    const counted = inputs.stats().map(({ source, lines: count }) => [source, count]);
    expect(counted).toEqual([
      ['intake:loki', 0],
      ['intake:otlp', 0],
      ['intake:ndjson', 1],
    ]);
  });

  it('names its channel by the labels of the configuration', async () => {
    const { inputs, lines } = inputsOf('intake: { channel_labels: [stream] }\n');
    const values = [[`${Date.now()}000000`, 'it broke']];
    const body = Buffer.from(JSON.stringify({ streams: [{ stream: { stream: 'news', channel: 'sport' }, values }] }));
    inputs.intake.take('loki_json', body);
    await expect.poll(() => lines.map(([, channel]) => channel)).toEqual(['news']);
  });
});

describe('syslog', () => {
  const send = async (port: number, text: string) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(text);
    await once(socket, 'close');
  };

  it('is the channel of the first entry that fits its program and its host, else the one that the program is called', async () => {
    const port = await aFreePort();
    const { lines, inputs } = inputsOf(`syslog:
  tcp: "127.0.0.1:${port}"
  channels: [{ app: ffmpeg, host: box, channel: sport }, { app: ffmpeg, channel: news }]
`);
    const from = (host: string, app: string) => `<13>1 - ${host} ${app} - - - ${host} ${app}\n`;
    await vi.waitFor(() => send(port, [from('box', 'ffmpeg'), from('den', 'ffmpeg'), from('den', 'sport')].join('')));
    await send(port, from('den', 'sshd'));
    await expect
      .poll(() => lines.map(([source, channel, text]) => [source, channel, /\w+ \w+$/.exec(text)![0]]))
      .toEqual([
        ['syslog', 'sport', 'box ffmpeg'],
        ['syslog', 'news', 'den ffmpeg'],
        ['syslog', 'sport', 'den sport'],
        ['source:syslog', undefined, 'den sshd'],
      ]);
    expect(inputs.syslogClosed()).toContainEqual({ reason: 'idle', count: 0 });
  });

  it('listens no more once the inputs are closed', async () => {
    const port = await aFreePort();
    const { inputs } = inputsOf(`syslog: { tcp: "127.0.0.1:${port}" }\n`);
    await vi.waitFor(() => send(port, ''));
    await inputs[Symbol.asyncDispose]();
    await expect(send(port, '')).rejects.toThrow('ECONNREFUSED');
  });

  it('says where it cannot listen', async () => {
    const taken = createSocket('udp4').bind(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { warnings } = inputsOf(`syslog: { udp: "127.0.0.1:${taken.address().port}" }\n`);
    await expect.poll(() => warnings).toEqual([['syslog', expect.stringContaining('cannot listen on udp')]]);
  });

  it('has closed no connection where there is none', () => {
    expect(inputsOf('').inputs.syslogClosed()).toEqual([]);
  });
});

describe('Prometheus', () => {
  const answering = async (value: string, status = 200) => {
    const tokens: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      tokens.push(request.headers.authorization);
      const result = [{ metric: { channel: 'news' }, value: [Date.now() / 1_000, value] }];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
    return { url, tokens };
  };

  it('is asked with the token of its file, and what it says of a pool is noted for the engine', async () => {
    const folder = aDirectory();
    writeFileSync(join(folder, 'token'), 'a-token-of-prometheus', { mode: 0o600 });
    const { url, tokens } = await answering('0.5');
    const engine = { engine: 'local', poolPressure: undefined } as unknown as EngineSample;
    const { pools } = inputsOf(`prometheus:
  - { id: main, url: "${url}", token_file: ${folder}/token, queries: [{ query: q, means: pool_pressure, engine: local }] }
`);
    await expect.poll(() => pools.over(engine).poolPressure).toBe(0.5);
    expect(tokens[0]).toBe('Bearer a-token-of-prometheus');
  });

  it('that refuses is named in the log', async () => {
    const { url } = await answering('1', 500);
    const query = '{ query: q, means: up, channel: news }';
    const { warnings } = inputsOf(`prometheus: [{ id: main, url: "${url}", queries: [${query}] }]\n`);
    await expect.poll(() => warnings[0]?.[0]).toBe('prometheus:main');
  });
});
