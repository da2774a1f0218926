/** Builds a stage: real channels on loopback, faults, and the truth about them from outside Reeve. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { ReeveError } from '../src/core/errors.ts';
import { type SideServersPlan, planSideServers } from './side_servers.ts';
import {
  GOOD_SETTINGS,
  generatedChannel,
  pulledChannel,
  type StageChannel,
  type StagePaths,
  writeScript,
} from './channels.ts';
import { supervisorConf } from './conf.ts';
import { openDisk } from './disk.ts';
import { createFaults, type Faults } from './faults.ts';
import { type Remains, remainsOf } from './cleanup_check.ts';
import { openModel } from './model.ts';
import { openOrigin } from './origin.ts';
import { freePorts, LOOPBACK } from './ports.ts';
import { needProgram, signalProcess, startChild, until } from './process.ts';
import { openReceiver, type Page } from './receiver.ts';
import { type ReeveConfigOptions, reeveConfig } from './reeve_config.ts';
import { connectSupervisor, type Supervisor } from './supervisor.ts';
import { type ChannelTruth, type LogMark, startsIn, truthOf } from './truth.ts';
import { type Asked, openChangeRecorder } from './change_recorder.ts';

export interface StageOptions {
  /** The folder in which the stage makes its own; the system's temporary one when left out. */
  readonly dir?: string;
  /** Channels that make their own picture: gen1, gen2 … */
  readonly generated?: number;
  /** Channels that pull from the origin: pull1, pull2 … The even ones have the usual ffmpeg hardening. */
  readonly pulled?: number;
  /** Generated channels that the supervisor itself starts again. The others are for Reeve. */
  readonly autorestart?: readonly string[];
  readonly alertmanager?: boolean;
  readonly prometheus?: boolean;
  readonly clock?: Clock;
  /** Gives up building when it aborts. */
  readonly signal?: AbortSignal;
}

/** Real channels on loopback, the means to break them, and the truth about them from outside Reeve. */
export interface Stage extends AsyncDisposable {
  readonly paths: StagePaths;
  readonly channels: readonly StageChannel[];
  readonly faults: Faults;
  /** What is not installed on this machine, and what that means. */
  readonly missing: readonly string[];
  readonly urls: {
    readonly hls: string;
    readonly reeve: string;
    readonly metrics: string;
    readonly alertmanager: string | undefined;
    readonly prometheus: string | undefined;
  };
  /** What reached the person on call, oldest first. */
  readonly pages: readonly Page[];
  /** The changes that Reeve asked of the supervisor, oldest first. */
  readonly asked: readonly Asked[];
  /** How often the model that stands beside it was asked. */
  modelCalls(): number;
  /** A configuration for Reeve that names everything on this stage. */
  configYaml(options?: ReeveConfigOptions): string;
  status(): Promise<readonly ChannelTruth[]>;
  mark(): Promise<LogMark>;
  /** Real process starts of a channel since the mark, whoever asked for them. */
  startsSince(mark: LogMark, channel: string): Promise<number>;
  /** What is still there; to be asked after disposing. */
  leftovers(): Remains;
}

const READY_WITHIN_MS = 45_000;
const SHUTDOWN_MS = 20_000;

