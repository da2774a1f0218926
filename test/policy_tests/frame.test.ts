import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/core/tool.ts';
import { frameOf, personaOf } from '../../src/policy_tests/frame.ts';
import { anEnvelope } from '../support/a.ts';
import { anAttempt } from '../rulebook/support.ts';
import { aCase, aFrame, aPolicySet } from './support.ts';

const CRASHED = { envelope: { classification: 'process_crashed' } };

describe('a case that says little', () => {
  it('is about the channel news of the everyday persona, in phase 4, with an engine that can do everything', () => {
    const frame = aFrame(CRASHED);
    expect(frame).toMatchObject({
      ...{ phase: 4, persona: { id: 'system_admin' }, scope: { kind: 'channel', id: 'news' } },
      channel: { id: 'news', group: 'encoders', engine: 'local', hasSource: false, hasOutputProbe: true },
      ...{ classification: 'process_crashed', fingerprint: 'process_crashed|policy test|news' },
    });
    expect(frame.engine.capabilities).toEqual(new Set(CAPABILITIES));
    expect(frame.channels).toEqual([frame.channel]);
    expect(frame.settings.initialPhase('encoders')).toBe(4);
  });

  it('of which nothing was concluded has no classification', () => {
    expect(aFrame({ probes: {} })).toMatchObject({ classification: undefined, fingerprint: '|policy test|news' });
  });
});

describe('the persona of a case', () => {
  it('is its own, else that of its file', () => {
    const set = aPolicySet('cautious', 'lab');
    const own = aFrame({ ...CRASHED, persona: 'lab' }, { persona: 'cautious' }, set);
    expect([own.persona.id, aFrame(CRASHED, { persona: 'cautious' }, set).persona.id]).toEqual(['lab', 'cautious']);
    expect(own.settings.personaOf(own.scope, 'encoders').id).toBe('lab');
    expect(personaOf(...aCase(CRASHED))).toBe('system_admin');
  });

  it('that does not exist is a mistake of whoever read the file', () => {
    expect(() => frameOf(...aCase(CRASHED, { persona: 'ghost' }), aPolicySet())).toThrow('no persona is called ghost');
  });
});

describe('what a case says', () => {
  it('of its phase counts before what its file says', () => {
    expect(aFrame(CRASHED, { phase: 2 }).phase).toBe(2);
    expect(aFrame({ ...CRASHED, phase: 0 }, { phase: 2 }).phase).toBe(0);
  });

  it('of its channel, engine, scope and fingerprint is taken as it stands', () => {
    const envelope = { scope: 'group:g', fingerprint: 'f', channels: ['sport', 'kids'] };
    const frame = aFrame({ channel: 'sport', group: 'g', engine: 'e', capabilities: ['restart'], envelope });
    expect(frame).toMatchObject({ scope: { kind: 'group', id: 'g' }, fingerprint: 'f', engine: { id: 'e' } });
    expect([...frame.engine.capabilities]).toEqual(['restart']);
    expect(frame.channels.map(({ id, group, engine }) => [id, group, engine])).toEqual([
      ['sport', 'g', 'e'],
      ['kids', 'g', 'e'],
    ]);
  });

  it('of its probes decides what is looked at', () => {
    const watched = (probes: object) => {
      const { hasSource, hasOutputProbe } = aFrame({ probes }).channel;
      return [hasSource, hasOutputProbe];
    };
    expect(watched({})).toEqual([false, true]);
    expect(watched({ source: 'unwatched', output: 'unwatched' })).toEqual([false, false]);
    expect(watched({ source: 'ok', output: 'still' })).toEqual([true, true]);
  });
});

describe('a tool that is asked for whatever the rules say', () => {
  const decided = (ask: string, scope?: string) => {
    const given = { ask, envelope: { ...CRASHED.envelope, ...(scope && { scope }), channels: ['news', 'sport'] } };
    const { settings, scope: where } = aFrame(given);
    const envelope = anEnvelope({ scope: where, channels: ['news', 'sport'] });
    return (attempts: Parameters<typeof settings.rulebook.decide>[1]) =>
      settings.rulebook.decide(envelope, attempts, () => true);
  };

  it('is asked for once', () => {
    const decide = decided('restart_channel');
    const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'news' }, channels: [] };
    expect(decide([])).toMatchObject({ kind: 'act', call, by: { kind: 'operator' } });
    expect(decide([anAttempt('restart_channel')])).toMatchObject({ kind: 'stop' });
  });

  it('names each channel of a group only where it works on one at a time', () => {
    expect(decided('restart_channel', 'group:encoders')([])).toMatchObject({ call: { channels: ['news', 'sport'] } });
    expect(decided('refresh_credentials', 'group:encoders')([])).toMatchObject({ call: { channels: [] } });
  });
});
