/** Names what an incident is about: channel, group, engine or host, and their keys. */

/** The smallest thing that can be restarted. Unique over all engines. */
export type ChannelId = string;
/** A failure domain: same origin, same host, same encoder pool. The engine's id where nothing is configured. */
export type GroupId = string;
/** A streaming service that runs channels. */
export type EngineId = string;
export type IncidentId = string;
export type RunId = string;

/** Where something holds: one channel, its group, its engine, or everything. */
export type Scope =
  | { readonly kind: 'channel'; readonly id: ChannelId }
  | { readonly kind: 'group'; readonly id: GroupId }
  | { readonly kind: 'engine'; readonly id: EngineId }
  | { readonly kind: 'fleet' };

/** The group and the engine in which a scope lies, as far as they are known. */
export interface Place {
  readonly group?: GroupId | undefined;
  readonly engine?: EngineId | undefined;
}

/** `channel:news`, `group:pull`, `engine:local` or `fleet`: for people, labels and map keys. */
export type ScopeKey = string;

export const keyOfScope = (scope: Scope): ScopeKey => (scope.kind === 'fleet' ? 'fleet' : `${scope.kind}:${scope.id}`);

/** As `keyOfScope` of both would be equal, without making either: it is asked of every channel at every look. */
export const sameScope = (a: Scope, b: Scope): boolean =>
  a.kind === b.kind && (a.kind === 'fleet' || b.kind === 'fleet' || a.id === b.id);

/** The inverse of `keyOfScope`; undefined for anything else. A bare word is taken as a channel. */
export function parseScope(text: string): Scope | undefined {
  if (text === 'fleet') return { kind: 'fleet' };
  const [kind, ...rest] = text.split(':');
  const id = rest.join(':');
  if (rest.length === 0 && text !== '') return { kind: 'channel', id: text };
  if ((kind === 'channel' || kind === 'group' || kind === 'engine') && id !== '') return { kind, id };
  return undefined;
}

/** What Reeve knows of a channel from its configuration. */
export interface ChannelRef {
  readonly id: ChannelId;
  readonly group: GroupId;
  readonly engine: EngineId;
  /** `on_demand`: no output is normal while there is no viewer. */
  readonly expected: 'always' | 'on_demand';
  /** The channel reads from somewhere else, and a probe of that source is configured. */
  readonly hasSource: boolean;
  /** Some probe of the channel's output is configured. */
  readonly hasOutputProbe: boolean;
}

/** Every scope that covers the channel, narrowest first. */
export const scopesOf = (channel: Pick<ChannelRef, 'id' | 'group' | 'engine'>): readonly Scope[] => [
  { kind: 'channel', id: channel.id },
  { kind: 'group', id: channel.group },
  { kind: 'engine', id: channel.engine },
  { kind: 'fleet' },
];

/** The scope itself, then those that hold all of it, narrowest first. `group`, `engine`: where it belongs. */
export function scopesOver(scope: Scope, { group, engine }: Pick<ChannelRef, 'group' | 'engine'>): readonly Scope[] {
  if (scope.kind === 'channel') return scopesOf({ id: scope.id, group, engine });
  const fleet: Scope = { kind: 'fleet' };
  if (scope.kind === 'group') return [scope, { kind: 'engine', id: engine }, fleet];
  return scope.kind === 'engine' ? [scope, fleet] : [fleet];
}
