/** Breaks channels, origins and disks on purpose, and repairs them. */
import { appendFileSync, existsSync, openSync, closeSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../src/core/clock.ts';
import { type ChannelSettings, GOOD_SETTINGS, type StageChannel, type StagePaths, writeScript } from './channels.ts';
import { encodingCost } from './cost.ts';
import type { Origin, OriginMode } from './origin.ts';
import { findProgram, signalProcess, until } from './process.ts';
import type { Supervisor } from './supervisor.ts';
import { truthOf } from './truth.ts';

/** What can be made to go wrong. Each resolves when the cause is in place; what follows takes its own time. */
export interface Faults {
  /** SIGKILL, as the kernel's memory killer sends it. */
  killed(channel: string): Promise<void>;
  /** SIGSEGV: a crash of the program itself. */
  crashed(channel: string): Promise<void>;
  /** SIGSTOP: it runs, and does nothing. */
  frozen(channel: string): Promise<void>;
  /** SIGSTOP, and its log has this line once a second as long as that process is there. */
  adrift(channel: string, line: (lot: number) => string): Promise<void>;
  /** From now on every start crashes after two seconds. */
  crashLoop(channel: string): Promise<void>;
  /** A deploy with a misspelt encoder preset. */
  badSetting(channel: string): Promise<void>;
  /** A deploy with a picture that the machine cannot encode in time. */
  cpuStarved(channel: string): Promise<void>;
  origin(channel: string, mode: OriginMode): Promise<void>;
  /** A runaway writer takes what is left of the disk, and whatever is freed. */
  diskFull(): Promise<void>;
  /** Every pulled channel's origin refuses at once. */
  storm(): Promise<void>;
  /** Removes every cause and starts nothing: what is down now must be started by a person. */
  lift(): Promise<void>;
  /** `lift`, then restarts what does not play or had its settings changed. */
  clear(): Promise<void>;
  /** Why a fault cannot be made on this machine; undefined when it can. */
  unavailable(fault: 'cpuStarved' | 'diskFull'): string | undefined;
}

export interface FaultPorts {
  readonly paths: StagePaths;
  readonly channels: readonly StageChannel[];
  readonly ffmpeg: string;
  readonly origin: Origin;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  /** Why the disk of the stage cannot be filled; undefined when it can. */
  readonly diskIsReal: string | undefined;
}

const CRASH_AFTER_S = 2;
/** A large picture: on a small one the limiter's own coarseness decides how slow it becomes. */
const LARGE: ChannelSettings = { ...GOOD_SETTINGS, size: '1920x1080', ratePerS: 25, preset: 'medium' };
/** Of the CPU time that it needs it gets this much: about half speed, for the limiter gives a little more. */
const STARVED_SHARE = 0.35;
const RUNAWAY_CHUNK = Buffer.alloc(256 * 1_024);
const RUNAWAY_CRUMB = Buffer.alloc(4 * 1_024);
const RUNAWAY_EVERY_MS = 5;

/** Field 22 of /proc/PID/stat is the start time: with it a pid that was given to another process is left alone. */
const CRASH_SOON = [
  `born=$(cut -d' ' -f22 /proc/$$/stat)`,
  `( sleep ${CRASH_AFTER_S}; [ "$(cut -d' ' -f22 /proc/$$/stat)" = "$born" ] && kill -SEGV $$ ) >/dev/null 2>&1 &`,
].join('\n');

export function createFaults(ports: FaultPorts): Faults {
  const { paths, channels, ffmpeg, origin, supervisor, clock } = ports;
  const changed = new Set<string>();
  const cpulimit = findProgram('cpulimit');
  let runaway: Disposable | undefined;
  let talkers = new DisposableStack();

  const channelOf = (id: string): StageChannel => channelIn(channels, id);
  const signal = (id: string, name: NodeJS.Signals): Promise<number> => signalTo(supervisor, id, name);
  const deploy = async (id: string, settings: Partial<ChannelSettings>): Promise<void> => {
    changed.add(id);
    await writeScript(paths, channelOf(id), { ffmpeg, settings: { ...GOOD_SETTINGS, ...settings } });
    await supervisor.restart(id);
  };
  const truth = () => truthOf(channels, { paths, supervisor, clock });

  async function lift(): Promise<void> {
    talkers[Symbol.dispose]();
    talkers = new DisposableStack();
    runaway?.[Symbol.dispose]();
    runaway = undefined;
    await rm(fillPath(paths), { force: true });
    for (const { id, kind } of channels) if (kind === 'pulled') await origin.set(id, 'ok');
    for (const id of changed) await writeScript(paths, channelOf(id), { ffmpeg, settings: GOOD_SETTINGS });
    for (const { pid } of await truth()) if (pid > 0) signalProcess(pid, 'SIGCONT');
  }

  return {
    killed: async (id) => void (await signal(id, 'SIGKILL')),
    crashed: async (id) => void (await signal(id, 'SIGSEGV')),
    frozen: async (id) => void (await signal(id, 'SIGSTOP')),
    async adrift(id, line) {
      const pid = await signal(id, 'SIGSTOP');
      const say = (lot: number): void => appendFileSync(join(paths.logs, `${id}.err`), `${line(lot)}\n`);
      talkers.use(startTalking(pid, say, clock));
    },
    crashLoop: (id) => deploy(id, { before: CRASH_SOON }),
    badSetting: (id) => deploy(id, { preset: 'ultrafasst' }),
    async cpuStarved(id) {
      const percent = Math.max(1, Math.round((await encodingCost(ffmpeg, LARGE)) * STARVED_SHARE * 100));
      await deploy(id, { ...LARGE, before: `${cpulimit} -q -z -l ${percent} -p $$ >/dev/null 2>&1 &` });
    },
    origin: (id, mode) => origin.set(id, mode),
    async diskFull() {
      runaway ??= startRunaway(fillPath(paths), clock);
    },
    async storm() {
      for (const { id, kind } of channels) if (kind === 'pulled') await origin.set(id, 'refuse');
    },
    lift,
    async clear() {
      await lift();
      const restart = new Set(changed);
      for (const { channel, playing } of await truth()) if (!playing) restart.add(channel);
      changed.clear();
      for (const id of restart) await supervisor.restart(id);
      await until(async () => (await truth()).every(({ playing }) => playing), 30_000, { clock });
    },
    unavailable(fault) {
      if (fault === 'diskFull') return ports.diskIsReal;
      return cpulimit ? undefined : 'cpulimit is not installed';
    },
  };
}

function channelIn(channels: readonly StageChannel[], id: string): StageChannel {
  const channel = channels.find((each) => each.id === id);
  if (!channel) throw new RangeError(`the stage has no channel ${id}`);
  return channel;
}

/** The pid that got it. */
async function signalTo(supervisor: Supervisor, id: string, name: NodeJS.Signals): Promise<number> {
  const program = (await supervisor.states()).find((state) => state.name === id);
  if (!program || program.pid === 0) throw new RangeError(`${id} does not run, so it cannot get ${name}`);
  signalProcess(program.pid, name);
  return program.pid;
}

/** Lines that the encoder writes while it stands still, as a reader of the source on a thread of its own would. */
function startTalking(pid: number, say: (lot: number) => void, clock: Clock): Disposable {
  let lot = 4_711;
  return clock.every(1_000, () => {
    lot += 7;
    if (existsSync(`/proc/${pid}`)) say(lot);
  });
}

const fillPath = (paths: StagePaths): string => join(paths.hls, '.runaway');

/** Writes until the disk is full, and goes on writing: as a runaway log does, it takes at once what is freed. */
function startRunaway(path: string, clock: Clock): Disposable {
  const file = openSync(path, 'a');
  const timer = clock.every(RUNAWAY_EVERY_MS, () => {
    for (const bytes of [RUNAWAY_CHUNK, RUNAWAY_CRUMB]) while (writes(file, bytes));
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      closeSync(file);
    },
  };
}

/** True when all of it fitted. */
function writes(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  }
}
