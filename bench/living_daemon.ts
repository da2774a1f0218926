// Starts a service as in `living_service.ts` and the real daemon that watches it, and asks both for figures.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowFullLoop } from './full_loop.ts';
import type { InsideFigures } from './living_probe.ts';
import type { ServedCounts, ServiceOrder } from './living_service.ts';
import { type LivingPeer, type PeerPace, startPeer, type WatchedService } from './living_peer.ts';
import { figuresOf, type ProcessFigures } from './process_figures.ts';
import { readEvents } from './verdicts.ts';

/** A daemon that watches a living service, both in processes of their own. */
export interface LivingDaemon extends AsyncDisposable {
  outside(): ProcessFigures;
  /** Measures inside the daemon for so long: that costs it something. */
  inside(forMs: number): Promise<InsideFigures>;
  served(): Promise<ServedCounts>;
  /** Kills so many channels, one after another, and waits for the verdict about each. */
  verdicts(channels: readonly string[], count: number): Promise<readonly Verdict[]>;
  /** Ends the daemon, and has the same service watched by others. */
  peer(pace: PeerPace): Promise<LivingPeer>;
}

/** What came of one death. */
export interface Verdict {
  readonly channel: string;
  /** From the line in the log to the event that is read. */
  readonly latencyMs: number;
  /** What the journal wrote meanwhile, each with the milliseconds since the line. */
  readonly facts: readonly string[];
}

export interface LivingOptions {
  readonly channels: number;
  /** The checkout or unpacked package whose daemon runs. */
  readonly home: string;
  /** Options for Node, before those that the daemon sets itself. */
  readonly nodeArgs?: readonly string[];
}

/** Tenths of a second. */
const START_TRIES_MAX = 1_200;
/** What the guard decided; or the end of a run that asked for nothing, as where several of a group died together. */
const VERDICTS: ReadonlySet<string> = new Set(['guard.decided', 'run.ended']);
/** Until the engine was asked again, what was mended is still thought dead: deaths come one by one, as in life. */
const PAUSE_MS = 1_500;
const VERDICT_MS_MAX = 10_000;

export async function startLiving({ channels, home, nodeArgs = [] }: LivingOptions): Promise<LivingDaemon> {
  const work = mkdtempSync(join(tmpdir(), 'reeve-living-'));
  const service = fork(join(import.meta.dirname, 'living_service.ts'), [work, String(channels)]);
  const [{ port }] = (await once(service, 'message')) as [{ port: number }];
  writeFileSync(join(work, 'reeve.yaml'), configuration({ work, home, port, channels }));
  const probe = join(work, 'probe.sock');
  const args = [...nodeArgs, '--import', plainProbe(work), join(home, 'bin/reeve.js')];
  const daemon = spawn(process.execPath, [...args, 'run', '--config', join(work, 'reeve.yaml')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, REEVE_BENCH_PROBE: probe },
  });
  const end = async (): Promise<void> => {
    await ended(daemon);
    service.disconnect();
    await once(service, 'exit');
    rmSync(work, { recursive: true, force: true });
  };
  const address = join(work, 'state', 'address');
  for (let tries = 0; !existsSync(address); tries += 1) {
    if (tries > START_TRIES_MAX || daemon.exitCode !== null) {
      await end();
      throw new Error('the daemon did not start');
    }
    await sleep(100);
  }
  await allowFullLoop(join(work, 'state'));
  const ask = async <Answer>(order: ServiceOrder): Promise<Answer> => {
    const answer = once(service, 'message') as Promise<[Answer]>;
    service.send(order);
    return (await answer)[0];
  };
  return {
    outside: () => figuresOf(daemon.pid!),
    inside: (forMs) => insideFigures(probe, forMs),
    served: () => ask<ServedCounts>({ do: 'count' }),
    verdicts: (names, count) =>
      timeVerdicts({ names, count, work }, { ask, heal: (channel) => service.send({ do: 'heal', channel }) }),
    async peer(pace) {
      await ended(daemon);
      return startPeer(watchedBy(channels, { work, port }), pace);
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Without its types: what strips them would stay in the daemon, 14 MB that the installed package does not take. */
function plainProbe(work: string): string {
  const source = readFileSync(join(import.meta.dirname, 'living_probe.ts'), 'utf8');
  const path = join(work, 'living_probe.mjs');
  writeFileSync(path, stripTypeScriptTypes(source));
  return path;
}

function watchedBy(channels: number, { work, port }: { readonly work: string; readonly port: number }): WatchedService {
  const all = Array.from({ length: channels }, (_, at) => at);
  return {
    ...{ work, origin: `http://127.0.0.1:${port}` },
    outputs: all.map((at) => `/hls/ch${at + 1}/live.m3u8`),
    sources: all.filter(hasSource).map((at) => `/source/ch${at + 1}`),
  };
}

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
}

async function insideFigures(path: string, forMs: number): Promise<InsideFigures> {
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, 'connect');
  await sleep(forMs);
  socket.end();
  return JSON.parse(await text(socket)) as InsideFigures;
}

