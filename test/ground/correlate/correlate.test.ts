import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/core/classification.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Finding } from '../../../src/ground/rules/classify.ts';
import { coveredBy } from '../../../src/ground/correlate/cause_index.ts';
import {
  CAUSE_QUIET_MS,
  DEATHS_QUIET_MS,
  LEFTOVER_MEMORY_MS,
  suspected,
} from '../../../src/ground/correlate/correlate.ts';
import { Fleet, four, member, trouble, WELL } from '../fleet.ts';

describe('a shared cause', () => {
  it('begins with three channels of a group within the window, not with two', () => {
    const down = trouble('upstream_unavailable');
    const two = [member('a', down), member('b', down), member('c', WELL), member('d', WELL)];
    expect(new Fleet().step(two)).toEqual([]);
    const [cause] = new Fleet().step(four(down, WELL));
    expect(cause).toMatchObject({
      scope: { kind: 'group', id: 'pull' },
      classification: 'upstream_unavailable',
      channels: ['a', 'b', 'c'],
      phase: 'active',
    });
  });

  it('asks for 60 s: at 60,000 ms apart they belong together, at 60,001 not', () => {
    const down = trouble('output_stalled');
    const at = (ms: number) => [
      member('a', down, { firstSeenMs: 0 }),
      member('b', down, { firstSeenMs: 10 }),
      member('c', down, { firstSeenMs: ms }),
      member('d', WELL),
    ];
    expect(new Fleet().step(at(60_000), 61_000)).toHaveLength(1);
    expect(new Fleet().step(at(60_001), 61_000)).toHaveLength(0);
  });

  it('is the whole of a small group, for what a source or a machine does to it', () => {
    const pair = (classification: FailureClass) => [
      member('a', trouble(classification)),
      member('b', trouble(classification)),
    ];
    expect(new Fleet().step(pair('upstream_unavailable'))).toHaveLength(1);
    expect(new Fleet().step(pair('process_crashed'))).toHaveLength(0);
    expect(new Fleet().step([member('a', trouble('upstream_unavailable'))])).toHaveLength(0);
  });

  it('counts channels that play still and complain of the same, where one is in that trouble', () => {
    const omen: Finding = { ...WELL, omen: 'upstream_unavailable' } as Finding;
    expect(new Fleet().step(four(omen))).toEqual([]);
    const [cause] = new Fleet().step([member('a', trouble('upstream_unavailable', true)), ...four(omen).slice(1)]);
    expect(cause).toMatchObject({ classification: 'upstream_unavailable', channels: ['a', 'b', 'c', 'd'] });
    const fleet = new Fleet();
    fleet.causes = [cause!];
    expect(fleet.step(four(omen), CAUSE_QUIET_MS + 1_000).filter(({ phase }) => phase === 'active')).toEqual([]);
  });

  it('takes different classes of one family as one, and names the most frequent', () => {
    const seen = [
      member('a', trouble('upstream_unavailable')),
      member('b', trouble('upstream_unavailable')),
      member('c', trouble('upstream_rate_limited')),
      member('d', WELL),
    ];
    expect(new Fleet().step(seen)[0]?.classification).toBe('upstream_unavailable');
  });

  it('spans groups that read from one host', () => {
    const down = (id: string, group: string) =>
      member(id, trouble('upstream_unavailable'), { group, sourceHost: 'origin:80' });
    const others = ['x', 'y'].map((id) => member(id, WELL, { group: id }));
    const [cause] = new Fleet().step([down('a', 'x'), down('b', 'x'), down('c', 'y'), ...others]);
    expect(cause?.scope).toEqual({ kind: 'engine', id: 'local' });
  });

  it('is around the groups that read from one host, and around no other, also when more of them join', () => {
    const down = (id: string, group: string) =>
      member(id, trouble('upstream_unavailable'), { group, sourceHost: 'origin:80' });
    const early = [down('a', 'x'), down('b', 'x'), down('c', 'y')];
    const other = member('o', WELL, { group: 'z' });
    const late = member('l', WELL, { group: 'w' });
    const fleet = new Fleet();
    const around = (): readonly (string | undefined)[] =>
      [...early, other, late].flatMap(({ ref }) => (suspected(fleet.causes, ref) === undefined ? [] : [ref.id]));
    fleet.step([...early, other, late]);
    expect(around()).toEqual(['a', 'b', 'c']);
    fleet.step([...early, other, down('l', 'w')], 1_000);
    expect(around()).toEqual(['a', 'b', 'c', 'l']);
  });

  it('is around all of an engine for what that engine itself says', () => {
    const says = (classification: 'upstream_unavailable' | 'host_exhausted') => {
      const fleet = new Fleet();
      const seen = [member('a', WELL, { group: 'x' }), member('b', WELL, { group: 'y' })];
      fleet.step(seen, 0, [{ engine: 'local', assessment: trouble(classification) }]);
      return seen.filter(({ ref }) => suspected(fleet.causes, ref) !== undefined).length;
    };
    expect([says('upstream_unavailable'), says('host_exhausted')]).toEqual([2, 2]);
  });

  it('belongs to the engine for what its machine does', () => {
    const full = trouble('host_exhausted');
    const [cause] = new Fleet().step([
      member('a', full, { group: 'x' }),
      member('b', full, { group: 'y' }),
      member('c', full),
    ]);
    expect(cause?.scope).toEqual({ kind: 'engine', id: 'local' });
    const alone = new Fleet().step([member('a', WELL)], 1_000, [{ engine: 'local', assessment: full }]);
    expect(alone[0]).toMatchObject({ classification: 'host_exhausted', channels: [] });
  });

  describe('of deaths in many groups of one engine', () => {
    const room = DEFAULT_LIMITS.windowStartsMax / 2;
    const dead = (count: number, groups: number, extra: (at: number) => Parameters<typeof member>[2] = () => ({})) =>
      Array.from({ length: count }, (_, at) =>
        member(`c${at}`, trouble('process_crashed'), { group: `g${at % groups}`, ...extra(at) }),
      );
    const causesOf = (seen: ReturnType<typeof dead>) => new Fleet().step(seen, 61_000);

    it('is one of each group where half as many died as the window of starts has room for, not where fewer did', () => {
      const singles = causesOf(dead(room, room));
      expect(singles).toHaveLength(room);
      expect(singles[0]).toMatchObject({ scope: { kind: 'group' }, family: 'dead', channels: ['c0'], phase: 'active' });
      expect(singles[0]?.because).toBe(`process_crashed: ${room} channels of ${room} groups of local at once`);
      expect(causesOf(dead(room - 1, room - 1))).toEqual([]);
    });

    it('asks for three groups, for one engine and for deaths within the window', () => {
      expect(causesOf([...dead(room, 2, (at) => ({ group: at < 2 ? 'g0' : `h${at}` }))])).toHaveLength(room - 1);
      expect(causesOf(dead(room, room, (at) => ({ engine: `e${at % 2}` })))).toEqual([]);
      const apart = (ms: number) => causesOf(dead(room, room, (at) => ({ firstSeenMs: at === 0 ? 0 : ms })));
      expect([apart(60_000).length, apart(60_001).length]).toEqual([room, 0]);
    });

    it('takes those that the engine may still repair beside one that is certain, in whatever group', () => {
      const young = dead(room, room).map((one) => ({ ...one, finding: trouble('process_crashed', true) }));
      expect(causesOf(young)).toEqual([]);
      const certain = { ...young[0]!, finding: trouble('process_crashed') };
      expect(causesOf([certain, ...young.slice(1)])).toHaveLength(room);
    });

    it('does not cover channels that are down for another reason', () => {
      const others = Array.from({ length: room }, (_, at) =>
        member(`s${at}`, trouble('output_stalled'), { group: `g${at}` }),
      );
      expect(causesOf(others)).toEqual([]);
    });
  });

  it('does not take deaths that the engine may still repair', () => {
    expect(new Fleet().step(four(trouble('process_crashed', true)))).toEqual([]);
    expect(new Fleet().step(four(trouble('upstream_unavailable', true)))).toHaveLength(1);
  });

  it('counts deaths that may still be repaired beside one that is certain: the first is not the only one', () => {
    const [first, ...others] = four(trouble('process_crashed', true));
    const certain = { ...first!, finding: trouble('process_crashed') };
    expect(new Fleet().step([certain, ...others])[0]).toMatchObject({ family: 'dead', channels: ['a', 'b', 'c', 'd'] });
  });
});

