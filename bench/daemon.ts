// The daemon as a whole, at 500 channels with the journal on disk: from a line in a log to the guard's durable verdict,
// memory, and what it costs to sit idle. Prints the machine, the figures and their spread.
// The daemon is the package as people install it, or with `--checkout` the sources as they are. It idles for a minute
// first: a channel that is younger than that is looked at more often.
// `--poll 30s --verdicts 0` shows what following the files alone costs: the engine is looked at as rarely as may be.
// Usage: node bench/daemon.ts [--channels 500] [--verdicts 120] [--settle-seconds 65] [--idle-seconds 60] [--poll 1s]
// [--checkout]
//   [--incidents 100000] [--memory]: begins with a journal of so many incidents, and with the memory switched on.
//   [--home DIR]: another checkout or unpacked package. [--json]: the figures alone, as one line of JSON.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { allowFullLoop } from './full_loop.ts';
import { writeIncidents } from './incidents.ts';
import { builtPackage } from './package.ts';
import { figuresOf } from './process_figures.ts';
import { quantile, sayRow, stolenSeconds, yardstickMs } from './rows.ts';
import { readVerdicts } from './verdicts.ts';

const { values } = parseArgs({
  options: {
    channels: { type: 'string', default: '500' },
    verdicts: { type: 'string', default: '60' },
    'settle-seconds': { type: 'string', default: '65' },
    'idle-seconds': { type: 'string', default: '60' },
    poll: { type: 'string', default: '1s' },
    checkout: { type: 'boolean', default: false },
    incidents: { type: 'string', default: '0' },
    memory: { type: 'boolean', default: false },
    home: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const channelCount = Number(values.channels);
const verdictCount = Number(values.verdicts);
const idleSeconds = Number(values['idle-seconds']);
const home = values.home ?? (values.checkout ? resolve(import.meta.dirname, '..') : builtPackage());
/** Until the engine was asked again, what was mended is still thought dead: deaths come one by one, as in life. */
const PAUSE_MS = 1_500;
/** A minute of deaths to time verdicts by would contain the fleet: that is another measurement. */
const STARTS_MAX = 100;
/** Tenths of a second: a journal of 100,000 incidents is read and checked first. */
const START_TRIES_MAX = 1_800;

const work = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
const names = Array.from({ length: channelCount }, (_, index) => `ch${index + 1}`);

/** A service with that many channels: which of them run, and their generations. */
const services = new Map(names.map((name) => [name, { state: 'running', life: 1 }]));
const engine = createServer((request, response) => {
  const restarted = /^\/restart\/(\S+)$/.exec(request.url ?? '')?.[1];
  const life = restarted === undefined ? undefined : services.get(restarted);
  if (life !== undefined) Object.assign(life, { state: 'running', life: life.life + 1 });
  const body = [...services].map(([name, { state, life: number }]) => ({
    name,
    state,
    life: number,
    up: 1_000,
    code: state === 'exited' ? -9 : 0,
  }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(restarted === undefined ? body : {}));
});
const enginePort = await new Promise<number>((done) => {
  engine.listen(0, '127.0.0.1', () => done((engine.address() as { port: number }).port));
});

const engineLog = join(work, 'engine.log');
mkdirSync(join(work, 'log'));
writeFileSync(engineLog, '');
for (const name of names) writeFileSync(join(work, 'log', `${name}.err`), '');
const list = names
  .map((id) => `  - { id: ${id}, engine: service, group: ${id}, logs: ["${work}/log/${id}.err"] }`)
  .join('\n');
writeFileSync(
  join(work, 'reeve.yaml'),
  `version: 1
http: { listen: "127.0.0.1:0" }
state: ${work}/state
personas: ${home}/personas
rules: ${home}/config/rules
patterns: ${home}/config/patterns
# It asks a person before it restarts: the whole way to the durable verdict, and no run that holds a lane or a place.
phase: 4
limits: { window_starts_max: { value: ${STARTS_MAX}, i_accept_the_risk: true } }
persona: live_event
${values.memory ? 'memory: { enabled: true }' : ''}
receivers: [ { id: hook, kind: webhook, url: "http://127.0.0.1:${enginePort}/hook" } ]
engines:
  - id: service
    kind: http
    url: http://127.0.0.1:${enginePort}
    poll: ${values.poll}
    autorestart_grace: 1ms
    logs: [ { path: "${engineLog}" } ]
    list: { path: /list, fields: { name: /name, state: /state, generation: /life, uptime_seconds: /up, exit_code: /code },
            states: [ { says: running, means: running }, { says: exited, means: exited } ] }
    restart: { path: "/restart/{channel}", method: POST }
channels:
${list}
`,
);

if (Number(values.incidents) > 0) {
  mkdirSync(join(work, 'state'), { mode: 0o700 });
  writeIncidents(join(work, 'state', 'journal.db'), Number(values.incidents));
}
const yardstick = yardstickMs();
const [startedMs, stolenBefore] = [performance.now(), stolenSeconds()];
const daemon = spawn(process.execPath, [join(home, 'bin/reeve.js'), 'run', '--config', join(work, 'reeve.yaml')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const address = join(work, 'state', 'address');
try {
  for (let tries = 0; !existsSync(address); tries += 1) {
    if (tries > START_TRIES_MAX || daemon.exitCode !== null) throw new Error('the daemon did not start');
    await sleep(100);
  }
  if (Number(values.incidents) === 0) await allowFullLoop(join(work, 'state'));
  await sleep(Number(values['settle-seconds']) * 1_000);
  const idle = await measureIdle();
  const inOrder = await measureVerdicts();
  const latencies = inOrder.toSorted((a, b) => a - b);
  const afterMb = figuresOf(daemon.pid!).rssMb;
  const stolen = (stolenSeconds() - stolenBefore) / ((performance.now() - startedMs) / 1_000);
  if (values.json) {
    const [p50Ms, p99Ms] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
    console.log(JSON.stringify({ p50Ms, p99Ms, rssMb: idle.rssMb, afterMb, idlePercent: idle.cpuPercent }));
  } else say(idle, inOrder, { afterMb, stolen });
} finally {
  const ended = daemon.exitCode ?? daemon.signalCode;
  if (ended === null && daemon.kill('SIGTERM')) await new Promise((done) => daemon.once('exit', done));
  engine.close();
  engine.closeAllConnections();
  rmSync(work, { recursive: true, force: true });
}

/** The machine, the figures and their spread, for people. */
function say(idle: Idle, inOrder: readonly number[], { afterMb, stolen }: { afterMb: number; stolen: number }): void {
  const latencies = inOrder.toSorted((a, b) => a - b);
  const pick = (share: number): string => quantile(latencies, share).toFixed(1);
  const [cpu] = cpus();
  console.log(
    `machine: ${cpus().length} × ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  );
  console.log(
    `channels: ${channelCount}, one log file each; the engine is looked at every ${values.poll}; journal on disk`,
  );
  if (verdictCount > 0) {
    const spread = `p50 ${pick(0.5)}, p90 ${pick(0.9)}, p99 ${pick(0.99)}, max ${pick(1)}`;
    console.log(`line in the log to the guard's durable verdict (ms, ${latencies.length} verdicts): ${spread}`);
    console.log(
      `the first five of them: ${inOrder
        .slice(0, 5)
        .map((ms) => ms.toFixed(1))
        .join(', ')}`,
    );
  }
  console.log(`RSS: ${idle.rssMb.toFixed(1)} MB idle, ${afterMb.toFixed(1)} MB after the verdicts`);
  console.log(
    `idle: ${idle.cpuPercent.toFixed(2)} % of one core, ${idle.wakeUps.toFixed(1)} voluntary wake-ups/s over ${idleSeconds} s`,
  );
  console.log(
    `yardstick: ${yardstick.toFixed(0)} ms before, ${yardstickMs().toFixed(0)} ms after; ${(stolen * 100).toFixed(1)} % of a core stolen meanwhile`,
  );
  report({ ...idle, rssMb: Math.max(idle.rssMb, afterMb) }, latencies);
}

/** With verdicts the goals of the daemon; without, those of a daemon that only follows its files. */
function report(idle: Idle, latencies: readonly number[]): void {
  const part = `the daemon, ${channelCount} channels${verdictCount > 0 ? '' : ', files only'}`;
  const goal = verdictCount > 0 ? { rss: 130, cpu: 1 } : { rss: 110, cpu: 0.3 };
  const row = (measure: string, value: number, unit: string, max: number): void =>
    sayRow({ part, measure, figure: `${value.toFixed(2)}${unit}`, goal: `≤ ${max}${unit}`, met: value <= max });
  if (verdictCount > 0) row('line → verdict, p99', quantile(latencies, 0.99), ' ms', 50);
  row('RSS', idle.rssMb, ' MB', goal.rss);
  row('idle', idle.cpuPercent, ' % of a core', goal.cpu);
  if (verdictCount === 0) row('wake-ups', idle.wakeUps, '/s', 8);
}

interface Idle {
  readonly cpuPercent: number;
  readonly wakeUps: number;
  readonly rssMb: number;
}

async function measureIdle(): Promise<Idle> {
  const before = figuresOf(daemon.pid!);
  await sleep(idleSeconds * 1_000);
  const after = figuresOf(daemon.pid!);
  return {
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / idleSeconds) * 100,
    wakeUps: (after.wakeUps - before.wakeUps) / idleSeconds,
    rssMb: after.rssMb,
  };
}

/** Kills one channel after another and waits for the verdict about each, as the event stream reports it. */
async function measureVerdicts(): Promise<number[]> {
  const token = readFileSync(join(work, 'state', 'token'), 'utf8').trim();
  const url = readFileSync(address, 'utf8').trim();
  const stream = await fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
  const waiting = new Map<string, (atMs: number) => void>();
  const reading = readVerdicts(stream, (channel) => waiting.get(channel)?.(performance.now()));
  const latencies: number[] = [];
  for (const name of names.slice(0, verdictCount)) {
    const life = services.get(name);
    if (life === undefined) continue;
    const verdict = new Promise<number>((done) => waiting.set(name, done));
    life.state = 'exited';
    const startedMs = performance.now();
    appendFileSync(engineLog, `2026-11-21 10:00:00,000 WARN exited: ${name} (terminated by SIGKILL; not expected)\n`);
    const endedMs = await Promise.race([verdict, sleep(10_000).then(() => Number.NaN)]);
    if (Number.isNaN(endedMs)) throw new Error(`no verdict about ${name} within 10 s`);
    latencies.push(endedMs - startedMs);
    Object.assign(life, { state: 'running', life: life.life + 1 });
    await sleep(PAUSE_MS);
  }
  reading.abort();
  return latencies;
}
