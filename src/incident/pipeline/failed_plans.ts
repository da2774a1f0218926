/** Which channels of a group or an engine are left to themselves after a plan that did not help (law L5). */
import { type ChannelId, type ChannelRef, type GroupId, type Scope, scopesOf } from '../../core/scope.ts';
import type { SharedCause } from '../../ground/correlate/correlate.ts';
import type { CauseProof } from '../../ground/correlate/proof.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import type { OpenIncident } from '../lifecycle/state.ts';

export interface FailedPlanDeps {
  readonly causeOf: (scope: Scope) => SharedCause | undefined;
  readonly proofOf: (cause: SharedCause) => CauseProof;
  readonly channelOf: (id: ChannelId) => ChannelRef | undefined;
  readonly guardState: GuardState;
}

/**
 * A plan that did not help is not made again, and while its incident is open nothing of the group is started alone.
 * Once nothing contains the group and its sources say that the cause is over, what is down is no longer down for that
 * cause, and a channel that was never tried must not wait for a person. Where only a canary can witness, the one that
 * failed speaks against all others: they stay with the group. Of an engine's plan each group is judged by itself: the
 * sources of one may be out for hours.
 */
export function leftByFailedPlans(open: readonly OpenIncident[], deps: FailedPlanDeps): readonly ChannelId[] {
  return open.flatMap(({ incident: { scope }, running, last }) => {
    const isFailed = last?.kind === 'escalated' && (last.reason === 'not_helping' || last.denial === 'already_tried');
    if (scope.kind === 'channel' || running || !isFailed) return [];
    const cause = deps.causeOf(scope);
    if (cause?.phase !== 'over') return [];
    const down = cause.down.flatMap((id) => deps.channelOf(id) ?? []);
    return [...Map.groupBy(down, ({ group }) => group)].flatMap(([group, refs]) => {
      // One whose own starts keep failing holds itself, and none of the others.
      const free = refs.filter((ref) => containmentsOf(deps.guardState, [scope, ...scopesOf(ref)]).length === 0);
      if (free.length === 0) return [];
      const proof = deps.proofOf(partOf(cause, group, deps));
      return proof.isProven && proof.bySources ? free.map(({ id }) => id) : [];
    });
  });
}

/** What a cause is for one of the groups that it has touched. */
const partOf = (cause: SharedCause, group: GroupId, { channelOf }: Pick<FailedPlanDeps, 'channelOf'>): SharedCause => ({
  ...cause,
  scope: { kind: 'group', id: group },
  channels: cause.channels.filter((id) => channelOf(id)?.group === group),
});
