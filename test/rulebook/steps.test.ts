import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/core/plan.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';
import { aCrash, aRule, anAttempt, call, decide } from './support.ts';
import { answer, planned, ruleOf } from './asking.ts';

const whatOf = (plan: Plan | undefined) => (plan?.kind === 'act' ? plan.call.tool : plan?.kind);

describe('Theow 5, the next matching rule', () => {
  const first = aRule({ id: 'a', priority: 200 });
  const second = aRule({ id: 'b', steps: [call('restart_channel'), call('rebuild_playout'), { kind: 'escalate' }] });

  it('is tried when the calls of the first did not cure', () => {
    expect(ruleOf(planned([first, second]))).toBe('a');
    const plan = planned([first, second], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['b', 'rebuild_playout']);
  });

  it('repeats nothing that was tried in this run', () => {
    const same = aRule({ id: 'b' });
    const plan = planned([first, same], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', 'escalate']);
  });

  it('is tried when no call of the first can be made', () => {
    const allowed = (tool: ToolName) => (tool === 'restart_channel' ? 'phase' : true);
    expect(whatOf(planned([first, second], { allowed }))).toBe('rebuild_playout');
  });

  it('is not tried where the first says to wait, to stop, or to call a person at once', () => {
    for (const steps of [[{ kind: 'wait', escalateAfterMs: 1 }], [{ kind: 'stop' }], [{ kind: 'escalate' }]] as const) {
      const plan = planned([aRule({ id: 'a', priority: 200, steps }), second]);
      expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', steps[0].kind]);
    }
  });

  it('takes the first when no other has a call', () => {
    const waiting = aRule({ id: 'b', steps: [{ kind: 'wait', escalateAfterMs: 1 }] });
    const plan = planned([first, waiting], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', 'escalate']);
  });
});

describe('a step that asks the planner', () => {
  const rule = aRule({ id: 'p', steps: [call('invalidate_cache'), { kind: 'plan' }, call('restart_channel')] });

  it('states what is done without one', () => {
    expect(answer([rule])).toMatchObject({ planner: undefined });
    const after = answer([rule], { attempts: [anAttempt('invalidate_cache', true)] });
    expect(after).toMatchObject({ planner: 'asked', rule: 'p', plan: { call: { tool: 'restart_channel' } } });
  });

  it('is taken once, whatever the planner chose', () => {
    const attempts = [anAttempt('invalidate_cache', true), anAttempt('get_channel_health')];
    expect(answer([rule], { attempts })).toMatchObject({ planner: undefined, plan: { kind: 'act' } });
  });

  it('carries how a model is to be asked, where the rule says', () => {
    const llmConfig = { prompt: 'Look.', tools: [], toolCallsMax: 3, tokensMax: 100, useSecondary: false };
    const asking = aRule({ steps: [{ kind: 'plan' }, { kind: 'escalate' }], llmConfig });
    expect(answer([asking])).toMatchObject({ planner: 'asked', modelUse: llmConfig, plan: { kind: 'escalate' } });
  });

  it('is another thing than rules whose calls are spent', () => {
    expect(answer([aRule()], { attempts: [anAttempt('restart_channel', false)] })?.planner).toBe('spent');
    expect(answer([aRule({ steps: [{ kind: 'escalate' }] })])?.planner).toBeUndefined();
  });
});

describe('the step', () => {
  const ordered = aRule({
    classification: 'upstream_url_expired',
    steps: [call('invalidate_cache'), call('refresh_credentials'), call('restart_channel'), { kind: 'escalate' }],
  });
  const about = aCrash({ failureClassification: 'upstream_url_expired' });
  const toolOf = (attempts: readonly Attempt[], allowed: (tool: ToolName) => boolean | string = () => true) => {
    const plan = decide([ordered], about, attempts, allowed);
    return plan?.kind === 'act' ? plan.call.tool : plan?.kind;
  };

  it('follows the order, one at a time', () => {
    expect(toolOf([])).toBe('invalidate_cache');
    expect(toolOf([anAttempt('invalidate_cache', true)])).toBe('refresh_credentials');
    expect(toolOf([anAttempt('invalidate_cache', true), anAttempt('refresh_credentials', true)])).toBe(
      'restart_channel',
    );
    const spent = [
      anAttempt('invalidate_cache', true),
      anAttempt('refresh_credentials', true),
      anAttempt('restart_channel', false),
    ];
    expect(toolOf(spent)).toBe('escalate');
  });

  it('never restarts behind a change that was not verified', () => {
    expect(toolOf([anAttempt('invalidate_cache', false), anAttempt('refresh_credentials', false)])).toBe('escalate');
    expect(toolOf([anAttempt('invalidate_cache', false), anAttempt('refresh_credentials', true)])).toBe(
      'restart_channel',
    );
  });

  it('falls back where a tool is not available, but never to a restart that needs it', () => {
    expect(toolOf([], (tool) => tool !== 'invalidate_cache')).toBe('refresh_credentials');
    expect(toolOf([], (tool) => tool === 'restart_channel')).toBe('escalate');
    const plan = decide([ordered], about, [], (tool) => (tool === 'restart_channel' ? true : 'no_capability'));
    expect(plan?.because).toContain('invalidate_cache is not available (no_capability)');
    expect(plan?.because).toContain('restart_channel must wait for a verified');
  });

  it('says first what stands against a step: the summary of a page has room for little more', () => {
    const plan = decide(
      [{ ...ordered, description: 'Fetch it anew.' }],
      about,
      [],
      () => 'persona p does not allow it',
    );
    expect(plan?.because).toMatch(/^rule [\w-]+: invalidate_cache is not available \(persona p does not allow it\); /);
    expect(plan?.because).toMatch(/; Fetch it anew$/);
    expect(decide([{ ...ordered, description: 'Fetch it anew.' }], about, [], () => true)?.because).toMatch(
      /^rule [\w-]+: Fetch it anew$/,
    );
  });

  it('does not count what another rule had done before', () => {
    expect(decide([aRule()], aCrash(), [anAttempt('fetch_recent_logs')])).toMatchObject({
      call: { tool: 'restart_channel' },
    });
  });

  it('escalates when none is left, with the reason', () => {
    const plan = decide([aRule({ steps: [call('restart_channel')] })], aCrash(), [anAttempt('restart_channel', false)]);
    expect(plan).toMatchObject({ kind: 'escalate' });
    expect(plan?.because).toContain('no step is left');
  });

  it('waits and stops as it says', () => {
    expect(decide([aRule({ steps: [{ kind: 'wait', escalateAfterMs: 60_000 }] })])).toMatchObject({
      kind: 'wait',
      escalateAfterMs: 60_000,
    });
    expect(decide([aRule({ steps: [{ kind: 'stop' }] })])?.kind).toBe('stop');
  });

  it('for a group names the channels, and asks for nothing where there is none', () => {
    const group = aCrash({ channelId: undefined, scope: { kind: 'group', id: 'pull' }, channels: ['a', 'b'] });
    expect(decide([aRule()], group)).toMatchObject({
      call: { tool: 'restart_channel', target: { kind: 'group', id: 'pull' }, channels: ['a', 'b'] },
    });
    expect(decide([aRule()], { ...group, channels: [] })?.kind).toBe('escalate');
  });
});
