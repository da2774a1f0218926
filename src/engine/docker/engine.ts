/** The adapter for Docker: the Engine API over the daemon's unix socket. */
import { z } from 'zod';
import type { ActionContext, Engine, EngineReport, ProcessReading } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { ProcessSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { RequestFailed, statusOf } from '../../resilience/failure.ts';
import type { HttpAnswer } from '../../resilience/http.ts';
import { LookOrder } from '../look_order.ts';
import { OwnRestarts } from '../own_restarts.ts';
import { type ChannelName, downReport, type EngineParts, type ReadingTime, readingTimeOf, upSample } from '../parts.ts';
import { newestOf } from '../text.ts';
import {
  type Container,
  containerDocument,
  containerNameOf,
  exitOf,
  isMeant,
  isStoppedOnPurpose,
  restartsOf,
  stateOf,
  timeOf,
} from './container.ts';
import { textOfLog } from './log_stream.ts';
import type { DockerDocument } from './schema.ts';
import { sideBySide } from '../side_by_side.ts';

const INSPECT_BYTES_MAX = 1 << 20;
const SHORT_BYTES_MAX = 64 << 10;
const LOG_BYTES_MAX = 16 << 20;
const LOG_LINES = 400;
const INSPECTED_AT_ONCE = 8;
/** What the adapter is written for; a daemon that is older is asked with its own version. */
const VERSION_MAX = '1.44';
/** Older daemons answer in other forms. */
const VERSION_MIN = '1.24';
const SOURCE = 'docker inspect';

const versionDocument = z.object({ ApiVersion: z.string().regex(/^\d+\.\d+$/), MinAPIVersion: z.string().optional() });

export interface DockerSetup {
  readonly document: DockerDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
}

/** Containers of one daemon. Names are checked when it is built: throws CONFIG_INVALID. */
export class DockerEngine implements Engine {
  readonly id: string;
  readonly kind = 'docker';
  readonly capabilities: ReadonlySet<Capability> = new Set(['observe', 'restart', 'logs']);
  readonly #document: DockerDocument;
  readonly #parts: EngineParts;
  readonly #names: ReadonlyMap<ChannelId, string>;
  readonly #ownRestarts = new OwnRestarts();
  readonly #looks = new LookOrder();
  /** Channels that we restart now, or that a restart of ours left stopped: no person ordered that. */
  readonly #halfway = new Map<ChannelId, 'now' | 'left'>();
  /** Asked for once, and again after the daemon failed: it may be another one by then. */
  #version: string | undefined;

  constructor({ document, channels, parts }: DockerSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#names = new Map(channels.map(({ id, name }) => [id, containerNameOf(name)]));
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const about = { engine: this.id, source: SOURCE, moment: readingTimeOf(this.#parts.clock) };
    try {
      const found = await this.#parts.look.call((limit) => this.#inspectAll(limit), { signal });
      const isNewest = this.#looks.takeAll(about.moment.monoMs);
      const processes = [...this.#names.keys()].flatMap((channel, index) =>
        isNewest(channel) ? this.#samples(channel, found[index], about.moment) : [],
      );
      return { engine: upSample(about), processes, viewers: [], credential: undefined };
    } catch (error) {
      signal.throwIfAborted();
      this.#version = undefined;
      return downReport(about, error);
    }
  }

  async observeChannel(channel: ChannelId, signal: AbortSignal): Promise<readonly ProcessSample[]> {
    const name = this.#nameOf(channel);
    const moment = readingTimeOf(this.#parts.clock);
    const container = await this.#parts.look.call((limit) => this.#inspectIfThere(name, limit), { signal });
    return this.#looks.takeOne(channel, moment.monoMs) ? this.#samples(channel, container, moment) : [];
  }

  /** One request that stops and starts the container, not ended because the caller left: the daemon carries it on. */
  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    const name = this.#nameOf(channel);
    return this.#parts.change.run({ target: channel, context, once: true, carryOn: true }, (limit) =>
      this.#restart(channel, name, { limit, left: context.signal }),
    );
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const name = this.#nameOf(channel);
    return this.#parts.look.call(
      async (limit) => {
        const { Config } = await this.#inspect(name, limit);
        const path = `/containers/${name}/logs?stdout=1&stderr=1&timestamps=1&tail=${LOG_LINES}`;
        const { body } = await this.#ask('GET', path, { signal: limit, bytesMax: LOG_BYTES_MAX });
        return newestOf(textOfLog(body, Config?.Tty === true), bytesMax);
      },
      { signal },
    );
  }

  async #restart(channel: ChannelId, name: string, ends: { limit: AbortSignal; left: AbortSignal }): Promise<string> {
    const before = await this.#inspect(name, ends.limit);
    const was = stateOf(before);
    if (before.State.Paused === true)
      throw refused(`${name} is paused: another party works on it, so it is left alone`);
    if (was === 'unknown' || was === 'stopping') throw refused(`${name} is ${was}, so it is left alone`);
    ends.left.throwIfAborted();
    this.#halfway.set(channel, 'now');
    try {
      const seconds = Math.ceil(this.#document.stop_timeout / 1_000);
      await this.#ask('POST', `/containers/${before.Id}/restart?t=${seconds}`, { signal: ends.limit });
      this.#halfway.delete(channel);
    } catch (error) {
      this.#halfway.set(channel, 'left');
      throw error;
    }
    return `${name} restarted (it was ${was}, container ${before.Id.slice(0, 12)})`;
  }

  /** Each channel's container; undefined where the daemon has none of that name. */
  async #inspectAll(signal: AbortSignal): Promise<readonly (Container | undefined)[]> {
    await this.#negotiated(signal);
    const names = [...this.#names.values()];
    const found: (Container | undefined)[] = names.map(() => undefined);
    const inspectFrom = async (first: number, limit: AbortSignal): Promise<void> => {
      for (let index = first; index < names.length; index += INSPECTED_AT_ONCE) {
        found[index] = await this.#inspectIfThere(names[index]!, limit);
      }
    };
    await sideBySide(INSPECTED_AT_ONCE, signal, inspectFrom);
    return found;
  }

  async #inspectIfThere(name: string, signal: AbortSignal): Promise<Container | undefined> {
    try {
      return await this.#inspect(name, signal);
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }

  /** Throws ENGINE_ANSWER_INVALID when the answer is about another container. */
  async #inspect(name: string, signal: AbortSignal): Promise<Container> {
    const { body } = await this.#ask('GET', `/containers/${name}/json`, { signal, bytesMax: INSPECT_BYTES_MAX });
    const container = parse(containerDocument, body);
    if (isMeant(name, container)) return container;
    if (container.Id.startsWith(name)) throw noContainer(name);
    throw new ReeveError('ENGINE_ANSWER_INVALID', `asked Docker for ${name}, got ${container.Name.slice(0, 100)}`);
  }

  /** The newest version that both sides know. Throws ENGINE_REFUSED when there is none. */
  async #negotiated(signal: AbortSignal): Promise<string> {
    if (this.#version !== undefined) return this.#version;
    const { body } = await this.#request('GET', '/version', { signal });
    const { ApiVersion, MinAPIVersion = VERSION_MIN } = parse(versionDocument, body);
    const chosen = isNewer(ApiVersion, VERSION_MAX) ? VERSION_MAX : ApiVersion;
    if (isNewer(VERSION_MIN, chosen) || isNewer(MinAPIVersion, chosen)) {
      throw refused(
        `Docker speaks API ${MinAPIVersion} to ${ApiVersion}; expected some of ${VERSION_MIN} to ${VERSION_MAX}`,
      );
    }
    this.#version = chosen;
    return chosen;
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    ask: { signal: AbortSignal; bytesMax?: number },
  ): Promise<HttpAnswer> {
    return this.#request(method, `/v${await this.#negotiated(ask.signal)}${path}`, ask);
  }

  #request(method: 'GET' | 'POST', path: string, ask: { signal: AbortSignal; bytesMax?: number }): Promise<HttpAnswer> {
    const { socket, timeout, change_timeout } = this.#document;
    return this.#parts.ask({
      url: `http://docker${path}`,
      socketPath: socket,
      method,
      bytesMax: ask.bytesMax ?? SHORT_BYTES_MAX,
      timeoutMs: method === 'GET' ? timeout : change_timeout,
      repeatable: method === 'GET',
      signal: ask.signal,
    });
  }

  #nameOf(channel: ChannelId): string {
    const name = this.#names.get(channel);
    if (name === undefined) throw refused(`engine ${this.id} has no channel ${channel}`);
    return name;
  }

  #samples(channel: ChannelId, container: Container | undefined, moment: ReadingTime): readonly ProcessSample[] {
    return this.#ownRestarts.withUnseen(this.#sample(channel, container, moment), container && restartsOf(container));
  }

  #sample(channel: ChannelId, container: Container | undefined, moment: ReadingTime): ProcessSample {
    const purposeful = container !== undefined && isStoppedOnPurpose(container);
    const known = container === undefined ? 'unknown' : stateOf(container);
    const state = known === 'exited' && purposeful ? 'stopped' : known;
    const rests = state === 'stopped' || state === 'stopping';
    if (!rests && state !== 'unknown' && this.#halfway.get(channel) === 'left') this.#halfway.delete(channel);
    const pid = container?.State.Pid || undefined;
    const startedAt = timeOf(container?.State.StartedAt);
    const ended = container !== undefined && (state === 'exited' || state === 'fatal') ? exitOf(container) : {};
    const reading = pid === undefined ? undefined : this.#reading(pid);
    return {
      kind: 'process',
      channel,
      engine: this.id,
      source: SOURCE,
      ...moment,
      state,
      pid,
      generation: startedAt === undefined ? undefined : `${container!.Id.slice(0, 12)}@${container!.State.StartedAt}`,
      uptimeMs: pid !== undefined && startedAt !== undefined ? Math.max(0, moment.at - startedAt) : undefined,
      exitCode: ended.code,
      exitSignal: ended.signal,
      stoppedOnPurpose: rests && !this.#halfway.has(channel),
      cpuMs: reading?.cpuMs,
      halted: container?.State.Paused === true ? true : reading && (reading.state === 'T' || reading.state === 't'),
      bytesWritten: reading?.bytesWritten,
    };
  }

  /** A daemon may be in a virtual machine, where its pids mean nothing here: only where the operator says so. */
  #reading(pid: number): ProcessReading | undefined {
    return this.#document.local === true ? this.#parts.readProcess?.(pid) : undefined;
  }
}

/** `1.44` is newer than `1.9`. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  return left![0]! !== right![0]! ? left![0]! > right![0]! : left![1]! > right![1]!;
}

const refused = (message: string) => new ReeveError('ENGINE_REFUSED', message);

const noContainer = (name: string) =>
  new RequestFailed('ENGINE_REFUSED', `Docker has no container ${name}`, { failure: 'http_status', status: 404 });

function parse<S extends z.ZodType>(schema: S, body: Buffer): z.output<S> {
  const result = schema.safeParse(jsonOf(body));
  if (result.success) return result.data;
  throw new ReeveError('ENGINE_ANSWER_INVALID', `Docker answered something else: ${z.prettifyError(result.error)}`);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
