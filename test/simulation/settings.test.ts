import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { hostileModel } from '../../src/simulation/hostile_models.ts';
import { greedyPlanner } from '../../src/simulation/planners.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { type SettingChoices, settingsOf } from '../../src/simulation/settings.ts';
import { shippedFiles } from '../../src/simulation/shipped_files.ts';
import { aPersona } from '../support/a.ts';
import { aPlan } from './plant.ts';

const script = { ...scenarioOf({ seed: 1, days: 0, channels: 1 }), persona: 'lab', limits: {} };
const settings = (with_: object = {}, choices: SettingChoices = {}) => settingsOf({ ...script, ...with_ }, choices);

describe('the settings of a simulated daemon', () => {
  it('are those of the script, and the shipped rules', () => {
    const { persona, phase, limits, rulebook, hostile } = settings({ phase: 3, limits: { windowStartsMax: 4 } });
    expect([persona.id, phase, rulebook, hostile]).toEqual(['lab', 3, shippedFiles().rulebook, undefined]);
    expect(limits).toEqual({ ...DEFAULT_LIMITS, windowStartsMax: 4 });
  });

  it('are those of a run that says them itself', () => {
    const persona = aPersona({ id: 'own' });
    const chosen = settings(
      {},
      { persona, rulebook: (of) => greedyPlanner(of).rulebook, hostile: (of) => hostileModel('moody', of) },
    );
    expect(chosen.persona).toBe(persona);
    expect(chosen.rulebook.rules).toEqual([]);
    expect(chosen.hostile).toBeDefined();
  });

  it('have the first shipped persona where that of the script is not shipped', () => {
    expect(settings({ persona: 'nobody' }).persona).toBe(shippedFiles().personas[0]);
  });

  it('know each channel with its source, and each engine once', () => {
    const channels = [aPlan('a', { hasSource: false }), aPlan('b', { group: 'g1' }), aPlan('c', { engine: 'e1' })];
    const { channels: setups, engineSetups } = settings({ channels });
    expect(setups).toMatchObject([
      { id: 'a', group: 'g0', engine: 'e0', hasSource: false, hasOutputProbe: true },
      { id: 'b', group: 'g1', hasSource: true },
      { id: 'c', engine: 'e1' },
    ]);
    expect(engineSetups.map(({ id }) => id)).toEqual(['e0', 'e1']);
  });

  it('give names that count up, in each run from the beginning', () => {
    const { ids } = settings();
    expect([ids.next('inc'), ids.next('run'), settings().ids.next('inc')]).toEqual(['inc-1', 'run-2', 'inc-1']);
  });
});
