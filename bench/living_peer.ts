// The usual way to watch the same service: Prometheus with the blackbox exporter looks at playlists, sources and the
// engine's list of `living_service.ts`, and its rules say what stands or fails. It reads no logs and restarts nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../demo/ports.ts';
import { findProgram, needProgram, startChild, until } from '../demo/process.ts';
import { figuresOf, type ProcessFigures } from './process_figures.ts';

/** How often it looks, in seconds. */
export interface PeerPace {
  readonly outputS: number;
  readonly sourceS: number;
}

/** As often as Reeve looks while nothing is in doubt, and as often as it looks in doubt. */
export const PEER_PACES: readonly PeerPace[] = [
  { outputS: 12, sourceS: 15 },
  { outputS: 2, sourceS: 5 },
];

export interface LivingPeer extends AsyncDisposable {
  /** Of both processes together. */
  outside(): ProcessFigures;
  /** How many of its looks were good when last taken. */
  good(): Promise<number>;
}

export interface WatchedService {
  readonly work: string;
  readonly origin: string;
  /** The paths of what there is to look at. */
  readonly outputs: readonly string[];
  readonly sources: readonly string[];
}

const EXPORTER = 'prometheus-blackbox-exporter';
const READY_WITHIN_MS = 30_000;
const LIST_S = 1;

/** What to install where the peer is not there; undefined where it is. */
export const peerMissing = (): string | undefined =>
  findProgram('prometheus') && findProgram(EXPORTER)
    ? undefined
    : `sudo apt-get install --no-install-recommends prometheus ${EXPORTER}`;

/** Starts both and waits until they answer. Throws CONFIG_INVALID where one is not installed. */
export async function startPeer(service: WatchedService, pace: PeerPace): Promise<LivingPeer> {
  const [prometheus, exporter] = [needProgram('prometheus'), needProgram(EXPORTER)];
  const [port, exporterPort] = (await freePorts(2)) as [number, number];
  const folder = join(service.work, `peer-${pace.outputS}`);
  mkdirSync(folder);
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('exporter.yml'), MODULES);
  writeFileSync(at('rules.yml'), rulesOf(pace));
  writeFileSync(at('prometheus.yml'), scrapesOf(service, pace, { exporterPort, rules: at('rules.yml') }));
  await using starting = new AsyncDisposableStack();
  const [looking, judging] = [
    startChild(exporter, [`--config.file=${at('exporter.yml')}`, `--web.listen-address=127.0.0.1:${exporterPort}`]),
    startChild(prometheus, [
      ...[`--config.file=${at('prometheus.yml')}`, `--web.listen-address=127.0.0.1:${port}`],
      `--storage.tsdb.path=${at('data')}`,
    ]),
  ].map((child) => starting.use(child)) as [ReturnType<typeof startChild>, ReturnType<typeof startChild>];
  const answers = (url: string) => () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const url of [`http://127.0.0.1:${exporterPort}/-/healthy`, `http://127.0.0.1:${port}/-/ready`]) {
    if (!(await until(answers(url), READY_WITHIN_MS))) throw new Error(`${url} does not answer`);
  }
  const running = starting.move();
  return {
    outside: () => sumOf(figuresOf(looking.pid), figuresOf(judging.pid)),
    good: () => countGood(port),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function countGood(port: number): Promise<number> {
  const query = encodeURIComponent('count(probe_success == 1)');
  const answer = await (await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${query}`)).json();
  const { data } = answer as { data: { result: readonly { value: readonly [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0);
}

const sumOf = (one: ProcessFigures, other: ProcessFigures): ProcessFigures => ({
  cpuSeconds: one.cpuSeconds + other.cpuSeconds,
  wakeUps: one.wakeUps + other.wakeUps,
  wakeUpsAll: one.wakeUpsAll + other.wakeUpsAll,
  bytesRead: one.bytesRead + other.bytesRead,
  rssMb: one.rssMb + other.rssMb,
});

/** A source sends for as long as it is read: its head alone is asked for. */
const MODULES = `modules:
  list: { prober: http, timeout: 1s, http: { fail_if_body_not_matches_regexp: [ '^\\[' ] } }
  output: { prober: http, timeout: 2s, http: { fail_if_body_not_matches_regexp: [ '^#EXTM3U' ] } }
  source: { prober: http, timeout: 2s, http: { method: HEAD } }
`;

const rulesOf = ({ outputS }: PeerPace): string => `groups:
  - name: channels
    interval: 2s
    rules:
      - { alert: Stands, expr: 'time() - probe_http_last_modified_timestamp_seconds{job="output"} > ${outputS + 6}' }
      - { alert: Fails, expr: 'probe_success == 0' }
`;

interface ScrapeWith {
  readonly exporterPort: number;
  readonly rules: string;
}

function scrapesOf({ origin, outputs, sources }: WatchedService, pace: PeerPace, { exporterPort, rules }: ScrapeWith) {
  const job = (name: string, everyS: number, paths: readonly string[]): string => `
  - job_name: ${name}
    metrics_path: /probe
    scrape_interval: ${everyS}s
    scrape_timeout: ${Math.min(2, everyS)}s
    params: { module: [ ${name} ] }
    static_configs: [ { targets: ${JSON.stringify(paths.map((path) => origin + path))} } ]
    relabel_configs:
      - { source_labels: [ __address__ ], target_label: __param_target }
      - { source_labels: [ __param_target ], target_label: instance }
      - { target_label: __address__, replacement: "127.0.0.1:${exporterPort}" }`;
  const jobs = [
    job('list', LIST_S, ['/list']),
    job('output', pace.outputS, outputs),
    job('source', pace.sourceS, sources),
  ];
  return `rule_files: [ ${JSON.stringify(rules)} ]\nscrape_configs:${jobs.join('')}\n`;
}
