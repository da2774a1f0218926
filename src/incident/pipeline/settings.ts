// Defines the settings of the decision path that a reload may replace.
import type { PlannerSettings } from '../../agent/decide.ts';
import type { InitialPhase } from '../../control/state.ts';
import type { Phase } from '../../core/control.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { GroupId, Scope } from '../../core/scope.ts';
import type { Rulebook } from '../../rulebook/rulebook.ts';

/** What may change while Reeve runs. Read anew at each use, so a reload swaps one reference. */
export interface Settings {
  readonly limits: Limits;
  readonly rulebook: Rulebook;
  /** When a planner may choose; undefined: never. */
  readonly planner?: PlannerSettings | undefined;
  readonly personaOf: (scope: Scope, group: GroupId) => Persona;
  readonly initialPhase: (group: GroupId) => Phase | InitialPhase;
}
