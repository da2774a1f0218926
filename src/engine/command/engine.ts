/** The adapter for an engine that is worked by programs. */
import type { CommandEngineDocument } from './schema.ts';
import type { ActionContext, Engine, EngineReport } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { CredentialSample, ProcessSample, ProcessState } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { RequestFailed } from '../../resilience/failure.ts';
import { Ages } from '../ages.ts';
import { credentialWatch } from '../credentials.ts';
import { capabilitiesOf, configured } from '../described.ts';
import { type ProcessGenerations, processGenerationsOf } from '../process_generations.ts';
import { commandNameOf } from '../names.ts';
import { type ChannelName, downReport, type EngineParts, readingTimeOf, upSample } from '../parts.ts';
import { type ProgramEnd, runProgram } from '../program.ts';
import { countAt, parseJson, readChannels, unknownProcess } from '../reading.ts';
import { sideBySide } from '../side_by_side.ts';
import { newestOf } from '../text.ts';

type Argv = NonNullable<CommandEngineDocument['list']>['argv'];
type Status = NonNullable<CommandEngineDocument['status']>;

const BYTES_MAX = 1 << 20;
/** Programs that ask for the status of channels at the same time. */
const STATUS_AT_ONCE = 4;

export interface CommandSetup {
  readonly document: CommandEngineDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
}

/** An engine that is spoken to by programs, for example systemctl or a script of the operator's. */
export class CommandEngine implements Engine {
  readonly id: string;
  readonly kind = 'command';
  readonly capabilities: ReadonlySet<Capability>;
  readonly #document: CommandEngineDocument;
  readonly #parts: EngineParts;
  readonly #channels: readonly ChannelName[];
  readonly #generations: ProcessGenerations;
  readonly #ages = new Ages();
  readonly #credentials: (signal: AbortSignal) => CredentialSample | undefined;

