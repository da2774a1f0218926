import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../src/core/classification.ts';
import type { Scope } from '../../src/core/scope.ts';
import { type SharedCause, suspected } from '../../src/ground/correlate/correlate.ts';
import { dominating } from '../../src/ground/rules/families.ts';
import { Fleet, four, member, trouble, WELL } from './fleet.ts';
import { setupOf } from './scene.ts';

const down = trouble('upstream_unavailable');
const keys = (causes: readonly SharedCause[]) => causes.map(({ key }) => key);

describe('a shared cause that begins', () => {
  it('says how many of how many it has touched, and counts from the first of them', () => {
    const seen = [
      member('a', down, { firstSeenMs: 300 }),
      member('b', down, { firstSeenMs: 100 }),
      member('c', down, { firstSeenMs: 200 }),
      member('d', WELL),
      member('z', WELL, { group: 'gen' }),
    ];
    expect(new Fleet().step(seen)).toEqual([
      {
        key: 'group:pull|upstream',
        scope: { kind: 'group', id: 'pull' },
        family: 'upstream',
        classification: 'upstream_unavailable',
        channels: ['a', 'b', 'c'],
        because: 'upstream_unavailable: 3 of 4 channels at once; a: upstream_unavailable',
        sinceMs: 100,
        lastMs: 1_000,
        phase: 'active',
        down: [],
      },
    ]);
  });

  it('says what is seen of the first by name that has the class of the cause, and no more of it than a line', () => {
    const seenAs = (because: string, classification: FailureClass = 'upstream_unavailable') => ({
      ...trouble(classification),
      because,
    });
    const members = [
      member('a', seenAs('the address has expired', 'upstream_auth_expired')),
      member('c', seenAs('no answer (timeout)')),
      member('b', seenAs(`connection refused ${'x'.repeat(200)}`)),
    ];
    const [cause] = new Fleet().step(members);
    expect(cause?.because).toMatch(/^upstream_unavailable: 3 of 3 channels at once; b: connection refused x+…$/);
    expect(cause?.because).toHaveLength('upstream_unavailable: 3 of 3 channels at once; b: '.length + 120);
  });

  it('takes the report and the time of its engine where the engine has one', () => {
    const full = { ...trouble('host_exhausted'), because: '/ is 99 % full', sinceMs: 400 };
    expect(new Fleet().step([member('a', WELL)], 1_000, [{ engine: 'local', assessment: full }])).toEqual([
      {
        key: 'engine:local|host',
        scope: { kind: 'engine', id: 'local' },
        family: 'host',
        classification: 'host_exhausted',
        channels: [],
        because: 'host_exhausted: / is 99 % full',
        sinceMs: 400,
        lastMs: 1_000,
        phase: 'active',
        down: [],
      },
    ]);
  });

  it('does not begin where no trouble was found, or only that no output is expected', () => {
    const found = [undefined, trouble('expected_quiet')];
    const causes = found.map((assessment) => new Fleet().step([], 1_000, [{ engine: 'local', assessment }]));
    expect(causes).toEqual([[], []]);
    expect(new Fleet().step(four(trouble('expected_quiet')))).toEqual([]);
  });

  it.each([
    [[0, 50_000, 100_000], 0],
    [[100_000, 50_000, 0], 0],
    [[50_000, 100_000, 0], 0],
    [[100_000, 100_010, 100_020], 1],
    [[160_000, 0, 100_000, 159_999], 1],
    [[160_000, 0, 99_999, 159_999], 0],
    [[100_000, 100_001], 0],
  ])('of channels whose trouble began at %j ms in a large group: %i', (begun, count) => {
    const troubled = begun.map((firstSeenMs, at) => member(`c${at}`, down, { firstSeenMs }));
    expect(new Fleet().step([...troubled, member('d', WELL), member('e', WELL)], 200_000)).toHaveLength(count);
  });

  it('is the whole of a small group whatever other groups there are, and no part of it', () => {
    const stranger = member('z', WELL, { group: 'gen' });
    expect(keys(new Fleet().step([member('a', down), member('b', down), stranger]))).toEqual(['group:pull|upstream']);
    expect(new Fleet().step([member('a', down), member('b', WELL), stranger])).toEqual([]);
  });

  it('stands among the others in the order of the keys', () => {
    const seen = ['y', 'x', 'z'].flatMap((group) => ['1', '2', '3'].map((id) => member(group + id, down, { group })));
    expect(keys(new Fleet().step(seen))).toEqual(['group:x|upstream', 'group:y|upstream', 'group:z|upstream']);
  });
});

