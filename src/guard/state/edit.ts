// Applies the changes of one journal entry to the guard's state, copying only what changes.
import { keyOfScope, type GroupId, type IncidentId, type ScopeKey } from '../../core/scope.ts';
import type { PermitId } from '../../core/tool.ts';
import type { ToolUse } from './cooldown.ts';
import {
  bucketOf,
  type GroupMark,
  type GuardState,
  type HeldContainment,
  newSubject,
  type GuardIncident,
  type StagedPlan,
  type SubjectState,
} from './state.ts';
import { STARTS_KEPT, type StartMark } from './window.ts';

/**
 * One entry's change to the guard's state. What is asked for is copied once and may then be changed; everything else
 * is shared with the state before, which stays as it was: a transaction that fails leaves nothing behind. Copying is
 * by bucket and by target, so that one entry costs the same with ten channels and with ten thousand.
 */
export class Edit {
  #state: GuardState;
  readonly #own = new Set<object>();

  constructor(state: GuardState) {
    this.#state = state;
  }

  /** The state as changed so far. Identical to the one before when nothing was asked for. */
  get state(): GuardState {
    return this.#state;
  }

  /** The target's record, to be changed; made when it is first touched. */
  subject(key: ScopeKey): SubjectState {
    const at = bucketOf(key);
    const bucket = this.#state.subjects[at] ?? {};
    const known = bucket[key];
    if (known !== undefined && this.#own.has(known)) return known;
    const own = this.#owned(known === undefined ? newSubject() : copyOf(known));
    this.#state = { ...this.#state, subjects: this.#state.subjects.with(at, { ...bucket, [key]: own }) };
    return own;
  }

  /** All starts, to be changed: the list and each of its marks. */
  starts(): StartMark[] {
    if (this.#own.has(this.#state.starts)) return this.#state.starts as StartMark[];
    const starts = this.#owned(this.#state.starts.slice(-STARTS_KEPT).map((mark) => ({ ...mark })));
    this.#state = { ...this.#state, starts };
    return starts;
  }

  /** High-risk actions of a group, to be changed. */
  marks(group: GroupId): GroupMark[] {
    const key = keyOfScope({ kind: 'group', id: group });
    const known = this.#state.groups[key];
    if (known !== undefined && this.#own.has(known)) return known as GroupMark[];
    const own = this.#owned((known ?? []).map((mark) => ({ ...mark })));
    this.#state = { ...this.#state, groups: { ...this.#state.groups, [key]: own } };
    return own;
  }

  /** An open incident, to be changed; undefined when it is not open. */
  incident(id: IncidentId): GuardIncident | undefined {
    const known = this.#state.incidents[id];
    if (known === undefined || this.#own.has(known)) return known;
    const own = this.#owned({ ...known, restarts: { ...known.restarts }, fixed: [...known.fixed] });
    this.putIncident(id, own);
    return own;
  }

  putIncident(id: IncidentId, incident: GuardIncident | undefined): void {
    this.#state = { ...this.#state, incidents: withKey(this.#state.incidents, id, incident) };
  }

  /** A staged start under way, to be changed. */
  plan(id: PermitId): StagedPlan | undefined {
    const known = this.#state.plans[id];
    if (known === undefined || this.#own.has(known)) return known;
    const own = this.#owned({ ...known, starts: known.starts.map((one) => ({ ...one })) });
    this.putPlan(id, own);
    return own;
  }

  putPlan(id: PermitId, plan: StagedPlan | undefined): void {
    this.#state = { ...this.#state, plans: withKey(this.#state.plans, id, plan) };
  }

  putContainment(key: string, held: HeldContainment | undefined): void {
    this.#state = { ...this.#state, containments: withKey(this.#state.containments, key, held) };
  }

  set(change: Partial<Pick<GuardState, 'viewerSpends' | 'clockJumpedMs' | 'sleeps' | 'plans'>>): void {
    this.#state = { ...this.#state, ...change };
  }

  #owned<T extends object>(value: T): T {
    this.#own.add(value);
    return value;
  }
}

function withKey<T>(all: Readonly<Record<string, T>>, key: string, value: T | undefined): Record<string, T> {
  if (value !== undefined) return { ...all, [key]: value };
  const { [key]: _, ...others } = all;
  return others;
}

function copyOf(subject: SubjectState): SubjectState {
  const { uses, highRisk, open, breaker } = subject;
  const used = Object.entries(uses).map(([tool, use]) => [tool, copyOfUse(use)] as const);
  return {
    ...subject,
    uses: Object.fromEntries(used),
    open: open.map((attempt) => ({ ...attempt })),
    tried: [...subject.tried],
    restarts: [...subject.restarts],
    breaker: {
      ...breaker,
      failures: [...breaker.failures],
      ...(breaker.probe === undefined ? {} : { probe: { ...breaker.probe } }),
    },
    ...(highRisk === undefined ? {} : { highRisk: copyOfUse(highRisk) }),
  };
}

const copyOfUse = <T extends ToolUse>(use: T): T =>
  use.before === undefined ? { ...use } : { ...use, before: { ...use.before } };
