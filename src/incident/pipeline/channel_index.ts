/** Looks up group, engine and persona of channels. */
import { accessOf, CONFIDENCE_MIN, PATIENCE_MS, type Persona } from '../../core/persona.ts';
import { type ChannelId, type GroupId, keyOfScope, type Scope, scopesOf } from '../../core/scope.ts';
import type { ChannelSetup } from '../../ground/facts/setup.ts';
import type { Settings } from './settings.ts';

/** By persona, which never changes: a reload brings others. Of a large group each look asks for all channels. */
const startable = new WeakMap<Persona, boolean>();

function mayStart(persona: Persona): boolean {
  const known = startable.get(persona);
  if (known !== undefined) return known;
  const may = persona.operational_mode === 'remediation' && accessOf(persona, 'restart_channel') !== 'deny';
  startable.set(persona, may);
  return may;
}

/** Risk and patience of the stricter; what may be used, and how often, stays each one's own. */
const stricter = (own: Persona, other: Persona): Persona => {
  if (own === other) return own;
  const isCalmer = PATIENCE_MS[other.aggressiveness] > PATIENCE_MS[own.aggressiveness];
  const isWarier = CONFIDENCE_MIN[other.risk_tolerance] > CONFIDENCE_MIN[own.risk_tolerance];
  return {
    ...own,
    risk_tolerance: isWarier ? other.risk_tolerance : own.risk_tolerance,
    aggressiveness: isCalmer ? other.aggressiveness : own.aggressiveness,
    containment_bias: own.containment_bias || other.containment_bias,
  };
};

/** Who belongs where, and under which persona. */
export class ChannelIndex {
  readonly ids: readonly ChannelId[];
  readonly #settings: () => Settings;
  readonly #refs: ReadonlyMap<ChannelId, ChannelSetup>;
  readonly #byScope = new Map<string, ChannelId[]>();
  /** Of what concerns more than a channel, by scope and group: asked at each look, over all channels of it. */
  readonly #shared = new WeakMap<Settings, Map<string, Persona>>();

  constructor(channels: readonly ChannelSetup[], settings: () => Settings) {
    this.#settings = settings;
    this.#refs = new Map(channels.map((channel) => [channel.id, channel]));
    this.ids = [...this.#refs.keys()];
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

  readonly channelsIn = (scope: Scope): readonly ChannelId[] => this.#byScope.get(keyOfScope(scope)) ?? [];

  /**
   * Whose persona decides: for a channel its own; for what concerns a group or an engine as a whole its own, made as
   * strict as the strictest of the channels that may be started there at all (law S9).
   */
  personaOf(scope: Scope, group: GroupId): Persona {
    const settings = this.#settings();
    const own = settings.personaOf(scope, group);
    if (scope.kind === 'channel') return own;
    const known = this.#sharedOf(settings);
    const key = `${keyOfScope(scope)} ${group}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const persona = [...new Set(this.personasIn(scope))].filter(mayStart).reduce(stricter, own);
    known.set(key, persona);
    return persona;
  }

  /** A reload brings other settings, and with them nothing that was known. */
  #sharedOf(settings: Settings): Map<string, Persona> {
    let known = this.#shared.get(settings);
    if (known === undefined) {
      known = new Map();
      this.#shared.set(settings, known);
    }
    return known;
  }

  personasIn(scope: Scope): readonly Persona[] {
    const { personaOf } = this.#settings();
    return this.channelsIn(scope).flatMap((id) => {
      const ref = this.#refs.get(id);
      return ref === undefined ? [] : [personaOf({ kind: 'channel', id }, ref.group)];
    });
  }
}
