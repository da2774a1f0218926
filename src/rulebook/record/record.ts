/** What became of each rule, as a fold over the journal: its state, its cures, and how it went without it. */
import type { EpochMs, MonoMs } from '../../core/clock.ts';
import type { JournalEntry, JournalFact, Projection } from '../../core/journal.ts';
import type { DenialCode } from '../../core/plan.ts';
import type { RuleState } from '../../core/rule.ts';
import { specOf } from '../../remediation/catalog.ts';
import type { Outcomes } from './uplift.ts';

/** All that is known of one rule. */
export interface RuleRecord {
  readonly rule: string;
  /** Undefined for a rule that was never proposed: a person wrote it, and it is in use. */
  readonly state: RuleState | undefined;
  readonly sha256: string | undefined;
  readonly since: EpochMs | undefined;
  readonly who: string | undefined;
  readonly because: string | undefined;
  /** Calls of the rule that were judged. */
  readonly treated: Outcomes;
  /** Those of them that were judged before a person put the rule back; undefined where nobody did. */
  readonly before?: Outcomes;
  /** Shadow matches in which nothing was changed by anyone: the trouble went by itself, or stayed. */
  readonly control: Outcomes;
  /** Shadow matches in which somebody made the very call that the rule would have made, and whether it cured. */
  readonly agreed: Outcomes;
  /** Shadow matches in all, and those that count for nothing because somebody changed something. */
  readonly shadowed: number;
  readonly disturbed: number;
  /** Whether the last calls cured, oldest first; at most 10. */
  readonly recent: readonly boolean[];
  readonly harms: number;
  /** Times that it asked for what no sound rule asks for. */
  readonly breaches: number;
}

interface Pending {
  readonly rule: string;
  readonly incident: string | undefined;
  readonly channel: string | undefined;
  readonly deadlineMs: MonoMs;
}

/** What a rule on trial would have done in an open incident; the newest 500. */
interface Would {
  readonly rule: string;
  readonly incident: string;
  readonly tool: string;
  /** Somebody has made this call since, and it is counted: once for each incident. */
  readonly isCounted?: true;
}

interface Cure {
  readonly permit: string;
  readonly rule: string;
  /** The rule was put back since. */
  readonly isBefore?: true;
}

export interface RuleRecords {
  readonly records: readonly RuleRecord[];
  /** Undefined in a state that was kept before these were followed. */
  readonly would?: readonly Would[];
  /** Shadow matches whose deadline is to come. */
  readonly pending: readonly Pending[];
  /** The rule whose plan is under way, by run; the newest 200. */
  readonly runs: readonly { readonly run: string; readonly rule: string }[];
  /** Calls that cured, by permit, for those that relapse; the newest 200. */
  readonly cures: readonly Cure[];
}

const RECORDS_MAX = 20_000;
const PENDING_MAX = 500;
const KEPT_MAX = 200;
const RECENT_MAX = 10;
const NONE: Outcomes = { successes: 0, failures: 0 };

/** What no sound rule provokes: the guard refused it for what it is, not for when it came. */
const BREACHES: ReadonlySet<DenialCode> = new Set([
  'tool_unknown',
  'params_invalid',
  'target_mismatch',
  'wrong_remedy',
]);

/** To be registered with the ledger. */
export const ruleRecordsProjection: Projection<RuleRecords> = {
  name: 'rule_records',
  initial: { records: [], pending: [], runs: [], cures: [] },
  apply: (before, entry) => fold(expired(before, entry.monoMs), entry),
};

/** The record of a rule, or an empty one. */
export const recordOf = ({ records }: RuleRecords, rule: string): RuleRecord =>
  records.find((record) => record.rule === rule) ?? emptyRecord(rule);

export const emptyRecord = (rule: string): RuleRecord => ({
  rule,
  ...{ state: undefined, sha256: undefined, since: undefined, who: undefined, because: undefined },
  ...{ treated: NONE, control: NONE, agreed: NONE, shadowed: 0, disturbed: 0, recent: [], harms: 0, breaches: 0 },
});

