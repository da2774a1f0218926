/** Asks all questions of the guard about one request. */
import { type ControlState, type InitialPhase, phaseOf, phaseOfAll, phaseOver } from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Phase } from '../../core/control.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import type { Incident } from '../../core/incident.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import { type ChannelRef, type EngineId, type GroupId, keyOfScope, type Scope, scopesOf } from '../../core/scope.ts';
import { type Capability, type ToolCall, type ToolName, toolNamed } from '../../core/tool.ts';
import { type Asked, askAll, refusedAtOnce } from './checks.ts';
import { type GuardRequest, type LiveFacts, type CheckInput, refuse } from './check_input.ts';
import { isStaged, specOf, subjectOf } from '../../remediation/catalog.ts';
import { type GuardState, subjectAt } from '../state/state.ts';

/** The world outside the journal, read once per question list. */
export interface Surroundings {
  readonly channelOf: (id: string) => ChannelRef | undefined;
  /** How many channels there are; 0 where only the ones that are asked about are known. */
  readonly channelCount?: number | undefined;
  readonly capabilitiesOf: (engine: EngineId) => ReadonlySet<Capability>;
  readonly liveFacts: (scope: Scope, engine: EngineId) => LiveFacts;
  /** What the configuration says until a person says otherwise. */
  readonly initialPhase: (group: GroupId) => Phase | InitialPhase;
  /** The groups that have channels on an engine. Absent: the one of the incident is all that is known. */
  readonly groupsOn?: ((engine: EngineId) => readonly GroupId[]) | undefined;
  /** Whose persona decides about a scope, as it is now. Absent: the one that is asked with, for good. */
  readonly personaOf?: ((scope: Scope, group: GroupId) => Persona | undefined) | undefined;
}

/** All that an answer depends on, beside the request. */
export interface DecisionState extends Surroundings {
  readonly nowMs: MonoMs;
  readonly limits: Limits;
  readonly state: GuardState;
  readonly control: ControlState;
  readonly journalError: string | undefined;
}

/** One start of a staged plan. */
export interface ChildRequest {
  /** The permit of the plan. */
  readonly parent: { readonly id: string; readonly run: string; readonly incident: string };
  readonly channel: string;
  /** The channel's own. */
  readonly persona: Persona;
  readonly incident: Incident;
  /** What is seen of the channel itself, now; undefined where nothing looks at channels one by one. */
  readonly own?: GroundedContextEnvelope | undefined;
}

export type Weighed = Asked & { readonly input: CheckInput | undefined };

/** Where a target belongs; undefined when it does not exist. */
function placeOf(
  target: Scope,
  incident: Incident,
  channelOf: Surroundings['channelOf'],
): { readonly group: GroupId; readonly engine: EngineId; readonly scopes: readonly Scope[] } | undefined {
  switch (target.kind) {
    case 'channel': {
      const ref = channelOf(target.id);
      return ref && { group: ref.group, engine: ref.engine, scopes: scopesOf(ref) };
    }
    case 'group': {
      const scopes: readonly Scope[] = [target, { kind: 'engine', id: incident.engine }, { kind: 'fleet' }];
      return { group: target.id, engine: incident.engine, scopes };
    }
    case 'engine':
      return { group: incident.group, engine: target.id, scopes: [target, { kind: 'fleet' }] };
    case 'fleet':
      return undefined;
  }
}

type Asking = Pick<
  CheckInput,
  'call' | 'persona' | 'incident' | 'run' | 'envelope' | 'stepHighRiskUsed' | 'approval' | 'parent'
>;

function weighAsking(asking: Asking, world: DecisionState, but?: ReadonlySet<number>): Weighed {
  const { call, incident } = asking;
  const tool = toolNamed(call.tool);
  if (tool === undefined) return atOnce('tool_unknown', call, `no tool is called ${JSON.stringify(call.tool)}`);
  const place = placeOf(call.target, incident, world.channelOf);
  if (place === undefined) return atOnce('params_invalid', call, `there is nothing called ${keyOfScope(call.target)}`);
  const input = momentOf({ ...asking, call: { ...call, tool } }, place, world);
  return { ...askAll(input, but), input };
}

function atOnce(code: 'tool_unknown' | 'params_invalid', call: ToolCall, because: string): Weighed {
  const answer = refuse(code, { value: keyOfScope(call.target), threshold: 'a tool and a target that exist' }, because);
  if (answer.verdict !== 'refuse') return { refusal: undefined, trace: [], input: undefined };
  return { ...refusedAtOnce(answer), input: undefined };
}

