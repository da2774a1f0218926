/** Takes out of a staged plan what may not be part of it, before anybody is asked for a permit. */
import { isHeldBy } from '../../control/holds.ts';
import { type DenialCode, isOfMany, type Plan, type Refused } from '../../core/plan.ts';
import type { Scope } from '../../core/scope.ts';
import { toolNamed } from '../../core/tool.ts';
import { isStaged } from '../../remediation/catalog.ts';

export interface Refined {
  readonly plan: Plan;
  /** Refused for what they are: their own incidents ask, page or wait, each under its own persona. */
  readonly handedOver: readonly string[];
}

/** What passes for the whole group at once, and is no reason to take a channel out of its hands. */
const OF_ALL: ReadonlySet<DenialCode> = new Set([
  'frozen',
  'phase',
  'journal_unwritable',
  'containment',
  'fleet_daily_cap',
]);
const WAIT_MS = 600_000;

/**
 * A plan may name only what each channel's own persona, lease, caps and breaker allow now (laws S4 and S9). Where
 * none is left it is no plan: for a reason of the whole it waits, and is no cure that did not help. `over`: the scopes
 * that hold all of the plan.
 */
export function withoutRefused(
  plan: Plan,
  whyNot: (channel: string) => Refused | undefined,
  over: readonly Scope[] = [],
): Refined {
  // What is no tool at all the guard refuses by name.
  const isOne = plan.kind === 'act' && toolNamed(plan.call.tool) !== undefined && isStaged(plan.call);
  if (!isOne) return { plan, handedOver: [] };
  const refused = plan.call.channels.flatMap((channel) => {
    const refusal = whyNot(channel);
    return refusal === undefined ? [] : [{ channel, ...refusal }];
  });
  if (refused.length === 0) return { plan, handedOver: [] };
  const out = new Set(refused.map(({ channel }) => channel));
  const allowed = plan.call.channels.filter((channel) => !out.has(channel));
  const handedOver = refused.filter((refusal) => !isOfAll(refusal, over)).map(({ channel }) => channel);
  const heldAsWhole = refused.map(({ channel }) => channel).filter((channel) => !handedOver.includes(channel));
  // What holds for the whole the guard refuses by itself: that is reported, and asked about again when it passes.
  const channels = allowed.length > 0 ? allowed : heldAsWhole;
  if (channels.length > 0) return { plan: { ...plan, call: { ...plan.call, channels } }, handedOver };
  const why = refused.map(({ channel, code, because }) => `${channel}: ${code}, ${because}`).join('; ');
  const because = `none of its channels may be started now: ${why}`.slice(0, 400);
  return { plan: { kind: 'wait', escalateAfterMs: WAIT_MS, because, by: plan.by }, handedOver };
}

/** A contained or leased channel is its own affair; a contained or leased group, engine or fleet is not. */
const isOfAll = (refusal: Refused, over: readonly Scope[]): boolean =>
  isHeldBy(refusal, over) || (OF_ALL.has(refusal.code) && (refusal.code !== 'containment' || isOfMany(refusal)));
