/** The adapter for systemd: `systemctl` and `journalctl` with output made for programs. */
import { uptime } from 'node:os';
import type { ActionContext, Engine, EngineReport, ProcessReading } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { ProcessSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { RequestFailed } from '../../resilience/failure.ts';
import { LookOrder } from '../look_order.ts';
import { OwnRestarts } from '../own_restarts.ts';
import { type ChannelName, downReport, type EngineParts, type ReadingTime, readingTimeOf, upSample } from '../parts.ts';
import { type ProgramEnd, runProgram } from '../program.ts';
import { newestOf } from '../text.ts';
import { linesOfJournal } from './journal.ts';
import type { SystemdDocument } from './schema.ts';
import {
  exitOf,
  hasJob,
  isClearingUp,
  isStoppedOnPurpose,
  numberOf,
  parseUnits,
  PROPERTIES,
  stateOf,
  type Unit,
  unitNameOf,
} from './unit.ts';

const SHOW_BYTES_MAX = 8 << 20;
const SHORT_BYTES_MAX = 64 << 10;
const JOURNAL_BYTES_MAX = 32 << 20;
const JOURNAL_LINES = 400;
/** Units of one call: their names fit on any command line. */
const UNITS_PER_CALL = 200;
/** A process that began within this time of what systemd says is the unit's own. */
const SAME_START_MS = 1_000;
/** Linux gives times in /proc in hundredths of a second on every architecture that Node runs on. */
const MS_PER_TICK = 10;

const SOURCE = 'systemctl show';
const UNREACHABLE =
  /connect to (?:system|user|bus|.*bus)|connection (?:refused|reset|timed out)|not been booted|transport endpoint/i;

export interface SystemdSetup {
  readonly document: SystemdDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
  /** The kernel's monotonic clock in milliseconds, by which systemd gives its times. */
  readonly kernelMs?: () => number;
  /** How long the machine has slept since it was started: that clock stands still meanwhile. */
  readonly sleptMs?: () => number;
}

/** Service units of one manager. Names are checked when it is built: throws CONFIG_INVALID. */
export class SystemdEngine implements Engine {
  readonly id: string;
  readonly kind = 'systemd';
  readonly capabilities: ReadonlySet<Capability> = new Set(['observe', 'restart', 'logs']);
  readonly #document: SystemdDocument;
  readonly #parts: EngineParts;
  readonly #names: ReadonlyMap<ChannelId, string>;
  readonly #kernelMs: () => number;
  readonly #sleptMs: () => number;
  readonly #ownRestarts = new OwnRestarts();
  readonly #looks = new LookOrder();
  /** Channels that we restart now, or that a restart of ours left stopped: no person ordered that. */
  readonly #halfway = new Map<ChannelId, 'now' | 'left'>();

  constructor({ document, channels, parts, kernelMs = monotonicMs, sleptMs }: SystemdSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#names = new Map(channels.map(({ id, name }) => [id, unitNameOf(name)]));
    this.#kernelMs = kernelMs;
    this.#sleptMs = sleptMs ?? (() => Math.max(0, uptime() * 1_000 - monotonicMs()));
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const about = { engine: this.id, source: SOURCE, moment: readingTimeOf(this.#parts.clock) };
    try {
      const names = [...this.#names.values()];
      const units = await this.#parts.look.call((limit) => this.#showAll(names, limit), { signal });
      const isNewest = this.#looks.takeAll(about.moment.monoMs);
      const processes = [...this.#names.keys()].flatMap((channel, index) =>
        isNewest(channel) ? this.#samples(channel, units[index]!, about.moment) : [],
      );
      return { engine: upSample(about), processes, viewers: [], credential: undefined };
    } catch (error) {
      signal.throwIfAborted();
      return downReport(about, error);
    }
  }

  async observeChannel(channel: ChannelId, signal: AbortSignal): Promise<readonly ProcessSample[]> {
    const name = this.#nameOf(channel);
    const moment = readingTimeOf(this.#parts.clock);
    const [unit] = await this.#parts.look.call((limit) => this.#showAll([name], limit), { signal });
    return this.#looks.takeOne(channel, moment.monoMs) ? this.#samples(channel, unit!, moment) : [];
  }

  /**
   * One job that stops and starts the unit. It fails instead of replacing a job of somebody else, and is not ended
   * because the caller left: systemd would carry it on anyway.
   */
  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    const name = this.#nameOf(channel);
    return this.#parts.change.run({ target: channel, context, once: true, carryOn: true }, (limit) =>
      this.#restart(channel, name, { limit, left: context.signal }),
    );
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const unit = this.#document.manager === 'user' ? '--user-unit' : '--unit';
    // Without `--all` a message of more than 4 KiB is null.
    const json = ['--output=json', '--all', '--output-fields=MESSAGE'];
    const argv = ['--no-pager', '--quiet', ...json, `--lines=${JOURNAL_LINES}`];
    return this.#parts.look.call(
      async (limit) => {
        const call = [this.#document.journalctl, ...argv, `${unit}=${this.#nameOf(channel)}`] as const;
        const { stdout } = await this.#succeed(call, JOURNAL_BYTES_MAX, limit);
        return linesOfJournal(stdout, bytesMax);
      },
      { signal },
    );
  }

  async #restart(channel: ChannelId, name: string, ends: { limit: AbortSignal; left: AbortSignal }): Promise<string> {
    const [unit] = await this.#showAll([name], ends.limit);
    const was = stateOf(unit!);
    if (hasJob(unit!)) throw refused(`${name} has a job already: another party works on it, so it is left alone`);
    if (was === 'unknown') throw refused(`${name} is ${unit!.LoadState || 'unknown'}, so it is left alone`);
    if (was === 'starting' || was === 'stopping') {
      throw refused(`${name} is ${was}: another party works on it, so it is left alone`);
    }
    ends.left.throwIfAborted();
    if (this.#document.reset_failed && unit!.ActiveState === 'failed') {
      await this.#succeed(this.#systemctl('reset-failed', '--', name), SHORT_BYTES_MAX, ends.limit);
    }
    this.#halfway.set(channel, 'now');
    try {
      await this.#succeed(this.#systemctl('--job-mode=fail', 'restart', '--', name), SHORT_BYTES_MAX, ends.limit);
      this.#halfway.delete(channel);
    } catch (error) {
      this.#halfway.set(channel, 'left');
      throw error;
    }
    return `${name} restarted (it was ${was}${unit!.MainPID === '0' ? '' : `, pid ${unit!.MainPID}`})`;
  }

  async #showAll(names: readonly string[], signal: AbortSignal): Promise<readonly Unit[]> {
    const units: Unit[] = [];
    if (names.length === 0) await this.#succeed(this.#systemctl('show', '--property=Version'), SHORT_BYTES_MAX, signal);
    for (let first = 0; first < names.length; first += UNITS_PER_CALL) {
      const some = names.slice(first, first + UNITS_PER_CALL);
      const argv = this.#systemctl('show', `--property=${PROPERTIES.join(',')}`, '--', ...some);
      const { stdout } = await this.#succeed(argv, SHOW_BYTES_MAX, signal);
      units.push(...parseUnits(stdout, some));
    }
    return units;
  }

  #systemctl(...args: readonly string[]): readonly [string, ...string[]] {
    const user = this.#document.manager === 'user' ? ['--user'] : [];
    return [this.#document.systemctl, ...user, '--no-pager', '--no-ask-password', ...args];
  }

  async #succeed(argv: readonly [string, ...string[]], bytesMax: number, signal: AbortSignal): Promise<ProgramEnd> {
    const end = await runProgram({ argv, bytesMax, signal, clock: this.#parts.clock, env: this.#environment() });
    if (end.exitCode === 0) return end;
    const stderr = newestOf(end.stderr.trim(), 300);
    const how = end.exitCode === undefined ? 'was ended by a signal' : `exited ${end.exitCode}`;
    const message = `${argv[0]} ${how}${stderr === '' ? '' : `: ${stderr.split('\n')[0]}`}`;
    if (end.exitCode === undefined || UNREACHABLE.test(stderr)) {
      throw new RequestFailed('ENGINE_UNREACHABLE', message, { failure: 'unreachable' });
    }
    throw new RequestFailed('ENGINE_REFUSED', message, { failure: 'invalid_answer' });
  }

  /** The user's manager is found through its runtime directory. */
  #environment(): Readonly<Record<string, string>> {
    if (this.#document.manager === 'system') return {};
    return { XDG_RUNTIME_DIR: `/run/user/${process.getuid?.() ?? 0}` };
  }

  #nameOf(channel: ChannelId): string {
    const name = this.#names.get(channel);
    if (name === undefined) throw refused(`engine ${this.id} has no channel ${channel}`);
    return name;
  }

  #samples(channel: ChannelId, unit: Unit, moment: ReadingTime): readonly ProcessSample[] {
    return this.#ownRestarts.withUnseen(this.#sample(channel, unit, moment), numberOf(unit.NRestarts));
  }

  #sample(channel: ChannelId, unit: Unit, moment: ReadingTime): ProcessSample {
    const known = stateOf(unit);
    const state = known === 'exited' && isStoppedOnPurpose(unit) ? 'stopped' : known;
    const rests = state === 'stopped' || state === 'stopping';
    // A start that only waits may come to nothing.
    const isBack = !rests && state !== 'unknown' && unit.ActiveState !== 'inactive';
    if (isBack && this.#halfway.get(channel) === 'left') this.#halfway.delete(channel);
    const pid = numberOf(unit.MainPID) || undefined;
    const startedMs = (numberOf(unit.ExecMainStartTimestampMonotonic) ?? 0) / 1_000;
    const ageMs = this.#kernelMs() - startedMs;
    const reading = pid === undefined ? undefined : this.#reading(pid, startedMs);
    const ended = state === 'exited' || state === 'fatal' ? exitOf(unit) : {};
    return {
      kind: 'process',
      channel,
      engine: this.id,
      source: SOURCE,
      ...moment,
      // systemd learns of an end by a signal of the kernel; a process that is gone is not running, whatever it says.
      state: state === 'running' && reading === 'gone' ? 'unknown' : state,
      pid,
      generation: unit.InvocationID === '' || state === 'unknown' ? undefined : unit.InvocationID,
      uptimeMs: pid !== undefined && startedMs > 0 && ageMs >= 0 ? ageMs : undefined,
      exitCode: ended.code,
      exitSignal: ended.signal,
      stoppedOnPurpose: rests && !this.#halfway.has(channel) && !isClearingUp(unit),
      cpuMs: reading === 'gone' ? undefined : reading?.cpuMs,
      halted: reading === 'gone' ? undefined : reading && (reading.state === 'T' || reading.state === 't'),
      bytesWritten: reading === 'gone' ? undefined : reading?.bytesWritten,
    };
  }

  /**
   * `auto`: the start by the kernel proves that the pid means a process of this machine, and the unit's own. What /proc
   * says goes on while the machine sleeps, and it may have slept before the process began, or after.
   */
  #reading(pid: number, startedMs: number): ProcessReading | 'gone' | undefined {
    const { local } = this.#document;
    if (local === false || this.#parts.readProcess === undefined) return undefined;
    const reading = this.#parts.readProcess(pid);
    if (local === true) return reading ?? 'gone';
    const began = reading && reading.startTicks * MS_PER_TICK;
    if (began === undefined || began < startedMs - SAME_START_MS) return undefined;
    return began <= startedMs + this.#sleptMs() + SAME_START_MS ? reading : undefined;
  }
}

const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

const refused = (message: string) => new ReeveError('ENGINE_REFUSED', message);
