import { describe, expect, it } from 'vitest';
import type { OneRuleDocument } from '../../src/config/rule_document.ts';
import { type RuleTool, stepsOf } from '../../src/config/rule_steps.ts';
import type { Composite } from '../../src/core/rule.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';

const tools: readonly RuleTool[] = [...TOOL_SPECS.values()];
const composites = [
  { name: 'look_and_restart', calls: ['fetch_recent_logs', 'restart_channel'] },
] as unknown as Composite[];

function read(then: readonly object[], classification = 'process_crashed') {
  const noted: string[] = [];
  const steps = stepsOf({ classification, then } as unknown as OneRuleDocument, {
    ...{ tools, composites },
    note: (path, message) => void noted.push(`${path.join('.')}: ${message}`),
  });
  return { steps, noted };
}

const observers = tools.filter(({ effect }) => effect === 'observe').map(({ name }) => name);

describe('the steps of a rule', () => {
  it('are taken in order, the last one with its wait', () => {
    const { steps, noted } = read([{ call: 'restart_channel' }, { wait: { escalate_after: 60_000 } }]);
    expect(noted).toEqual([]);
    expect(steps).toEqual([
      { kind: 'call', tool: 'restart_channel' },
      { kind: 'wait', escalateAfterMs: 60_000 },
    ]);
  });

  it.each([[{ wait: { escalate_after: 60_000 } }], [{ stop: true }], [{ escalate: true }]])(
    'end with %j: what comes after it is noted at its place',
    (last) => {
      expect(read([last, { call: 'restart_channel' }]).noted[0]).toMatch(/^then\.1: nothing comes after /);
      expect(read([{ call: 'restart_channel' }, last]).noted).toEqual([]);
    },
  );

  it('go on after a model was asked', () =>
    expect(read([{ plan: true }, { call: 'restart_channel' }]).noted).toEqual([]));

  it('are at most three calls', () => {
    const call = { call: observers[0] };
    expect(read([call, call, call]).noted).toEqual([]);
    expect(read([call, call, call, call]).noted).toEqual(['then.3: expected at most 3 calls, got 4']);
  });

  it('do one thing each', () => {
    expect(read([{ call: 'restart_channel', stop: true }]).noted[0]).toContain('then.0: expected one of');
    expect(read([{}]).noted[0]).toContain('got none');
  });
});

describe('a change', () => {
  it('cures what the rule is about', () => {
    expect(read([{ call: 'restart_channel' }]).noted).toEqual([]);
    expect(read([{ call: 'restart_channel' }], 'upstream_unavailable').noted).toEqual([
      'then.0: restart_channel does not cure upstream_unavailable',
    ]);
  });

  it('may be a restart after a tool that does cure it, and not before', () => {
    const cure = tools.find(
      ({ effect, name, cures }) => effect !== 'observe' && name !== 'restart_channel' && cures.length > 0,
    );
    const about = cure!.cures.find((one) => !tools.find(({ name }) => name === 'restart_channel')!.cures.includes(one));
    expect(about).toBeDefined();
    expect(read([{ call: cure!.name }, { call: 'restart_channel' }], about).noted).toEqual([]);
    expect(read([{ call: 'restart_channel' }, { call: cure!.name }], about).noted).toHaveLength(1);
  });
});

describe('an action that is made of several calls', () => {
  it('is replaced by its calls', () => {
    expect(read([{ action: 'look_and_restart' }]).steps).toEqual([
      { kind: 'call', tool: 'fetch_recent_logs' },
      { kind: 'call', tool: 'restart_channel' },
    ]);
  });

  it('that does not exist is noted with the one that was meant', () => {
    expect(read([{ action: 'look_and_restar' }]).noted).toEqual(['then.0: there is no action look_and_restar']);
  });
});
