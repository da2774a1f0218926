/** The oracle of laws S4, S6, S7 and L2. */
import type { JournalEntry } from '../../core/journal.ts';
import { keyOfScope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { type InvariantContext, changes, covers, type FactOf, type Oracle, planOf } from './context.ts';

/** What a run may take beyond its deadline: one last look and one last append. */
const RUN_GRACE_MS = 2_000;

/** The last staged start of a target. */
interface Plan {
  readonly id: string;
  /** Undefined: it is under way. */
  endedMs: number | undefined;
}

interface OpenRun {
  readonly scope: string;
  readonly startedMs: number;
}

interface ActionTime {
  /** When its record was seen. */
  readonly atMs: number;
  readonly boot: string;
  readonly monoMs: number;
}

/** A record that a crash left behind is seen late: within one boot it tells itself when it was written. */
const msBetween = (one: ActionTime, other: ActionTime): number =>
  Math.max(other.atMs - one.atMs, one.boot === other.boot ? other.monoMs - one.monoMs : 0);

/** S6 over crashes, S7, S4 within groups and staged starts, and the half of L2 that is about runs. */
export class Runs implements Oracle {
  readonly #case: InvariantContext;
  readonly #scopes = new Map<string, string>();
  readonly #runs = new Map<string, OpenRun>();
  readonly #ended = new Set<string>();
  readonly #allowed = new Set<string>();
  readonly #open = new Map<string, PermitTerms>();
  readonly #unknown = new Map<string, string>();
  readonly #groups = new Map<string, ActionTime[]>();
  readonly #plans = new Map<string, Plan>();
  readonly #verdicts = new Map<string, boolean>();
  readonly #children = new Map<string, { readonly id: string; readonly channel: string }[]>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  get openRuns(): number {
    return this.#runs.size;
  }

  entry(entry: JournalEntry): void {
    const { fact, monoMs, run, incident, channel } = entry;
    switch (fact.type) {
      case 'incident.opened':
        this.#scopes.set(fact.incident.id, keyOfScope(fact.incident.scope));
        return;
      case 'run.started':
        return this.#began(run, incident, monoMs);
      case 'run.ended':
        return this.#finished(fact, run);
      case 'guard.decided':
        if (fact.decision.verdict === 'allow') this.#allowed.add(fact.decision.permit.id);
        return;
      case 'tool.started':
        return this.#started(fact.permit, entry);
      case 'tool.finished':
        return this.#over(fact.permit);
      case 'tool.unknown':
        return this.#lost(fact.permit);
      case 'attempt.verified':
        return this.#verified(fact);
      case 'unknown.settled':
        this.#unknown.delete(channel ?? '');
        return;
      case 'control.reset':
        return this.#reset(fact);
      case 'reeve.started':
        return this.#restarted();
    }
  }

  #began(run: string | undefined, incident: string | undefined, startedMs: number): void {
    const scope = this.#scopes.get(incident ?? '') ?? '';
    const other = [...this.#runs].find(([, open]) => open.scope === scope);
    if (other !== undefined) this.#case.broke('S7', `run ${run} began on ${scope} while ${other[0]} is under way`);
    if (run !== undefined) this.#runs.set(run, { scope, startedMs });
  }

  #finished({ tookMs, outcome }: FactOf<'run.ended'>, run = ''): void {
    const { broke, limits } = this.#case;
    if (this.#ended.has(run)) broke('L2', `run ${run} ended twice`);
    this.#ended.add(run);
    this.#runs.delete(run);
    const cutOff = outcome.kind === 'escalated' && outcome.reason === 'internal';
    if (tookMs > limits.runMsMax + RUN_GRACE_MS && !cutOff) broke('L2', `run ${run} took ${tookMs} ms`);
  }

  #started(permit: PermitTerms, { boot, monoMs }: JournalEntry): void {
    const { broke } = this.#case;
    const { id, call } = permit;
    if (!this.#allowed.has(id)) broke('S7', `${call.tool} began on ${id}, which the guard never granted`);
    this.#open.set(id, permit);
    if (!changes(call.tool)) return;
    const channel = call.target.kind === 'channel' ? call.target.id : undefined;
    const lost = channel === undefined ? undefined : this.#unknown.get(channel);
    if (lost !== undefined) broke('S6', `${call.tool} (${id}) began on ${channel} although ${lost} is UNKNOWN`);
    if (permit.risk === 'high') {
      if (permit.parent === undefined) this.#spaced(permit, { atMs: this.#case.nowMs(), boot, monoMs });
      else this.#staged(permit, channel ?? '');
      if (isPlan(permit)) this.#planned(permit);
    }
  }

  #spaced({ call, group: named, id }: PermitTerms, now: ActionTime): void {
    const { limits, persona, broke } = this.#case;
    const own = call.target.kind === 'channel' ? planOf(this.#case, call.target.id)?.group : undefined;
    const group = own ?? (call.target.kind === 'group' ? call.target.id : (named ?? ''));
    const isNear = (one: ActionTime): boolean => msBetween(one, now) < limits.highRiskSpacingMs;
    const times = [...(this.#groups.get(group) ?? []).filter(isNear), now];
    this.#groups.set(group, times);
    const max = persona.risk_tolerance === 'low' ? Math.min(1, limits.highRiskPerGroupMax) : limits.highRiskPerGroupMax;
    // A plan is the exception: its own proofs space what it starts.
    if (call.target.kind === 'channel' && times.length > max)
      broke('S4', `${times.length} high-risk actions in group ${group} within 60 s (${id})`);
  }

  /** Two plans of one target keep their distance, unless all that the first has started is verified. */
  #planned({ id, call }: PermitTerms): void {
    const { broke, nowMs, limits } = this.#case;
    const key = keyOfScope(call.target);
    const before = this.#plans.get(key);
    this.#plans.set(key, { id, endedMs: undefined });
    if (before === undefined || this.#isProven(before.id)) return;
    const gapMs = nowMs() - (before.endedMs ?? nowMs());
    if (gapMs < limits.highRiskSpacingMs)
      broke('S4', `${id} began ${gapMs} ms after ${before.id} on ${key}, which has not verified all that it started`);
  }

  #isProven(plan: string): boolean {
    const started = this.#children.get(plan) ?? [];
    return started.length > 0 && started.every((one) => this.#verdicts.get(one.id) === true);
  }

  #over(permit: PermitTerms): void {
    this.#open.delete(permit.id);
    const plan = isPlan(permit) ? this.#plans.get(keyOfScope(permit.call.target)) : undefined;
    if (plan?.id === permit.id) plan.endedMs ??= this.#case.nowMs();
  }

  /** A canary first, each channel once, each verified start admits two; a lost canary or two others end it. */
  #staged({ parent = '', id }: PermitTerms, channel: string): void {
    const { broke } = this.#case;
    const before = this.#children.get(parent) ?? [];
    if (!this.#open.has(parent)) broke('S4', `staged start ${id} of a plan that is not under way`);
    if (before.some((one) => one.channel === channel)) broke('S4', `${parent} started ${channel} twice`);
    const verdicts = before.map((one) => this.#verdicts.get(one.id));
    const verified = verdicts.filter((verdict) => verdict === true).length;
    const underWay = verdicts.filter((verdict) => verdict === undefined).length;
    const lost = verdicts.filter((verdict) => verdict === false).length;
    if (underWay > verified)
      broke('S4', `${parent} went on to ${channel} with ${underWay} under way, ${verified} verified`);
    if (lost > 1 || verdicts[0] === false)
      broke('S4', `${parent} went on to ${channel} although ${lost} were not verified`);
    this.#children.set(parent, [...before, { id, channel }]);
  }

  #lost(permit: PermitTerms): void {
    const { id, call } = permit;
    this.#over(permit);
    if (call.target.kind === 'channel' && changes(call.tool)) this.#unknown.set(call.target.id, id);
  }

  /** A call whose end was not known, and whose own effect was seen, blocks its channel no longer. */
  #verified({ permit: { id, call }, verification: { cured } }: FactOf<'attempt.verified'>): void {
    this.#verdicts.set(id, cured);
    const channel = call.target.kind === 'channel' ? call.target.id : '';
    if (cured && this.#unknown.get(channel) === id) this.#unknown.delete(channel);
  }

  #reset({ scope }: FactOf<'control.reset'>): void {
    for (const channel of [...this.#unknown.keys()]) {
      if (covers(scope, channel, this.#case)) this.#unknown.delete(channel);
    }
  }

  /** What the previous process had begun and not ended must have been declared UNKNOWN by now, and its runs ended. */
  #restarted(): void {
    const { broke } = this.#case;
    for (const [id, { call }] of this.#open)
      broke('S6', `${call.tool} (${id}) began in an earlier process and was forgotten`);
    for (const [run, { scope }] of this.#runs) broke('L2', `run ${run} on ${scope} was forgotten over a restart`);
    this.#open.clear();
    this.#runs.clear();
  }
}

/** A staged start as a whole. */
const isPlan = ({ parent, risk, call }: PermitTerms): boolean =>
  risk === 'high' && parent === undefined && call.channels.length > 0;