function momentOf(asking: Asking, place: NonNullable<ReturnType<typeof placeOf>>, world: DecisionState): CheckInput {
  const { call } = asking;
  const { state, control } = world;
  const { group, engine, scopes } = place;
  return {
    ...asking,
    ...place,
    nowMs: world.nowMs,
    limits: world.limits,
    journalError: world.journalError,
    channelOf: world.channelOf,
    channelCount: world.channelCount ?? 0,
    capabilitiesOf: world.capabilitiesOf,
    state,
    control,
    wholePersona: wholePersonaOf(asking, world),
    spec: specOf(call.tool),
    scopes,
    live: world.liveFacts(call.target, engine),
    ...phaseNow(call, group, world),
    target: subjectAt(state, keyOfScope(call.target)),
    subject: subjectAt(state, subjectOf(call, engine)),
  };
}

/** What acts on a whole engine needs the phase of all its groups; a staged start that of one whose channel it names. */
function phaseNow(
  call: ToolCall,
  group: GroupId,
  { control, initialPhase, groupsOn, channelOf }: DecisionState,
): Pick<CheckInput, 'phase' | 'phaseOfGroup'> {
  const { target } = call;
  const named = isStaged(call) ? call.channels.flatMap((id) => channelOf(id)?.group ?? []) : undefined;
  const groups = target.kind === 'engine' ? (named ?? groupsOn?.(target.id) ?? []) : [];
  const all = groups.length === 0 ? [group] : [...new Set(groups)];
  const ofEach = all.map((id) => phaseOf(control, id, initialPhase(id)));
  const phase = phaseOver(ofEach, isStaged(call));
  const id = all[ofEach.indexOf(phase)]!;
  return { phase, phaseOfGroup: phase < phaseOfAll(control, initialPhase(id)) ? id : undefined };
}

/** The same request in the world as it is now, with the persona of now. */
export function checkInputAgain(input: CheckInput, world: DecisionState): CheckInput {
  const { nowMs, state, control, limits, journalError, liveFacts } = world;
  const { call, engine, group, incident, parent } = input;
  const owner = parent === undefined ? incident : { scope: call.target, group };
  return {
    ...input,
    ...{ nowMs, state, control, limits, journalError },
    live: liveFacts(call.target, engine),
    ...phaseNow(call, group, world),
    persona: world.personaOf?.(owner.scope, owner.group) ?? input.persona,
    wholePersona: wholePersonaOf(input, world),
  };
}

/** Of the group or engine whose plan a start is part of: what it is denied as a whole, no channel of it gets by it. */
const wholePersonaOf = ({ parent, incident }: Pick<CheckInput, 'parent' | 'incident'>, { personaOf }: DecisionState) =>
  parent === undefined ? undefined : personaOf?.(incident.scope, incident.group);

/** Asks all questions about a request. Pure: nothing is reserved. */
export function weigh(request: GuardRequest, world: DecisionState): Weighed {
  const { call, envelope, persona, incident, run, stepHighRiskUsed, approval } = request;
  return weighAsking({ call, envelope, persona, incident, run, stepHighRiskUsed, approval, parent: undefined }, world);
}

/** Asks about one start of a staged plan what must be asked again (law S4). */
export function weighChild(request: ChildRequest, world: DecisionState, but?: ReadonlySet<number>): Weighed {
  const { parent, persona, incident, channel, own } = request;
  const tool: ToolName = 'restart_channel';
  const call: ToolCall = { tool, target: { kind: 'channel', id: channel }, channels: [] };
  const asking = { call, persona, incident, run: parent.run, envelope: own, approval: undefined };
  return weighAsking({ ...asking, stepHighRiskUsed: false, parent: parent.id }, world, but);
}

/** The order of a plan, the window; and the yes that its group is asked for as a whole. */
const PLANNED: ReadonlySet<number> = new Set([12, 14]);
const PLANNED_FOR_ALL: ReadonlySet<number> = new Set([...PLANNED, 16]);

/**
 * Asks whether a channel may be named in a staged plan. Its order in the plan and the room in the window are the plan's
 * own affair, and so is a yes that is asked for the whole of it.
 */
export const weighPlanned = (request: ChildRequest, world: DecisionState, asksForAll: boolean): Weighed =>
  weighChild(request, world, asksForAll ? PLANNED_FOR_ALL : PLANNED);
