/** The questions about what policy and people allow. */
import { leaseText, windowText } from '../../control/holds.ts';
import { frozenNow, leaseOf, whyHeld, windowOf } from '../../control/state.ts';
import { containedText } from '../../core/contained.ts';
import type { Phase } from '../../core/control.ts';
import { accessOf, type Persona } from '../../core/persona.ts';
import { keyOfScope, type Scope, sameScope } from '../../core/scope.ts';
import type { ToolSpec } from '../../core/tool.ts';
import { clockTrigger, journalTrigger, poolTrigger, type Trigger } from '../containment.ts';
import { type Answer, type CheckInput, notAsked, pass, refuse } from './check_input.ts';
import { isStaged, specOf } from '../../remediation/catalog.ts';
import { containmentKey, containmentsOf } from '../state/state.ts';

const OBSERVES = notAsked('this tool only looks');

/** Question 1, second half: the tool is known; do the parameters make sense, and are they the incident's own? */
export function target(input: CheckInput): Answer {
  const { call, incident, engine } = input;
  const value = keyOfScope(call.target);
  const threshold = keyOfScope(incident.scope);
  const wrong = wrongParams(input);
  if (wrong !== undefined) return refuse('params_invalid', { value, threshold }, wrong);
  if (input.parent !== undefined) return pass(value, `staged start ${input.parent}`);

  const isOwn = sameScope(call.target, incident.scope);
  const isOwnEngine =
    call.target.kind === 'engine' && engine === incident.engine && call.target.id === engine && !isStaged(call);
  const isMember =
    specOf(call.tool).effect === 'observe' &&
    call.target.kind === 'channel' &&
    incident.channels.includes(call.target.id);
  if (isOwn || isOwnEngine || isMember) return pass(value, threshold);
  return refuse('target_mismatch', { value, threshold }, `${value} is not what incident ${incident.id} is about`);
}

function wrongParams({ call, incident, channelOf, group }: CheckInput): string | undefined {
  const kinds = specOf(call.tool).targets;
  if (!kinds.includes(call.target.kind)) return `${call.tool} takes a ${kinds.join(' or ')}, not a ${call.target.kind}`;
  if (!isStaged(call)) return call.channels.length === 0 ? undefined : 'only a staged start names several channels';
  if (call.channels.length === 0) return 'a staged start names its channels, canary first';
  if (new Set(call.channels).size !== call.channels.length) return 'a staged start names each channel once';
  const stray = call.channels.find((id) => {
    const ref = channelOf(id);
    const isInside = call.target.kind === 'engine' ? ref?.engine === call.target.id : ref?.group === group;
    return !isInside || !incident.channels.includes(id);
  });
  return stray === undefined
    ? undefined
    : `${stray} is not one of the incident's channels in ${keyOfScope(call.target)}`;
}

/** Question 2: has a person said no? */
export function handsOff({ spec, control, scopes, nowMs }: CheckInput): Answer {
  if (spec.effect === 'observe') return OBSERVES;
  const threshold = 'not frozen, no lease, no maintenance';
  const frozen = frozenNow(control);
  if (frozen !== undefined) {
    const because = `frozen by ${frozen.who}: ${frozen.because}`;
    return refuse('frozen', { value: `frozen by ${frozen.who}`, threshold }, because);
  }
  const lease = leaseOf(control, scopes, nowMs);
  if (lease !== undefined) {
    const found = { value: leaseText(lease), threshold, freeInMs: lease.untilMs - nowMs, scopes: [lease.scope] };
    return refuse('hands_off', found, `${found.value}: ${lease.because}`);
  }
  const window = windowOf(control, scopes, nowMs);
  if (window === undefined) return pass('nobody said no', threshold);
  const found = { value: windowText(window), threshold, freeInMs: window.untilMs - nowMs, scopes: [window.scope] };
  return refuse('maintenance', found, `${found.value}: ${window.because}`);
}

/** The first phase in which a tool may run. */
export function phaseNeeded(spec: ToolSpec): Phase {
  if (spec.effect === 'observe') return 1;
  return spec.risk === 'low' ? 2 : 3;
}

/** Question 3. */
export function phase({ spec, phase: now, phaseOfGroup: group, control }: CheckInput): Answer {
  const needed = phaseNeeded(spec);
  const whose = group === undefined || now >= needed ? '' : ` of group ${group}`;
  const found = { value: `phase ${now}${whose}`, threshold: `phase ${needed}` };
  if (now >= needed) return pass(found.value, found.threshold);
  const what = spec.effect === 'observe' ? 'tools that look' : `${spec.risk}-risk changes`;
  const held = control.heldPhase === now ? ` (held there since ${whyHeld(control)})` : '';
  return refuse('phase', found, `phase ${now}${whose}${held} does not allow ${what}; phase ${needed} does`);
}

/** Question 4. A staged start needs it of every engine that its channels run on. */
export function capability({ spec, call, engine, channelOf, capabilitiesOf }: CheckInput): Answer {
  const engines = isStaged(call) ? call.channels.map((id) => channelOf(id)?.engine ?? engine) : [engine];
  const lacking = engines.find((id) => !capabilitiesOf(id).has(spec.capability));
  if (lacking === undefined) return pass(`${engine} can ${spec.capability}`, spec.capability);
  const found = { value: `${lacking} cannot ${spec.capability}`, threshold: spec.capability };
  return refuse('no_capability', found, `engine ${lacking} cannot do what ${spec.name} needs (${spec.capability})`);
}

/**
 * Question 5. A tool that the persona does not name is denied; a mode can only take away. A start of a staged plan
 * needs the channel's own persona and that of the group or engine whose plan it is (law S9).
 */
