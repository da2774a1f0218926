/** Tells in which group and engine the scope of a page lies. */
import type { ChannelId, EngineId, GroupId } from '../core/scope.ts';
import type { PlaceOf } from './receiver.ts';

interface Placed {
  readonly id: ChannelId;
  readonly group: GroupId;
  readonly engine: EngineId;
}

/** By the channels that are known. Nowhere for the fleet, and for a channel that is none of them. */
export function placesOf(channels: readonly Placed[]): PlaceOf {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return (scope) => {
    const channel = scope.kind === 'channel' ? byId.get(scope.id) : undefined;
    if (channel !== undefined) return { group: channel.group, engine: channel.engine };
    return scope.kind === 'group' ? { group: scope.id } : scope.kind === 'engine' ? { engine: scope.id } : {};
  };
}
