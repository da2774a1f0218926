// Finds calls whose end is not known, and restarts after which no new process was seen (law S6).
import type { MonoMs } from '../../core/clock.ts';
import type { Draft } from '../../core/journal.ts';
import { parseScope, type Scope } from '../../core/scope.ts';
import type { Permit, PermitTerms, ToolName } from '../../core/tool.ts';
import { type GuardState, subjectsOf } from './state.ts';

/** A target where a change began and its end is not known (law S6). */
export interface UnknownEnd {
  readonly scope: Scope;
  readonly permit: string;
  readonly tool: ToolName;
  readonly sinceMs: MonoMs;
}

/** What is blocked by UNKNOWN, until it is seen healthy (`unknown.settled`) or reset by a person. */
export function unknownEnds(state: GuardState): readonly UnknownEnd[] {
  return subjectsOf(state).flatMap(([key, { unknown }]) => {
    const scope = parseScope(key);
    return unknown === undefined || scope === undefined ? [] : [{ scope, ...unknown }];
  });
}

/** Channels that a change of Reeve's may have left stopped: no new process was observed after it began. */
export const unprovenChannels = (state: GuardState) =>
  subjectsOf(state).flatMap(([key, { unproven }]) => {
    const scope = unproven === undefined ? undefined : parseScope(key);
    return scope?.kind === 'channel' ? [{ channel: scope.id, ...unproven }] : [];
  });

/** Changes whose call began and has not ended. At boot each of them is UNKNOWN: the process that made it is gone. */
export function startedWithoutEnd(state: GuardState): readonly PermitTerms[] {
  return subjectsOf(state).flatMap(([, subject]) =>
    subject.open.filter((one) => one.startedMs !== undefined && one.endedMs === undefined).map((one) => one.terms),
  );
}

/** The record that must be durable before the call: from then on the permit is used, whatever happens. */
export function startedDrafts({ terms }: Permit): readonly Draft[] {
  const { target } = terms.call;
  const channel = target.kind === 'channel' ? target.id : undefined;
  return [{ channel, incident: terms.incident, run: terms.run, fact: { type: 'tool.started', permit: terms } }];
}
