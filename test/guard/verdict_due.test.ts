import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/core/scope.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { subjectOf } from '../../src/remediation/catalog.ts';
import { verdictDueMs } from '../../src/guard/verdict_due.ts';
import { aChannel } from '../support/a.ts';
import { bench, channelsOf } from './bench.ts';
import { aPermit, callOf, NEWS } from './book.ts';
import { staged } from './stage.ts';

const GROUP = { kind: 'group', id: 'pull' } as const;

describe('the record of a call', () => {
  it.each<[ToolName, Scope, string | undefined, string]>([
    ['restart_channel', NEWS, 'local', 'channel:news'],
    ['restart_channel', GROUP, 'local', 'group:pull'],
    ['invalidate_cache', NEWS, 'local', 'channel:news'],
    ['invalidate_cache', GROUP, 'local', 'engine:local'],
    ['invalidate_cache', GROUP, undefined, 'group:pull'],
    ['refresh_credentials', NEWS, 'local', 'engine:local'],
    ['inspect_pool_status', NEWS, 'local', 'engine:local'],
    ['inspect_pool_status', NEWS, undefined, 'channel:news'],
  ])('of %s on %j at the engine %s is that of %s', (tool, target, engine, key) => {
    expect(subjectOf(callOf(tool, target), engine)).toBe(key);
  });

  it.each<[ToolName, number]>([
    ['restart_channel', 15_000 + 20_000 + 500 + 30_000 + 10_000],
    ['refresh_credentials', 15_000 + 2 * 15_000 + 500 + 30_000 + 10_000],
  ])('of %s waits for its verdict through each attempt that the call may make', (tool, dueMs) => {
    expect(verdictDueMs(aPermit({ call: callOf(tool) }))).toBe(dueMs);
  });
});

describe('the window of starts (S2)', () => {
  it('that is full of starts elsewhere says when one more fits at all', () => {
    const b = bench({ channels: [...channelsOf(10, { engine: 'far' }), aChannel()] });
    for (let n = 0; n < 10; n += 1) b.foreignStart(`c${n}`, `pid-${n}`);
    b.pass(20_000);
    const { checks } = b.guard.preview(b.request());
    expect(checks.find(({ id }) => id === 14)).toMatchObject({
      code: 'restart_storm',
      value: expect.stringMatching(/; free in 40000 ms$/),
    });
  });

  it('is not filled by the permit of a plan: its starts fill it', () => {
    const { b, plan, child } = staged(2, { limits: { windowStartsMax: 1 } });
    const parent = plan();
    expect(b.facts('containment.raised')).toEqual([]);
    expect(child(parent, 'c0').verdict).toBe('allow');
    expect(b.facts('containment.raised')).toMatchObject([{ reason: 'restart_storm' }]);
  });
});
