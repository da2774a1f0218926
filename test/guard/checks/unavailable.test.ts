import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../src/core/control.ts';
import { CAPABILITIES, type ToolName } from '../../../src/core/tool.ts';
import { whyUnavailable } from '../../../src/guard/checks/unavailable.ts';
import { aPersona } from '../../support/a.ts';

const place = { persona: aPersona(), phase: 4 as Phase, engine: 'local', capabilities: new Set(CAPABILITIES) };

describe('why a tool is not available', () => {
  it('is nothing where persona, phase and engine allow it', () => {
    expect(whyUnavailable('restart_channel', place)).toBeUndefined();
  });

  it('is the phase below the one that its risk needs', () => {
    expect(whyUnavailable('restart_channel', { ...place, phase: 2 })).toBe('it needs phase 3, this is 2');
    expect(whyUnavailable('restart_channel', { ...place, phase: 3 })).toBeUndefined();
  });

  it('is what the engine cannot do, and that the engine is not known', () => {
    const because = 'engine local cannot restart';
    expect(whyUnavailable('restart_channel', { ...place, capabilities: new Set() })).toBe(because);
    expect(whyUnavailable('restart_channel', { ...place, capabilities: undefined })).toBe(because);
  });

  it('is a mode that changes nothing, which lets tools look unless it is passive', () => {
    const tool_access_policy = { restart_channel: 'allow', fetch_recent_logs: 'allow' } as const;
    const asked = (tool: ToolName, operational_mode: 'diagnostic' | 'passive') =>
      whyUnavailable(tool, { ...place, persona: aPersona({ operational_mode, tool_access_policy }) });
    expect(asked('restart_channel', 'diagnostic')).toBe('persona system_admin is in diagnostic mode');
    expect(asked('fetch_recent_logs', 'diagnostic')).toBeUndefined();
    expect(asked('fetch_recent_logs', 'passive')).toBe('persona system_admin is in passive mode');
  });

  it('is a persona that does not allow the tool', () => {
    const persona = aPersona({ tool_access_policy: { restart_channel: 'deny' } });
    expect(whyUnavailable('restart_channel', { ...place, persona })).toBe(
      'persona system_admin does not allow restart_channel',
    );
  });

  it('is that there is no such tool', () => {
    expect(whyUnavailable('format_disk' as ToolName, place)).toBe('there is no such tool');
  });
});
