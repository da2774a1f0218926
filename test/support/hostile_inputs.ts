/** The real ways in of one world: files, syslog and the journal as they hand chunks over, the intake as it is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import SnappyJS from 'snappyjs';
import { recognitionFor } from '../../src/app/recognition.ts';
import { createLogInputs } from '../../src/app/log_inputs.ts';
import { filesOf, sinkFor } from '../../src/app/log_sources.ts';
import { PoolReadings } from '../../src/collect/prometheus/pool.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import type { ChunkSink } from '../../src/core/chunk.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Sample } from '../../src/core/sample.ts';
import { HARMLESS_SYMPTOMS, SYMPTOMS, type Symptom } from '../../src/core/symptom.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { grantOf, sha256Of } from '../../src/http/auth/grants.ts';
import { addIntake, INTAKE_ROUTES } from '../../src/http/intake.ts';
import type { HttpEnv } from '../../src/http/request.ts';
import { pushRequest } from '../collect/support/protobuf.ts';
import { CHANNELS, DEAD, type HostileWriter, type PushInput, PUSH_INPUTS, TOKENS } from './hostile_streams.ts';

const MEANT = SYMPTOMS.filter((kind) => !HARMLESS_SYMPTOMS.has(kind));
const logsOf = (id: string): string =>
  `[/nowhere/${id}.log, { path: /nowhere/${id}.json, format: docker_json }, ` +
  `{ path: /nowhere/${id}.progress, format: ffmpeg_progress }]`;
const YAML = [
  'version: 1',
  'engines: [{ id: local, kind: supervisor, socket: /nowhere/socket, logs: [{ path: /nowhere/supervisord.log }] }]',
  `channels: [${CHANNELS.map((id) => `{ id: ${id}, engine: local, logs: ${logsOf(id)} }`).join(', ')}]`,
  'sources: [{ id: nginx, path: /nowhere/error.log }]',
  `intake: { alerts: [${MEANT.map((kind) => `{ alertname: Says_${kind}, means: ${kind} }`).join(', ')}] }`,
].join('\n');

function configured() {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  try {
    const file = join(folder, 'reeve.yaml');
    writeFileSync(file, YAML);
    const { configuration, problems } = loadConfiguration({ file, env: {}, flags: { state: folder }, tools: [] });
    if (configuration === undefined) throw new Error(JSON.stringify(problems));
    return configuration;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const configuration = configured();
const files = filesOf(configuration.config);
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const tokenOf = (scope: string): string => `token-of-${scope}-${'x'.repeat(32)}`;
const GRANTS = TOKENS.map((scope) => ({ name: scope, scopes: [scope], sha256: sha256Of(tokenOf(scope)) }));

/** Where symptoms and samples go. */
interface Ears {
  readonly clock: Clock;
  readonly onSymptom: (symptom: Symptom) => void;
  readonly onSample: (sample: Sample) => void;
}

