/** The adapter for supervisord. */
import { z } from 'zod';
import type { SupervisorDocument } from './schema.ts';
import { secretOf } from '../secret_reference.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { ActionContext, Engine, EngineReport } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { ProcessSample, ProcessState } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { LookOrder } from '../look_order.ts';
import { type ProcessGenerations, processGenerationsOf } from '../process_generations.ts';
import { supervisorNameOf } from '../names.ts';
import {
  basicAuth,
  type ChannelName,
  downReport,
  type EngineParts,
  type ReadingTime,
  readingTimeOf,
  upSample,
} from '../parts.ts';
import { newestOf } from '../text.ts';
import { decodeResponse, encodeCall, XmlRpcFault, type XmlRpcValue } from './xmlrpc.ts';

/** supervisor/states.py. */
const STATES: Readonly<Record<number, ProcessState>> = {
  0: 'stopped',
  10: 'starting',
  20: 'running',
  30: 'backoff',
  40: 'stopping',
  100: 'exited',
  200: 'fatal',
};

/** supervisor/xmlrpc.py, `Faults`. */
const FAULT = { ALREADY_STARTED: 60, NOT_RUNNING: 70 } as const;

const processInfo = z.object({
  name: z.string(),
  group: z.string(),
  /** Seconds since the epoch by the server's clock; 0: never started. */
  start: z.int(),
  now: z.int(),
  state: z.int(),
  /** -1: ended by a signal. */
  exitstatus: z.int(),
  pid: z.int().min(0),
});
type ProcessInfo = z.infer<typeof processInfo>;

const processInfos = z.array(processInfo).max(10_000);

const ALL = 'supervisor.getAllProcessInfo';
const ONE = 'supervisor.getProcessInfo';
const LIST_BYTES_MAX = 8 << 20;
const SHORT_BYTES_MAX = 64 << 10;
/** XML may write a character with five (`&amp;`). */
const XML_GROWTH = 5;
const IDENTITY_MS = MINUTE_MS;

const fullName = ({ group, name }: Pick<ProcessInfo, 'group' | 'name'>): string => `${group}:${name}`;

interface TableReading {
  readonly source: string;
  readonly moment: ReadingTime;
}

export interface SupervisorSetup {
  readonly document: SupervisorDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
}

/** supervisord over XML-RPC (supervisord.org/api.html): reads the process table and starts processes. */
export class SupervisorEngine implements Engine {
  readonly id: string;
  readonly kind = 'supervisor';
  readonly capabilities: ReadonlySet<Capability> = new Set(['observe', 'restart', 'logs']);
  readonly #document: SupervisorDocument;
  readonly #parts: EngineParts;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #names: ReadonlyMap<ChannelId, string>;
  readonly #generations: ProcessGenerations;
  readonly #looks = new LookOrder();
  /** Channels that we stop now, or that a restart of ours left stopped: no person ordered that. */
  readonly #halfway = new Map<ChannelId, 'now' | 'left'>();
  #daemonPid: number | undefined;
  #identifiedMs: number | undefined;

