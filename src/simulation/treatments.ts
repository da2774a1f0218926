/** What the tools that start nothing do to the simulated service, and the troubles that they cure. */
import type { ServiceModel } from './service_model.ts';

const groupsOf = ({ channels }: ServiceModel, engine: string): ReadonlySet<string> =>
  new Set([...channels.values()].filter(({ plan }) => plan.engine === engine).map(({ plan }) => plan.group));

/** Sources of the group refuse the engine's credentials. */
export const refuseCredentials = (service: ServiceModel, group: string, forMs: number): void =>
  service.originChanged(group, service.origins.refuse(group, forMs));

/** Sources of the group refuse the addresses that the engine keeps. */
export const outdateAddresses = (service: ServiceModel, group: string, forMs: number): void =>
  service.originChanged(group, service.origins.outdate(group, forMs));

/** New credentials: sources that refused the old ones answer again. */
export function refreshCredentials(service: ServiceModel, engine: string): void {
  for (const group of groupsOf(service, engine)) {
    service.origins.admit(group);
    service.originChanged(group);
  }
}

export const areCredentialsRefused = (service: ServiceModel, engine: string): boolean =>
  [...groupsOf(service, engine)].some((group) => service.origins.refusesCredentials(group));

/** The engine forgets its addresses and asks for new ones: of the channel's group, or of all its groups. */
export function dropCache(service: ServiceModel, engine: string, channel: string | undefined): void {
  const groups = channel === undefined ? groupsOf(service, engine) : [service.at(channel).plan.group];
  for (const group of groups) {
    service.origins.renew(group);
    service.originChanged(group);
  }
}

/** Nothing is scheduled on the channel; where its library is empty as well, only a person can help. */
export const emptyPlayout = (service: ServiceModel, channel: string, isLibraryEmpty: boolean): void =>
  service.ail(channel, isLibraryEmpty ? 'person' : 'rebuild_playout');

const ITEMS = 40;

/** Gives how many items were added. */
export function rebuildPlayout(service: ServiceModel, channel: string): number {
  const { ailment } = service.at(channel);
  if (ailment === 'rebuild_playout') service.ail(channel, undefined);
  return ailment === 'person' ? 0 : ITEMS;
}

/** The channel has something to play. */
export const hasPlayout = (service: ServiceModel, channel: string): boolean =>
  service.at(channel).ailment === undefined;
