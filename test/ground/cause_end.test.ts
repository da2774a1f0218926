import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../src/core/classification.ts';
import type { Finding } from '../../src/ground/rules/classify.ts';
import { coveredBy } from '../../src/ground/correlate/cause_index.ts';
import { CAUSE_QUIET_MS, LEFTOVER_MEMORY_MS } from '../../src/ground/correlate/correlate.ts';
import type { Seen } from '../../src/ground/correlate/seen_channel.ts';
import { Fleet, four, member, trouble, WELL } from './fleet.ts';

const down = trouble('upstream_unavailable');
const dead = trouble('process_crashed');
const UNKNOWN_HEALTH: Finding = { ...WELL, healthy: undefined };
/** Neither well nor down, and no cause of its own. */
const odd = four(trouble('encoder_misconfigured', true), trouble('item_churn'));

const probed = (finding: Finding, ids = ['a', 'b', 'c']): readonly Seen[] =>
  ids.map((id) => member(id, finding, { sourceHost: 'origin:80' }));
const unprobed = (finding: Finding, ids = ['a', 'b', 'c']): readonly Seen[] => ids.map((id) => member(id, finding));

/** The families of the causes after the second of two sights, that long after the first. */
function families(first: readonly Seen[], then: readonly Seen[], ms = 1_000): readonly string[] {
  const fleet = new Fleet();
  fleet.step(first);
  return fleet.step(then, ms).map(({ family }) => family);
}

describe('a cause that is known explains of the channels that it touched', () => {
  it('neither another trouble, certain or not, nor one that is not understood for good', () => {
    expect(families(probed(down), probed(trouble('encode_too_slow')))).toEqual(['encoder', 'upstream']);
    expect(families(probed(down), probed(trouble('encode_too_slow')), CAUSE_QUIET_MS)).toEqual(['encoder', 'upstream']);
    expect(families(probed(down), probed(trouble('encode_too_slow', true)))).toEqual(['encoder', 'upstream']);
    expect(families(probed(down), probed(trouble('unknown')))).toEqual(['unknown', 'upstream']);
    const media = unprobed(trouble('media_unplayable'));
    expect(families(media, unprobed(trouble('encode_too_slow')), CAUSE_QUIET_MS)).toEqual(['encoder', 'media']);
    expect(families(media, unprobed(down), CAUSE_QUIET_MS)).toEqual(['media', 'upstream']);
  });

  it('nothing where they died or stood together: what they do next is news', () => {
    const stalled = trouble('output_stalled');
    expect(families(unprobed(dead), unprobed(stalled))).toEqual(['dead', 'stalled']);
    expect(families(unprobed(stalled), unprobed(dead))).toEqual(['dead', 'stalled']);
  });

  it('and of no others', () => {
    const fleet = new Fleet();
    fleet.step([...probed(down), ...probed(WELL, ['d', 'e', 'f'])]);
    const [first, second] = fleet.step([...probed(down), ...probed(dead, ['d', 'e', 'f'])]);
    expect(first).toMatchObject({ family: 'dead', channels: ['d', 'e', 'f'] });
    expect(second).toMatchObject({ family: 'upstream', channels: ['a', 'b', 'c'] });
  });

  it('no death that its engine may still repair: it is neither down nor out of the count', () => {
    const fleet = new Fleet();
    fleet.step([...probed(down), ...probed(WELL, ['d'])]);
    const mending = probed(trouble('process_crashed', true));
    const causes = fleet.step([...mending, ...probed(dead, ['d'])], CAUSE_QUIET_MS);
    expect(causes.find(({ family }) => family === 'upstream')).toMatchObject({ phase: 'over', down: [] });
    expect(causes.find(({ family }) => family === 'dead')).toMatchObject({ channels: ['a', 'b', 'c', 'd'] });
  });
});

describe('the final output of channels without a probe', () => {
  const others = ['b', 'c', 'd'];
  const lasts = (first: readonly Seen[], then: readonly Seen[]): boolean => {
    const fleet = new Fleet();
    fleet.step(first);
    return fleet.step(then, 2 * CAUSE_QUIET_MS)[0]?.phase === 'active';
  };

  it('do not keep a cause alive against a probe of a neighbour that reads the source well', () => {
    const first = [...probed(down, ['a']), ...unprobed(down, others)];
    expect(lasts(first, [...probed(WELL, ['a']), ...unprobed(down, others)])).toBe(false);
  });

  it('keep it alive where the neighbour’s source was not looked at, or it is no neighbour', () => {
    const unseen = (finding: Finding) => member('a', finding, { hasSource: true });
    expect(lasts([unseen(down), ...unprobed(down, others)], [unseen(WELL), ...unprobed(down, others)])).toBe(true);
    const stranger = member('z', WELL, { group: 'gen', sourceHost: 'origin:80' });
    expect(lasts([...unprobed(down), stranger], [...unprobed(down), stranger])).toBe(true);
  });

  it('are about the source: what else they suffer from, and what a probe says, counts as it is', () => {
    const media = trouble('media_unplayable');
    const first = [...probed(media, ['a']), ...unprobed(media, others)];
    expect(lasts(first, [...probed(WELL, ['a']), ...unprobed(media, others)])).toBe(true);
    expect(lasts(probed(down), probed(down))).toBe(true);
    const slow = unprobed(trouble('encode_too_slow'));
    expect(families(unprobed(down), slow, CAUSE_QUIET_MS)).toEqual(['encoder', 'upstream']);
  });

  it('are no new cause of their group once the cause that touched them is over, and one before', () => {
    const wide = (finding: Finding) =>
      ['x', 'y', 'y'].map((group, index) => member(`p${index}`, finding, { group, sourceHost: 'origin:80' }));
    const heard = (finding: Finding) => others.map((id) => member(id, finding, { group: 'y' }));
    const keysAfter = (ms: number) => {
      const fleet = new Fleet();
      fleet.step([...wide(down), ...heard(WELL)]);
      return fleet.step([...wide(WELL), ...heard(down)], ms).map(({ key }) => key);
    };
    expect(keysAfter(CAUSE_QUIET_MS - 1)).toEqual(['engine:local|upstream', 'group:y|upstream']);
    expect(keysAfter(CAUSE_QUIET_MS)).toEqual(['engine:local|upstream']);
  });
});

