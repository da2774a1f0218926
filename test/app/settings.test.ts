import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../src/app/settings.ts';
import type { Configuration } from '../../src/config/load.ts';
import type { Scope } from '../../src/core/scope.ts';
import { loadText } from '../config/support.ts';
import { scriptedModel } from '../support/scripted_model.ts';
import { aPersona } from '../support/a.ts';

function settings(mode: 'off' | 'after_rules' = 'off', hasModel = true) {
  const { config } = loadText(`version: 1
phase: 2
receivers: [{ id: r, kind: webhook, url: "http://127.0.0.1:1" }]
models: { servers: [{ id: m, kind: ollama, url: "http://127.0.0.1:1" }], primary: m/x }
persona: fleet_wide
engines: [{ id: local, kind: supervisor, url: "http://127.0.0.1:9001/RPC2" }]
groups:
  - { id: pull, persona: of_group, phase: 3 }
channels:
  - { id: own, engine: local, group: pull, persona: of_channel }
  - { id: plain, engine: local, group: pull }
  - { id: alone, engine: local }
planner: { mode: ${mode} }
`);
  const personas = ['fleet_wide', 'of_group', 'of_channel'].map((id) => aPersona({ id }));
  const configuration = { config: config!, personas, rules: [], patterns: [] } as unknown as Configuration;
  return settingsOf(configuration, hasModel ? { model: scriptedModel(() => '{}') } : {});
}
const channel = (id: string): Scope => ({ kind: 'channel', id });

describe('the persona that decides', () => {
  it('is the own one of the channel, else that of its group, else that of all', () => {
    const { personaOf } = settings();
    expect(personaOf(channel('own'), 'pull').id).toBe('of_channel');
    expect(personaOf(channel('plain'), 'pull').id).toBe('of_group');
    expect(personaOf(channel('alone'), 'other').id).toBe('fleet_wide');
  });

  it('of a whole group is that of the group, whatever its channels have', () => {
    const { personaOf } = settings();
    expect(personaOf({ kind: 'group', id: 'pull' }, 'pull').id).toBe('of_group');
    expect(personaOf({ kind: 'group', id: 'own' }, 'own').id).toBe('fleet_wide');
  });

  it('that does not exist is a bug, and no other one is taken for it', () => {
    const configuration = { config: loadText('version: 1\n').config!, personas: [], rules: [], patterns: [] };
    const { personaOf } = settingsOf(configuration as unknown as Configuration);
    expect(() => personaOf({ kind: 'fleet' }, 'any')).toThrow(/the persona \w+, which does not exist/);
  });
});

describe('the phase that is configured', () => {
  it('is named for the fleet and for the group, where it has one', () => {
    const { initialPhase } = settings();
    expect(initialPhase('pull')).toEqual({ fleet: 2, group: 3 });
    expect(initialPhase('other')).toEqual({ fleet: 2, group: undefined });
    const { config } = loadText('version: 1\n');
    const alone = { config, personas: [], rules: [], patterns: [] } as unknown as Configuration;
    expect(settingsOf(alone).initialPhase('other')).toMatchObject({ unheard: true });
  });
});

describe('the planner', () => {
  it('is there where a mode and a model are, and not without one of them', () => {
    expect(settings('after_rules').planner?.mode).toBe('after_rules');
    expect(settings('off').planner).toBeUndefined();
    expect(settings('after_rules', false).planner).toBeUndefined();
  });
});
