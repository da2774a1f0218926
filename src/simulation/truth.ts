import type { FaultInjector } from './fault_injector.ts';
import type { ChannelTruth } from './invariants/silence.ts';
import type { ServiceModel } from './service_model.ts';

/** Every channel as it really stands; `blind`: Reeve can write nothing, so nothing can be asked of it. */
export function* truthsOf(service: ServiceModel, injector: FaultInjector, blind: boolean): Iterable<ChannelTruth> {
  for (const channel of service.channels.values()) {
    const { id, engine } = channel.plan;
    const visible = !blind && injector.probe(id) === 'well' && injector.engineUp(engine);
    yield { channel: id, playing: service.statusOf(channel) === 'playing', visible };
  }
}
