import { describe, expect, it } from 'vitest';
import { choicesFor, isEnd } from '../../src/agent/choices.ts';
import { DENIAL_CODES } from '../../src/core/plan.ts';
import { TOOL_NAMES } from '../../src/core/tool.ts';
import { anEnvelope } from '../support/a.ts';

describe('the choices', () => {
  const envelope = anEnvelope();

  it('are the calls that the guard allows or would ask a person about, then three ends', () => {
    const found = choicesFor(envelope, ({ tool }) => {
      if (tool === 'get_channel_health') return { verdict: 'allow' };
      return { verdict: 'deny', code: tool === 'restart_channel' ? 'approval_needed' : 'phase' };
    });
    expect(found.map(({ index, tool, needsApproval }) => [index, tool, needsApproval])).toEqual([
      [0, 'restart_channel', true],
      [1, 'get_channel_health', false],
      [2, 'wait', false],
      [3, 'stop', false],
      [4, 'escalate', false],
    ]);
  });

  it.each(DENIAL_CODES.filter((code) => code !== 'approval_needed'))('hold nothing that is refused with %s', (code) => {
    expect(choicesFor(envelope, () => ({ verdict: 'deny', code })).every(({ tool }) => isEnd(tool))).toBe(true);
  });

  it('name every tool on the envelope’s own target and on no other', () => {
    const asked: string[] = [];
    choicesFor(envelope, ({ tool, target }) => {
      asked.push(`${tool} ${JSON.stringify(target)}`);
      return { verdict: 'allow' };
    });
    expect(asked).toEqual(TOOL_NAMES.map((tool) => `${tool} ${JSON.stringify(envelope.scope)}`));
  });
});