  constructor({ document, channels, parts }: CommandSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#channels = channels.map(({ id, name }) => ({ id, name: commandNameOf(name) }));
    this.#generations = processGenerationsOf(document.local, parts.readProcess);
    this.capabilities = capabilitiesOf(document);
    const everyMs = document.credentials_every;
    const probe = (signal: AbortSignal) => this.probeCredentials(signal);
    this.#credentials = credentialWatch({ engine: this.id, clock: parts.clock, everyMs, probe });
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const { list, status, credentials } = this.#document;
    const argv = list?.argv ?? configured(status, 'status').argv;
    const reading = { engine: this.id, source: `command ${argv[0]}`, moment: readingTimeOf(this.#parts.clock) };
    try {
      const read = await this.#parts.look.call(
        async (limit) => {
          if (list === undefined) return { processes: await this.#statuses(status!, reading, limit), viewers: [] };
          const { stdout } = await this.#succeed(list.argv, undefined, limit);
          return readChannels(parseJson(stdout), list, {
            ...reading,
            channels: this.#channels,
            generations: this.#generations,
            ages: this.#ages,
            answeredMs: this.#parts.clock.monotonicMs(),
          });
        },
        { signal },
      );
      const credential = credentials === undefined ? undefined : this.#credentials(signal);
      return { engine: upSample(reading), ...read, credential };
    } catch (error) {
      signal.throwIfAborted();
      return downReport(reading, error);
    }
  }

  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    return this.#change(configured(this.#document.restart, 'restart').argv, { channel, context, once: true });
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const { argv } = configured(this.#document.recent_logs, 'recent_logs');
    const { stdout } = await this.#look(argv, channel, signal);
    return newestOf(stdout, bytesMax);
  }

  async refreshCredentials(context: ActionContext): Promise<string> {
    const { argv } = configured(this.#document.refresh, 'refresh');
    return this.#change(argv, { channel: undefined, context, once: false });
  }

  async probeCredentials(signal: AbortSignal): Promise<boolean> {
    return this.#says(configured(this.#document.credentials, 'credentials').argv, undefined, signal);
  }

  async rebuildPlayout(channel: ChannelId, context: ActionContext) {
    const { argv, items_added } = configured(this.#document.rebuild, 'rebuild');
    const stdout = await this.#change(argv, { channel, context, once: true });
    return { itemsAdded: countAt(parseJson(stdout), items_added) ?? 0, summary: `${argv[0]} exited 0` };
  }

  async probePlayout(channel: ChannelId, signal: AbortSignal): Promise<boolean> {
    return this.#says(configured(this.#document.playout, 'playout').argv, channel, signal);
  }

  async invalidateCache(channel: ChannelId | undefined, context: ActionContext): Promise<string> {
    return this.#change(configured(this.#document.cache, 'cache').argv, { channel, context, once: false });
  }

  async probeCache(signal: AbortSignal): Promise<number> {
    const { argv } = configured(this.#document.cache_entries, 'cache_entries');
    const entries = countAt((await this.#look(argv, undefined, signal)).stdout.trim(), '');
    if (entries === undefined) throw new ReeveError('ENGINE_ANSWER_INVALID', `expected ${argv[0]} to print a number`);
    return entries;
  }

  async #statuses(
    status: Status,
    reading: Parameters<typeof unknownProcess>[1],
    signal: AbortSignal,
  ): Promise<readonly ProcessSample[]> {
    const samples: ProcessSample[] = [];
    const ask = async (from: number, limit: AbortSignal): Promise<void> => {
      for (let index = from; index < this.#channels.length; index += STATUS_AT_ONCE) {
        const { id } = this.#channels[index]!;
        const state = stateOf(status, await this.#run(status.argv, id, limit));
        samples[index] = { ...unknownProcess(id, reading), state, stoppedOnPurpose: state === 'stopped' };
      }
    };
    await sideBySide(STATUS_AT_ONCE, signal, ask);
    return samples;
  }

  async #says(argv: Argv, channel: ChannelId | undefined, signal: AbortSignal): Promise<boolean> {
    const { exitCode } = await this.#parts.look.call((limit) => this.#run(argv, channel, limit), { signal });
    return exitCode === 0;
  }

  #look(argv: Argv, channel: ChannelId | undefined, signal: AbortSignal): Promise<ProgramEnd> {
    return this.#parts.look.call((limit) => this.#succeed(argv, channel, limit), { signal });
  }

  async #change(
    argv: Argv,
    { channel, context, once }: { channel: ChannelId | undefined; context: ActionContext; once: boolean },
  ): Promise<string> {
    // A program that may be half way through a restart is not ended because somebody stopped waiting.
    const change = { target: channel ?? `engine:${this.id}`, context, once, carryOn: once };
    const { stdout } = await this.#parts.change.run(change, (signal) => this.#succeed(argv, channel, signal));
    return stdout.trim() === '' ? `${argv[0]} exited 0` : stdout.trim();
  }

  /** A program that runs well and ends with another code than 0 says no. */
  async #succeed(argv: Argv, channel: ChannelId | undefined, signal: AbortSignal): Promise<ProgramEnd> {
    const end = await this.#run(argv, channel, signal);
    if (end.exitCode === 0) return end;
    const how = end.exitCode === undefined ? 'was ended by a signal' : `exited ${end.exitCode}`;
    const lastLine = newestOf(end.stderr.trim(), 300).split('\n').at(-1);
    const message = `${argv[0]} ${how}${lastLine ? `: ${lastLine}` : ''}`;
    throw new RequestFailed('ENGINE_REFUSED', message, { failure: 'invalid_answer' });
  }

  #run(argv: Argv, channel: ChannelId | undefined, signal: AbortSignal): Promise<ProgramEnd> {
    const [program, ...args] = argv;
    const name = channel === undefined ? undefined : this.#nameOf(channel);
    // Without a channel (the whole engine is meant) the argument is left out.
    const filled = args.flatMap((reading) => (reading === '{channel}' ? (name ?? []) : reading));
    return runProgram({ argv: [program, ...filled], bytesMax: BYTES_MAX, clock: this.#parts.clock, signal });
  }

  #nameOf(channel: ChannelId): string {
    const found = this.#channels.find(({ id }) => id === channel);
    if (found === undefined) throw new ReeveError('ENGINE_REFUSED', `engine ${this.id} has no channel ${channel}`);
    return found.name;
  }
}

function stateOf({ states }: Status, { exitCode, stdout }: ProgramEnd): ProcessState {
  const says = stdout.split('\n', 1)[0]!.trim();
  const listed = states.find((state) => state.says === says)?.means;
  if (listed !== undefined) return listed;
  if (exitCode === 0) return 'running';
  // By the LSB's codes 1 to 3 are all "not running"; none says whether it was intended.
  return exitCode !== undefined && exitCode <= 3 ? 'exited' : 'unknown';
}