const plus = (outcomes: Outcomes, success: boolean): Outcomes =>
  success ? { ...outcomes, successes: outcomes.successes + 1 } : { ...outcomes, failures: outcomes.failures + 1 };

function changed(state: RuleRecords, rule: string, change: (record: RuleRecord) => RuleRecord): RuleRecords {
  const at = state.records.findIndex((record) => record.rule === rule);
  const known = state.records[at] ?? emptyRecord(rule);
  if (at >= 0) return { ...state, records: state.records.with(at, change(known)) };
  return { ...state, records: [...state.records, change(known)].slice(-RECORDS_MAX) };
}

/** Shadow matches whose time is over: no person acted, and the trouble did not go. */
function expired(state: RuleRecords, nowMs: MonoMs): RuleRecords {
  if (!state.pending.some(({ deadlineMs }) => deadlineMs < nowMs)) return state;
  const due = state.pending.filter(({ deadlineMs }) => deadlineMs < nowMs);
  return judged(state, due, (record) => ({ ...record, control: plus(record.control, false) }));
}

function judged(state: RuleRecords, due: readonly Pending[], change: (record: RuleRecord) => RuleRecord): RuleRecords {
  const rest: RuleRecords = { ...state, pending: state.pending.filter((one) => !due.includes(one)) };
  return due.reduce((next, { rule }) => changed(next, rule, change), rest);
}

const disturbed = (state: RuleRecords, due: readonly Pending[]): RuleRecords =>
  judged(state, due, (record) => ({ ...record, disturbed: record.disturbed + 1 }));

type Of<T extends JournalFact['type']> = Extract<JournalFact, { type: T }>;

function fold(state: RuleRecords, entry: JournalEntry): RuleRecords {
  const { fact, incident, channel } = entry;
  const about = ({ pending }: RuleRecords) =>
    pending.filter(
      (one) =>
        (incident !== undefined && one.incident === incident) || (channel !== undefined && one.channel === channel),
    );
  switch (fact.type) {
    case 'rule.state_set':
      return stateSet(state, fact, entry.at);
    case 'rule.shadowed': {
      const { rule, deadlineMs } = fact;
      const counted = changed(state, rule, (record) => ({ ...record, shadowed: record.shadowed + 1 }));
      const tool = fact.would.split(' ', 1)[0] ?? '';
      const would = incident === undefined ? [] : [{ rule, incident, tool }];
      const seen = { ...counted, would: [...(state.would ?? []), ...would].slice(-PENDING_MAX) };
      return { ...seen, pending: [...state.pending, { rule, incident, channel, deadlineMs }].slice(-PENDING_MAX) };
    }
    case 'tool.started':
      return specOf(fact.permit.call.tool).effect === 'change' ? disturbed(state, about(state)) : state;
    case 'start.observed':
      return disturbed(state, about(state));
    case 'incident.closed':
      return closed(
        { ...state, would: state.would?.filter((one) => one.incident !== incident) ?? [] },
        fact,
        about(state),
      );
    case 'plan.made':
    case 'guard.decided':
    case 'attempt.scored':
    case 'attempt.relapsed':
      return acted(agreedOn(state, fact, incident), fact, entry.run);
    default:
      return state;
  }
}

/** A new file under a known name starts afresh: its record was another rule's. */
function stateSet(state: RuleRecords, fact: Of<'rule.state_set'>, at: EpochMs): RuleRecords {
  const { rule, sha256, to, who, because } = fact;
  // What its text before would have done says nothing of this one.
  const isSame = recordOf(state, rule).sha256 === sha256;
  const would = isSame ? state.would : state.would?.filter((one) => one.rule !== rule);
  const isBack = isFallen(recordOf(state, rule)) && to !== 'demoted' && to !== 'retired';
  const cures = state.cures.map((one): Cure => (isBack && one.rule === rule ? { ...one, isBefore: true } : one));
  return changed({ ...state, ...(would && { would }), cures }, rule, (record) => {
    const kept = record.sha256 === undefined || record.sha256 === sha256 ? record : emptyRecord(rule);
    // Whoever sets a rule in use again does so knowing its record: the next judgement looks at what comes after.
    const recent = to === 'staging' || to === 'production' ? { recent: [], harms: 0, breaches: 0 } : {};
    const before = isBack ? { before: kept.treated } : {};
    return { ...kept, ...recent, ...before, state: to, sha256, since: at, who, because };
  });
}