/** Detector, feeds and intake of the daemon, and a count of what came through. */
export function openInputs({ clock, ...ears }: Ears) {
  const heard = { symptoms: 0, progress: 0, refused: 0, taken: 0 };
  const onSample = (sample: Sample): void => {
    heard.progress += 1;
    ears.onSample(sample);
  };
  const onSymptom = (symptom: Symptom): void => {
    heard.symptoms += 1;
    ears.onSymptom(symptom);
  };
  const table = createChannelTable(CHANNELS);
  const { detector } = recognitionFor(configuration, table, { clock, onSymptom, onSample, onNotice: () => undefined });
  const sink = sinkFor(configuration.config, detector.accept, onSample);
  const inputs = createLogInputs(configuration.config, {
    ...{ clock, sink, log: QUIET, onSymptom, onSample, pools: new PoolReadings(clock, () => undefined) },
    channelOf: (name) => CHANNELS.find((id) => id === name),
    onFailed: () => undefined,
  });
  const app = new Hono<HttpEnv>();
  addIntake(app, { intake: inputs.intake, grantOf: (authorization) => grantOf(GRANTS, authorization) });
  return {
    heard,
    async write(writer: HostileWriter, lines: readonly string[]): Promise<void> {
      if (!isPush(writer)) return hand(sink, writer, { lines, clock });
      const { ok } = await push(app, writer, { lines, nowMs: clock.now() });
      heard[ok ? 'taken' : 'refused'] += 1;
      // A feed hands over in a turn of the event loop of its own.
      await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: () => inputs[Symbol.asyncDispose](),
  };
}

const isPush = ({ door }: HostileWriter): boolean => PUSH_INPUTS.some((one) => one === door);

/** As the way in hands it over: with the owner that the file, the unit or the host and app have. */
function hand(
  sink: ChunkSink,
  { door, channel }: HostileWriter,
  { lines, clock }: { lines: readonly string[]; clock: Clock },
): void {
  const moment = { at: clock.now(), monoMs: clock.monotonicMs(), backlog: false };
  const from = originOf(door, channel);
  const text = lines.map((line) => (door === 'own:docker_json' ? JSON.stringify({ log: `${line}\n` }) : line));
  const bytes = Buffer.from(`${text.join('\n')}\n`);
  sink({ ...from, ...moment, bytes, start: 0, end: bytes.length });
}

function originOf(door: HostileWriter['door'], channel: string | undefined) {
  if (door === 'syslog') return { source: 'syslog', channel, pushed: true };
  if (door === 'journald') return { source: 'journald', channel };
  const path =
    door === 'engine'
      ? '/nowhere/supervisord.log'
      : door === 'server'
        ? '/nowhere/error.log'
        : `/nowhere/${channel ?? DEAD}.${door === 'own' ? 'log' : door === 'own:progress' ? 'progress' : 'json'}`;
  const file = files.find((one) => one.path === path);
  if (file === undefined) throw new Error(`no log ${path}`);
  return { source: file.id, path, channel: file.channel };
}

const PATHS: Readonly<Record<PushInput, string>> = {
  loki_json: '/loki/api/v1/push',
  loki_protobuf: '/loki/api/v1/push',
  otlp_json: '/v1/logs',
  ndjson: '/api/v1/logs',
  alerts: '/api/v1/alerts',
};
if (!INTAKE_ROUTES.every(({ path }) => Object.values(PATHS).includes(path))) throw new Error('a way in is not tried');

async function push(
  app: Hono<HttpEnv>,
  writer: HostileWriter,
  { lines, nowMs }: { lines: readonly string[]; nowMs: number },
): Promise<Response> {
  const door = writer.door as PushInput;
  const type = door === 'loki_protobuf' ? 'application/x-protobuf' : 'application/json';
  const headers = { authorization: `Bearer ${tokenOf(writer.token)}`, 'content-type': type };
  return await app.request(PATHS[door], { method: 'POST', headers, body: bodyOf(door, writer, { lines, nowMs }) });
}

function bodyOf(
  door: PushInput,
  { channel }: HostileWriter,
  { lines, nowMs }: { lines: readonly string[]; nowMs: number },
): string | Uint8Array<ArrayBuffer> {
  const labels = channel === undefined ? {} : { channel };
  switch (door) {
    case 'loki_json':
      return JSON.stringify({ streams: [{ stream: labels, values: lines.map((line) => [`${nowMs}000000`, line]) }] });
    case 'loki_protobuf': {
      const text = channel === undefined ? '{}' : `{channel="${channel}"}`;
      return new Uint8Array(
        SnappyJS.compress(pushRequest([{ labels: text, entries: lines.map((line) => ({ at: nowMs, line })) }])),
      );
    }
    case 'otlp_json': {
      const attributes = channel === undefined ? [] : [{ key: 'channel', value: { stringValue: channel } }];
      const logRecords = lines.map((line) => ({ body: { stringValue: line }, timeUnixNano: `${nowMs}000000` }));
      return JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] });
    }
    case 'ndjson':
      return lines.map((line) => JSON.stringify({ line, ...labels, at: nowMs })).join('\n');
    case 'alerts': {
      const about = channel ?? DEAD;
      // Which of them fires is drawn by the line: its length serves.
      const alerts = lines.map((line) => ({
        status: line.length % 7 === 0 ? 'resolved' : 'firing',
        labels: { alertname: `Says_${MEANT[line.length % MEANT.length]}`, channel: about },
        annotations: { summary: line },
      }));
      return JSON.stringify({ version: '4', alerts });
    }
  }
}
