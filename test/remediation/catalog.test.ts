import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHANGING_TOOLS, TOOL_NAMES, type ToolCall } from '../../src/core/tool.ts';
import { curesOf, isStaged, isStart, specOf, subjectOf, TOOL_SPECS, TOOLS } from '../../src/remediation/catalog.ts';

const call = (tool: ToolCall['tool'], target: ToolCall['target']): ToolCall => ({ tool, target, channels: [] });
const news = { kind: 'channel', id: 'news' } as const;
const pull = { kind: 'group', id: 'pull' } as const;

describe('the catalogue of tools', () => {
  it('has each name in the order in which it is offered', () => expect([...TOOL_SPECS.keys()]).toEqual(TOOL_NAMES));

  it('calls each tool by its own name and by the effect that its name is listed with', () => {
    for (const name of TOOL_NAMES) expect(TOOLS[name].spec.name).toBe(name);
    expect(TOOL_NAMES.filter((name) => specOf(name).effect === 'change')).toEqual(CHANGING_TOOLS);
  });

  it('verifies what changes something, and nothing else', () => {
    expect(TOOL_NAMES.filter((name) => TOOLS[name].effect !== undefined)).toEqual(CHANGING_TOOLS);
    for (const name of TOOL_NAMES) expect(specOf(name).verifyWithinMs > 0).toBe(TOOLS[name].effect !== undefined);
  });

  it('names as cures only tools that change something', () => {
    expect(curesOf('process_crashed')).toContain('restart_channel');
    for (const name of TOOL_NAMES)
      if (!CHANGING_TOOLS.some((one) => one === name)) expect(specOf(name).cures).toEqual([]);
  });
});

describe('the table of tools in docs/guard.md', () => {
  const page = readFileSync(new URL('../../docs/guard.md', import.meta.url), 'utf8');
  const [, tools = ''] = page.split('\n## The tools\n');
  const columns = (name: string) => new RegExp(`^\\| \`${name}\`.*$`, 'm').exec(tools)![0].split(' | ');

  it.each(TOOL_NAMES)('has the risk, the calls and the cures of %s', (name) => {
    const [, , risk, , calls, , cures] = columns(name);
    expect(risk!.split(',')[0]).toBe(specOf(name).risk);
    expect(Number(calls)).toBe(specOf(name).attemptsMax);
    expect([...cures!.matchAll(/`(\w+)`/g)].map(([, cure]) => cure)).toEqual(specOf(name).cures);
  });
});

describe('a start', () => {
  it('is the restart of one channel', () => {
    expect(isStart(call('restart_channel', news))).toBe(true);
    expect(isStart(call('restart_channel', pull))).toBe(false);
    expect(isStart(call('rebuild_playout', news))).toBe(false);
  });

  it('of several channels is staged', () => {
    expect(isStaged(call('restart_channel', pull))).toBe(true);
    expect(isStaged(call('restart_channel', news))).toBe(false);
    expect(isStaged(call('invalidate_cache', pull))).toBe(false);
  });
});

describe('whose cooldown a call uses', () => {
  it('is the channel of what is done to it alone', () =>
    expect(subjectOf(call('restart_channel', news), 'local')).toBe('channel:news'));

  it('is the engine for what acts on all of it, whichever channel it was asked for', () => {
    expect(subjectOf(call('refresh_credentials', news), 'local')).toBe('engine:local');
    expect(subjectOf(call('invalidate_cache', pull), 'local')).toBe('engine:local');
  });

  it('is the group for a staged start, and the target where no engine is known', () => {
    expect(subjectOf(call('restart_channel', pull), 'local')).toBe('group:pull');
    expect(subjectOf(call('refresh_credentials', news), undefined)).toBe('channel:news');
  });
});
