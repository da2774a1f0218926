/** Whose persona decides about a group or an engine as a whole (law S9). */
import {
  accessOf,
  CONFIDENCE_MIN,
  PATIENCE_MS,
  type Persona,
  TOOL_ACCESS,
  type ToolAccess,
} from '../../core/persona.ts';
import { allowedBy } from '../../guard/checks/policy.ts';
import { isOnEach, TOOL_SPECS } from '../../remediation/catalog.ts';

/** By persona, which never changes: a reload brings others. Of a large group each look asks for all channels. */
const startable = new WeakMap<Persona, boolean>();

/** Whether its channels may be started at all. */
export function mayStart(persona: Persona): boolean {
  const known = startable.get(persona);
  if (known !== undefined) return known;
  const may = persona.operational_mode === 'remediation' && accessOf(persona, 'restart_channel') !== 'deny';
  startable.set(persona, may);
  return may;
}

/** Risk and patience of the stricter; what may be used, and how often, stays each one's own. */
export function stricter(own: Persona, other: Persona): Persona {
  if (own === other) return own;
  const isCalmer = PATIENCE_MS[other.aggressiveness] > PATIENCE_MS[own.aggressiveness];
  const isWarier = CONFIDENCE_MIN[other.risk_tolerance] > CONFIDENCE_MIN[own.risk_tolerance];
  return {
    ...own,
    risk_tolerance: isWarier ? other.risk_tolerance : own.risk_tolerance,
    aggressiveness: isCalmer ? other.aggressiveness : own.aggressiveness,
    containment_bias: own.containment_bias || other.containment_bias,
  };
}

/**
 * The persona of an engine, which has none of its own, from those of its groups. A tool that acts on the whole engine
 * needs the leave of every group. A start of many needs that of one: each channel is asked about by itself, under its
 * own persona.
 */
export function personaOfAll(groups: readonly Persona[]): Persona | undefined {
  const all = [...new Set(groups)];
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  const acting = all.some(mayStart) ? all.filter(mayStart) : all;
  const least = (read: (persona: Persona) => number): number => Math.min(...acting.map(read));
  return {
    ...acting.reduce(stricter),
    id: [...new Set(all.map(({ id }) => id))].join('+'),
    operational_mode: modeOf(all),
    tool_access_policy: Object.fromEntries([...TOOL_SPECS.keys()].map((tool) => [tool, accessOfAll(all, tool)])),
    four_eyes: all.some(({ four_eyes: two }) => two === true),
    escalation_policy: all.map((one) => one.escalation_policy).find(isAtOnce) ?? first.escalation_policy,
    restart_cap: least((one) => one.restart_cap),
    planning_depth_max: least((one) => one.planning_depth_max),
    retry_threshold: Math.max(...acting.map((one) => one.retry_threshold)),
  };
}

const isAtOnce = ({ on_containment: when }: Persona['escalation_policy']): boolean => when === 'immediate';

/** What a mode forbids is denied by the policy, so the mode itself needs to forbid only what all of them do. */
const modeOf = (all: readonly Persona[]): Persona['operational_mode'] =>
  (['remediation', 'diagnostic', 'containment'] as const).find((mode) =>
    all.some((one) => one.operational_mode === mode),
  ) ?? 'passive';

function accessOfAll(all: readonly Persona[], tool: Parameters<typeof isOnEach>[0]): ToolAccess {
  const spec = TOOL_SPECS.get(tool);
  const levels = all.map((one) =>
    spec === undefined || allowedBy(one, spec).verdict === 'refuse' ? 'deny' : accessOf(one, tool),
  );
  const ranks = levels.map((level) => TOOL_ACCESS.indexOf(level));
  return TOOL_ACCESS[isOnEach(tool) ? Math.min(...ranks) : Math.max(...ranks)] ?? 'deny';
}
