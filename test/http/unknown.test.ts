import { describe, expect, it } from 'vitest';
import { meantScope, unknownChannel, unknownChannelOrTool } from '../../src/http/unknown.ts';

const CHANNELS = [{ id: 'news' }, { id: 'sport' }];

describe('a name that nothing has', () => {
  it('is told with the nearest one, and with what lists them', () => {
    expect(unknownChannel('newz', CHANNELS)).toBe(
      'there is no such channel as "newz": did you mean news? (reeve status lists them)',
    );
    expect(unknownChannel('q', CHANNELS)).toBe('there is no such channel as "q" (reeve status lists them)');
    expect(unknownChannel('x'.repeat(500), []).length).toBeLessThan(150);
  });

  it('is the channel, or else the tool', () => {
    expect(unknownChannelOrTool('newz', 'restart', CHANNELS)).toContain('no such channel');
    expect(unknownChannelOrTool('news', 'restart_chanel', CHANNELS)).toMatch(
      /no such tool as "restart_chanel": did you mean restart_channel\? \(there are /,
    );
  });

  it('is told with the scope that was meant: of that name and another kind, or else the nearest', () => {
    const known = { channels: new Set(['news', 'sport']), groups: new Set(['pull']), engines: new Set(['local']) };
    const meant = (typed: string) => meantScope(typed, known);
    expect(['nws', 'channel:nws', 'pull', 'grup:pull', 'group:pul', 'locl', 'fleat', 'zzzzz'].map(meant)).toEqual([
      ...['news', 'news', 'group:pull', 'group:pull', 'group:pull', undefined, 'fleet', undefined],
    ]);
  });
});
