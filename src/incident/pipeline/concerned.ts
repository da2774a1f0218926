/** Says which channels and shared causes a change may concern: nobody looks at the thousands that it does not. */
import { type ChannelId, keyOfScope, type Scope } from '../../core/scope.ts';
import type { SharedCause } from '../../ground/correlate/correlate.ts';
import type { OpenIncident } from '../lifecycle/state.ts';

export interface ConcernedInput {
  /** The channels whose findings have changed, or that are in trouble and were judged. */
  readonly touched: readonly ChannelId[];
  readonly open: readonly OpenIncident[];
}

/**
 * Whom a cause that came, moved or went may concern, in the order of all: who is in no trouble and has no incident has
 * nothing to do.
 */
export function channelsConcerned(
  { touched, open }: ConcernedInput,
  troubled: Iterable<ChannelId>,
  all: readonly ChannelId[],
): readonly ChannelId[] {
  const own = open.flatMap(({ incident: { scope } }) => (scope.kind === 'channel' ? scope.id : []));
  const concerned = new Set([...touched, ...own, ...troubled]);
  return all.filter((id) => concerned.has(id));
}

/** The scopes of all causes, and of all incidents that are about one, each once. */
export function causeScopes(causes: readonly SharedCause[], open: readonly OpenIncident[]): Iterable<Scope> {
  const own = open.flatMap(({ incident: { scope } }) => (scope.kind === 'channel' ? [] : scope));
  return new Map([...causes.map(({ scope }) => scope), ...own].map((scope) => [keyOfScope(scope), scope])).values();
}