describe('the end of a shared cause', () => {
  const down = trouble('upstream_unavailable');
  const dead = trouble('process_crashed');

  it('comes when it has not shown itself for 5 s, and not a moment sooner', () => {
    const fleet = new Fleet();
    fleet.step(four(down));
    expect(fleet.step(four(WELL), CAUSE_QUIET_MS - 1)[0]?.phase).toBe('active');
    expect(fleet.step(four(WELL), 1)).toEqual([]);
  });

  it('leaves the channels that stay down, which are not a new cause', () => {
    const fleet = new Fleet();
    fleet.step(four(down));
    const [early] = fleet.step(four(dead, WELL), 1_000);
    expect(early).toMatchObject({ phase: 'active', down: [] });
    const [late, ...more] = fleet.step(four(dead, WELL), CAUSE_QUIET_MS);
    expect(late).toMatchObject({ phase: 'over', classification: 'upstream_unavailable', down: ['a', 'b', 'c'] });
    expect(more).toEqual([]);
    expect(fleet.step(four(dead, WELL), 600_000)).toHaveLength(1);
    expect(fleet.step(four(WELL), 1_000)).toEqual([]);
  });

  it('leaves for a moment what is not clear yet, which is not a new cause either', () => {
    const fleet = new Fleet();
    fleet.step(four(trouble('upstream_unavailable')));
    const [first, ...others] = four(trouble('unknown', true));
    const causes = fleet.step([{ ...first!, finding: trouble('unknown') }, ...others]);
    expect(causes.map(({ family }) => family)).toEqual(['upstream']);
    const fresh = new Fleet().step([{ ...first!, finding: trouble('unknown') }, ...others]);
    expect(fresh.map(({ family }) => family)).toEqual(['unknown']);
  });

  it('recognises late leftovers of the cause', () => {
    const fleet = new Fleet();
    fleet.step(four(trouble('media_unplayable')));
    fleet.step(four(trouble('unknown', true)), CAUSE_QUIET_MS);
    const [cause, ...more] = fleet.step(four(trouble('output_stalled'), WELL), 20_000);
    expect(cause).toMatchObject({ phase: 'over', down: ['a', 'b', 'c'] });
    expect(more).toEqual([]);
  });

  it('is taken back when it shows itself again', () => {
    const fleet = new Fleet();
    fleet.step(four(down));
    fleet.step(four(dead), CAUSE_QUIET_MS);
    expect(fleet.causes[0]?.phase).toBe('over');
    expect(fleet.step(four(down))[0]).toMatchObject({ phase: 'active', down: [] });
  });

  it('is forgotten where no channel is down and none is well either', () => {
    const fleet = new Fleet();
    fleet.step(four(down));
    const odd = four(trouble('encoder_misconfigured', true), trouble('item_churn'));
    fleet.step(odd, CAUSE_QUIET_MS);
    expect(fleet.causes.some(({ family }) => family === 'upstream')).toBe(true);
    expect(fleet.step(odd, LEFTOVER_MEMORY_MS).some(({ family }) => family === 'upstream')).toBe(false);
  });

  it('of deaths comes when no more have died for 30 s; what is dead is then left over', () => {
    const fleet = new Fleet();
    expect(fleet.step(four(dead, WELL))[0]?.family).toBe('dead');
    expect(fleet.step(four(dead, WELL), DEATHS_QUIET_MS - 1)[0]).toMatchObject({ phase: 'active' });
    fleet.step(four(dead), 0);
    expect(fleet.step(four(dead), DEATHS_QUIET_MS - 1)[0]).toMatchObject({ phase: 'active' });
    expect(fleet.step(four(dead), 1)[0]).toMatchObject({ phase: 'over', down: ['a', 'b', 'c', 'd'] });
  });

  it('of what nobody can name comes when one is left of it and all others that it touched play again', () => {
    const odd = trouble('unknown');
    const phaseWith = (...findings: readonly Finding[]) => {
      const fleet = new Fleet();
      fleet.step(four(odd, WELL));
      const [a = odd, b = WELL, c = WELL] = findings;
      return fleet.step([member('a', a), member('b', b), member('c', c), member('d', WELL)], CAUSE_QUIET_MS)[0]?.phase;
    };
    expect([phaseWith(odd), phaseWith(odd, odd), phaseWith(WELL, WELL, odd)]).toEqual(['over', 'active', 'over']);
    expect(phaseWith(odd, trouble('process_crashed'))).toBe('active');
    const named = new Fleet();
    named.step(four(down));
    expect(named.step([member('a', down), ...four(WELL).slice(1)], CAUSE_QUIET_MS)[0]?.phase).toBe('active');
  });

  it('of stalls does not come while they stall: no one restarts them one by one', () => {
    const fleet = new Fleet();
    for (let minute = 0; minute < 30; minute += 1) fleet.step(four(trouble('output_stalled')), 60_000);
    expect(fleet.causes[0]).toMatchObject({ phase: 'active', family: 'stalled', down: [] });
  });
});

