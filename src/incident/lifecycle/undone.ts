/** Tells which facts undo what the last run of an incident was refused for, so that it is asked about again. */
import type { Incident, Outcome } from '../../core/incident.ts';
import type { JournalFact } from '../../core/journal.ts';
import { type DenialCode, PAGED_AND_PASSING } from '../../core/plan.ts';
import { sameScope, type Scope } from '../../core/scope.ts';

/** An open incident, and how its last run ended. */
interface Held {
  readonly incident: Incident;
  readonly last: Outcome | undefined;
}

/** What may undo a refusal, or end it sooner: acts of a person, and the end of a containment. */
const UNDOING: ReadonlySet<string> = new Set([
  'containment.cleared',
  'control.released',
  'control.thawed',
  'control.leased',
  'control.lease_ended',
  'control.window_ended',
  'control.phase_set',
  'control.reset',
  'config.loaded',
  'reeve.started',
]);

export const mayUndo = ({ type }: JournalFact): boolean => UNDOING.has(type);

/** `configSha`: of the configuration that was in force so far; undefined: not known. */
export function isUndoneBy(fact: JournalFact, held: Held, configSha?: string): boolean {
  switch (fact.type) {
    case 'containment.cleared':
      return fact.reason === 'shared_cause' && waitsAtRest(held) && covers(fact.scope, held.incident);
    case 'control.released':
      return waitsAtRest(held) && covers(fact.scope, held.incident);
    case 'control.thawed':
      return denialOf(held) === 'frozen';
    // It may take the place of one whose end was waited for, and end before that.
    case 'control.leased':
      return held.last?.kind === 'watching' && wasPutOff(held.last) && covers(fact.scope, held.incident);
    case 'control.lease_ended':
    case 'control.window_ended':
      return held.last?.kind === 'watching';
    case 'control.phase_set':
      return isEscalatedFor(held, OF_THE_PHASE);
    case 'control.reset':
      return covers(fact.scope, held.incident);
    case 'config.loaded':
      return (fact.applied ?? []).some((key) => DECIDING.has(key)) && isEscalatedFor(held, OF_THE_CONFIGURATION);
    case 'reeve.started': {
      const isOther = configSha !== undefined && configSha !== fact.configSha;
      return isOther && isEscalatedFor(held, OF_THE_CONFIGURATION);
    }
    default:
      return false;
  }
}

/** Keys of the configuration that may change what is planned or allowed. */
const DECIDING: ReadonlySet<string> = new Set(['personas', 'rules', 'limits', 'phase', 'persona', 'planner']);

const OF_THE_PHASE: ReadonlySet<DenialCode> = new Set(['phase']);

/** Refusals that an edit may lift. All others pass by themselves or by a command, or are about what was tried. */
const OF_THE_CONFIGURATION: ReadonlySet<DenialCode> = new Set([
  ...OF_THE_PHASE,
  'mode_forbids',
  'persona_denies',
  'restart_cap',
  'daily_cap',
  'fleet_daily_cap',
  'viewer_budget',
]);

/** A person was notified because of such a refusal, or because nothing could be planned: nothing has been tried. */
const isEscalatedFor = (held: Held, codes: ReadonlySet<DenialCode>): boolean => {
  const denial = denialOf(held);
  return (
    held.last?.kind === 'escalated' && (held.last.reason === 'no_plan' || (denial !== undefined && codes.has(denial)))
  );
};

export const denialOf = ({ last }: Held): DenialCode | undefined =>
  last?.kind === 'escalated' ? last.denial : undefined;

/**
 * A rule lets a channel wait while a shared cause is contained, and it need not be of those that the cause made fail:
 * then nothing but the end of the containment says that the wait is over (law L5).
 */
const waitsAtRest = ({ incident, last }: Held): boolean =>
  incident.scope.kind === 'channel' && last?.kind === 'watching' && last.denial === undefined;

/** The incident lies in the scope. */
export const covers = (scope: Scope, { scope: own, group, engine }: Incident): boolean =>
  scope.kind === 'fleet' ||
  sameScope(scope, own) ||
  (scope.kind === 'group' && scope.id === group) ||
  (scope.kind === 'engine' && scope.id === engine);

/** A start was refused for a reason that passes. */
export function wasPutOff(last: Outcome | undefined): boolean {
  if (last?.kind === 'watching' && last.denial === undefined) return last.retryAfterMs !== undefined;
  const denial = last !== undefined && 'denial' in last ? last.denial : undefined;
  return denial === 'containment' || (denial !== undefined && PAGED_AND_PASSING.has(denial));
}
