/** Simulated operators. */
import { expireApprovals } from '../control/approvals.ts';
import * as commands from '../control/commands.ts';
import { FULL_LOOP } from '../core/control.ts';
import { HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import { InvariantError } from '../core/errors.ts';
import type { Scope } from '../core/scope.ts';
import { acknowledge } from '../escalate/escalator.ts';
import type { ServiceModel } from './service_model.ts';
import type { SimulatedDaemon } from './simulated_daemon.ts';
import { fractionOf, numberOf } from './random_streams.ts';
import type { ChannelPlan, Injection } from './scenario.ts';

/** A person who was paged has repaired by then. */
export const REPAIR_MS = 15 * MINUTE_MS;
/** Without a page somebody notices by then that a channel is down. */
export const NOTICE_MS = HOUR_MS;
/** Calls of one scope that are remembered: more than can come while a channel is down. */
const CALLS_MAX = 32;

export interface OperatorsDeps {
  readonly seed: number;
  readonly service: ServiceModel;
  readonly channels: readonly ChannelPlan[];
  readonly reeve: () => SimulatedDaemon | undefined;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
}

const CONTEXT = { who: 'ann', because: 'a word of the simulation' };
const ANSWERS = { yes: 0.5, no: 0.75 };

/** Operators: they freeze, lease, answer, reset and repair, at the worst times. */
export class Operators {
  readonly #deps: OperatorsDeps;
  /** Every call of a scope: a second one does not stop the person who is on the way. */
  readonly #pagedMs = new Map<string, number[]>();
  readonly #known: commands.Known;
  /** Since when the phase has been held. */
  #heldMs: number | undefined;

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
    this.#known = {
      channels: new Set(deps.channels.map(({ id }) => id)),
      groups: new Set(deps.channels.map(({ group }) => group)),
      engines: new Set(deps.channels.map(({ engine }) => engine)),
    };
  }

  /** A person's telephone rang. */
  paged(scope: string, atMs: number): void {
    this.#pagedMs.set(scope, [...(this.#pagedMs.get(scope) ?? []), atMs].slice(-CALLS_MAX));
  }

  /** Once a minute: answers questions, and repairs what has been down for long enough. */
  round(): void {
    this.#answer();
    this.#release();
    this.#endHold();
    const nowMs = this.#deps.nowMs();
    for (const channel of this.#deps.service.channels.values()) {
      const episode = this.#deps.service.downtime.episodeOf(channel.plan.id);
      if (episode === undefined) continue;
      const paged = scopesOf(channel.plan).flatMap((key) => this.#pagedMs.get(key) ?? []);
      const calls = paged.filter((atMs) => atMs >= episode.fromMs - MINUTE_MS);
      const dueMs = Math.min(episode.fromMs + NOTICE_MS, ...calls.map((atMs) => atMs + REPAIR_MS));
      if (nowMs >= dueMs) this.#deps.service.repair(channel.plan.id);
    }
  }

  /** What an operator does on a whim. */
  operate({ variant, forMs }: Injection): void {
    const lot = fractionOf(this.#deps.seed, Math.floor(variant * 1e9));
    const channel = this.#deps.channels[Math.floor(lot * this.#deps.channels.length)]!;
    const scope = this.#scopeOf(channel, (variant * 13) % 1);
    switch (Math.floor(variant * 8)) {
      case 0:
        this.#say((reeve) => commands.freeze(reeve.pipeline.control(), CONTEXT));
        return this.#later(forMs, () => this.#say((reeve) => commands.thaw(reeve.pipeline.control(), CONTEXT)));
      case 1:
        return this.#say(() => commands.lease(this.#known, { scope, forMs }, CONTEXT));
      case 2: {
        const rolling = (variant * 29) % 1 < 0.5;
        const order = { id: `win-${Math.floor(variant * 1e9)}`, scope, startsInMs: 0, forMs, rolling };
        return this.#say(() => commands.addWindow(this.#known, order, CONTEXT));
      }
      case 3:
      case 4:
        return this.#say(() => commands.reset(this.#known, scope, CONTEXT));
      case 5:
        return this.#say(() => commands.release(this.#known, scope, CONTEXT));
      case 6:
        return this.#acknowledge();
      default:
        return this.#phase(channel.group, variant, forMs);
    }
  }

  /**
   * Takes back everything that would keep SimulatedDaemon from acting, and starts what somebody stopped and forgot: of
   * that a Reeve that has lost its journal cannot know that it was wished for, and pages until it plays. What has been
   * down for long is mended: a page that rang for an outage before this one, and is still open, calls nobody again.
   */
  settle(): void {
    const { service, nowMs } = this.#deps;
    for (const channel of service.channels.values()) {
      const { id } = channel.plan;
      const fromMs = service.downtime.episodeOf(id)?.fromMs;
      if (service.statusOf(channel) === 'stopped') service.restart(id, 'human');
      else if (fromMs !== undefined && nowMs() >= fromMs + REPAIR_MS) service.repair(id);
    }
    this.#say((reeve) => commands.thaw(reeve.pipeline.control(), CONTEXT));
    const held = Object.values(this.#deps.reeve()?.pipeline.guardState().containments ?? {});
    for (const { scope } of held) this.#say(() => commands.release(this.#known, scope, CONTEXT));
  }

  /** Where only a person ends a containment, one does. */
  #release(): void {
    const reeve = this.#deps.reeve();
    if (reeve === undefined) return;
    const nowMs = reeve.ledger.clock.monotonicMs();
    for (const { scope, raisedMs, releaseByPerson, releasedBy } of Object.values(
      reeve.pipeline.guardState().containments,
    )) {
      if (!releaseByPerson || releasedBy !== undefined || nowMs - raisedMs < REPAIR_MS) continue;
      this.#say(() => commands.release(this.#known, scope, CONTEXT));
    }
  }

  /** Whoever reads that the phase is held looks after everything first. */
  #endHold(): void {
    const nowMs = this.#deps.nowMs();
    this.#heldMs = this.#isPhaseHeld() ? (this.#heldMs ?? nowMs) : undefined;
    if (this.#heldMs === undefined || nowMs - this.#heldMs < REPAIR_MS) return;
    const groups = this.#deps.reeve()?.pipeline.control().groupPhases ?? [];
    for (const { group } of groups) this.#setPhase(FULL_LOOP, group);
    this.#setPhase(FULL_LOOP);
  }

  #isPhaseHeld(): boolean {
    return this.#deps.reeve()?.pipeline.control().heldPhase !== undefined;
  }

  #setPhase(phase: number, group?: string): void {
    this.#say(() => commands.setPhase(this.#known, { phase, group }, CONTEXT));
  }

  /** Of all, or of one group, for a while. */
  #phase(group: string, variant: number, forMs: number): void {
    const ofGroup = (variant * 64) % 1 < 0.5 ? group : undefined;
    const set = (phase: number): void => {
      if (!this.#isPhaseHeld()) this.#setPhase(phase, ofGroup);
    };
    set(Math.floor(((variant * 8) % 1) * 4));
    this.#later(forMs, () => set(FULL_LOOP));
  }

  #scopeOf({ id, group, engine }: ChannelPlan, lot: number): Scope {
    if (lot < 0.5) return { kind: 'channel', id };
    if (lot < 0.75) return { kind: 'group', id: group };
    return lot < 0.9 ? { kind: 'engine', id: engine } : { kind: 'fleet' };
  }

  #later(forMs: number, run: () => void): void {
    this.#deps.at(this.#deps.nowMs() + forMs, run);
  }

  #acknowledge(): void {
    this.#say((reeve) => {
      const page = reeve.outbox().pages.find(({ resolved, acked }) => resolved === undefined && acked === undefined);
      const drafts = page === undefined ? [] : acknowledge(reeve.outbox(), page.key, CONTEXT.who);
      return { ok: true, drafts };
    });
  }

  #answer(): void {
    const nowMs = this.#deps.reeve()?.ledger.clock.monotonicMs() ?? 0;
    for (const { approval, state } of this.#deps.reeve()?.pipeline.control().approvals ?? []) {
      const lot = fractionOf(this.#deps.seed, numberOf(approval.id), 5);
      if (state !== 'pending' || lot > ANSWERS.no || nowMs - approval.askedMs < lot * 400_000) continue;
      const order = { id: approval.id, yes: lot < ANSWERS.yes, nowMs };
      this.#say(({ pipeline }) => commands.answerApproval(pipeline.control(), order, CONTEXT));
    }
  }

  #say(build: (reeve: SimulatedDaemon) => commands.CommandResult): void {
    const reeve = this.#deps.reeve();
    if (reeve === undefined || reeve.ledger.broken !== undefined) return;
    const command = build(reeve);
    if (!command.ok || command.drafts.length === 0) return;
    try {
      reeve.append(command.drafts);
    } catch (thrown) {
      if (thrown instanceof InvariantError) throw thrown;
      return; // The command fails with the error of the disk, and the person sees it.
    }
    reeve.pipeline.onCommand();
  }
}

const scopesOf = ({ id, group, engine }: ChannelPlan): readonly string[] => [
  `channel:${id}`,
  `group:${group}`,
  `engine:${engine}`,
  'fleet',
];

/** Questions that will not be answered any more. */
export const openQuestions = (reeve: SimulatedDaemon): number =>
  expireApprovals(reeve.pipeline.control(), Number.POSITIVE_INFINITY).length;