describe('a cause of an engine', () => {
  const of = (engine: string, classification: FailureClass) => [{ engine, assessment: trouble(classification) }];
  const full = of('local', 'host_exhausted');
  const keysAfter = (engines: typeof full, seen = [member('a', WELL)]): readonly string[] => {
    const fleet = new Fleet();
    fleet.step(seen, 1_000, full);
    return fleet.step(seen, CAUSE_QUIET_MS, engines).map(({ key, phase }) => `${key} ${phase}`);
  };

  it('lasts as long as that engine says so itself, and about the same', () => {
    expect(keysAfter(full)).toEqual(['engine:local|host active']);
    expect(keysAfter(of('local', 'pool_exhausted'))).toEqual(['engine:local|host active']);
    expect(keysAfter(of('local', 'control_plane_down'))).toEqual(['engine:local|observer active']);
    expect(keysAfter(of('remote', 'host_exhausted'))).toEqual(['engine:remote|host active']);
    expect(keysAfter([...of('remote', 'host_exhausted'), ...full])).toHaveLength(2);
    expect(keysAfter([])).toEqual([]);
  });

  it('counts from when it began, however late the engine’s newest report is', () => {
    const fleet = new Fleet();
    const hostTrouble = (sinceMs: number) => [
      { engine: 'local', assessment: { ...trouble('host_exhausted'), sinceMs } },
    ];
    fleet.step([], 1_000, hostTrouble(900));
    expect(fleet.step([], CAUSE_QUIET_MS, hostTrouble(5_900))).toMatchObject([{ sinceMs: 900, lastMs: 6_000 }]);
  });

  it('is none of a group that bears the engine’s name', () => {
    const fleet = new Fleet();
    const group = (finding: Finding) => ['a', 'b', 'c'].map((id) => member(id, finding, { group: 'local' }));
    fleet.step(group(down));
    const causes = fleet.step(group(WELL), CAUSE_QUIET_MS, of('local', 'upstream_unavailable'));
    expect(causes.map(({ key }) => key)).toEqual(['engine:local|upstream']);
  });
});

describe('a cause that goes on', () => {
  it('names its channels in order, those that joined later and those that it left down', () => {
    const fleet = new Fleet();
    fleet.step([member('a', WELL), ...four(down).slice(1)]);
    expect(fleet.step(four(down))[0]?.channels).toEqual(['a', 'b', 'c', 'd']);
    expect(fleet.step([...four(dead)].reverse(), CAUSE_QUIET_MS)[0]?.down).toEqual(['a', 'b', 'c', 'd']);
  });

  it('says that nothing shows it any more, which proves no end, and no longer so when it shows itself again', () => {
    const fleet = new Fleet();
    const because = (seen: readonly Seen[]) => fleet.step(seen, CAUSE_QUIET_MS)[0]?.because;
    const active = 'upstream_unavailable: 4 of 4 channels at once; a: upstream_unavailable';
    expect(because(four(down))).toBe(active);
    expect([because(four(dead)), because(four(dead))]).toEqual([
      `${active}; nothing shows it any more`,
      `${active}; nothing shows it any more`,
    ]);
    expect([because(four(down)), because(four(down))]).toEqual([active, active]);
    expect(because(four(dead))).toBe(`${active}; nothing shows it any more`);
  });

  it('is forgotten two minutes after it was last seen, and not a moment sooner', () => {
    const fleet = new Fleet();
    const isKnown = () => fleet.causes.some(({ family }) => family === 'upstream');
    fleet.step(four(down), 500_000);
    fleet.step(odd, LEFTOVER_MEMORY_MS - 1);
    expect(isKnown()).toBe(true);
    fleet.step(odd, 1);
    expect(isKnown()).toBe(false);
  });

  it.each<[string, Finding, boolean]>([
    ['plays', WELL, false],
    ['may play, which is not known', UNKNOWN_HEALTH, true],
    ['is in another trouble', trouble('guide_stale'), true],
  ])('is remembered at its end where one of its channels %s', (_, fourth, isKnown) => {
    const fleet = new Fleet();
    const stranger = member('z', dead, { group: 'gen' });
    fleet.step([...four(down), stranger]);
    expect(fleet.step([...four(WELL, fourth), stranger], CAUSE_QUIET_MS)).toHaveLength(isKnown ? 1 : 0);
  });

  it('reports, when it is over, only the channels that it left down', () => {
    const fleet = new Fleet();
    fleet.step(four(down));
    fleet.step(four(dead, WELL), CAUSE_QUIET_MS);
    const covered = four(WELL).filter(({ ref }) => coveredBy(fleet.causes, ref) !== undefined);
    expect(covered.map(({ ref }) => ref.id)).toEqual(['a', 'b', 'c']);
  });
});
