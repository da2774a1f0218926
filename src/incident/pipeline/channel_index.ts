import type { Persona } from '../../core/persona.ts';
import { type ChannelId, keyOfScope, type Scope, scopesOf } from '../../core/scope.ts';
import type { ChannelSetup } from '../../ground/facts/setup.ts';
import type { Settings } from './settings.ts';

/** Who belongs where, and under which persona. */
export class ChannelIndex {
  readonly #settings: () => Settings;
  readonly #refs: ReadonlyMap<ChannelId, ChannelSetup>;
  readonly #byScope = new Map<string, ChannelId[]>();

  constructor(channels: readonly ChannelSetup[], settings: () => Settings) {
    this.#settings = settings;
    this.#refs = new Map(channels.map((channel) => [channel.id, channel]));
    for (const ref of channels) {
      for (const scope of scopesOf(ref)) {
        const key = keyOfScope(scope);
        const members = this.#byScope.get(key);
        if (members === undefined) this.#byScope.set(key, [ref.id]);
        else members.push(ref.id);
      }
    }
  }

  readonly channelOf = (id: string): ChannelSetup | undefined => this.#refs.get(id);

  get ids(): readonly ChannelId[] {
    return [...this.#refs.keys()];
  }

  readonly channelsIn = (scope: Scope): readonly ChannelId[] => this.#byScope.get(keyOfScope(scope)) ?? [];

  personasIn(scope: Scope): readonly Persona[] {
    const { personaOf } = this.#settings();
    return this.channelsIn(scope).flatMap((id) => {
      const ref = this.#refs.get(id);
      return ref === undefined ? [] : [personaOf({ kind: 'channel', id }, ref.group)];
    });
  }
}