/** Builds the stage and waits until every channel plays. Whatever fails, what was built is taken down again. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { clock = systemClock } = options;
  await using building = new AsyncDisposableStack();
  const [port, ...ports] = (await freePorts(6)) as SixPorts;
  const [hlsPort, reevePort, metricsPort] = ports;

  const disk = building.use(await openDisk(options.dir));
  const { paths } = disk;
  const mark = basename(paths.dir);
  building.defer(() => endStragglers({ dir: paths.dir, mark }, clock));
  const receiver = building.use(await openReceiver(clock));
  const model = building.use(await openModel());
  const webhookSecretFile = join(paths.conf, 'webhook.secret');
  await writeFile(webhookSecretFile, receiver.secret, { mode: 0o600 });
  const cast = await hireCast(options, { paths, clock, building });
  const { channels } = cast;
  const beside = await planSideServers(
    besideOf(options, { paths, ports, webhookUrl: receiver.urlOf('alertmanager') }),
    building,
  );

  const conf = join(paths.conf, 'supervisord.conf');
  await writeFile(conf, supervisorConf({ paths, port, mark, isRoot, channels, beside: beside.programs }), {
    mode: 0o600,
  });
  const supervisord = needProgram('supervisord', 'supervisor');
  const child = building.use(startChild(supervisord, ['-c', conf], { graceMs: SHUTDOWN_MS, clock }));
  const supervisor = connectSupervisor(port, clock);
  const recorder = building.use(await openChangeRecorder(port, clock));
  const faults = createFaults({ ...cast, paths, supervisor, clock, diskIsReal: disk.notSmall });
  building.defer(() => faults.lift().catch(() => undefined));
  const status = () => truthOf(channels, { paths, supervisor, clock });
  await raiseCurtain({ supervisor, channels, status, clock, isUp: child.isRunning, signal: options.signal });

  const hls = `http://${LOOPBACK}:${hlsPort}/hls`;
  const log = () => readFile(join(paths.logs, 'supervisord.log'), 'utf8');
  const names = {
    ...{ paths, channels, supervisorUrl: recorder.url, hlsUrl: hls, reevePort, metricsPort },
    ...{ webhookUrl: receiver.urlOf('webhook'), webhookSecretFile, alertmanagerUrl: beside.alertmanagerUrl },
    modelUrl: model.url,
  };
  const struck = building.move();
  return {
    ...{ paths, channels, faults, status, missing: beside.missing, pages: receiver.pages, asked: recorder.asked },
    urls: {
      hls,
      reeve: `http://${LOOPBACK}:${reevePort}`,
      metrics: `http://${LOOPBACK}:${metricsPort}/metrics`,
      alertmanager: beside.alertmanagerUrl,
      prometheus: beside.prometheusUrl,
    },
    modelCalls: model.asked,
    configYaml: (wanted) => reeveConfig(names, wanted),
    mark: async () => (await log()).length,
    startsSince: async (from, channel) => startsIn(await log(), from, channel),
    leftovers: () => remainsOf({ dir: paths.dir, mark }),
    [Symbol.asyncDispose]: () => struck.disposeAsync(),
  };
}

type SixPorts = [number, number, number, number, number, number];

const isRoot = process.getuid?.() === 0;

const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}`);

/** The channels with their scripts, and the origin that some of them pull from. */
async function hireCast(
  { generated = 4, pulled = 4, autorestart = [] }: StageOptions,
  { paths, clock, building }: { paths: StagePaths; clock: Clock; building: AsyncDisposableStack },
) {
  const ffmpeg = needProgram('ffmpeg');
  const pullIds = numbered('pull', pulled);
  const origin = building.use(await openOrigin(pullIds, clock));
  const channels: readonly StageChannel[] = [
    ...numbered('gen', generated).map((id) => generatedChannel(id, autorestart.includes(id))),
    ...pullIds.map((id, index) => pulledChannel(id, origin.urlOf(id), index % 2 === 1)),
  ];
  for (const channel of channels) await writeScript(paths, channel, { ffmpeg, settings: GOOD_SETTINGS });
  return { ffmpeg, origin, channels };
}

function besideOf(
  { alertmanager, prometheus }: StageOptions,
  { paths, ports, webhookUrl }: { paths: StagePaths; ports: readonly number[]; webhookUrl: string },
): SideServersPlan {
  const [hlsPort, , metricsPort, alertmanagerPort, prometheusPort] = ports as [number, number, number, number, number];
  return {
    ...{ paths, isRoot, hlsPort },
    alertmanager: alertmanager ? { port: alertmanagerPort, webhookUrl } : undefined,
    prometheus: prometheus ? { port: prometheusPort, target: `${LOOPBACK}:${metricsPort}` } : undefined,
  };
}

interface Curtain {
  readonly supervisor: Supervisor;
  readonly channels: readonly StageChannel[];
  readonly status: () => Promise<readonly ChannelTruth[]>;
  readonly clock: Clock;
  readonly isUp: () => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Starts every channel and waits for its first segments. */
async function raiseCurtain({ supervisor, channels, status, clock, isUp, signal }: Curtain): Promise<void> {
  const patience = { clock, everyMs: 500, ...(signal && { signal }) };
  const answers = () =>
    supervisor.states().then(
      () => true,
      () => !isUp(),
    );
  if (!(await until(answers, READY_WITHIN_MS, patience)) || !isUp()) {
    throw new ReeveError('ENGINE_UNREACHABLE', 'supervisord did not come up on the stage');
  }
  await Promise.all(channels.map(({ id }) => supervisor.start(id)));
  let last: readonly ChannelTruth[] = [];
  const allPlay = async (): Promise<boolean> => {
    last = await status();
    return last.every(({ playing }) => playing);
  };
  if (await until(allPlay, READY_WITHIN_MS, patience)) return;
  const stopped = last.filter(({ playing }) => !playing).map(({ channel, state }) => `${channel} (${state})`);
  throw new ReeveError(
    'TIMED_OUT',
    `not every channel plays after ${READY_WITHIN_MS / 1_000} s: ${stopped.join(', ')}`,
  );
}

/** Last of all: whatever still carries the stage's mark is ended, so that nothing can outlive it. */
async function endStragglers(stage: { dir: string; mark: string }, clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pid of remainsOf(stage).pids) signalProcess(pid, signal);
    if (await until(() => remainsOf(stage).pids.length === 0, 3_000, { clock })) return;
  }
}