  constructor({ document, channels, parts }: SupervisorSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#names = new Map(channels.map(({ id, name }) => [id, supervisorNameOf(name)]));
    const secret = secretOf(document, 'password');
    const password = secret === undefined ? '' : parts.secret(secret);
    const authorization =
      document.username === undefined ? {} : { authorization: basicAuth(document.username, password) };
    this.#headers = { 'content-type': 'text/xml', ...authorization };
    this.#generations = processGenerationsOf(document.local, parts.readProcess);
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const reading = { engine: this.id, source: ALL, moment: readingTimeOf(this.#parts.clock) };
    try {
      const infos = await this.#parts.look.call((limit) => this.#list(limit), { signal });
      const byName = new Map(infos.map((info) => [fullName(info), info]));
      const isNewest = this.#looks.takeAll(reading.moment.monoMs);
      const processes = [...this.#names]
        .filter(([id]) => isNewest(id))
        .map(([id, name]) => this.#sample(id, byName.get(name), reading));
      return { engine: upSample(reading), processes, viewers: [], credential: undefined };
    } catch (error) {
      signal.throwIfAborted();
      this.#identifiedMs = undefined;
      return downReport(reading, error);
    }
  }

  async observeChannel(channel: ChannelId, signal: AbortSignal): Promise<readonly ProcessSample[]> {
    const name = this.#nameOf(channel);
    const reading = { source: ONE, moment: readingTimeOf(this.#parts.clock) };
    const info = await this.#parts.look.call((limit) => this.#info(name, limit), { signal });
    return this.#looks.takeOne(channel, reading.moment.monoMs) ? [this.#sample(channel, info, reading)] : [];
  }

  /**
   * Stops what runs and starts it again: each is asked for once. Once the stop was sent, the caller's leaving no
   * longer matters, because a channel must not be left lying half way.
   */
  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    const name = this.#nameOf(channel);
    return this.#parts.change.run({ target: channel, context, once: true, carryOn: true }, (limit) =>
      this.#restart(channel, name, { limit, left: context.signal }),
    );
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const name = this.#nameOf(channel);
    return this.#parts.look.call(
      async (limit) =>
        (await this.#tail('supervisor.tailProcessStderrLog', name, { bytesMax, signal: limit })) ||
        (await this.#tail('supervisor.tailProcessStdoutLog', name, { bytesMax, signal: limit })),
      { signal },
    );
  }

  async #restart(channel: ChannelId, name: string, ends: { limit: AbortSignal; left: AbortSignal }): Promise<string> {
    const { state, pid } = await this.#info(name, ends.limit);
    const was = STATES[state] ?? 'unknown';
    ends.left.throwIfAborted();
    switch (was) {
      case 'running':
      case 'backoff':
        await this.#throughTheStop(channel, name, ends.limit);
        return `${name} stopped (it was ${pid > 0 ? `${was}, pid ${pid}` : was}) and started`;
      case 'exited':
      case 'fatal':
      case 'stopped':
        await this.#start(name, ends.limit);
        return `${name} started (it was ${was})`;
      default:
        throw refused(`${name} is ${was}: another party works on it, so it is left alone`);
    }
  }

  async #throughTheStop(channel: ChannelId, name: string, signal: AbortSignal): Promise<void> {
    this.#halfway.set(channel, 'now');
    try {
      await this.#stop(name, signal);
      await this.#start(name, signal);
      this.#halfway.delete(channel);
    } catch (error) {
      this.#halfway.set(channel, 'left');
      throw error;
    }
  }

  async #stop(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#rpc('supervisor.stopProcess', [name, true], { signal });
    } catch (error) {
      // It ended by itself in between: whether it may be started is for the start to find out.
      if (error instanceof XmlRpcFault && error.faultCode === FAULT.NOT_RUNNING) return;
      throw error;
    }
  }

  async #start(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#rpc('supervisor.startProcess', [name, false], { signal });
    } catch (error) {
      if (!(error instanceof XmlRpcFault) || error.faultCode !== FAULT.ALREADY_STARTED) throw error;
      throw refused(`${name} was started by another party in between, and is left alone`);
    }
  }

  async #info(name: string, signal: AbortSignal): Promise<ProcessInfo> {
    return parse(processInfo, await this.#rpc(ONE, [name], { signal, repeatable: true }));
  }

  async #list(signal: AbortSignal): Promise<readonly ProcessInfo[]> {
    await this.#identify(signal);
    const ask = { signal, repeatable: true, bytesMax: LIST_BYTES_MAX };
    return parse(processInfos, await this.#rpc(ALL, [], ask));
  }

  /** The daemon's own pid proves whether its children are processes of this machine. */
  async #identify(signal: AbortSignal): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#document.local !== 'auto' || nowMs < (this.#identifiedMs ?? -IDENTITY_MS) + IDENTITY_MS) return;
    this.#daemonPid = parse(z.int(), await this.#rpc('supervisor.getPID', [], { signal, repeatable: true }));
    this.#identifiedMs = nowMs;
  }

  async #tail(method: string, name: string, ask: { bytesMax: number; signal: AbortSignal }): Promise<string> {
    const answer = await this.#rpc(method, [name, 0, ask.bytesMax], {
      signal: ask.signal,
      repeatable: true,
      bytesMax: ask.bytesMax * XML_GROWTH + SHORT_BYTES_MAX,
    });
    const [text, , overflow] = parse(z.tuple([z.string(), z.int(), z.union([z.boolean(), z.int()])]), answer);
    // The tail begins somewhere in a line.
    return newestOf(overflow ? text.slice(text.indexOf('\n') + 1) : text, ask.bytesMax);
  }

  async #rpc(
    method: string,
    params: readonly (string | number | boolean)[],
    ask: { signal: AbortSignal; repeatable?: boolean; bytesMax?: number },
  ): Promise<XmlRpcValue> {
    const { url, socket, timeout, change_timeout } = this.#document;
    const answer = await this.#parts.ask({
      url: url ?? 'http://supervisor/RPC2',
      socketPath: socket,
      method: 'POST',
      headers: this.#headers,
      body: encodeCall(method, params),
      bytesMax: ask.bytesMax ?? SHORT_BYTES_MAX,
      timeoutMs: ask.repeatable ? timeout : change_timeout,
      repeatable: ask.repeatable ?? false,
      signal: ask.signal,
    });
    return decodeResponse(answer.body.toString());
  }

  #nameOf(channel: ChannelId): string {
    const name = this.#names.get(channel);
    if (name === undefined) throw refused(`engine ${this.id} has no channel ${channel}`);
    return name;
  }

  #sample(channel: ChannelId, info: ProcessInfo | undefined, { source, moment }: TableReading): ProcessSample {
    const state = info === undefined ? 'unknown' : (STATES[info.state] ?? 'unknown');
    const lies = state === 'stopped' || state === 'stopping';
    if (!lies && state !== 'unknown' && this.#halfway.get(channel) === 'left') this.#halfway.delete(channel);
    const exited = state === 'exited' ? info!.exitstatus : undefined;
    return {
      kind: 'process',
      channel,
      engine: this.id,
      source,
      ...moment,
      state,
      ...this.#generations.look(channel, {
        ...(info ?? NO_GENERATION),
        monoMs: moment.monoMs,
        parent: this.#daemonPid,
      }),
      exitCode: exited !== undefined && exited >= 0 ? exited : undefined,
      exitSignal: exited !== undefined && exited < 0 ? 0 : undefined,
      stoppedOnPurpose: lies && !this.#halfway.has(channel),
    };
  }
}

const NO_GENERATION = { pid: 0, start: 0, now: 0 };

const refused = (message: string) => new ReeveError('ENGINE_REFUSED', message);

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ReeveError(
    'ENGINE_ANSWER_INVALID',
    `supervisord answered something else: ${z.prettifyError(result.error)}`,
  );
}
