/** What a record says of a pattern: when a person is offered its promotion, and when it falls by itself. */
import { isInUse, isTried, type PatternStage } from '../../detect/patterns/records.ts';
import { FAILURES_IN_A_ROW, SHADOWS_MIN } from './maturity.ts';
import { type Outcomes, since, type Uplift, upliftOf } from './uplift.ts';

/** Fits without any trouble before a pattern falls as too general, if they are more than twice those with trouble. */
export const AIMLESS_MAX = 8;
/** Incidents in a row that a model's naming did not help with: it names something else than what is there. */
export const IDLE_MAX = 5;
/** Incidents in staging before production is offered without judged calls. */
export const STAGED_MIN = 5;
const CALLS_MIN = 8;
const BETTER_MIN = 0.1;

/** The part of a pattern's record that speaks for or against it. */
export interface PatternStanding {
  readonly state: PatternStage;
  readonly treated: Outcomes;
  /** Those of them that were judged before a person put it back. */
  readonly before?: Outcomes;
  readonly control: Outcomes;
  readonly aimless: number;
  readonly incidents: number;
  readonly idle: number;
  readonly namedBy: string;
  readonly recent: readonly boolean[];
  readonly harms: number;
}

/** What a person is asked about a pattern. */
export interface PatternOffer {
  readonly to: PatternStage;
  /** Incidents that it fitted on trial, or judged calls that rested on it. */
  readonly n: number;
  readonly because: string;
}

const total = ({ successes, failures }: Outcomes): number => successes + failures;

/** How much better troubles went that it named, against those that it fitted on trial while nothing was done. */
export const patternUplift = ({ treated, before, control }: PatternStanding): Uplift =>
  upliftOf(since(treated, before), control);

const isModels = ({ namedBy }: Pick<PatternStanding, 'namedBy'>): boolean => namedBy.startsWith('model ');

/** What a person may do with a pattern in each state. What a person named goes into production at once. */
const MOVES: Readonly<Record<PatternStage, readonly PatternStage[]>> = {
  proposed: ['staging', 'retired'],
  shadow: ['staging', 'retired'],
  staging: ['production', 'demoted', 'retired'],
  production: ['staging', 'demoted', 'retired'],
  demoted: ['staging', 'production', 'retired'],
  retired: ['shadow', 'staging'],
};

/** What a person may set, in the order in which it is meant; the first is what `promote` does. */
export function patternMovesOf(record: Pick<PatternStanding, 'state' | 'namedBy'>): readonly PatternStage[] {
  const moves = MOVES[record.state];
  return isTried(record.state) && !isModels(record) ? ['production', ...moves] : moves;
}

/** The state that a promotion leads to; undefined where it leads no further. */
export const patternNextOf = (record: Pick<PatternStanding, 'state' | 'namedBy'>): PatternStage | undefined =>
  record.state === 'production' ? undefined : patternMovesOf(record).find(isInUse);

/**
 * On trial: after three incidents that it fitted, most of its fits among them. In staging: after three judged calls
 * that rested on it, when the whole 90 % interval of the uplift is above 0; and where fewer did, because its incidents
 * had a name without it or got no yes, after five more incidents. Undefined before, and in every other state.
 */
export function patternOfferOf(record: PatternStanding): PatternOffer | undefined {
  const { state, incidents, aimless, control } = record;
  const treated = since(record.treated, record.before);
  const isStaging = state === 'staging';
  if (!isStaging && !isTried(state)) return undefined;
  const alone = `left alone, ${control.successes} of ${total(control)} went by themselves`;
  const n = total(treated);
  if (isStaging && n >= SHADOWS_MIN) {
    const { low, high } = patternUplift(record);
    if (low <= 0) return undefined;
    const range = `${Math.round(low * 100)} % to ${Math.round(high * 100)} %`;
    return { to: 'production', n, because: `${treated.successes} of ${n} calls cured; ${alone}: better by ${range}` };
  }
  if (incidents < (isStaging ? STAGED_MIN : SHADOWS_MIN) || aimless * 2 > incidents) return undefined;
  const because = `fitted ${incidents} incidents, and ${aimless} times no trouble at all; ${alone}`;
  return { to: isStaging ? 'production' : (patternNextOf(record) ?? 'staging'), n: incidents, because };
}

/** Why a pattern must speak no longer; undefined while nothing is against it. At once for harm. */
export function patternFallOf(record: PatternStanding): string | undefined {
  const { state, aimless, incidents, harms, recent, control } = record;
  if (!isInUse(state) && !isTried(state)) return undefined;
  if (aimless >= AIMLESS_MAX && aimless > 2 * incidents)
    return `too general: it fitted ${aimless} times without any trouble, and ${incidents} incidents`;
  if (isTried(state)) return undefined;
  if (harms > 0) return 'a channel that had output had none after a call that rested on it';
  if (record.idle >= IDLE_MAX && isModels(record))
    return `${IDLE_MAX} incidents in a row in which what a model named led to nothing`;
  const last = recent.slice(-FAILURES_IN_A_ROW);
  if (last.length === FAILURES_IN_A_ROW && !last.includes(true))
    return `${FAILURES_IN_A_ROW} calls without a cure rested on it`;
  if (total(since(record.treated, record.before)) < CALLS_MIN || total(control) < SHADOWS_MIN) return undefined;
  const { better } = patternUplift(record);
  return better >= BETTER_MIN ? undefined : `better than doing nothing with only ${Math.round(better * 100)} %`;
}
