import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/core/engine.ts';
import { able, channelAt, engineAt, type ToolPorts } from '../../src/remediation/tool.ts';
import { aChannel } from '../support/a.ts';

const engines = ['local', 'other'].map((id) => ({ id, kind: 'command' }) as Engine);
const ports: ToolPorts = {
  channelOf: (id) => (id === 'news' ? aChannel({ id: 'news', engine: 'local' }) : undefined),
  engineOf: (id) => engines.find((engine) => engine.id === id),
  healthLine: () => '',
  clean: (text) => text,
};

describe('the engine of a call', () => {
  it('is that of the channel, whatever the permit names', () => {
    expect(engineAt(ports, { kind: 'channel', id: 'news' }, 'other').id).toBe('local');
  });

  it('is the engine itself, and that of the permit for a group', () => {
    expect(engineAt(ports, { kind: 'engine', id: 'other' }, 'local').id).toBe('other');
    expect(engineAt(ports, { kind: 'group', id: 'g' }, 'other').id).toBe('other');
  });

  it('is refused where none is configured', () => {
    for (const [target, ofPermit] of [
      [{ kind: 'engine', id: 'gone' }, 'local'],
      [{ kind: 'group', id: 'g' }, undefined],
    ] as const) {
      expect(() => engineAt(ports, target, ofPermit)).toThrow('no engine is configured');
    }
  });
});

describe('the channel of a call', () => {
  it('is its target, and nothing but a channel is taken', () => {
    expect(channelAt({ kind: 'channel', id: 'news' })).toBe('news');
    expect(() => channelAt({ kind: 'group', id: 'g' })).toThrow('a channel was expected, got group:g');
  });
});

describe('the verb of an engine', () => {
  it('is called on the engine, and refused by name where the engine has none', async () => {
    const engine = {
      id: 'local',
      kind: 'command',
      async restart(this: Engine) {
        return this.id;
      },
    } as unknown as Engine;
    expect(await able(engine, 'restart')('news', {} as never)).toBe('local');
    expect(() => able(engine, 'recentLogs')).toThrow('engine local (command) cannot recentLogs');
  });
});