const isFallen = ({ state }: RuleRecord): boolean => state === 'demoted' || state === 'retired';

/** It went by itself within the deadline, or somebody saw to it. */
function closed(state: RuleRecords, { ending }: Of<'incident.closed'>, due: readonly Pending[]): RuleRecords {
  if (ending !== 'self_healed') return disturbed(state, due);
  return judged(state, due, (record) => ({ ...record, control: plus(record.control, true) }));
}

/** Somebody else made its call. */
function agreedOn(state: RuleRecords, fact: Acted, incident: string | undefined): RuleRecords {
  if (fact.type !== 'attempt.scored' || fact.cured === undefined) return state;
  const { cured, tool, by } = fact;
  const isSame = (one: Would): boolean => one.incident === incident && one.tool === tool && one.isCounted !== true;
  const same = (state.would ?? []).filter(isSame);
  const others = same.filter(({ rule }) => by.kind !== 'rule' || by.rule !== rule);
  // It stays known: in an incident that goes on, the rule was matched already.
  const would = (state.would ?? []).map((one): Would => (isSame(one) ? { ...one, isCounted: true } : one));
  const rest: RuleRecords = { ...state, would };
  return others.reduce(
    (next, { rule }) => changed(next, rule, (record) => ({ ...record, agreed: plus(record.agreed ?? NONE, cured) })),
    same.length === 0 ? state : rest,
  );
}

type Acted = Of<'plan.made' | 'guard.decided' | 'attempt.scored' | 'attempt.relapsed'>;

function acted(state: RuleRecords, fact: Acted, run: string | undefined): RuleRecords {
  switch (fact.type) {
    case 'plan.made': {
      if (run === undefined) return state;
      const others = state.runs.filter((one) => one.run !== run);
      const by = fact.plan.by.kind === 'rule' ? [{ run, rule: fact.plan.by.rule }] : [];
      return { ...state, runs: [...others, ...by].slice(-KEPT_MAX) };
    }
    case 'guard.decided': {
      const rule = state.runs.find((one) => one.run === run)?.rule;
      const { decision } = fact;
      if (rule === undefined || decision.verdict === 'allow' || !BREACHES.has(decision.code)) return state;
      return changed(state, rule, (record) => ({ ...record, breaches: record.breaches + 1 }));
    }
    case 'attempt.scored':
      return scored(state, fact);
    case 'attempt.relapsed':
      return relapsed(state, fact.permit.id);
  }
}

function scored(state: RuleRecords, { by, cured, permit, harmed }: Of<'attempt.scored'>): RuleRecords {
  if (by.kind !== 'rule' || cured === undefined) return state;
  const next = changed(state, by.rule, (record) => ({
    ...record,
    treated: plus(record.treated, cured),
    recent: [...record.recent, cured].slice(-RECENT_MAX),
    harms: record.harms + (harmed === true ? 1 : 0),
  }));
  return cured ? { ...next, cures: [...next.cures, { permit, rule: by.rule }].slice(-KEPT_MAX) } : next;
}

/** What looked cured and failed again at once was no cure. */
function relapsed(state: RuleRecords, permit: string): RuleRecords {
  const cure = state.cures.find((one) => one.permit === permit);
  if (cure === undefined) return state;
  const rest = { ...state, cures: state.cures.filter((one) => one !== cure) };
  return changed(rest, cure.rule, (record) => {
    const treated = noCure(record.treated);
    if (cure.isBefore === true) return { ...record, treated, before: noCure(record.before ?? NONE) };
    const at = record.recent.lastIndexOf(true);
    return { ...record, treated, recent: at < 0 ? record.recent : record.recent.with(at, false) };
  });
}

const noCure = ({ successes, failures }: Outcomes): Outcomes => ({ successes: successes - 1, failures: failures + 1 });
