/** The questions about evidence. */
import type { GroundedContextEnvelope, Signal } from '../../core/envelope.ts';
import { accessOf, CONFIDENCE_MIN } from '../../core/persona.ts';
import { keyOfScope } from '../../core/scope.ts';
import { evidenceKindOf } from '../../core/symptom.ts';
import { curesOf } from '../../remediation/catalog.ts';
import { ageOf } from '../state/state.ts';
import { type Answer, type CheckInput, notAsked, pass, refuse } from './check_input.ts';
import { triedMs } from './tried.ts';

/**
 * Question 8 (law S10), from the coarse to the fine: is there evidence, is it fresh, does it fit, do two kinds agree?
 */
export function evidence(input: CheckInput): Answer {
  const { spec, envelope } = input;
  if (spec.effect === 'observe') return notAsked('this tool only looks');
  if (input.parent !== undefined) return ownState(input);
  if (envelope === undefined) {
    return refuse('evidence_missing', { value: 'no envelope', threshold: 'an envelope' }, 'nothing was looked at');
  }
  return missing(input, envelope) ?? stale(input, envelope) ?? unfit(input, envelope) ?? alone(input, envelope);
}

/** The plan rests on the group's evidence; each of its starts on what is seen of the channel itself, now. */
function ownState(input: CheckInput): Answer {
  const { envelope } = input;
  if (envelope === undefined) return notAsked('weighed with the plan');
  const threshold = 'a channel that is down';
  if (envelope.channelHealthy === true) {
    return refuse('evidence_missing', { value: 'it plays', threshold }, 'it plays by now');
  }
  if (envelope.signals.length === 0) {
    return refuse('evidence_missing', { value: 'no signal', threshold }, 'nothing shows that it is down');
  }
  return stale(input, envelope) ?? pass('down by fresh samples', 'its own state, fresh');
}

function missing({ call, persona, incident }: CheckInput, envelope: GroundedContextEnvelope): Answer | undefined {
  const { failureClassification: found, confidence } = envelope;
  const about = keyOfScope(envelope.scope);
  const isAbout =
    about === keyOfScope(call.target) || (call.target.kind !== 'channel' && about === keyOfScope(incident.scope));
  if (!isAbout) {
    const because = `the evidence is about ${about}, not about ${keyOfScope(call.target)}`;
    return refuse('evidence_missing', { value: about, threshold: keyOfScope(call.target) }, because);
  }
  if (found === undefined || found === 'unknown') {
    const value = found ?? 'no classification';
    return refuse('evidence_missing', { value, threshold: 'a classification' }, 'the failure is not classified');
  }
  if (envelope.signals.length === 0) {
    return refuse('evidence_missing', { value: 'no signal', threshold: 'a signal' }, 'no witness of the failure');
  }
  const sureMin = CONFIDENCE_MIN[persona.risk_tolerance];
  if (confidence >= sureMin) return undefined;
  const value = `confidence ${confidence.toFixed(2)}`;
  const because = `${value} is below what persona ${persona.id} asks for`;
  return refuse('evidence_missing', { value, threshold: `confidence ${sureMin}` }, because);
}

/** Younger than the limit, and not from the future: what cannot be dated is not fresh. */
const isFresh = (takenMs: number, { nowMs, limits, state }: CheckInput): boolean =>
  takenMs <= nowMs && ageOf(state, takenMs, nowMs) < limits.evidenceAgeMsMax;

const freshSignals = (input: CheckInput, envelope: GroundedContextEnvelope): readonly Signal[] =>
  envelope.signals.filter((signal) => isFresh(signal.monoMs, input));

function stale(input: CheckInput, envelope: GroundedContextEnvelope): Answer | undefined {
  const threshold = `under ${input.limits.evidenceAgeMsMax} ms old`;
  if (!isFresh(envelope.takenMs, input)) {
    const value = `envelope ${ageOf(input.state, envelope.takenMs, input.nowMs)} ms old`;
    return refuse('evidence_stale', { value, threshold }, `too old: the ${value}`);
  }
  if (freshSignals(input, envelope).length > 0) return undefined;
  const youngestMs = Math.max(...envelope.signals.map((signal) => signal.monoMs));
  const value = `youngest signal ${ageOf(input.state, youngestMs, input.nowMs)} ms old`;
  return refuse('evidence_stale', { value, threshold }, `too old: the ${value}`);
}

function unfit({ spec, state, incident }: CheckInput, envelope: GroundedContextEnvelope): Answer | undefined {
  const found = envelope.failureClassification!;
  if (spec.cures.includes(found)) return undefined;
  const fixes = spec.mayFollowCureOf.includes(found) ? curesOf(found) : [];
  if (state.incidents[incident.id]?.fixed.some((tool) => fixes.includes(tool))) return undefined;
  const after = fixes.length === 0 ? '' : ` before ${fixes.join(' or ')} is verified`;
  const threshold = fixes.length === 0 ? spec.cures.join(', ') : `a verified ${fixes.join(' or ')}`;
  return refuse('wrong_remedy', { value: found, threshold }, `${spec.name} does not cure ${found}${after}`);
}

/** Two independent witnesses: all that others say is one, so at least one of two is none that they can forge. */
function alone(input: CheckInput, envelope: GroundedContextEnvelope): Answer {
  const { spec, persona } = input;
  const fresh = freshSignals(input, envelope);
  const kinds = [...new Set(fresh.map(({ origin, pushed }) => (pushed === true ? `pushed ${origin}` : origin)))];
  const value = `${envelope.failureClassification} by ${kinds.join(' and ')}`;
  const isNeeded = spec.risk === 'high' || accessOf(persona, spec.name) === 'require_evidence';
  if (!isNeeded) return pass(value, 'a fresh classification that this tool cures');
  const threshold = 'two kinds of evidence, one of them not log text';
  const witnesses = new Set(fresh.map(evidenceKindOf));
  if (witnesses.size >= 2) return pass(value, threshold);
  return refuse('uncorroborated', { value, threshold }, `${value} alone: ${threshold} are needed`);
}

/**
 * Question 9. The same fix against the same fingerprint is not repeated; and where a change began and it is unknown how
 * it ended (law S6), nothing more is begun: whatever it was, it has been tried.
 */
export function alreadyTried({ spec, envelope, limits, nowMs, subject, target, parent }: CheckInput): Answer {
  if (spec.effect === 'observe') return notAsked('this tool only looks');
  const blocking = target.unknown ?? subject.unknown;
  if (blocking !== undefined) {
    const value = `${blocking.tool} of ${blocking.permit} ended UNKNOWN`;
    const because = `${value}: whether it happened is not known`;
    return refuse('already_tried', { value, threshold: 'seen healthy, or reset' }, because);
  }
  if (parent !== undefined || envelope === undefined) return notAsked('weighed with the plan');
  const { fingerprint } = envelope;
  const memoryMs = limits.fingerprintMemoryMs;
  const atMs = triedMs(subject, { tool: spec.name, fingerprint }, { memoryMs, nowMs });
  const threshold = `not within ${memoryMs} ms`;
  if (atMs === undefined) return pass('not tried', threshold);
  const found = { value: `tried ${nowMs - atMs} ms ago`, threshold, freeInMs: atMs + memoryMs - nowMs };
  return refuse('already_tried', found, `${spec.name} was tried against this very failure and did not cure it`);
}
