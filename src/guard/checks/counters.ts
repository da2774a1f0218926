/** The questions that count: caps, breaker, risk, cooldown, window, viewers. */
import { approvalHash, hasYes } from '../../control/approvals.ts';
import { HOUR_MS } from '../../core/duration.ts';
import { accessOf, approversNeeded } from '../../core/persona.ts';
import { keyOfScope } from '../../core/scope.ts';
import { restartsOfDay, restartsOfIncident } from '../state/caps.ts';
import { breakerOf } from '../containment.ts';
import { cooldownOf } from '../state/cooldown.ts';
import { fleetCapOf, fleetRestartsOfDay } from '../state/fleet_cap.ts';
import { isBroken, PLAN_MS_MAX } from '../state/lifecycle.ts';
import { type Answer, type CheckInput, notAsked, pass, refuse } from './check_input.ts';
import { containedBy } from './policy.ts';
import { isStaged, isStart } from '../../remediation/catalog.ts';
import { carriedOver } from '../state/relapses.ts';
import { groupMaxOf, groupRoom, isLastPlanProven, spacingLeftMs, usedByRun } from '../state/spacing.ts';
import { roomFor, stagedRoom, startsMaxOf } from '../state/window.ts';

/** For personas of low risk tolerance. */
const STRICT_STAGED_PER_MINUTE = 10;

/** What a restart keeps viewers waiting where it is not measured. */
export const EXPECTED_GAP_MS = 10_000;

const NO_START = notAsked('not a restart of one channel');

/** Question 10 (law S5). A plan needs the budget of the fleet; each of its starts asks for its own channel as well. */
export function caps(input: CheckInput): Answer {
  if (isStaged(input.call)) return fleetCap(input, '');
  if (!isStart(input.call)) return NO_START;
  const { state, call, incident, persona, limits, nowMs } = input;
  const key = keyOfScope(call.target);
  const used = restartsOfIncident(state, key, incident);
  const day = restartsOfDay(state, key, limits.dailyRestartCap, nowMs);
  const value = `${used} in the incident, ${day.count} in 24 h`;
  const threshold = `under ${persona.restart_cap} and ${limits.dailyRestartCap}`;
  if (used >= persona.restart_cap) {
    const carried = carriedOver(input.target, incident) > 0;
    const before = carried ? ', those before it whose cure did not hold for 30 min included' : '';
    const because = `${used} of ${persona.restart_cap} restarts of this incident are used${before}`;
    return refuse('restart_cap', { value, threshold }, because);
  }
  if (day.freeInMs === 0) return fleetCap(input, `${value}; `, `${threshold}; `);
  const because = `${day.count} of ${limits.dailyRestartCap} restarts of 24 h are used`;
  return refuse('daily_cap', { value, threshold, freeInMs: day.freeInMs }, because);
}

/** What no single channel has used up, all of them together may have. */
function fleetCap({ state, limits, channelCount, nowMs }: CheckInput, value: string, threshold = ''): Answer {
  const max = fleetCapOf(limits, channelCount);
  const { count, freeInMs } = fleetRestartsOfDay(state, max, nowMs);
  const found = { value: `${value}${count} of the fleet in 24 h`, threshold: `${threshold}under ${max} of the fleet` };
  if (count < max) return pass(found.value, found.threshold);
  const because = `${count} of the fleet's ${max} restarts of 24 h are used`;
  return refuse('fleet_daily_cap', { ...found, ...(freeInMs === undefined ? {} : { freeInMs }) }, because);
}

/** Question 11 (law S3). Half-open admits one probe, and the permit's generation says which. */
export function breaker(input: CheckInput): Answer {
  if (!isStart(input.call)) return NO_START;
  const { target, limits, nowMs } = input;
  const view = breakerOf(target, limits, nowMs);
  const threshold = 'closed, or half-open with its probe free';
  switch (view.state) {
    case 'closed':
      return pass(`closed, ${view.failures} of ${limits.breakerFailuresMax} failures`, threshold);
    case 'open': {
      const found = { value: `open, opening ${view.trips}`, threshold, freeInMs: view.untilMs - nowMs };
      return refuse('breaker_open', found, 'restarts of this channel keep failing');
    }
    case 'half_open': {
      if (view.probe === undefined) return pass('half-open, this is the probe', threshold);
      const found = { value: 'half-open, the probe is out', threshold, freeInMs: view.probe.deadlineMs - nowMs };
      return refuse('breaker_probe_taken', found, 'one probe is out, and a second would prove nothing');
    }
  }
}

