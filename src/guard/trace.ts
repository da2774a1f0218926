/** Explains the answers of the guard. */
import { JOURNAL_ENDS } from '../core/contained.ts';
import type { DenialCode, GuardCheck } from '../core/plan.ts';

const TARGET_QUESTION_ID = 1;
const JOURNAL_QUESTION_ID = 17;

const FREE_IN = /; free in (\d+) ms$/;

/** `14 s`, `2 min 5 s`, `3 h 20 min`: rounded up, for waiting less would not do. */
export function waitText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}

/** Every command that permits something asks for it. */
const WHY = '--because "…"';

/** What to change where waiting alone does not do it, or is not the only way. Commands can be typed as they stand. */
const CHANGES: Readonly<Record<DenialCode, (check: GuardCheck, target: string) => string>> = {
  tool_unknown: () => 'name one of the seven tools',
  params_invalid: () => 'give the tool the target it takes',
  target_mismatch: (check) => `ask for ${check.threshold}, which the incident is about`,
  frozen: () => `reeve thaw ${WHY}`,
  hands_off: (check) => `reeve lease ${firstWord(check)} --end ${WHY}`,
  maintenance: (check) => `reeve maintenance end ${MAINTENANCE.exec(check.value)?.[1] ?? 'ID'} ${WHY}`,
  phase: (check) => `reeve ${check.threshold}${groupOption(check)} ${WHY}`,
  no_capability: (check) => `an engine that has the capability ${check.threshold}`,
  mode_forbids: (check) => `operational_mode: ${check.threshold} in the persona`,
  persona_denies: () => 'the tool named in the persona (tool_access_policy)',
  containment: ({ value }) =>
    `the end of containment: ${value}${value.includes('journal_error') ? `; ${JOURNAL_ENDS}` : ''}`,
  shared_cause: () => 'the end of the shared cause, or an action on the whole group',
  evidence_missing: (check) => `needs ${check.threshold}`,
  evidence_stale: (check) => `needs evidence ${check.threshold}`,
  wrong_remedy: (check) => `a failure that it cures: ${check.threshold}`,
  uncorroborated: () => 'needs a second signal that is not log text',
  already_tried: (_, target) => `another fix, or reeve reset ${target} ${WHY}`,
  restart_cap: () => 'a higher restart_cap in the persona',
  daily_cap: () => 'a higher limits.daily_restart_cap',
  fleet_daily_cap: () => 'a higher limits.fleet_daily_restart_cap',
  breaker_open: (_, target) => `reeve reset ${target} ${WHY}`,
  breaker_probe_taken: () => 'the verdict on the probe',
  risk_budget: () => 'a new run',
  high_risk_spacing: () => 'nothing but time',
  cooldown: () => 'nothing but time',
  restart_storm: () => 'fewer starts, by any party',
  viewer_budget: () => 'fewer viewers, or a higher limits.viewer_seconds_per_hour_max',
  approval_needed: () => 'a yes, once it is asked for: reeve approvals',
  journal_unwritable: () => 'a journal that is whole and takes entries; reeve status says what is wrong with it',
};

const MAINTENANCE = /^maintenance (\S+) of /;
const OF_GROUP = / of group (\S+)$/;

/** A phase that a group has of its own is set for that group. */
const groupOption = ({ value }: GuardCheck): string => {
  const group = OF_GROUP.exec(value)?.[1];
  return group === undefined ? '' : ` --group ${group}`;
};

const firstWord = ({ value }: GuardCheck): string => value.split(' ', 1).join('');

/** Waiting is all that these ask for: no other change is named beside it. */
const TIME_ONLY: ReadonlySet<DenialCode> = new Set([
  'high_risk_spacing',
  'cooldown',
  'evidence_missing',
  'breaker_probe_taken',
]);

function flipOf(check: GuardCheck, target: string): string {
  const change = CHANGES[check.code!](check, target);
  const wait = FREE_IN.exec(check.value)?.[1];
  if (wait === undefined) return change;
  const text = `wait ${waitText(Number(wait))}`;
  return TIME_ONLY.has(check.code!) ? text : `${text}, or ${change}`;
}

/**
 * The smallest change that would flip each refusal of a trace, in the order of the questions. All of them are needed.
 */
export function flipsOf(trace: readonly GuardCheck[]): readonly string[] {
  const target = trace.find(({ id }) => id === TARGET_QUESTION_ID)?.value ?? 'CHANNEL';
  return trace
    .filter((check) => check.verdict === 'refuse' && check.code !== undefined)
    .map((check) => flipOf(check, target));
}

/** The trace as it turned out: the last question passed when it was asked, and the append refused it. */
export const unwritten = (trace: readonly GuardCheck[], because: string): readonly GuardCheck[] =>
  trace.map((check) =>
    check.id === JOURNAL_QUESTION_ID
      ? { ...check, verdict: 'refuse', value: because, code: 'journal_unwritable' }
      : check,
  );
