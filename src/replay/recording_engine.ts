/** An engine that records calls and touches nothing. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { ActionContext, Engine, EngineReport } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { CredentialSample, EngineSample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import { CAPABILITIES, type Capability } from '../core/tool.ts';

/** Everything an engine can do: for recordings that do not say which engine ran there. */
export const ALL_CAPABILITIES: ReadonlySet<Capability> = new Set(CAPABILITIES);

/** What became of a change that was only written down. */
export interface Imagined {
  /** Called for each change at the moment at which the engine would have received it. */
  readonly onChange?: (channel: ChannelId | undefined) => void;
  /** The answer of probes that only a living engine can give; undefined: the record does not say. */
  readonly works?: boolean | undefined;
}

const NOT_DONE = 'written down, not done';
const notRecorded = (what: string): ReeveError =>
  new ReeveError('ENGINE_REFUSED', `the record does not contain ${what}`);

/**
 * An engine that touches nothing. A change succeeds in the record only; whether it would have helped is judged from
 * what was recorded, and the world goes on as it did.
 */
export class RecordingEngine implements Engine {
  readonly id: EngineId;
  readonly kind = 'recording';
  readonly trust = 'as recorded';
  readonly capabilities: ReadonlySet<Capability>;
  readonly #clock: Clock;
  readonly #imagined: Imagined;
  #last: EngineSample | undefined;
  #credential: CredentialSample | undefined;
  #refreshedMs: MonoMs = Number.NEGATIVE_INFINITY;

  constructor(
    about: { readonly id: EngineId; readonly capabilities: ReadonlySet<Capability> },
    clock: Clock,
    imagined: Imagined = {},
  ) {
    this.id = about.id;
    this.capabilities = about.capabilities;
    this.#clock = clock;
    this.#imagined = imagined;
  }

  /** What was recorded of the engine itself. */
  heard(sample: EngineSample | CredentialSample): void {
    if (sample.kind === 'engine') this.#last = sample;
    else this.#credential = sample;
  }

  async observe(): Promise<EngineReport> {
    if (this.#last === undefined) throw notRecorded('of the engine itself');
    return { engine: this.#last, processes: [], viewers: [], credential: this.#credential };
  }

  async restart(channel: ChannelId, _context: ActionContext): Promise<string> {
    this.#imagined.onChange?.(channel);
    return NOT_DONE;
  }

  async recentLogs(): Promise<string> {
    return '';
  }

  async refreshCredentials(): Promise<string> {
    this.#refreshedMs = this.#clock.monotonicMs();
    this.#imagined.onChange?.(undefined);
    return NOT_DONE;
  }

  /** Only a probe that was recorded after the change says anything about it. */
  async probeCredentials(): Promise<boolean> {
    if (this.#imagined.works !== undefined) return this.#imagined.works;
    const { ok, monoMs } = this.#credential ?? {};
    if (ok === undefined || (monoMs ?? 0) <= this.#refreshedMs) throw notRecorded('whether the credentials work');
    return ok;
  }

  async rebuildPlayout(channel: ChannelId): Promise<{ readonly itemsAdded: number; readonly summary: string }> {
    this.#imagined.onChange?.(channel);
    return { itemsAdded: 1, summary: NOT_DONE };
  }

  async probePlayout(): Promise<boolean> {
    if (this.#imagined.works !== undefined) return this.#imagined.works;
    throw notRecorded('what is left to play');
  }

  async invalidateCache(channel: ChannelId | undefined): Promise<string> {
    this.#imagined.onChange?.(channel);
    return NOT_DONE;
  }

  async probeCache(): Promise<number> {
    if (this.#imagined.works !== undefined) return this.#imagined.works ? 0 : 1;
    throw notRecorded('what the cache holds');
  }
}
