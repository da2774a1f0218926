/** Shows the oracles the true state of the service. */
import type { FaultInjector } from './fault_injector.ts';
import type { ServiceTruth } from './invariants/service_truth.ts';
import { type ChannelTruth, OPEN_FINDINGS } from './invariants/silence.ts';
import type { ServiceChannel, Starter } from './service_channel.ts';
import type { ServiceModel } from './service_model.ts';
import type { SettingChoices } from './settings.ts';

/** How often the oracles look at the simulated service itself. */
export const TRUTH_MS = 1_000;

/** What comes late or out of a cache hides the truth; what comes twice or in the wrong order does not. */
const HIDING: ReadonlySet<string> = new Set(['late', 'cached']);

/**
 * Every channel as it really stands; `blind`: nothing can be asked of Reeve. What another Reeve than `own` has stopped
 * is as somebody wants it, for all that this one can know.
 */
export function serviceTruths(
  service: ServiceModel,
  injector: FaultInjector,
  blind: boolean,
  own: Starter = 'reeve',
): readonly ServiceTruth[] {
  const other: Starter = own === 'reeve' ? 'second' : 'reeve';
  const nowMs = service.nowMs();
  return [...service.channels.values()].map((channel) => {
    const { id, engine } = channel.plan;
    const isTrue = injector.probe(id) === 'well' && !HIDING.has(injector.samples(id) ?? '');
    return {
      channel: id,
      status: isStoppedBy(channel, other) ? 'stopped' : service.statusOf(channel),
      onTime: nowMs >= channel.slowUntilMs,
      sourceOut: service.isOut(channel) || service.isRefused(channel),
      visible: !blind && isTrue && injector.engineAnswers(engine),
    };
  });
}

const isStoppedBy = ({ state, stoppedBy }: ServiceChannel, who: Starter): boolean =>
  state === 'stopped' && stoppedBy === who;

/** As they are while Reeve cannot write: it does nothing about them then, and is asked for nothing but L6. */
export const unseen = (truths: readonly ServiceTruth[]): readonly ServiceTruth[] =>
  truths.map((truth) => ({ ...truth, visible: false }));

/** What L6 is asked of: what a person has stopped is as that person wants it. */
export const channelTruths = (truths: readonly ServiceTruth[]): readonly ChannelTruth[] =>
  truths.map(({ channel, status, visible }) => {
    const playing = status === 'playing' || status === 'stopped';
    return { channel, playing, visible };
  });

/** Whoever plans in the place of the shipped rules: what becomes of L6 then is an open finding. */
export function isExcused(choices: SettingChoices & { readonly adversary?: boolean }): boolean {
  const { adversary = false, rulebook, hostile } = choices;
  const isHostile = adversary || rulebook !== undefined || hostile !== undefined;
  return isHostile && OPEN_FINDINGS.has('hostile_planner_is_silent');
}