describe('channels that read from one host', () => {
  const at = (id: string, group: string, finding = down, engine = 'local') =>
    member(id, finding, { group, engine, sourceHost: 'origin:80' });
  const dead = trouble('process_crashed');

  it.each([
    ['of one group concern that group', ['x', 'x', 'x'], [], ['group:x|upstream']],
    ['of two groups concern their engine', ['x', 'x', 'y'], [], ['engine:local|upstream']],
    [
      'and play, or died of something else, widen nothing',
      ['x', 'x', 'x'],
      [at('w', 'y', WELL as never), at('v', 'z', dead)],
      ['group:x|upstream'],
    ],
  ])('%s', (_, groups, others, expected) => {
    const rest = ['x', 'y'].map((group) => member(`rest of ${group}`, WELL, { group }));
    const seen = groups.map((group, index) => at(`c${index}`, group));
    expect(keys(new Fleet().step([...seen, ...others, ...rest]))).toEqual(expected);
  });

  it('for several engines concern the whole fleet', () => {
    const [cause] = new Fleet().step([at('a', 'x'), at('b', 'y'), at('c', 'z', down, 'remote')]);
    expect(cause).toMatchObject({ key: 'fleet|upstream', scope: { kind: 'fleet' }, channels: ['a', 'b', 'c'] });
  });

  it('have that host in common for troubles of the source, and not for deaths', () => {
    const seen = [at('a', 'x'), at('b', 'y'), at('c', 'x', dead), at('d', 'y', dead), at('e', 'z', dead)];
    expect(new Fleet().step(seen)).toEqual([]);
  });

  it('are not those whose host is unknown', () => {
    expect(new Fleet().step(['x', 'y', 'z'].map((group) => member(`c${group}`, down, { group })))).toEqual([]);
  });
});

describe('the scope of a shared cause', () => {
  const ref = setupOf('a', { group: 'b', engine: 'c' });
  const scopes: readonly Scope[] = [
    ...(['channel', 'group', 'engine'] as const).flatMap((kind) => ['a', 'b', 'c'].map((id) => ({ kind, id }))),
    { kind: 'fleet' },
  ];

  it('is a channel, a group, an engine or everything, and each goes by its own names', () => {
    const [cause] = new Fleet().step(['x', 'y', 'z'].map((id) => member(id, down)));
    const reached = scopes.filter((scope) => suspected([{ ...cause!, scope }], ref) !== undefined);
    expect(reached).toEqual([
      { kind: 'channel', id: 'a' },
      { kind: 'group', id: 'b' },
      { kind: 'engine', id: 'c' },
      { kind: 'fleet' },
    ]);
  });
});

it.each([
  [[], 'unknown'],
  [['output_stalled', 'process_crashed'], 'process_crashed'],
  [['process_crashed', 'output_stalled'], 'process_crashed'],
  [['output_stalled', 'process_crashed', 'output_stalled'], 'output_stalled'],
  [
    ['upstream_not_found', 'upstream_auth_expired', 'upstream_not_found', 'upstream_auth_expired'],
    'upstream_auth_expired',
  ],
] as const)('of the classes %j the one that dominates is %s', (classes, expected) => {
  expect(dominating(classes)).toBe(expected);
});
