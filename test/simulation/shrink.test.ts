import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import type { Rulebook } from '../../src/rulebook/rulebook.ts';
import type { Kind } from '../../src/simulation/kinds.ts';
import { type Injection, type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { shrink } from '../../src/simulation/shrink.ts';
import { anInjection } from './faults.ts';

/** Planned by rules that have a bug: it shows where `channel` is in trouble. */
const withBug = (channel: string) => ({
  livenessMs: 0,
  rulebook: (): Rulebook => ({
    rules: [],
    decide: ({ channelId }) => {
      if (channelId === channel) throw new Error('a bug');
      return undefined;
    },
    matchAll: () => [],
  }),
});
const at = (minute: number, kind: Kind, with_: Partial<Injection> = {}) =>
  anInjection(kind, { atMs: minute * MINUTE_MS, variant: 0.6, ...with_ });

function scriptOf(hours: number, injections: readonly Injection[], kinds: readonly Kind[]): Scenario {
  const days = (hours * HOUR_MS) / DAY_MS;
  const script = scenarioOf({ seed: 1, days, channels: 2, kinds: [], persona: 'system_admin', phase: 4, limits: {} });
  return { ...script, kinds, injections };
}
const noise = [at(1, 'crash'), at(2, 'wall_jump', { target: '' }), at(4, 'slow'), at(6, 'crash')];
const cause = at(5, 'crash', { target: 'ch1' });
const KINDS: readonly Kind[] = ['crash', 'slow', 'wall_jump'];

describe('a script that breaks a law', () => {
  it('is shrunk to the one event that breaks it', async () => {
    const smaller = await shrink(
      scriptOf(0.25, [noise[0]!, cause, ...noise.slice(1)], KINDS),
      'internal',
      withBug('ch1'),
    );
    expect(smaller.injections).toEqual([cause]);
  });

  it('is cut off after an hour where that is enough, and keeps its length where it is not', async () => {
    const long = (minute: number) =>
      shrink(scriptOf(1.25, [at(minute, 'crash', { target: 'ch1' })], ['crash']), 'internal', withBug('ch1'));
    const [early, late] = [await long(5), await long(65)];
    expect([early.days * DAY_MS, late.days * DAY_MS]).toEqual([HOUR_MS, 1.25 * HOUR_MS]);
    expect([early.injections.length, late.injections.length]).toEqual([1, 1]);
  });

  it('stays as it is where it breaks another law', async () => {
    const script = scriptOf(0.25, [...noise, cause], KINDS);
    expect(await shrink(script, 'S2', withBug('ch1'))).toEqual(script);
  });
});
