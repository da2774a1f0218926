import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import type { Phase } from '../../../src/core/control.ts';
import type { Persona } from '../../../src/core/persona.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { ChannelIndex } from '../../../src/incident/pipeline/channel_index.ts';
import { aChannel, aPersona } from '../../support/a.ts';

const GROUP: Scope = { kind: 'group', id: 'encoders' };
const ENGINE: Scope = { kind: 'engine', id: 'local' };

/** `news` and `sport` in one group on one engine, `film` in another group. */
function indexOf(
  personas: Readonly<Record<string, Partial<Persona>>> = {},
  phases: Readonly<Record<string, Phase>> = {},
) {
  const setups = [aChannel(), aChannel({ id: 'sport' }), aChannel({ id: 'film', group: 'pull' })];
  const probing = { stallAfterMs: 6_000, outputEveryMs: 1_000, sourceEveryMs: 1_000 };
  return new ChannelIndex(
    setups.map((setup) => ({ ...setup, ...probing })),
    () =>
      ({
        personaOf: (scope: Scope) =>
          aPersona({ id: 'own', ...(scope.kind === 'channel' || scope.kind === 'group' ? personas[scope.id] : {}) }),
        initialPhase: (group: string) => ({ fleet: 4, group: phases[group] }),
      }) as never,
    () => controlProjection.initial,
  );
}

describe('the index of channels', () => {
  it('finds channels by channel, group, engine and fleet, and none of what does not exist', () => {
    const index = indexOf();
    expect(index.channelsIn({ kind: 'channel', id: 'news' })).toEqual(['news']);
    expect(index.channelsIn(GROUP)).toEqual(['news', 'sport']);
    expect(index.channelsIn({ kind: 'engine', id: 'local' })).toEqual(['news', 'sport', 'film']);
    expect(index.channelsIn({ kind: 'fleet' })).toEqual(['news', 'sport', 'film']);
    expect(index.channelsIn({ kind: 'group', id: 'nowhere' })).toEqual([]);
    expect(index.channelOf('nowhere')).toBeUndefined();
  });
});

describe('the persona of a group', () => {
  it('is as strict as the strictest channel that may be started there', () => {
    const index = indexOf({ sport: { risk_tolerance: 'low', aggressiveness: 'cautious', containment_bias: true } });
    expect(index.personaOf(GROUP, 'encoders')).toMatchObject({ risk_tolerance: 'low', aggressiveness: 'cautious' });
  });

  it('does not grow laxer by a lax channel', () => {
    const index = indexOf({ news: { risk_tolerance: 'high', aggressiveness: 'assertive', containment_bias: false } });
    expect(index.personaOf(GROUP, 'encoders')).toMatchObject({
      risk_tolerance: 'medium',
      aggressiveness: 'moderate',
      containment_bias: true,
    });
  });

  it.each([
    [{ operational_mode: 'passive' }],
    [{ tool_access_policy: {} }],
    [{ tool_access_policy: { restart_channel: 'deny' } }],
  ] as const)('is not made stricter by a channel that is never started: %j', (never) => {
    const index = indexOf({ sport: { risk_tolerance: 'low', ...never } as Partial<Persona> });
    expect(index.personaOf(GROUP, 'encoders').risk_tolerance).toBe('medium');
  });

  it('is another one after a reload that makes a channel stricter or laxer', () => {
    const risk = (risk_tolerance: Persona['risk_tolerance']) => ({
      personaOf: ({ kind }: Scope) => aPersona({ risk_tolerance: kind === 'channel' ? risk_tolerance : 'high' }),
    });
    let settings = risk('medium');
    const index = new ChannelIndex(
      [{ ...aChannel(), stallAfterMs: 1, outputEveryMs: 1, sourceEveryMs: 1 }],
      () => settings as never,
      () => controlProjection.initial,
    );
    const now = (): string => index.personaOf(GROUP, 'encoders').risk_tolerance;
    expect([now(), now()]).toEqual(['medium', 'medium']);
    settings = risk('low');
    expect([now(), now()]).toEqual(['low', 'low']);
    settings = risk('high');
    expect(now()).toBe('high');
  });

  it('keeps its own caps and tools', () => {
    const index = indexOf({ sport: { risk_tolerance: 'low', restart_cap: 0 } });
    expect(index.personaOf(GROUP, 'encoders')).toMatchObject({ id: 'own', restart_cap: 3 });
  });

  it('is not asked of the others for a single channel', () => {
    const index = indexOf({ sport: { risk_tolerance: 'low' } });
    expect(index.personaOf({ kind: 'channel', id: 'news' }, 'encoders').risk_tolerance).toBe('medium');
  });
});

describe('the persona of an engine', () => {
  it('is that of all its groups, whichever the file names first', () => {
    const strict = { id: 'strict', tool_access_policy: {} };
    for (const personas of [{ encoders: strict }, { pull: strict }])
      expect(indexOf(personas).personaOf(ENGINE, 'encoders').tool_access_policy.refresh_credentials).toBe('deny');
    expect(indexOf().personaOf(ENGINE, 'encoders').id).toBe('own');
  });
});

describe('the phase of an engine whose groups are in several', () => {
  it.each([
    [{ encoders: 1 }, 'refresh_credentials', 1],
    [{ pull: 1 }, 'refresh_credentials', 1],
    [{ encoders: 1 }, 'restart_channel', 4],
    [{ pull: 1 }, 'restart_channel', 4],
    [{ encoders: 1, pull: 2 }, 'restart_channel', 2],
    [{ encoders: 1, pull: 2 }, undefined, 1],
  ] as const)('with %j is for %s: %i', (phases, tool, right) => {
    const index = indexOf({}, phases);
    expect(index.phaseAt({ scope: ENGINE, group: 'encoders' }, tool)).toBe(right);
    expect(index.phaseAt({ scope: GROUP, group: 'encoders' }, tool)).toBe(index.phaseOf('encoders'));
  });
});
