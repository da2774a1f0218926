/** Derives the settings of the decision path from a configuration. */
import type { Configuration } from '../config/load.ts';
import type { Model } from '../core/model.ts';
import { invariant } from '../core/errors.ts';
import type { Persona } from '../core/persona.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import type { HintFor } from './hints.ts';
import { plannerOf, type Recall } from './planner.ts';
import type { Likeness, StandingOf } from '../rulebook/rank.ts';
import { createRulebook } from '../rulebook/rulebook.ts';

interface Beside {
  readonly model?: Model | undefined;
  readonly recall?: Recall;
  readonly hintFor?: HintFor;
  /** The records of the rules; without them every rule stands alike. */
  readonly standingOf?: StandingOf;
  /** How rules are compared where a model makes vectors; n-grams without it. */
  readonly likeness?: Likeness | undefined;
}

/** What the decision path reads of a configuration. Made anew at each reload and swapped whole. */
export function settingsOf(
  configuration: Configuration,
  { model, standingOf, likeness, recall, hintFor }: Beside = {},
): Settings {
  const { config, personas, rules } = configuration;
  const byId = new Map(personas.map((persona) => [persona.id, persona]));
  const named = (id: string): Persona => {
    const persona = byId.get(id);
    invariant(persona !== undefined, `the configuration names the persona ${id}, which does not exist`);
    return persona;
  };
  const ofChannel = new Map(config.channels.map(({ id, persona }) => [id, persona]));
  const ofGroup = new Map(config.groups.map((group) => [group.id, group]));
  return {
    limits: config.limits,
    rulebook: createRulebook(rules, standingOf, likeness),
    planner: plannerOf(configuration, model, { recall, hintFor }),
    personaOf: (scope, group) => {
      const own = scope.kind === 'channel' ? ofChannel.get(scope.id) : undefined;
      return named(own ?? ofGroup.get(group)?.persona ?? config.persona);
    },
    initialPhase: (group) => ({
      ...{ fleet: config.phase, group: ofGroup.get(group)?.phase },
      ...(config.receivers.length === 0 && { unheard: true }),
    }),
  };
}
