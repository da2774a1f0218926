/** Looks up group, engine, persona and phase of channels. */
import { type ControlState, phaseOf, phaseOver } from '../../control/state.ts';
import type { Phase } from '../../core/control.ts';
import type { Incident } from '../../core/incident.ts';
import type { Read } from '../../core/journal.ts';
import type { Persona } from '../../core/persona.ts';
import { type ChannelId, type GroupId, keyOfScope, type Scope, scopesOf } from '../../core/scope.ts';
import type { ToolName } from '../../core/tool.ts';
import type { ChannelSetup } from '../../ground/facts/setup.ts';
import { isOnEach } from '../../remediation/catalog.ts';
import type { Settings } from './settings.ts';
import { mayStart, personaOfAll, stricter } from './wide_persona.ts';

/** Who belongs where, under which persona, and in which phase. */
export class ChannelIndex {
  readonly ids: readonly ChannelId[];
  readonly #settings: () => Settings;
  readonly #control: Read<ControlState>;
  readonly #refs: ReadonlyMap<ChannelId, ChannelSetup>;
  readonly #byScope = new Map<string, ChannelId[]>();
  /** Of what concerns more than a channel, by scope and group: asked at each look, over all channels of it. */
  readonly #shared = new WeakMap<Settings, Map<string, Persona>>();

  constructor(channels: readonly ChannelSetup[], settings: () => Settings, control: Read<ControlState>) {
    this.#settings = settings;
    this.#control = control;
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

  /** The fleet, and whatever has a channel. */
  readonly has = (scope: Scope): boolean => scope.kind === 'fleet' || this.channelsIn(scope).length > 0;

  /** The groups that have channels in the scope; `group`: where a channel or a group belongs. */
  readonly groupsIn = (scope: Scope, group: GroupId): readonly GroupId[] => {
    if (scope.kind === 'channel' || scope.kind === 'group') return [group];
    const ids = this.channelsIn(scope).flatMap((id) => this.#refs.get(id)?.group ?? []);
    return ids.length === 0 ? [group] : [...new Set(ids)];
  };

  /**
   * Whose persona decides: for a channel its own; for what concerns a group as a whole its own, and an engine those of
   * all its groups, made as strict as the strictest of the channels that may be started there at all (law S9).
   */
  readonly personaOf = (scope: Scope, group: GroupId): Persona => {
    const settings = this.#settings();
    if (scope.kind === 'channel') return settings.personaOf(scope, group);
    const known = this.#sharedOf(settings);
    const key = `${keyOfScope(scope)} ${group}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const groups = this.groupsIn(scope, group).map((id) => settings.personaOf({ kind: 'group', id }, id));
    const own = personaOfAll(groups) ?? settings.personaOf(scope, group);
    const persona = [...new Set(this.personasIn(scope))].filter(mayStart).reduce(stricter, own);
    known.set(key, persona);
    return persona;
  };

  phaseOf(group: GroupId): Phase {
    return phaseOf(this.#control(), group, this.#settings().initialPhase(group));
  }

  /** For what an incident concerns as a whole: see `phaseOver`. The tool: absent, any. */
  readonly phaseAt = ({ scope, group }: Pick<Incident, 'scope' | 'group'>, tool?: ToolName): Phase =>
    phaseOver(
      this.groupsIn(scope, group).map((id) => this.phaseOf(id)),
      tool !== undefined && isOnEach(tool),
    );

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
