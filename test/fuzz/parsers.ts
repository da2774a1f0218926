// Every parser of bytes from outside, in one table: a new parser is one line here and a folder of small real inputs.
import { safeText } from '../../src/collect/clean.ts';
import { dockerJson } from '../../src/collect/formats/docker_json.ts';
import { ffmpegProgress } from '../../src/collect/formats/ffmpeg_progress.ts';
import { readAlerts } from '../../src/collect/intake/alerts.ts';
import { lokiJson, lokiProtobuf } from '../../src/collect/intake/loki.ts';
import { ndjson } from '../../src/collect/intake/ndjson.ts';
import { otlpJson } from '../../src/collect/intake/otlp.ts';
import { IntakeRefused } from '../../src/collect/intake/refused.ts';
import { unsnappy } from '../../src/collect/intake/snappy.ts';
import { entryOf } from '../../src/collect/journald/journald.ts';
import { parseManifest } from '../../src/collect/probes/manifest.ts';
import { isCorruptTransportStream } from '../../src/collect/probes/mpegts.ts';
import { parsePlaylist } from '../../src/collect/probes/playlist.ts';
import { parseProgress } from '../../src/collect/formats/progress.ts';
import { seriesIn } from '../../src/collect/prometheus/queries.ts';
import { redact } from '../../src/collect/redact.ts';
import { STATUS_MAPPINGS } from '../../src/collect/status/kinds.ts';
import { PageUnreadable, StatusPages } from '../../src/collect/status/pages.ts';
import { Frames } from '../../src/collect/syslog/frames.ts';
import { parseSyslog } from '../../src/collect/syslog/message.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import type { Chunk } from '../../src/core/chunk.ts';
import { systemClock } from '../../src/core/clock.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { vectorOf } from '../../src/core/similarity.ts';
import { parseIndex } from '../../src/hints/bundle.ts';
import { queriesOf } from '../../src/hints/queries.ts';
import { symptomOf } from '../../src/hints/symptoms.ts';
import { parseMetrics } from '../../src/engine/exstreamtv/metrics_text.ts';
import { decodeResponse, XmlRpcFault } from '../../src/engine/supervisor/xmlrpc.ts';
import type { BoundedFetch } from '../../src/resilience/http.ts';

/** One parser: it may give anything back, and may throw what it refuses with. */
export interface Parser {
  readonly name: string;
  readonly parse: (bytes: Buffer) => unknown;
  /** The errors with which it refuses. Anything else that is thrown is a bug. */
  readonly refuses?: readonly (new (
    ...parts: never[]
  ) => Error)[];
  /** What it may make of 64 KiB, garbage included. Default 32 MiB. */
  readonly madeBytesMax?: number;
  /** Processor time for 64 KiB. Default 1 s. */
  readonly cpuMsMax?: number;
}

const LABELS = ['channel', 'stream'];
const BYTES_MAX = 2 * 1024 * 1024;
const text =
  (parse: (text: string) => unknown) =>
  (bytes: Buffer): unknown =>
    parse(bytes.toString('utf8'));

/** Parses the bytes as one chunk of a log. */
const chunked =
  (sink: (chunk: Chunk) => unknown) =>
  (bytes: Buffer): unknown =>
    sink({ source: 's', channel: 'news', bytes, start: 0, end: bytes.length, backlog: false, at: 1, monoMs: 1 });

function frames(bytes: Buffer): unknown {
  const taken: Buffer[] = [];
  const parts = { bytesMax: 4_096, take: (message: Buffer) => taken.push(message), tooLong: () => undefined };
  const stream = new Frames(parts);
  for (let at = 0; at < bytes.length; at += 997) stream.add(bytes.subarray(at, at + 997));
  stream.end();
  return taken;
}

const alerts = (bytes: Buffer): unknown =>
  readAlerts(bytes, {
    meanings: [{ alertname: 'EncoderSlow', means: 'encoder_overload', channelLabels: LABELS }],
    channelOf: (name) => name,
    clean: safeText,
    clock: systemClock,
  });

/** A status page as it comes from the network, read for every kind that has its format. */
const page =
  (format: 'json' | 'xml') =>
  async (body: Buffer): Promise<unknown> => {
    const ask = (async () => ({ status: 200, headers: new Headers(), body })) as unknown as BoundedFetch;
    const read = await new StatusPages(systemClock, ask).get('http://h/', format);
    const kinds = Object.values(STATUS_MAPPINGS).filter((mapping) => mapping.format === format);
    return kinds.map((mapping) => mapping.read(read, 'live/news'));
  };

/** A fault is an answer, too. */
function xmlRpc(xml: string): unknown {
  try {
    return decodeResponse(xml);
  } catch (thrown) {
    if (thrown instanceof XmlRpcFault) return thrown;
    throw thrown;
  }
}

const none = { lines: 0, matched: 0, unmatched: 0, progress: 0 };

export const PARSERS: readonly Parser[] = [
  { name: 'lines', parse: (bytes) => safeText(bytes) },
  { name: 'redaction', parse: text(redact) },
  { name: 'progress', parse: text(parseProgress) },
  { name: 'ffmpeg_progress', parse: chunked(ffmpegProgress(() => undefined)) },
  { name: 'docker_json', parse: chunked(dockerJson(() => none)) },
  { name: 'journald', parse: text(entryOf) },
  { name: 'syslog_frames', parse: frames },
  { name: 'syslog_messages', parse: text(parseSyslog) },
  { name: 'loki_json', parse: (bytes) => lokiJson(bytes, LABELS), refuses: [IntakeRefused] },
  {
    name: 'loki_protobuf',
    parse: (bytes) => lokiProtobuf(bytes, { labels: LABELS, bytesMax: BYTES_MAX }),
    refuses: [IntakeRefused],
  },
  { name: 'snappy', parse: (bytes) => unsnappy(bytes, BYTES_MAX), refuses: [IntakeRefused] },
  { name: 'otlp', parse: (bytes) => otlpJson(bytes, LABELS), refuses: [IntakeRefused] },
  { name: 'ndjson', parse: ndjson, refuses: [IntakeRefused] },
  { name: 'alerts', parse: alerts, refuses: [IntakeRefused] },
  { name: 'hint_logs', parse: text((log) => [symptomOf(log), queriesOf(log).map(vectorOf)]) },
  { name: 'hint_index', parse: text((written) => parseIndex('fuzz.json', written)), refuses: [ReeveError] },
  { name: 'hls', parse: text(parsePlaylist) },
  { name: 'dash', parse: text((manifest) => parseManifest(manifest, 1_767_225_600_000)) },
  { name: 'mpegts', parse: isCorruptTransportStream },
  { name: 'status_xml', parse: page('xml'), refuses: [PageUnreadable] },
  { name: 'status_json', parse: page('json'), refuses: [PageUnreadable] },
  { name: 'xml_rpc', parse: text(xmlRpc), refuses: [ReeveError] },
  // Its caller takes any error for a server that does not answer.
  { name: 'prometheus_api', parse: text(seriesIn), refuses: [Error] },
  { name: 'prometheus_text', parse: text(parseMetrics) },
  {
    name: 'yaml',
    parse: (bytes) => parseYaml('fuzz.yaml', bytes),
    // Files of whoever runs Reeve: a tree with a place for each of its nodes, and the package's parser takes 1.2 s for
    // 20 kB of nonsense that was found here.
    madeBytesMax: 256 * 1024 * 1024,
    cpuMsMax: 30_000,
  },
];