/** Question 12 (law S4). */
export function highRisk(input: CheckInput): Answer {
  if (input.spec.risk !== 'high') return notAsked('not a high risk');
  if (input.parent !== undefined) return stagedOrder(input);
  const { call, state, group, run, limits, nowMs, persona } = input;
  const key = keyOfScope(call.target);
  const max = groupMaxOf(limits, persona);
  const counted = groupRoom(state, group, { max, limits, nowMs });
  // What has died together since two were started one by one is for the group's plan: its canary and proofs space it.
  const room = isStaged(call) ? { ...counted, freeInMs: 0 } : counted;
  const value = `${room.count} in group ${group}`;
  const threshold = `one per run, ${limits.highRiskSpacingMs} ms apart, under ${max} in the group`;
  if (input.stepHighRiskUsed || usedByRun(state, run)) {
    return refuse('risk_budget', { value: 'this run has used its one', threshold }, 'one high-risk action per run');
  }
  const freeInMs = Math.max(spacingLeftMs(state, key, { limits, nowMs }), room.freeInMs);
  if (freeInMs === 0 || isAfterProof(input)) return pass(value, threshold);
  return refuse('high_risk_spacing', { value, threshold, freeInMs }, 'high-risk actions come too close together');
}

/**
 * The order within a staged start: each channel once; the first start is the canary, and each one that is verified
 * admits two more. A canary that is not verified ends the plan, and so do two others.
 */
function stagedOrder({ state, parent, call, nowMs }: CheckInput): Answer {
  const plan = state.plans[parent!];
  const channel = call.target.kind === 'channel' ? call.target.id : undefined;
  const threshold = 'each channel once, and no more under way than one beyond those verified';
  if (plan === undefined || channel === undefined || !plan.terms.call.channels.includes(channel)) {
    return refuse('risk_budget', { value: 'not in the plan', threshold }, `${channel} is in no staged start under way`);
  }
  if (plan.startedMs === undefined || nowMs >= plan.startedMs + PLAN_MS_MAX) {
    return refuse(
      'risk_budget',
      { value: 'the plan is not under way', threshold },
      'the staged start is not under way',
    );
  }
  if (isBroken(plan, nowMs)) {
    const lost = plan.starts.findLast(({ verdict }) => verdict !== 'cured');
    const value = `${lost?.channel} was not cured`;
    return refuse('risk_budget', { value, threshold }, `the staged start is over: ${value}`);
  }
  if (plan.starts.some((one) => one.channel === channel)) {
    return refuse(
      'risk_budget',
      { value: 'started already', threshold },
      `${channel} was started by this plan already`,
    );
  }
  const underWay = plan.starts.filter(({ verdict, dueMs }) => verdict === undefined && nowMs < dueMs);
  const verified = plan.starts.filter(({ verdict }) => verdict === 'cured').length;
  const [waiting] = underWay;
  if (waiting === undefined || underWay.length < 1 + verified) {
    return pass(`${verified} verified, ${underWay.length} under way`, threshold);
  }
  const found = { value: `${waiting.channel} is not verified yet`, threshold, freeInMs: waiting.dueMs - nowMs };
  return refuse('high_risk_spacing', found, `the staged start waits: ${found.value}`);
}

/** What died in a group after its plan has ended waits for the proofs of that plan, and not for the clock as well. */
const isAfterProof = ({ call, state }: CheckInput): boolean =>
  isStaged(call) && isLastPlanProven(state, keyOfScope(call.target));

/** Question 13 (law S1). In containment every tool waits at least 60 s; so does a staged start on its channel (S4). */
export function cooldown(input: CheckInput): Answer {
  const { spec, subject, limits, nowMs, parent } = input;
  const spacingMs = parent === undefined ? 0 : limits.highRiskSpacingMs;
  const own = Math.max(spacingMs, spec.startsProcess ? limits.restartCooldownMs : spec.cooldownMs);
  const isContained = containedBy(input).length > 0;
  const cooldownMs = isContained ? Math.max(own, limits.containmentCooldownMs) : own;
  const { leftMs, inFlight } = cooldownOf(subject.uses[spec.name], cooldownMs, nowMs);
  const threshold = `${cooldownMs} ms after the end of the last`;
  if (leftMs === 0) return pass('cooled down', threshold);
  if (!inFlight && isAfterProof(input)) return pass('all starts of the last plan are verified', threshold);
  const found = { value: inFlight ? 'the last is still under way' : 'cooling down', threshold, freeInMs: leftMs };
  return refuse('cooldown', found, `${spec.name} ran here too recently`);
}

/** Question 14 (law S2). A staged start leaves one place free, and is limited by the minute as well. */
export function window(input: CheckInput): Answer {
  if (!input.spec.startsProcess) return notAsked('not a start');
  const { state, engine, limits, nowMs, call, parent } = input;
  const isOfPlan = parent !== undefined || isStaged(call);
  const all = startsMaxOf(limits.windowStartsMax);
  const max = isOfPlan ? Math.max(1, all - 1) : all;
  const look = { windowMs: limits.windowMs, nowMs };
  const fleet = roomFor(state.starts, max, look);
  const ofEngine = roomFor(state.starts, max, { ...look, engine });
  const value = `${fleet.count} starts, ${ofEngine.count} of ${engine}`;
  const threshold = `under ${max} in ${limits.windowMs} ms`;
  const freeInMs = Math.max(fleet.freeInMs, ofEngine.freeInMs);
  if (fleet.count < max && ofEngine.count < max) return isOfPlan ? stagedPace(input) : pass(value, threshold);
  return refuse('restart_storm', { value, threshold, freeInMs }, `${value} within ${limits.windowMs / 1_000} s`);
}

