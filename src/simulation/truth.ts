import type { FaultInjector } from './fault_injector.ts';
import { type ChannelTruth, OPEN_FINDINGS } from './invariants/silence.ts';
import type { ServiceModel } from './service_model.ts';
import type { SettingChoices } from './settings.ts';

/** How often the oracles look at the simulated service itself. */
export const TRUTH_MS = 1_000;

/** Every channel as it really stands; `blind`: nothing can be asked of Reeve. */
export function* truthsOf(service: ServiceModel, injector: FaultInjector, blind: boolean): Iterable<ChannelTruth> {
  for (const channel of service.channels.values()) {
    const { id, engine } = channel.plan;
    const visible = !blind && injector.probe(id) === 'well' && injector.engineUp(engine);
    const status = service.statusOf(channel);
    // What a person has stopped is as that person wants it.
    yield { channel: id, playing: status === 'playing' || status === 'stopped', visible };
  }
}

/** Whoever plans in the place of the shipped rules: what becomes of L6 then is an open finding. */
export function isExcused(choices: SettingChoices & { readonly adversary?: boolean }): boolean {
  const { adversary = false, rulebook, hostile } = choices;
  const isHostile = adversary || rulebook !== undefined || hostile !== undefined;
  return isHostile && OPEN_FINDINGS.has('hostile_planner_is_silent');
}
