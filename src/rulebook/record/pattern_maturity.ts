/** What a record says of a pattern: when a person is offered its promotion, and when it falls by itself. */
import { FAILURES_IN_A_ROW, SHADOWS_MIN } from './maturity.ts';
import { type Outcomes, type Uplift, upliftOf } from './uplift.ts';

/** Fits without any trouble before a pattern falls as too general, if they are more than twice those with trouble. */
export const AIMLESS_MAX = 8;
/** Incidents in a row that a model's naming did not help with: it names something else than what is there. */
export const IDLE_MAX = 5;
const CALLS_MIN = 8;
const BETTER_MIN = 0.1;

/** The part of a pattern's record that speaks for or against it. */
export interface PatternStanding {
  readonly state: string;
  readonly treated: Outcomes;
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
  readonly to: 'promoted';
  /** Incidents that it fitted on trial. */
  readonly n: number;
  readonly because: string;
}

const total = ({ successes, failures }: Outcomes): number => successes + failures;

/** How much better troubles went that it named, against those that it fitted on trial while nobody did anything. */
export const patternUplift = ({ treated, control }: PatternStanding): Uplift => upliftOf(treated, control);

/** After three incidents that it fitted, most of its fits among them; undefined before, and where it is in use. */
export function patternOfferOf(record: PatternStanding): PatternOffer | undefined {
  const { state, incidents, aimless, control } = record;
  if (state !== 'proposed' || incidents < SHADOWS_MIN || aimless * 2 > incidents) return undefined;
  const alone = `left alone, ${control.successes} of ${total(control)} went by themselves`;
  const because = `fitted ${incidents} incidents, and ${aimless} times no trouble at all; ${alone}`;
  return { to: 'promoted', n: incidents, because };
}

/** Why a pattern must speak no longer; undefined while nothing is against it. At once for harm. */
export function patternFallOf(record: PatternStanding): string | undefined {
  const { state, aimless, incidents, harms, recent, treated, control } = record;
  if (state !== 'promoted' && state !== 'proposed') return undefined;
  if (aimless >= AIMLESS_MAX && aimless > 2 * incidents)
    return `too general: it fitted ${aimless} times without any trouble, and ${incidents} incidents`;
  if (state === 'proposed') return undefined;
  if (harms > 0) return 'a channel that had output had none after a call that rested on it';
  if (record.idle >= IDLE_MAX && record.namedBy.startsWith('model '))
    return `${IDLE_MAX} incidents in a row in which what a model named led to nothing`;
  const last = recent.slice(-FAILURES_IN_A_ROW);
  if (last.length === FAILURES_IN_A_ROW && !last.includes(true))
    return `${FAILURES_IN_A_ROW} calls without a cure rested on it`;
  if (total(treated) < CALLS_MIN || total(control) < SHADOWS_MIN) return undefined;
  const { better } = patternUplift(record);
  return better >= BETTER_MIN ? undefined : `better than doing nothing with only ${Math.round(better * 100)} %`;
}
