/** Asks once more about a permitted call when its permit is redeemed, and before each further try of the call. */
import { keyOfScope } from '../core/scope.ts';
import { containedText } from '../core/contained.ts';
import { checkInputAgain, type DecisionState } from './checks/ask.ts';
import { type Answer, type CheckInput, refuse } from './checks/check_input.ts';
import { approval } from './checks/counters.ts';
import { evidence } from './checks/evidence.ts';
import { containedBy, handsOff, isStoppedByContainment, persona, phase } from './checks/policy.ts';
import { restartsOfDay, restartsOfIncident } from './state/caps.ts';
import { fleetCapOf, fleetRestartsOfDay } from './state/fleet_cap.ts';
import { ageOf, containmentKey } from './state/state.ts';
import { isStart } from '../remediation/catalog.ts';

/** A permitted call as it was weighed. */
export interface Granted {
  readonly input: CheckInput;
  /** The start that fills the window brings its own containment with it. */
  readonly isNth: boolean;
}

/** What people, a reload or the rollout may have taken away since; the counters were reserved with the permit. */
const ASKED_AGAIN = [handsOff, phase, persona, caps] as const;
/** What the persona of now may ask for beyond the one of then. A call under way was begun on it. */
const ASKED_AT_THE_BEGINNING = [evidence, yes] as const;
const OWN_STORM = containmentKey({ kind: 'fleet' }, 'restart_storm');

/**
 * Why the call may not begin, or not be tried again, as the world is now; undefined: it may. Laws S8 and S9: a person
 * may have frozen Reeve, a reload may have brought a stricter persona, containment may have come. Law T3: the machine
 * may have slept.
 */
export function whyNotNow(
  { input, isNth }: Granted,
  world: DecisionState,
  stage: 'begin' | 'again',
): string | undefined {
  const isOld = ageOf(world.state, input.nowMs, world.nowMs) >= input.limits.permitMs;
  if (stage === 'begin' && isOld) return 'the permit has expired while the machine slept';
  const now = checkInputAgain(input, world);
  const questions = stage === 'begin' ? [...ASKED_AGAIN, ...ASKED_AT_THE_BEGINNING] : ASKED_AGAIN;
  for (const ask of questions) {
    const answer = ask(now);
    if (answer?.verdict === 'refuse') return `${answer.code}: ${answer.because}, since it was permitted`;
  }
  if (!isStoppedByContainment(now)) return undefined;
  const reasons = containedBy(now, isNth ? OWN_STORM : undefined);
  return reasons.length === 0
    ? undefined
    : `containment: contained since it was permitted: ${reasons.map(containedText).join('; ')}`;
}

/** Question 10 with the permit's own start counted already: a reload may have lowered the caps. */
function caps(input: CheckInput): Answer | undefined {
  const { call, state, incident, persona, limits, nowMs, channelCount } = input;
  const { restart_cap: cap } = persona;
  if (!isStart(call)) return undefined;
  const key = keyOfScope(call.target);
  const used = restartsOfIncident(state, key, incident);
  const { count } = restartsOfDay(state, key, limits.dailyRestartCap, nowMs);
  const found = { value: `${used} and ${count}`, threshold: 'the caps' };
  if (used > cap) return refuse('restart_cap', found, `the cap of restarts of this incident was lowered to ${cap}`);
  if (count > limits.dailyRestartCap) {
    return refuse('daily_cap', found, `the cap of restarts of a day was lowered to ${limits.dailyRestartCap}`);
  }
  const fleetMax = fleetCapOf(limits, channelCount);
  if (fleetRestartsOfDay(state, fleetMax, nowMs).count <= fleetMax) return undefined;
  return refuse('fleet_daily_cap', found, `the fleet's budget of a day was lowered to ${fleetMax}`);
}

/** Question 16, for a persona that asks for a yes by now. The yes that the permit rests on was used up with it. */
function yes(now: CheckInput): Answer | undefined {
  return now.approval === undefined ? approval(now) : undefined;
}