describe('what a shared cause left down and gave to incidents of their own', () => {
  const dead = trouble('process_crashed');
  const seenWith = (a: Finding, d: Finding) => [member('a', a), member('b', WELL), member('c', WELL), member('d', d)];

  /** Four died; all but `a` are back, and that is its own affair. */
  const left = (): Fleet => {
    const fleet = new Fleet();
    fleet.step(four(dead));
    fleet.step(seenWith(dead, WELL), DEATHS_QUIET_MS);
    fleet.handedOver.add('a');
    return fleet;
  };

  it('is down for no cause any more, and keeps none from being forgotten', () => {
    const fleet = left();
    expect(fleet.step(seenWith(dead, WELL), 1_000)).toMatchObject([{ phase: 'over', down: [] }]);
    expect(fleet.step(seenWith(dead, WELL), LEFTOVER_MEMORY_MS)).toEqual([]);
  });

  it('makes no shared cause of the next death alone, and none of several that are all their own affair', () => {
    const fleet = left();
    fleet.step(seenWith(dead, WELL), LEFTOVER_MEMORY_MS);
    expect(fleet.step(seenWith(dead, dead), 1_000)).toEqual([]);
    for (const id of ['b', 'c', 'd']) fleet.handedOver.add(id);
    expect(fleet.step(four(dead), 1_000)).toEqual([]);
  });

  it('counts again for what it suffers from beside being down', () => {
    const fleet = left();
    for (const id of ['b', 'c']) fleet.handedOver.add(id);
    expect(fleet.step(four(trouble('upstream_unavailable')))).toMatchObject([{}, { family: 'upstream' }]);
  });
});

