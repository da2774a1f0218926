// What watching costs when channels live: playlists that move, encoders that report, an engine, sources, and one channel
// in fifty in trouble at any time. The server and the encoders are another process, the daemon is the real one.
// Usage: node bench/living.ts [--channels 10,100,500] [--seconds 60] [--settle-seconds 75] [--verdicts 100] [--checkout]
//   [--home DIR]: another checkout or unpacked package. [--json]: the figures alone, as one line of JSON.
//   [--paired DIR] [--rounds 5]: this checkout and that one in turn, and the ratio of each pair.
//   [--peer]: afterwards Prometheus with the blackbox exporter watches the same service, at both paces.
//   [--slowest 5]: what the journal wrote, and when, on the way to the slowest verdicts.
//   [--node-args="--cpu-prof …"]: options for the daemon's Node, to see what the time is spent on.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LivingDaemon, startLiving } from './living_daemon.ts';
import { PEER_PACES, type PeerPace, peerMissing } from './living_peer.ts';
import type { InsideFigures } from './living_probe.ts';
import { inTurn, type ServedCounts } from './living_service.ts';
import { builtPackage } from './package.ts';
import { quantile, sayRow, stolenSeconds } from './rows.ts';

const { values } = parseArgs({
  options: {
    channels: { type: 'string', default: '10,100,500' },
    seconds: { type: 'string', default: '60' },
    'settle-seconds': { type: 'string', default: '75' },
    verdicts: { type: 'string', default: '100' },
    peer: { type: 'boolean', default: false },
    slowest: { type: 'string', default: '0' },
    checkout: { type: 'boolean', default: false },
    home: { type: 'string' },
    json: { type: 'boolean', default: false },
    paired: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    'node-args': { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
const CHECKOUT = resolve(import.meta.dirname, '..');

/** What one size of service costs; per second where it is a count. */
interface Figures {
  readonly channels: number;
  readonly cpuPercent: number;
  readonly rssMb: number;
  readonly wakeUps: number;
  readonly wakeUpsAll: number;
  readonly readKb: number;
  readonly requests: number;
  readonly connections: number;
  readonly lagCpuMs: number;
  readonly lagWallMs: number;
  readonly gcPercent: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Channels in trouble at the end of the measurement. */
  readonly troubled: number;
  readonly stolenPercent: number;
}

/** What the peer costs with the same service. */
interface PeerFigures extends Pick<Figures, 'channels' | 'cpuPercent' | 'rssMb' | 'wakeUpsAll' | 'requests'> {
  readonly pace: PeerPace;
  /** Looks that were good at the end, of how many. */
  readonly good: number;
  readonly looks: number;
}

/** What the figures must not exceed, by number of channels (two cores). */
const GOALS: Readonly<Record<number, Partial<Figures>>> = {
  500: { cpuPercent: 15, rssMb: 150, wakeUps: 120, p99Ms: 50, lagCpuMs: 10, gcPercent: 10 },
  2000: { cpuPercent: 45, rssMb: 220 },
  10000: { cpuPercent: 200, rssMb: 600, p99Ms: 150 },
};

if (values.paired === undefined) {
  const home = values.home ?? (values.checkout ? CHECKOUT : builtPackage());
  const nodeArgs = values['node-args'].split(' ').filter((flag) => flag !== '');
  for (const channels of values.channels.split(',').map(Number)) {
    await using daemon = await startLiving({ channels, home, nodeArgs });
    const figures = await measured(channels, daemon);
    if (values.json) console.log(JSON.stringify(figures));
    else report(figures);
    if (values.peer) await besideIt(channels, daemon);
  }
} else {
  const { channels, verdicts } = values;
  const shared = ['--channels', channels, '--seconds', values.seconds, '--verdicts', verdicts];
  const settle = ['--settle-seconds', values['settle-seconds']];
  const sides = [`--a=--home ${resolve(values.paired)}`, `--b=--home ${CHECKOUT}`];
  const args = [join(import.meta.dirname, 'paired.ts'), '--part', 'living', '--rounds', values.rounds, ...sides];
  process.exitCode =
    spawnSync(process.execPath, [...args, '--', ...shared, ...settle], { stdio: 'inherit' }).status ?? 1;
}

async function measured(channels: number, daemon: LivingDaemon): Promise<Figures> {
  await sleep(Number(values['settle-seconds']) * 1_000);
  const [before, servedBefore, stolen] = [daemon.outside(), await daemon.served(), stolenSeconds()];
  await sleep(seconds * 1_000);
  const [after, served] = [daemon.outside(), await daemon.served()];
  const stolenPercent = ((stolenSeconds() - stolen) / seconds) * 100;
  const inside: InsideFigures = await daemon.inside((seconds * 1_000) / 2);
  // From the end of the round in which troubles come.
  const names = Array.from({ length: channels }, (_, at) => `ch${inTurn(channels - 1 - at, channels) + 1}`);
  const verdicts = await daemon.verdicts(names, Number(values.verdicts));
  const bySlowness = verdicts.toSorted((a, b) => b.latencyMs - a.latencyMs);
  for (const { channel, latencyMs, facts } of bySlowness.slice(0, Number(values.slowest)))
    console.error(`${channel}: ${latencyMs.toFixed(1)} ms (${facts.join(', ')})`);
  const latencies = bySlowness.map(({ latencyMs }) => latencyMs).reverse();
  return {
    channels,
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100,
    rssMb: Math.max(after.rssMb, daemon.outside().rssMb),
    wakeUps: (after.wakeUps - before.wakeUps) / seconds,
    wakeUpsAll: (after.wakeUpsAll - before.wakeUpsAll) / seconds,
    readKb: (after.bytesRead - before.bytesRead) / seconds / 1_000,
    requests: (asked(served) - asked(servedBefore)) / seconds,
    connections: (served.connections - servedBefore.connections) / seconds,
    lagCpuMs: inside.lagCpuMs,
    lagWallMs: inside.lagWallMs,
    gcPercent: inside.gcShare * 100,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    troubled: served.troubled,
    stolenPercent,
  };
}

function asked({ playlists, segments, sources, lists }: ServedCounts): number {
  return playlists + segments + sources + lists;
}

async function besideIt(channels: number, daemon: LivingDaemon): Promise<void> {
  const missing = peerMissing();
  if (missing !== undefined) return console.log(`Prometheus with the blackbox exporter is not installed: ${missing}`);
  for (const pace of PEER_PACES) {
    const figures = await peerMeasured(channels, daemon, pace);
    if (values.json) console.log(JSON.stringify(figures));
    else reportPeer(figures);
  }
}

async function peerMeasured(channels: number, daemon: LivingDaemon, pace: PeerPace): Promise<PeerFigures> {
  await using peer = await daemon.peer(pace);
  await sleep(Number(values['settle-seconds']) * 1_000);
  const [before, servedBefore] = [peer.outside(), await daemon.served()];
  await sleep(seconds * 1_000);
  const [after, served] = [peer.outside(), await daemon.served()];
  return {
    ...{ channels, pace },
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100,
    rssMb: after.rssMb,
    wakeUpsAll: (after.wakeUpsAll - before.wakeUpsAll) / seconds,
    requests: (asked(served) - asked(servedBefore)) / seconds,
    good: await peer.good(),
    looks: channels + Math.ceil(channels / 3) + 1,
  };
}

function reportPeer({ channels, pace, good, looks, ...figures }: PeerFigures): void {
  const part = `${channels} channels, Prometheus and blackbox exporter`;
  console.log(`${part}: ${good} of ${looks} looks were good`);
  const row = (measure: string, figure: string): void =>
    sayRow({ part: `${part}, playlists each ${pace.outputS} s`, measure, figure, goal: '–', met: undefined });
  row('CPU', `${figures.cpuPercent.toFixed(1)} % of a core`);
  row('RSS', `${figures.rssMb.toFixed(1)} MB`);
  row('wake-ups of all threads', `${figures.wakeUpsAll.toFixed(0)}/s`);
  row('requests', `${figures.requests.toFixed(1)}/s`);
}

function report(figures: Figures): void {
  const { channels, troubled, stolenPercent, lagWallMs, connections, wakeUpsAll, p50Ms } = figures;
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `machine: ${cpus().length} × ${cpus()[0]?.model}, load ${load}, ${stolenPercent.toFixed(1)} % of a core stolen`,
  );
  console.log(
    `${channels} living channels, ${troubled} of them in trouble; ${seconds} s after ${values['settle-seconds']} s`,
  );
  const row = (measure: string, name: keyof Figures, unit: string, beside = ''): void => {
    const [value, max] = [figures[name], GOALS[channels]?.[name]];
    const goal = max === undefined ? '–' : `≤ ${max}${unit}`;
    const met = max === undefined ? undefined : value <= max;
    sayRow({ part: `${channels} living channels`, measure, figure: `${value.toFixed(1)}${unit}${beside}`, goal, met });
  };
  row('CPU', 'cpuPercent', ' % of a core');
  row('RSS', 'rssMb', ' MB');
  row('wake-ups', 'wakeUps', '/s', ` (${wakeUpsAll.toFixed(0)} of all threads)`);
  row('requests', 'requests', '/s', ` on ${connections.toFixed(1)} new connections/s`);
  row('read', 'readKb', ' kB/s');
  row('loop lag p99, by CPU', 'lagCpuMs', ' ms', ` (${lagWallMs.toFixed(1)} by wall)`);
  row('garbage collector', 'gcPercent', ' % of the CPU time');
  row('line → verdict, p99', 'p99Ms', ' ms', ` (p50 ${p50Ms.toFixed(1)})`);
}
