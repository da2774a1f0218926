import { describe, expect, it } from 'vitest';
import { loadPersonas } from '../../src/config/personas.ts';
import { loadRules } from '../../src/config/rules.ts';
import type { Phase } from '../../src/core/control.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { CAPABILITIES, type Capability } from '../../src/core/tool.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { type Rehearsal, rehearse } from '../../src/policy_tests/rehearsal.ts';
import type { ChannelRef } from '../../src/core/scope.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { aChannel } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const { personas } = loadPersonas(`${ROOT}personas`);
const { rules } = loadRules(`${ROOT}config/rules`, [...TOOL_SPECS.values()]);

interface Given {
  readonly phase?: Phase;
  readonly persona?: string;
  readonly capabilities?: readonly Capability[];
  readonly channels?: readonly string[];
  readonly graceMs?: number;
  readonly watched?: Partial<ChannelRef>;
}

function rehearsed(given: Given = {}): Promise<Rehearsal | undefined> {
  const { phase = 4, persona = 'system_admin', capabilities = CAPABILITIES, channels = ['news', 'sport'] } = given;
  const { graceMs = 1_000, watched = { hasSource: true } } = given;
  const setup = { stallAfterMs: 6_000, outputEveryMs: 1_000, sourceEveryMs: 1_000 };
  return rehearse({
    clock: fakeClock().clock,
    settings: {
      limits: DEFAULT_LIMITS,
      rulebook: createRulebook(rules),
      personaOf: () => personas.find(({ id }) => id === persona)!,
      initialPhase: () => phase,
    },
    channels: channels.map((id) => ({ ...aChannel({ id, ...watched }), ...setup })),
    engines: [{ id: 'local', pollMs: 1_000, autorestartGraceMs: graceMs, hostEveryMs: 5_000 }],
    capabilities: () => new Set(capabilities),
  });
}

describe('a rehearsal', () => {
  const death = { channel: 'news', classification: 'process_crashed' };
  const restart = { ...death, call: 'restart_channel on channel:news' };

  it('reports that a channel that dies would be restarted', async () => {
    expect(await rehearsed()).toEqual({ ...restart, answer: 'allow' });
  });

  it.each<[string, Given]>([
    ['whose engine has five minutes for its own try', { graceMs: 300_000 }],
    ['whose source no probe reads', { watched: {} }],
    ['whose output no probe reads', { watched: { hasSource: true, hasOutputProbe: false } }],
    ['of which only the process is seen', { watched: { hasOutputProbe: false } }],
    ['that plays on demand', { watched: { hasSource: true, expected: 'on_demand' } }],
  ])('reports it of a channel %s', async (_, given) => {
    expect(await rehearsed(given)).toEqual({ ...restart, answer: 'allow' });
  });

  it('waits for an approval where the persona requires one', async () => {
    expect(await rehearsed({ persona: 'live_event' })).toEqual({ ...restart, answer: 'approval_needed' });
  });

  it.each<[string, string, Given]>([
    ['the phase does not allow it', 'it needs phase 3, this is 1', { phase: 1 }],
    ['the engine cannot', 'engine local cannot restart', { capabilities: ['observe'] }],
  ])('comes to no call where %s, and says so', async (_, because, given) => {
    const said = await rehearsed(given);
    expect(said).toMatchObject({ ...death, call: undefined, answer: undefined });
    expect(said?.because).toMatch(/^a person would be notified: rule process_crashed: /);
    expect(said?.because).toContain(`restart_channel is not available (${because})`);
  });

  it('needs no reason beside the call that it comes to', async () => {
    expect(await rehearsed()).not.toHaveProperty('because');
  });

  it('gives no answer where there is no channel', async () => {
    expect(await rehearsed({ channels: [] })).toBeUndefined();
  });
});