export function persona({ spec, persona: own, wholePersona, incident }: CheckInput): Answer {
  const answer = allowedBy(own, spec);
  if (answer.verdict === 'refuse' || wholePersona === undefined) return answer;
  const ofPlan = allowedBy(wholePersona, spec, incident.scope);
  return ofPlan.verdict === 'refuse' ? ofPlan : answer;
}

/** What question 5 says of one persona, whatever the target. `of`: the group or engine whose persona it is. */
export function allowedBy(rules: Persona, spec: ToolSpec, of?: Scope): Answer {
  const [whose, scopes] = of === undefined ? ['', []] : [` (${keyOfScope(of)})`, [of]];
  const mode = rules.operational_mode;
  const access = accessOf(rules, spec.name);
  const value = `${mode}, ${access}`;
  if (mode === 'passive' || (mode !== 'remediation' && spec.effect === 'change')) {
    const threshold = spec.effect === 'change' ? 'remediation' : 'any mode but passive';
    return refuse('mode_forbids', { value, threshold, scopes }, `persona ${rules.id}${whose} is in ${mode} mode`);
  }
  const threshold = 'allow, require_evidence or require_approval';
  if (access !== 'deny') return pass(value, threshold);
  return refuse(
    'persona_denies',
    { value, threshold, scopes },
    `persona ${rules.id}${whose} does not allow ${spec.name}`,
  );
}

/** What contains the target now, but for the one of that key: recorded, or known from present readings alone. */
export function containedBy(input: CheckInput, but?: string): readonly Trigger[] {
  const { state, scopes, engine, live, limits, nowMs, journalError } = input;
  const held = containmentsOf(state, scopes)
    .filter(({ scope, reason }) => containmentKey(scope, reason) !== but)
    .filter(({ reason, releaseByPerson }) => !(reason === 'shared_cause' && !releaseByPerson && isProvenOver(input)));
  const journal = journalError === undefined ? undefined : journalTrigger(journalError);
  const present = [poolTrigger({ engine, ...live }, limits), clockTrigger(state, nowMs), journal].filter(
    (trigger) => trigger !== undefined,
  );
  const keyOf = ({ scope, reason }: Trigger): string => containmentKey(scope, reason);
  return [...new Map([...present, ...held].map((one) => [keyOf(one), one])).values()];
}

const shortly = ({ scope, reason }: Trigger): string => `${reason} (${keyOfScope(scope)})`;

/** Law S8: a shared cause ends by proof for the group's own staged start, before it ends by time for all else. */
const isProvenOver = ({ call, parent, live }: CheckInput): boolean =>
  (parent !== undefined || isStaged(call)) && live.causeProof?.isProven === true;

/** Containment stops what is of high risk, and of medium where the persona says so. */
export const isStoppedByContainment = ({ spec, persona: rules }: Pick<CheckInput, 'spec' | 'persona'>): boolean =>
  spec.risk === 'high' || (spec.risk === 'medium' && rules.containment_bias);

/**
 * Question 6. A storm, an open breaker or a shared cause that is not yet written down as containment is caught by its
 * own question (14, 11, 7) with the more telling code.
 */
export function containment(input: CheckInput): Answer {
  const { spec } = input;
  const reasons = containedBy(input);
  const value = reasons.length === 0 ? 'not contained' : reasons.map(shortly).join(', ');
  if (!isStoppedByContainment(input)) return notAsked(`${value}; ${spec.risk} risk is not stopped by containment`);
  const threshold = 'not contained';
  if (reasons.length === 0) return pass(value, threshold);
  const proof = input.live.causeProof;
  const awaited = proof === undefined || proof.isProven ? '' : `; ${proof.says}`;
  const scopes = reasons.map(({ scope }) => scope);
  const found = { value: `${value}${awaited}`, threshold, scopes, ...freeByProof(input, reasons) };
  return refuse('containment', found, `${reasons.map(containedText).join('; ')}${awaited}`);
}

/** A start of a staged plan under way waits for the proof, where that is all that is missing and may soon be there. */
function freeByProof(input: CheckInput, reasons: readonly Trigger[]): { freeInMs?: number } {
  const { parent, live, nowMs, state, scopes } = input;
  const { isProven = true, atMs } = live.causeProof ?? {};
  const isAll = reasons.every(({ reason }) => reason === 'shared_cause');
  const isAPersons = containmentsOf(state, scopes).some(({ releaseByPerson }) => releaseByPerson);
  if (parent === undefined || isProven || atMs === undefined || !isAll || isAPersons) return {};
  return { freeInMs: Math.max(1, atMs - nowMs) };
}

/** Question 7. While several channels of a group fail together, restarting one of them cures nothing. */
export function sharedCause({ spec, call, envelope, state, group, engine, parent, live }: CheckInput): Answer {
  if (spec.effect === 'observe') return OBSERVES;
  if (call.target.kind !== 'channel' || parent !== undefined) return notAsked('not a change of a single channel');
  const found = { value: 'no shared cause', threshold: 'no shared cause' };
  const open = Object.entries(state.incidents).find(
    ([id, { scope }]) =>
      ((scope.kind === 'group' && scope.id === group) || (scope.kind === 'engine' && scope.id === engine)) &&
      live.nonBlocking?.has(id) !== true,
  );
  if (open !== undefined) {
    const value = `incident ${open[0]} on ${keyOfScope(open[1].scope)}`;
    return refuse('shared_cause', { ...found, value }, `a shared cause is being handled: ${value}`);
  }
  const held = containmentsOf(state, [{ kind: 'group', id: group }]).some(({ reason }) => reason === 'shared_cause');
  if (envelope?.sharedCause !== true && !held) return pass(found.value, found.threshold);
  const value = `shared cause suspected in group ${group}`;
  return refuse('shared_cause', { ...found, value }, `${value}: no channel of it is changed alone`);
}
