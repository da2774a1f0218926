import { describe, expect, it } from 'vitest';
import {
  changes,
  covers,
  type InvariantContext,
  planOf,
  scopesOver,
} from '../../../src/simulation/invariants/context.ts';
import { TOOL_NAMES } from '../../../src/core/tool.ts';
import { TOOL_SPECS } from '../../../src/remediation/catalog.ts';
import { aPlan } from '../plant.ts';

const world = {
  script: { channels: [aPlan('news'), aPlan('sport', { group: 'g1', engine: 'e1' })] },
} as unknown as InvariantContext;
const over = (...about: Parameters<typeof scopesOver> extends [infer T, unknown, infer E] ? [T, E?] : never) =>
  [...scopesOver(about[0], world, about[1])].sort();

describe('the scopes over a target', () => {
  it('are of a channel itself, its group, its engine and the fleet, whatever engine is named', () => {
    expect(over({ kind: 'channel', id: 'news' })).toEqual(['channel:news', 'engine:e0', 'fleet', 'group:g0']);
    expect(over({ kind: 'channel', id: 'news' }, 'e9')).toEqual(['channel:news', 'engine:e0', 'fleet', 'group:g0']);
  });

  it('are of a group itself, the fleet, and the engine where one is named', () => {
    expect(over({ kind: 'group', id: 'g0' })).toEqual(['fleet', 'group:g0']);
    expect(over({ kind: 'group', id: 'g0' }, 'e0')).toEqual(['engine:e0', 'fleet', 'group:g0']);
    expect(over({ kind: 'group', id: 'news' })).toEqual(['fleet', 'group:news']);
    expect(over({ kind: 'fleet' })).toEqual(['fleet']);
  });

  it('are of a channel that does not exist only itself and what is named', () => {
    expect(over({ kind: 'channel', id: 'films' })).toEqual(['channel:films', 'fleet']);
    expect(planOf(world, 'films')).toBeUndefined();
    expect(planOf(world, 'sport')).toMatchObject({ group: 'g1' });
  });
});

describe('a scope', () => {
  it.each([
    ['channel', 'news', true],
    ['channel', 'sport', false],
    ['group', 'g0', true],
    ['group', 'g1', false],
    ['engine', 'e0', true],
    ['engine', 'e1', false],
  ] as const)('of %s %s covers news: %s', (kind, id, expected) => {
    expect(covers({ kind, id }, 'news', world)).toBe(expected);
  });

  it('of the fleet covers every channel', () => {
    expect(covers({ kind: 'fleet' }, 'news', world)).toBe(true);
  });
});

describe('a tool', () => {
  it('changes something unless it only looks, as the catalogue has it', () => {
    expect(TOOL_NAMES.filter((tool) => changes(tool))).toEqual(
      [...TOOL_SPECS.values()].filter(({ effect }) => effect === 'change').map(({ name }) => name),
    );
    expect(changes('no_such_tool')).toBe(true);
  });
});
