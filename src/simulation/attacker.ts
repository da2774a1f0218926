/** An attacker who holds one log, one ingest token and one status page. */
import { MINUTE_MS } from '../core/duration.ts';
import type { Sample } from '../core/sample.ts';
import { type Origin, type SymptomKind, SYMPTOMS } from '../core/symptom.ts';
import { type Stream, streamOf } from './random_streams.ts';
import type { Scenario } from './scenario.ts';

/** One symptom as a log line or a mapped alert makes it, before it has a time. */
export interface Claim {
  readonly channel: string;
  readonly kind: SymptomKind;
  readonly origin: Origin;
  /** It came through an intake. */
  readonly pushed?: true;
}

/** The inputs of a running Reeve that the attacker can reach. */
export interface AttackTarget {
  hear(claim: Claim): void;
  take(sample: SampleOf<'reach'> | SampleOf<'progress'>): void;
}

/** A sample of the kind without its times, which the receiving side sets. */
export type SampleOf<K extends Sample['kind']> = Omit<Extract<Sample, { kind: K }>, 'at' | 'monoMs'>;

export interface AttackerDeps {
  readonly script: Scenario;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** The world is healed: the attacker has lost what it held. */
  readonly ended: () => boolean;
  /** Undefined while Reeve is down: what is sent then is lost. */
  readonly target: () => AttackTarget | undefined;
}

const FIRST_MS = 30_000;
const PAUSE_MEAN_MS = 8 * MINUTE_MS;
const CAMPAIGN_MS = [10_000, 300_000] as const;
const EVERY_MS = [500, 6_000] as const;

const WAYS = [
  'own_log',
  'pushed_lines',
  'pushed_alerts',
  'progress',
  'status_up',
  'status_down',
  'status_turns',
] as const;
type Way = (typeof WAYS)[number];

/** What one campaign does until it ends. */
interface Campaign {
  readonly ways: readonly Way[];
  readonly kinds: readonly SymptomKind[];
  readonly victim: string;
  readonly untilMs: number;
}

/**
 * Writes into the log of one channel, pushes lines and alerts about any channel with one token, and decides what the
 * status page of one channel answers. It acts in campaigns against one victim at a time, all of its ways mixed. It
 * never sees what Reeve makes of it.
 */
export class Attacker {
  /** The channel whose log it writes, reports of progress included. */
  readonly logOf: string;
  /** The channel whose status page it owns. */
  readonly pageOf: string;
  readonly #deps: AttackerDeps;
  readonly #stream: Stream;
  #claims = 0;
  #mediaMs = 0;

  constructor(deps: AttackerDeps) {
    this.#deps = deps;
    this.#stream = streamOf(deps.script.seed, 'attacker');
    this.logOf = this.#stream.pick(deps.script.channels).id;
    this.pageOf = this.#stream.pick(deps.script.channels).id;
    deps.at(FIRST_MS, () => this.#begin());
  }

  /** How many lines, alerts, reports and answers it has sent. */
  get claims(): number {
    return this.#claims;
  }

  #begin(): void {
    const { nowMs, script, ended } = this.#deps;
    if (ended()) return;
    const stream = this.#stream;
    const some = <T>(all: readonly T[], most: number): readonly T[] =>
      Array.from({ length: stream.int(1, most) }, () => stream.pick(all));
    const victim = stream.pick([this.logOf, this.pageOf, stream.pick(script.channels).id]);
    const untilMs = nowMs() + stream.int(...CAMPAIGN_MS);
    this.#strike({ ways: some(WAYS, 4), kinds: some(SYMPTOMS, 3), victim, untilMs });
  }

  #strike(campaign: Campaign): void {
    const { nowMs, at, ended } = this.#deps;
    if (ended()) return;
    if (nowMs() >= campaign.untilMs) {
      return at(nowMs() + Math.ceil(this.#stream.exponential(PAUSE_MEAN_MS)), () => this.#begin());
    }
    for (const way of campaign.ways) this.#send(way, campaign);
    at(nowMs() + this.#stream.int(...EVERY_MS), () => this.#strike(campaign));
  }

  #send(way: Way, { kinds, victim }: Campaign): void {
    const target = this.#deps.target();
    const kind = this.#stream.pick(kinds);
    this.#claims += 1;
    switch (way) {
      case 'own_log':
        return target?.hear({ channel: this.logOf, kind, origin: 'log' });
      case 'pushed_lines':
        return target?.hear({ channel: victim, kind, origin: 'log', pushed: true });
      case 'pushed_alerts':
        return target?.hear({ channel: victim, kind, origin: 'metric', pushed: true });
      case 'progress':
        this.#mediaMs += this.#stream.pick([0, 1_000, 5_000]);
        return target?.take({
          ...{ kind: 'progress', channel: this.logOf, source: this.logOf },
          ...{ outTimeMs: this.#mediaMs, frame: undefined },
        });
      default:
        return target?.take({ kind: 'reach', channel: this.pageOf, source: 'status:icecast', ...this.#answer(way) });
    }
  }

  #answer(way: Way): { readonly ok: boolean; readonly failure?: 'refused' } {
    const isUp = way === 'status_up' || (way === 'status_turns' && this.#stream.chance(0.5));
    return isUp ? { ok: true } : { ok: false, failure: 'refused' };
  }
}
