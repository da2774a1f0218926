import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Phase } from '../../../src/core/control.ts';
import type { Persona } from '../../../src/core/persona.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { ToolName } from '../../../src/core/tool.ts';
import { checkInputAgain, type DecisionState, weigh, weighChild, weighPlanned } from '../../../src/guard/checks/ask.ts';
import { newGuardState } from '../../../src/guard/state/state.ts';
import { aCall, aChannel, anEnvelope, anIncident, aPersona } from '../../support/a.ts';
import { NOW_MS } from './input.ts';

const state = (with_: Partial<DecisionState> = {}): DecisionState => ({
  nowMs: NOW_MS,
  limits: DEFAULT_LIMITS,
  state: newGuardState(),
  control: controlProjection.initial,
  journalError: undefined,
  channelOf: (id) => (id === 'news' ? aChannel() : undefined),
  capabilitiesOf: () => new Set(['restart', 'observe', 'logs']),
  liveFacts: () => ({ poolPressure: 0.1, reportsPool: true, viewers: undefined }),
  initialPhase: () => 4,
  ...with_,
});
const ask = (call: Partial<ReturnType<typeof aCall>> = {}, world = state()) =>
  weigh(
    {
      ...{ call: aCall(call), envelope: anEnvelope(), persona: aPersona(), incident: anIncident(), run: 'run-1' },
      ...{ decider: { kind: 'rule', rule: 'r' }, stepHighRiskUsed: false },
    },
    world,
  );
const channel = (id: string): Scope => ({ kind: 'channel', id });

describe('a request', () => {
  it('is asked all seventeen questions, of its own place', () => {
    const { trace, input } = ask();
    expect(trace.map(({ id }) => id)).toEqual(Array.from({ length: 17 }, (_, at) => at + 1));
    expect(input).toMatchObject({ group: 'encoders', engine: 'local', phase: 4 });
    expect(input?.scopes.map(({ kind }) => kind)).toContain('fleet');
  });

  it('for a tool that does not exist, or for nothing that exists, is refused at once', () => {
    const unknown = ask({ tool: 'reboot' as ToolName });
    expect(unknown).toMatchObject({ refusal: { code: 'tool_unknown' }, input: undefined });
    for (const target of [channel('gone'), { kind: 'fleet' } as const])
      expect(ask({ target })).toMatchObject({ refusal: { code: 'params_invalid' }, input: undefined });
  });

  it('about a group has the engine of its incident, and one about an engine the group of its incident', () => {
    expect(ask({ target: { kind: 'group', id: 'pull' } }).input).toMatchObject({ group: 'pull', engine: 'local' });
    expect(ask({ target: { kind: 'engine', id: 'far' } }).input).toMatchObject({ group: 'encoders', engine: 'far' });
  });
});

describe('a request about an engine whose groups are in several phases', () => {
  const world = (phases: Readonly<Record<string, Phase>>) =>
    state({
      channelOf: (id) => aChannel({ id, group: id === 'news' ? 'encoders' : 'pull' }),
      groupsOn: () => ['encoders', 'pull'],
      initialPhase: (group) => phases[group] ?? 4,
    });
  const target: Scope = { kind: 'engine', id: 'local' };
  const phaseFor = (call: Partial<ReturnType<typeof aCall>>, phases: Readonly<Record<string, Phase>>) =>
    ask({ target, ...call }, world(phases)).input?.phase;

  it('is in the lowest of them where the tool acts on the whole of it, at each question', () => {
    for (const phases of [{ encoders: 1 }, { pull: 1 }] as const) {
      expect(phaseFor({ tool: 'refresh_credentials' }, phases)).toBe(1);
      const { input } = ask({ target, tool: 'refresh_credentials' }, world({}));
      expect(checkInputAgain(input!, world(phases)).phase).toBe(1);
    }
  });

  it('is for a staged start in the highest of the groups whose channels it names, and in no other', () => {
    const plan = { tool: 'restart_channel' } as const;
    expect(phaseFor({ ...plan, channels: ['news', 'film'] }, { encoders: 1 })).toBe(4);
    expect(phaseFor({ ...plan, channels: ['film', 'news'] }, { pull: 1 })).toBe(4);
    expect(phaseFor({ ...plan, channels: ['news'] }, { encoders: 1 })).toBe(1);
  });
});

describe('one start of a staged plan', () => {
  const request = {
    parent: { id: 'p1', run: 'run-1', incident: 'inc-1' },
    channel: 'news',
    persona: aPersona(),
    incident: anIncident({ scope: { kind: 'group', id: 'encoders' } }),
  };
  const denying = aPersona({ tool_access_policy: {} });
  const asksAll = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });
  const idsOf = (trace: readonly { id: number; verdict: string }[]) =>
    trace.filter(({ verdict }) => verdict === 'not_asked').map(({ id }) => id);

  it('is a restart of the channel in the name of the plan, and asks what was not weighed with it', () => {
    const { input, trace } = weighChild(request, state());
    expect(input).toMatchObject({ call: { tool: 'restart_channel', target: channel('news') }, parent: 'p1' });
    expect(idsOf(trace)).toEqual(expect.arrayContaining([7, 15]));
  });

  it('is bound by the persona of the whole group as well as by its own', () => {
    const personaOf = (scope: Scope): Persona => (scope.kind === 'group' ? denying : aPersona());
    expect(weighChild(request, state({ personaOf })).refusal?.code).toBe('persona_denies');
    expect(weighChild({ ...request, persona: denying }, state()).refusal?.code).toBe('persona_denies');
  });

  it('as part of a plan is not asked for its order and place, nor for a yes that the whole is asked for', () => {
    const asking = { ...request, persona: asksAll };
    expect(weighPlanned(asking, state(), true).refusal?.code).not.toBe('approval_needed');
    expect(weighPlanned(asking, state(), false).refusal?.code).toBe('approval_needed');
    expect(idsOf(weighPlanned(request, state(), false).trace)).toEqual(expect.arrayContaining([12, 14]));
  });
});

describe('the same request a moment later', () => {
  const input = ask().input!;

  it('is asked by the clock, the phase and the persona of now', () => {
    const strict = aPersona({ tool_access_policy: {} });
    const again = checkInputAgain(
      input,
      state({ nowMs: NOW_MS + 5, initialPhase: () => 1, personaOf: () => strict, journalError: 'no space' }),
    );
    expect(again).toMatchObject({ nowMs: NOW_MS + 5, phase: 1, persona: strict, journalError: 'no space' });
    expect(again.call).toBe(input.call);
  });

  it('keeps its persona where nothing says what it is now', () => {
    expect(checkInputAgain(input, state()).persona).toBe(input.persona);
  });
});
