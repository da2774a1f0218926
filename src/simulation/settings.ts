/** The settings of the simulated daemon. */
import type { Ids } from '../core/id.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Rulebook } from '../rulebook/rulebook.ts';
import type { HostileModel } from './hostile_models.ts';
import type { SimulatedDaemonParts } from './simulated_daemon.ts';
import type { ChannelPlan, Scenario } from './scenario.ts';
import { shippedFiles } from './shipped_files.ts';
import { SLOW_S, TICK_MS } from './simulated_probes.ts';
import { PACES } from './wired_looks.ts';

/** What a run may say itself, where the script and the shipped files would. */
export interface SettingChoices {
  /** Who plans; the shipped rules by default. */
  readonly rulebook?: (script: Scenario) => Rulebook;
  readonly persona?: Persona;
  /** A model that chooses; none by default. */
  readonly hostile?: (script: Scenario) => HostileModel;
}

/** What every process of Reeve is given alike. */
export type Settings = Pick<
  SimulatedDaemonParts,
  'ids' | 'limits' | 'rulebook' | 'hostile' | 'phase' | 'channels' | 'engineSetups'
> & {
  /** As it was written at the beginning. */
  readonly persona: Persona;
};

/** The settings of one run. The names that they count up belong to it alone. */
export function settingsOf(script: Scenario, choices: SettingChoices): Settings {
  const files = shippedFiles();
  const engines = new Set(script.channels.map(({ engine }) => engine));
  return {
    ids: idsOf(),
    limits: { ...DEFAULT_LIMITS, ...script.limits },
    rulebook: choices.rulebook?.(script) ?? files.rulebook,
    hostile: choices.hostile?.(script),
    persona: choices.persona ?? files.personas.find(({ id }) => id === script.persona) ?? files.personas[0]!,
    phase: script.phase,
    channels: script.channels.map((plan) => channelSetupOf(plan, script)),
    engineSetups: [...engines].map((id) => engineSetupOf(id, script)),
  };
}

const channelSetupOf = ({ id, group, engine, hasSource }: ChannelPlan, { probed }: Scenario): ChannelSetup => ({
  id,
  group,
  engine,
  hasSource,
  expected: 'always',
  hasOutputProbe: true,
  stallAfterMs: 10_000,
  outputEveryMs: SLOW_S * 1_000,
  sourceEveryMs: 10_000,
  ...(probed === true ? PACES : {}),
});

const engineSetupOf = (id: string, { probed }: Scenario): EngineSetup => ({
  id,
  pollMs: probed === true ? TICK_MS : SLOW_S * 1_000,
  autorestartGraceMs: 1_500,
  hostEveryMs: undefined,
});

/** Names that count up over all processes of Reeve: random ones do not repeat after a restart either. */
function idsOf(): Ids {
  let last = 0;
  return {
    next: (prefix) => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