interface Deaths {
  readonly names: readonly string[];
  readonly count: number;
  readonly work: string;
}

interface Hand {
  readonly ask: <Answer>(order: ServiceOrder) => Promise<Answer>;
  readonly heal: (channel: string) => void;
}

async function timeVerdicts({ names, count, work }: Deaths, hand: Hand): Promise<readonly Verdict[]> {
  const token = readFileSync(join(work, 'state', 'token'), 'utf8').trim();
  const url = readFileSync(join(work, 'state', 'address'), 'utf8').trim();
  const stream = await fetch(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
  const waiting = new Map<string, (atNs: bigint) => void>();
  const facts: Fact[] = [];
  const reading = readEvents(stream, ({ type, data }) => {
    const { at, channel } = JSON.parse(data) as { at: number; channel?: string };
    facts.push({ type, at, channel });
    if (VERDICTS.has(type) && channel !== undefined) waiting.get(channel)?.(process.hrtime.bigint());
  });
  // The first use of the stream is not what is timed.
  await sleep(PAUSE_MS);
  const verdicts: Verdict[] = [];
  for (const channel of names) {
    if (verdicts.length >= count) break;
    const verdict = new Promise<bigint>((done) => waiting.set(channel, done));
    const { at, atNs, isHurt } = await hand.ask<{ at: number; atNs: string; isHurt: boolean }>({ do: 'kill', channel });
    if (!isHurt) continue;
    const decidedNs = await Promise.race([verdict, sleep(VERDICT_MS_MAX).then(() => undefined)]);
    if (decidedNs === undefined) {
      const wrote = facts
        .filter((fact) => fact.at >= at)
        .map((fact) => `${fact.channel ?? ''} ${fact.type} ${fact.at - at}`);
      throw new Error(
        `no verdict about ${channel} within ${VERDICT_MS_MAX} ms; the journal wrote: ${wrote.join(', ')}`,
      );
    }
    const latencyMs = Number(decidedNs - BigInt(atNs)) / 1e6;
    const own = facts.filter((fact) => fact.channel === channel && fact.at >= at);
    verdicts.push({ channel, latencyMs, facts: own.map((fact) => `${fact.type} ${fact.at - at}`) });
    facts.length = 0;
    hand.heal(channel);
    await sleep(PAUSE_MS);
  }
  reading.abort();
  return verdicts;
}

interface Fact {
  readonly type: string;
  readonly at: number;
  readonly channel: string | undefined;
}

interface Places {
  readonly work: string;
  readonly home: string;
  readonly port: number;
  readonly channels: number;
}

/** It asks a person before it restarts: the whole way to the durable verdict, and the trouble goes away by itself. */
function configuration({ work, home, port, channels }: Places): string {
  const origin = `http://127.0.0.1:${port}`;
  const rows = channels <= GROUPED_FROM ? singleRows(channels, work, origin) : groupRows(channels, work, origin);
  return `version: 1
http: { listen: "127.0.0.1:0" }
state: ${work}/state
personas: ${home}/personas
rules: ${home}/config/rules
patterns: ${home}/config/patterns
phase: 4
limits: { window_starts_max: { value: ${STARTS_MAX}, i_accept_the_risk: true } }
persona: live_event
receivers: [ { id: hook, kind: webhook, url: "${origin}/hook" } ]
engines:
  - id: service
    kind: http
    url: ${origin}
    poll: 1s
    autorestart_grace: 1ms
    logs: [ { path: "${work}/engine.log" } ]
    list: { path: /list, fields: { name: /name, state: /state, generation: /life, uptime_seconds: /up, exit_code: /code },
            states: [ { says: running, means: running }, { says: exited, means: exited } ] }
${asksSingly(home) ? '    channel: { path: "/list/{channel}" }' : ''}
    restart: { path: "/restart/{channel}", method: POST }
channels:
${rows.join('\n')}
`;
}

/** A version of Reeve that knows only lists refuses the key. */
const asksSingly = (home: string): boolean =>
  knowsChannel(JSON.parse(readFileSync(join(home, 'config/schemas/config.schema.json'), 'utf8')));

interface ConfigSchema {
  readonly properties?: { readonly engines?: { readonly items?: { readonly oneOf?: readonly EngineSchema[] } } };
}

interface EngineSchema {
  readonly properties?: { readonly kind?: { readonly const?: unknown } } & Readonly<Record<string, unknown>>;
}

/** Whether an engine of the kind `http` may have `channel:`, by the JSON Schema of a configuration. */
export const knowsChannel = ({ properties }: ConfigSchema): boolean =>
  (properties?.engines?.items?.oneOf ?? []).some(
    ({ properties: keys }) => keys?.kind?.const === 'http' && keys.channel !== undefined,
  );

/** A minute of deaths to time verdicts by would contain the fleet: that is another measurement. */
const STARTS_MAX = 100;

/** A configuration may have 256 KiB: more channels than this are written by groups, two hundred of them at most. */
const GROUPED_FROM = 500;
const GROUP_CHANNELS_MIN = 12;
const GROUPS_MAX = 200;

/** A third of them has a source. */
const hasSource = (at: number): boolean => at % 3 === 0;

const singleRows = (channels: number, work: string, origin: string): readonly string[] =>
  Array.from({ length: channels }, (_, at) => rowOf([`ch${at + 1}`], { at, group: `ch${at + 1}`, work, origin }));

function groupRows(channels: number, work: string, origin: string): readonly string[] {
  const all = Array.from({ length: channels }, (_, at) => at);
  const size = Math.max(GROUP_CHANNELS_MIN, Math.ceil(channels / GROUPS_MAX));
  const rows = Map.groupBy(all, (at) => `g${Math.floor(at / size)}${hasSource(at) ? 's' : ''}`);
  return [...rows].map(([name, members]) => {
    const ids = members.map((at) => `ch${at + 1}`);
    return rowOf(ids, { at: members[0]!, group: name.replace('s', ''), work, origin });
  });
}

interface Row {
  readonly at: number;
  readonly group: string;
  readonly work: string;
  readonly origin: string;
}

function rowOf(ids: readonly string[], { at, group, work, origin }: Row): string {
  const output = `output: { hls: "${origin}/hls/{id}/live.m3u8" }`;
  const source = hasSource(at) ? `, source: { url: "${origin}/source/{id}", expect: mpegts, every: 5s }` : '';
  const logs = `logs: ["${work}/log/{id}.err"]`;
  return `  - { ids: [${ids.join(', ')}], engine: service, group: ${group}, ${logs}, ${output}${source} }`;
}
