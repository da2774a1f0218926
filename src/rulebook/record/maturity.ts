/** What a record says of a rule: when a person is offered its promotion, and when it falls by itself. */
import type { RuleState } from '../../core/rule.ts';
import type { Standing } from '../rank.ts';
import type { RuleRecord } from './record.ts';
import { since, type Uplift, upliftOf } from './uplift.ts';

/** Undisturbed shadow matches before a rule is offered for use. */
export const SHADOWS_MIN = 3;
/** Times that others made a shadow rule's own call, and the share of cures among them, before it is offered for use. */
const AGREED_MIN = 5;
const AGREED_SHARE = 0.8;
/** Judged calls before a rule in staging is offered for production, and before its rate is held against it. */
export const CALLS_MIN = 8;
/** So many calls in a row without a cure take a rule out of use: a useless rule lasts no longer. */
export const FAILURES_IN_A_ROW = 5;
/** A rule that is better than doing nothing only with less than this probability falls. */
const BETTER_MIN = 0.1;

/** What a person is asked, with everything it rests on. */
export interface Offer {
  readonly to: RuleState;
  /** Judged calls, or undisturbed shadow matches. */
  readonly n: number;
  readonly uplift: Uplift;
  /** Calls that it would have made, or has made. */
  readonly calls: number;
  readonly because: string;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const total = ({ successes, failures }: RuleRecord['treated']): number => successes + failures;

/** The next state that a record speaks for; undefined where it does not yet, or no longer. */
export function offerOf(record: RuleRecord): Offer | undefined {
  const treated = since(record.treated, record.before);
  const uplift = upliftOf(treated, record.control);
  const without = total(record.control);
  const alone = `left alone it went by itself ${record.control.successes} of ${without} times`;
  const agreed = record.agreed ?? { successes: 0, failures: 0 };
  if (record.state === 'shadow' && total(agreed) >= AGREED_MIN && agreed.successes >= AGREED_SHARE * total(agreed)) {
    const because = `others made its call ${total(agreed)} times, and it cured ${agreed.successes} times; ${alone}`;
    return {
      to: 'staging',
      n: total(agreed),
      uplift: upliftOf(agreed, record.control),
      calls: record.shadowed,
      because,
    };
  }
  if (record.state === 'shadow' && without >= SHADOWS_MIN && record.control.failures > 0) {
    const because = `${alone}; the rule would have made ${record.shadowed} calls`;
    return { to: 'staging', n: without, uplift, calls: record.shadowed, because };
  }
  const n = total(treated);
  if (record.state !== 'staging' || n < CALLS_MIN || uplift.low <= 0) return undefined;
  const range = `${percent(uplift.low)} to ${percent(uplift.high)}`;
  const because = `cured ${treated.successes} of ${n}; ${alone}: better by ${range}`;
  return { to: 'production', n, uplift, calls: n, because };
}

/**
 * Why a rule that was learned must not act any longer; undefined while nothing speaks against it. At once for harm or
 * an attempted breach. One that a person put back is judged by what came after that. Rules that a person wrote are
 * never taken out of use: they are shown as struggling.
 */
export function fallOf(record: RuleRecord): string | undefined {
  if (record.state !== 'staging' && record.state !== 'production') return undefined;
  if (record.breaches > 0) return 'it asked for what the guard never allows';
  if (record.harms > 0) return 'a channel that had output had none after it';
  const last = record.recent.slice(-FAILURES_IN_A_ROW);
  if (last.length === FAILURES_IN_A_ROW && !last.includes(true)) return `${FAILURES_IN_A_ROW} calls without a cure`;
  const treated = since(record.treated, record.before);
  if (total(treated) < CALLS_MIN || total(record.control) < SHADOWS_MIN) return undefined;
  const { better } = upliftOf(treated, record.control);
  return better >= BETTER_MIN ? undefined : `better than doing nothing with only ${percent(better)}`;
}

const ACTING: ReadonlySet<RuleState | undefined> = new Set([undefined, 'staging', 'production']);

/** What the rulebook asks of a record. A rule without a state was written by a person, and is in use. */
export const standingOf = ({ treated, state }: RuleRecord): Standing => ({
  ...treated,
  onTrial: state === 'staging',
  retired: !ACTING.has(state),
});

/** Cured less often than not, over at least four calls: what `reeve stats` shows as struggling. */
export const isStruggling = ({ treated }: RuleRecord): boolean =>
  total(treated) >= 4 && treated.failures > treated.successes;

/** What a person may do with a rule in each state. */
const MOVES: Readonly<Record<RuleState, readonly RuleState[]>> = {
  proposed: ['shadow', 'retired'],
  shadow: ['staging', 'retired'],
  staging: ['production', 'demoted', 'shadow', 'retired'],
  production: ['demoted', 'retired'],
  demoted: ['shadow', 'staging', 'production', 'retired'],
  retired: ['shadow', 'staging', 'production'],
};

/** Undefined where a person may set that state; else what may be set instead, as a sentence. */
export function refusalOfMove(record: RuleRecord, to: RuleState): string | undefined {
  const from = record.state ?? 'production';
  if (MOVES[from].includes(to)) return undefined;
  return `${record.rule} is in ${from}; from there it may go to ${MOVES[from].join(', ')}, not to ${to}`;
}
