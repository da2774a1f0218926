/** The oracle of laws S10 and S11. */
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import { ENVELOPE_BYTES_MAX } from '../../core/envelope.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { keyOfScope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { toWire } from '../../core/wire.ts';
import { type InvariantContext, changes, type Oracle } from './context.ts';

/** What each change can cure, written down here a second time on purpose. */
const CURES: Readonly<Record<string, readonly string[]>> = {
  restart_channel: ['process_crashed', 'output_stalled', 'hls_window_slip', 'publisher_lost'],
  refresh_credentials: ['upstream_auth_expired', 'upstream_url_expired'],
  rebuild_playout: ['playout_empty', 'media_unplayable'],
  invalidate_cache: ['upstream_url_expired', 'guide_stale'],
};
const AFTER_A_FIX: ReadonlySet<string> = new Set(['upstream_auth_expired', 'upstream_url_expired']);

interface RunSheet {
  /** Somebody who keeps no runs at all is bound by the guard alone. */
  begun: boolean;
  envelope: GroundedContextEnvelope | undefined;
  steps: number;
  endedMs: number | undefined;
  highRisk: number;
}

const blank = (): RunSheet => ({ begun: false, envelope: undefined, steps: 0, endedMs: undefined, highRisk: 0 });

/** S10 and S11: what a change rests on, and what one run may spend. */
export class Evidence implements Oracle {
  readonly #case: InvariantContext;
  readonly #runs = new Map<string, RunSheet>();
  /** Incidents in which a credential or cache fix was verified. */
  readonly #fixed = new Set<string>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  entry({ fact, monoMs, run, incident }: JournalEntry): void {
    if (fact.type === 'attempt.verified' && fact.verification.cured && fact.permit.risk === 'low') {
      this.#fixed.add(fact.permit.incident);
    }
    if (run === undefined) return;
    const sheet = this.#runs.get(run) ?? blank();
    this.#runs.set(run, sheet);
    if (fact.type === 'run.started') sheet.begun = true;
    if (fact.type === 'run.ended') this.#runs.delete(run);
    if (fact.type === 'envelope.taken') this.#taken(sheet, fact.envelope, incident);
    if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') {
      const { permit } = fact.decision;
      if (permit.parent === undefined && changes(permit.call.tool)) this.#restsOn(sheet.envelope, permit, monoMs);
    }
    if (fact.type === 'tool.started') this.#started(sheet, fact.permit, monoMs);
    if (fact.type === 'tool.finished' && fact.permit.parent === undefined) sheet.endedMs = monoMs;
  }

  /** Law T3: what was measured or granted before the machine slept is older by that. */
  #sleptSinceMs(monoMs: number): number {
    return this.#case.sleptSinceMs?.(monoMs) ?? 0;
  }

  #taken(sheet: RunSheet, envelope: GroundedContextEnvelope, incident: string | undefined): void {
    sheet.envelope = envelope;
    const bytes = Buffer.byteLength(JSON.stringify(toWire(envelope)));
    if (bytes > ENVELOPE_BYTES_MAX) this.#case.broke('S11', `an envelope of ${incident} has ${bytes} bytes`);
  }

  #started(sheet: RunSheet, permit: PermitTerms, nowMs: number): void {
    if (permit.parent !== undefined) return;
    const { broke, limits, persona } = this.#case;
    sheet.steps += 1;
    const stepsMax = Math.min(3, limits.stepsMax, persona.planning_depth_max);
    if (sheet.begun && sheet.steps > stepsMax)
      broke('S11', `step ${sheet.steps} of run ${permit.run}, the most is ${stepsMax}`);
    const gapMs = sheet.endedMs === undefined ? undefined : nowMs - sheet.endedMs;
    if (sheet.begun && gapMs !== undefined && gapMs < limits.betweenToolsMs) {
      broke('S11', `${permit.call.tool} began ${gapMs} ms after the tool before it in run ${permit.run}`);
    }
    if (permit.risk === 'high') sheet.highRisk += 1;
    if (sheet.highRisk > 1) broke('S4', `${sheet.highRisk} high-risk actions in run ${permit.run}`);
    const waitedMs = nowMs - permit.grantedMs + this.#sleptSinceMs(permit.grantedMs);
    if (waitedMs >= limits.permitMs) broke('S6', `${permit.id} was used ${waitedMs} ms after it was granted`);
  }

  #restsOn(envelope: GroundedContextEnvelope | undefined, permit: PermitTerms, nowMs: number): void {
    const { broke, limits } = this.#case;
    const { call, incident, risk, id } = permit;
    const what = `${call.tool} on ${keyOfScope(call.target)} (${id})`;
    const found = envelope?.failureClassification;
    if (envelope === undefined || found === undefined || found === 'unknown') {
      return broke('S10', `${what} rests on nothing`);
    }
    const fits = CURES[call.tool]?.includes(found) === true;
    const second = call.tool === 'restart_channel' && AFTER_A_FIX.has(found) && this.#fixed.has(incident);
    if (!fits && !second) broke('S10', `${what} does not cure ${found}`);
    const about = keyOfScope(envelope.scope);
    if (call.target.kind === 'channel' && about !== keyOfScope(call.target)) broke('S10', `${what} rests on ${about}`);
    const ageOf = (ms: number): number => nowMs - ms + this.#sleptSinceMs(ms);
    const isFresh = (ms: number): boolean => ms <= nowMs && ageOf(ms) < limits.evidenceAgeMsMax;
    if (!isFresh(envelope.takenMs)) broke('S10', `${what} rests on an envelope ${ageOf(envelope.takenMs)} ms old`);
    const fresh = envelope.signals.filter(({ monoMs }) => isFresh(monoMs));
    if (fresh.length === 0) broke('S10', `${what} rests on no fresh signal`);
    // What one sender can write, lines and pushed alerts, is one witness.
    const witnesses = new Set(fresh.map(({ origin, pushed }) => (pushed === true ? 'log' : origin)));
    if (risk === 'high' && witnesses.size < 2) broke('S10', `${what} rests on ${[...witnesses].join()} alone`);
  }
}