/** Staged starts may be many, for each is proven; but never more in a minute than this. */
function stagedPace({ state, limits, persona, nowMs }: CheckInput): Answer {
  const strict = Math.min(limits.stagedStartsPerMinuteMax, STRICT_STAGED_PER_MINUTE);
  const max = persona.risk_tolerance === 'low' ? strict : limits.stagedStartsPerMinuteMax;
  const { count, freeInMs } = stagedRoom(state.starts, max, nowMs);
  const value = `${count} staged starts`;
  const threshold = `under ${max} in 60 s`;
  if (count < max) return pass(value, threshold);
  return refuse('restart_storm', { value, threshold, freeInMs }, `${value} within 60 s`);
}

/** What the restart is expected to cost in viewer-seconds; 0 for a channel that is down anyway. */
export function viewerSecondsOf({ spec, live, envelope }: CheckInput): number | undefined {
  if (spec.risk !== 'high' || live.viewers === undefined) return undefined;
  if (envelope?.channelHealthy === false) return 0;
  return (live.viewers * (live.restartGapMs ?? EXPECTED_GAP_MS)) / 1_000;
}

/** Question 15. A channel that is down costs its viewers nothing more: it is never held down for their sake. */
export function viewers(input: CheckInput): Answer {
  const { state, limits, nowMs } = input;
  const max = limits.viewerSecondsPerHourMax;
  const cost = viewerSecondsOf(input);
  if (max === undefined) return notAsked('no budget is set');
  if (cost === undefined) return notAsked('viewers are not known, or not at risk');
  const recent = state.viewerSpends.filter((spend) => spend.atMs > nowMs - HOUR_MS);
  const spent = recent.reduce((sum, spend) => sum + spend.seconds, 0);
  const value = `${spent} spent, ${cost} more`;
  const threshold = `${max} viewer-seconds in 60 min`;
  if (cost === 0 || spent + cost <= max) return pass(value, threshold);
  let left = spent;
  const last = recent.find(({ seconds }) => {
    left -= seconds;
    return left + cost <= max;
  });
  const found = last === undefined ? {} : { freeInMs: last.atMs + HOUR_MS - nowMs };
  return refuse('viewer_budget', { value, threshold, ...found }, `it would cost ${cost} viewer-seconds`);
}

/** By a reload the plan under way may need a yes that was not asked for. */
function wholeApproval({ parent, wholePersona, spec, state, incident }: CheckInput): Answer | undefined {
  const plan = parent === undefined ? undefined : state.plans[parent];
  if (plan === undefined || plan.terms.approval !== undefined || wholePersona === undefined) return undefined;
  if (accessOf(wholePersona, spec.name) !== 'require_approval') return undefined;
  const because = `persona ${wholePersona.id} (${keyOfScope(incident.scope)}) wants a person's yes to the plan by now`;
  const found = { value: 'a plan without a yes', threshold: "a person's yes", scopes: [incident.scope] };
  return refuse('approval_needed', found, because);
}

/** Question 16, asked only when nothing else refuses. A yes serves once, and only for exactly what was asked. */
export function approval(input: CheckInput): Answer {
  const { persona, spec, call, envelope, control, nowMs } = input;
  const access = accessOf(persona, spec.name);
  const whole = wholeApproval(input);
  if (whole !== undefined) return whole;
  // A start of a staged plan rests on what the plan was weighed by.
  const isOnTrial = envelope?.onTrial === true && spec.effect === 'change' && input.parent === undefined;
  if (access !== 'require_approval' && !isOnTrial) return pass(access, 'no approval needed');
  if (input.parent !== undefined && input.state.plans[input.parent]?.terms.approval !== undefined) {
    return pass('yes to the whole plan', "a person's yes");
  }
  const hash = approvalHash(call, envelope?.failureClassification);
  const eyes = approversNeeded(persona);
  const threshold = eyes === 2 ? 'the yes of two people to exactly this' : "a person's yes to exactly this";
  if (input.approval !== undefined && hasYes(control, input.approval, hash, { nowMs, eyes })) {
    return pass(`yes to ${input.approval}`, threshold);
  }
  const value = input.approval === undefined ? 'not asked yet' : `${input.approval} is no yes to exactly this`;
  const who = access === 'require_approval' ? `persona ${persona.id}` : 'a pattern in staging, which alone names this,';
  return refuse('approval_needed', { value, threshold }, `${who} wants a person's yes to ${spec.name}`);
}