describe('what a shared cause forbids', () => {
  it('is every single change in its scope while it is active, and afterwards only on the channels that it left down', () => {
    const fleet = new Fleet();
    const [a, , , d] = four(WELL).map(({ ref }) => ref);
    fleet.step(four(trouble('upstream_unavailable'), WELL));
    expect(suspected(fleet.causes, d!)).toBeDefined();
    expect(coveredBy(fleet.causes, d!)).toBeUndefined();
    expect(coveredBy(fleet.causes, a!)).toBeDefined();
    fleet.step(four(trouble('process_crashed'), WELL), CAUSE_QUIET_MS);
    expect(suspected(fleet.causes, d!)).toBeUndefined();
    expect(suspected(fleet.causes, a!)).toBeDefined();
  });

  it('reaches no other group', () => {
    const fleet = new Fleet();
    const stranger = member('z', WELL, { group: 'gen' });
    fleet.step([...four(trouble('upstream_unavailable')), stranger]);
    expect(suspected(fleet.causes, stranger.ref)).toBeUndefined();
  });
});

it('gives the same causes whatever the order of the channels', () => {
  const seen = [
    ...four(trouble('upstream_unavailable')),
    ...['x', 'y', 'z'].map((id) => member(id, trouble('encode_too_slow'), { group: 'gen' })),
  ];
  expect(new Fleet().step([...seen].reverse())).toEqual(new Fleet().step(seen));
});
