import { describe, expect, it } from 'vitest';
import { type ChannelFacts, type FactStore, folded, noFacts } from '../../../src/ground/facts/facts.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { mayBeProven, proofInputOf, proofOf } from '../../../src/ground/correlate/proof.ts';
import type { HostSample } from '../../../src/core/sample.ts';
import { type HostFacts, nextHost } from '../../../src/ground/facts/engine_facts.ts';
import { setupOf } from '../scene.ts';

const DIED_MS = 100_000;

const cause: SharedCause = {
  key: 'group:g|dead',
  scope: { kind: 'group', id: 'g' },
  family: 'dead',
  classification: 'process_crashed',
  channels: ['a', 'b'],
  because: '',
  sinceMs: DIED_MS,
  lastMs: DIED_MS,
  phase: 'active',
  down: [],
};

const base = { at: Date.UTC(2026, 0, 1, 3, 14, 7), source: 'probe' } as const;

/** Ran, died at the given moment, and its source was looked at: `[when, whether it answered]`. */
function channel(id: string, died: number | undefined, looks: readonly (readonly [number, boolean])[]): ChannelFacts {
  const process = { ...base, kind: 'process', channel: id, engine: 'e', pid: 1, stoppedOnPurpose: false } as const;
  const none = { exitCode: undefined, exitSignal: undefined, cpuMs: undefined, halted: undefined, uptimeMs: undefined };
  const at = (monoMs: number, state: 'running' | 'exited') =>
    ({ ...process, ...none, bytesWritten: undefined, generation: `${id}:1`, monoMs, state }) as const;
  const setup = setupOf(id, { group: 'g', engine: 'e', hasSource: looks.length > 0 });
  let facts = folded(noFacts(setup), at(DIED_MS - 60_000, 'running'));
  if (died !== undefined) facts = folded(facts, at(died, 'exited'));
  for (const [monoMs, ok] of looks) {
    const sample = { ...base, kind: 'source', channel: id, host: 'origin:1', monoMs } as const;
    facts = folded(facts, ok ? { ...sample, ok } : { ...sample, ok, failure: 'refused' });
  }
  return facts;
}

const proven = (known: readonly ChannelFacts[], nowMs: number, playing: readonly string[] = []): boolean =>
  proofOf(cause, { known, playing: new Set(playing) }, nowMs).isProven;

const answers = (from: number, ...more: readonly number[]) => [from, ...more].map((ms) => [ms, true] as const);

describe('the proof that a shared cause is over (S8)', () => {
  it('is a source that answered twice since, and 10 s without a death: both sides of the boundary', () => {
    const known = [channel('a', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 3_000)), channel('b', DIED_MS, [])];
    expect([proven(known, DIED_MS + 10_999), proven(known, DIED_MS + 11_000)]).toEqual([false, true]);
  });

  it('cannot come while the cause shows itself, unless by deaths, whatever its witnesses say', () => {
    const known = [channel('a', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 3_000)), channel('b', DIED_MS, [])];
    for (const phase of ['active', 'over'] as const)
      for (const family of ['dead', 'stalled', 'upstream', 'playout', 'churn', 'unknown'] as const) {
        const one: SharedCause = { ...cause, family, phase };
        const { isProven } = proofOf(one, { known, playing: new Set() }, DIED_MS + 60_000);
        expect({ family, phase, isProven }).toEqual({ family, phase, isProven: mayBeProven(one) });
      }
  });

  it('says whether sources witness it: they do if they were looked at since the last death', () => {
    const bySources = (looks: readonly (readonly [number, boolean])[]): boolean => {
      const known = [channel('a', DIED_MS, looks)];
      const proof = proofOf(cause, { known, playing: new Set() }, DIED_MS + 30_000);
      expect(proof.isProven).toBe(true);
      return proof.bySources;
    };
    expect(bySources(answers(DIED_MS + 1_000, DIED_MS + 3_000))).toBe(true);
    expect([bySources(answers(DIED_MS - 3_000, DIED_MS - 1_000)), bySources([])]).toEqual([false, false]);
  });

  it('needs the second look, and says so', () => {
    const known = [channel('a', DIED_MS, answers(DIED_MS - 5_000, DIED_MS + 1_000))];
    const { isProven, says } = proofOf(cause, { known, playing: new Set() }, DIED_MS + 25_000);
    expect({ isProven, says }).toEqual({
      isProven: false,
      says: 'source origin:1 has answered once, at 03:14:07; needed twice over 10 s',
    });
  });

  it('begins anew with each death in the group, also of a channel that the cause has not touched', () => {
    const looks = answers(DIED_MS + 1_000, DIED_MS + 8_000, DIED_MS + 9_000);
    const known = [channel('a', DIED_MS, looks), channel('c', DIED_MS + 7_000, [])];
    expect([proven(known, DIED_MS + 16_999), proven(known, DIED_MS + 17_000)]).toEqual([false, true]);
  });

  it('waits for the second look at the source of a channel of the group that still runs as well', () => {
    const dead = channel('a', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 2_000));
    const alive = (...looks: readonly number[]) => channel('c', undefined, answers(DIED_MS - 5_000, ...looks));
    expect(proven([dead, alive(DIED_MS + 3_000)], DIED_MS + 20_000)).toBe(false);
    expect(proven([dead, alive(DIED_MS + 3_000, DIED_MS + 6_000)], DIED_MS + 20_000)).toBe(true);
    const failing = channel('c', undefined, [[DIED_MS + 3_000, false]]);
    expect(proven([dead, failing], DIED_MS + 20_000)).toBe(true);
  });

  describe('where sources fail of channels that the cause has not touched', () => {
    const later = DIED_MS + 20_000;
    const failing = (id: string, died?: number) => channel(id, died, [[later, false]]);
    const dead = channel('a', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 2_000));
    const isOver = (known: readonly ChannelFacts[], also: Partial<SharedCause> = {}, ms = 1_000): boolean =>
      proofOf({ ...cause, ...also }, { known, playing: new Set() }, later + ms).isProven;

    it('waits for two, as for two that it has touched', () => {
      expect([isOver([dead, failing('c')]), isOver([dead, failing('c'), failing('d')])]).toEqual([true, false]);
    });

    it('waits for one as long as none of the group answers', () => {
      const blind = channel('a', DIED_MS, []);
      expect(isOver([blind, failing('c')], {}, 60_000)).toBe(false);
      expect(isOver([channel('a', DIED_MS, answers(DIED_MS - 9_000)), failing('c')], {}, 60_000)).toBe(false);
    });

    it('does not wait for those that were down before it began', () => {
      const old = ['c', 'd'].map((id) => failing(id, DIED_MS - 1));
      expect([isOver([dead, ...old]), isOver([channel('a', DIED_MS, []), ...old], {}, 11_000)]).toEqual([true, true]);
      const joined = ['c', 'd'].map((id) => failing(id, DIED_MS));
      expect(isOver([dead, ...joined])).toBe(false);
    });

    it('waits for one that went down since the group was contained, whatever names the cause now', () => {
      const blind = channel('a', DIED_MS, []);
      const at = (episodeMs: number) =>
        proofOf(
          cause,
          { known: [blind, failing('c', DIED_MS - 5_000)], playing: new Set(), episodeMs },
          DIED_MS + 60_000,
        ).isProven;
      expect([at(0), at(DIED_MS - 4_999), at(DIED_MS - 5_000)]).toEqual([true, true, false]);
    });

    it('takes one of them for that channel’s own trouble where sources named the cause, too', () => {
      const outage = { family: 'upstream', phase: 'over', channels: ['a'] } as const;
      expect(isOver([dead, failing('c')], outage)).toBe(true);
      expect(isOver([dead, failing('c'), failing('d')], outage)).toBe(false);
    });
  });

  it('begins anew with one that went down after a change of Reeve’s, not with one that a person stopped', () => {
    const looks = answers(DIED_MS + 1_000, DIED_MS + 8_000, DIED_MS + 9_000);
    const { process, ...rest } = channel('b', DIED_MS + 7_000, []);
    const stopped = (stoppedOnPurpose: boolean) =>
      proven(
        [channel('a', DIED_MS, looks), { ...rest, process: { ...process!, ends: [], stoppedOnPurpose } }],
        DIED_MS + 16_999,
      );
    expect([stopped(false), stopped(true)]).toEqual([false, true]);
  });

  it('is not given while two sources of theirs do not answer, or the only one', () => {
    const failing = (id: string) => channel(id, DIED_MS, [[DIED_MS + 20_000, false]]);
    const answering = channel('b', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 2_000));
    expect(proven([failing('a')], DIED_MS + 90_000)).toBe(false);
    expect(proven([failing('a'), failing('b')], DIED_MS + 90_000)).toBe(false);
    const three = { ...cause, channels: ['a', 'b', 'c'] };
    const known = [failing('a'), answering, failing('c')];
    expect(proofOf(three, { known, playing: new Set() }, DIED_MS + 90_000).isProven).toBe(false);
  });

  describe('where one source fails and another of the group answers', () => {
    const later = DIED_MS + 20_000;
    const at = (own: ChannelFacts, other: ChannelFacts, also: Partial<SharedCause> = {}): boolean =>
      proofOf({ ...cause, ...also }, { known: [own, other], playing: new Set() }, later + 1_000).isProven;
    const answering = channel('b', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 2_000));

    it('does not wait for it: that is the trouble of its own channel, and nobody died of it together', () => {
      expect(at(channel('a', DIED_MS, [[later, false]]), answering)).toBe(true);
      expect(at(channel('a', DIED_MS, [[later - 4_000, false], ...answers(later)]), answering)).toBe(true);
    });

    it('waits for it as long as the other was not seen twice since the last death', () => {
      const once = channel('b', DIED_MS, answers(DIED_MS - 5_000, DIED_MS + 1_000));
      const before = channel('b', DIED_MS, answers(DIED_MS - 5_000, DIED_MS - 1_000));
      const own = channel('a', DIED_MS, [[later, false]]);
      expect([at(own, once), at(own, before)]).toEqual([false, false]);
    });

    it('waits for it where sources named the cause', () => {
      const outage = { family: 'upstream', phase: 'over' } as const;
      expect(at(channel('a', DIED_MS, [[later, false]]), answering, outage)).toBe(false);
    });
  });

  it.each([
    ['no probe reads a source', [] as const],
    ['no probe has read one since', answers(DIED_MS - 9_000, DIED_MS - 5_000)],
  ])('leaves it to a canary 30 s after the last death where %s', (_, looks) => {
    const known = [channel('a', DIED_MS, looks)];
    expect([proven(known, DIED_MS + 29_999), proven(known, DIED_MS + 30_000)]).toEqual([false, true]);
  });

  it.each([
    [0, 30_000],
    [1, 60_000],
    [4, 480_000],
    [5, 600_000],
    [64, 600_000],
  ])('leaves it to the next canary, after %i that were not verified, %i ms after the last death', (lost, waitMs) => {
    const known = [channel('a', DIED_MS, [])];
    const at = (nowMs: number) =>
      proofOf(cause, { known, playing: new Set(), lostCanaries: lost }, DIED_MS + nowMs).isProven;
    expect([at(waitMs - 1), at(waitMs)]).toEqual([false, true]);
  });

  it('takes nobody for the canary who came back before the containment of now was raised', () => {
    const { process, ...rest } = channel('b', undefined, []);
    const back = { ...rest, process: { ...process!, bornMs: DIED_MS + 5_000 } };
    const known = [channel('a', DIED_MS + 10_000, []), back];
    const at = (episodeMs?: number) =>
      proofOf(cause, { known, playing: new Set(['b']), ...(episodeMs && { episodeMs }) }, DIED_MS + 20_000).isProven;
    expect([at(), at(DIED_MS + 4_999), at(DIED_MS + 5_000)]).toEqual([true, true, false]);
  });

  it('does not wait longer for lost canaries where the proof is a source', () => {
    const known = [channel('a', DIED_MS, answers(DIED_MS + 1_000, DIED_MS + 3_000))];
    const at = (nowMs: number) => proofOf(cause, { known, playing: new Set(), lostCanaries: 3 }, nowMs).isProven;
    expect([at(DIED_MS + 10_999), at(DIED_MS + 11_000)]).toEqual([false, true]);
  });

  it.each([
    ['unknown', 30_000],
    ['stalled', 30_000],
    ['encoder', 30_000],
    ['upstream', 30_000],
    ['host', 10_000],
    ['observer', 10_000],
  ] as const)('of the family %s without a witness waits %i ms after the last death', (family, waitMs) => {
    const known = [channel('a', DIED_MS, [])];
    const over = { ...cause, family, phase: 'over', sinceMs: DIED_MS - 60_000, lastMs: DIED_MS - 5_000 } as const;
    const at = (ms: number) => proofOf(over, { known, playing: new Set() }, DIED_MS + ms).isProven;
    expect([at(waitMs - 1), at(waitMs)]).toEqual([false, true]);
  });

  describe('of an outage upstream', () => {
    const LAST_MS = DIED_MS + 30_000;
    const outage = { ...cause, family: 'upstream', phase: 'over', lastMs: LAST_MS } as const;
    const provenAt = (known: readonly ChannelFacts[], ms: number, also: Partial<SharedCause> = {}): boolean =>
      proofOf({ ...outage, ...also }, { known, playing: new Set() }, ms).isProven;
    const well = channel('a', DIED_MS, answers(LAST_MS - 5_000, LAST_MS - 2_000));

    it('counts from when the sources of all that it touched answer, not from when the last finding was withdrawn', () => {
      const known = [well, channel('b', DIED_MS, answers(LAST_MS - 4_000, LAST_MS - 1_000))];
      expect([provenAt(known, LAST_MS + 5_999), provenAt(known, LAST_MS + 6_000)]).toEqual([false, true]);
      expect(provenAt(known, LAST_MS + 6_000, { phase: 'active' })).toBe(false);
    });

    it('counts from the last finding where the source of one that it touched is not looked at', () => {
      const known = [well, channel('b', DIED_MS, [])];
      expect([provenAt(known, LAST_MS + 9_999), provenAt(known, LAST_MS + 10_000)]).toEqual([false, true]);
    });

    it('counts from the last finding where the sources are not what named it', () => {
      const known = [well, channel('b', DIED_MS, answers(LAST_MS - 4_000, LAST_MS - 1_000))];
      const at = (ms: number) => provenAt(known, LAST_MS + ms, { family: 'host' });
      expect([at(9_999), at(10_000)]).toEqual([false, true]);
    });
  });

  describe('of channels without a source that were killed', () => {
    const host = (...looks: readonly (readonly [number, Partial<HostSample>?])[]): HostFacts =>
      looks
        .map(([monoMs, extra]): HostSample => {
          const sample = {
            ...base,
            kind: 'host',
            engine: 'e',
            monoMs,
            disks: [],
            oomKills: 3,
            cpuPressure: 0,
          } as const;
          return { ...sample, ...extra };
        })
        .reduce<HostFacts | undefined>(nextHost, undefined)!;
    const isProven = (
      facts: HostFacts,
      ms: number,
      end: { exitSignal?: number; exitCode?: number } = { exitSignal: 9 },
    ) => {
      const { process, ...rest } = channel('a', DIED_MS, []);
      const lastEnd = { ...process!.lastEnd!, exitSignal: undefined, exitCode: undefined, ...end };
      const known = [{ ...rest, process: { ...process!, lastEnd } }];
      return proofOf({ ...cause, channels: ['a'] }, { known, playing: new Set(), host: facts }, DIED_MS + ms).isProven;
    };
    const well = host([DIED_MS + 1_000], [DIED_MS + 6_000]);

    it('is their machine, well at two looks since, and 10 s without a death', () => {
      expect([isProven(well, 9_999), isProven(well, 10_000)]).toEqual([false, true]);
      const once = host([DIED_MS - 4_000], [DIED_MS + 1_000]);
      expect([isProven(once, 29_999), isProven(once, 30_000)]).toEqual([false, true]);
    });

    it('is not a machine that killed one more, has a full disk, or does not count its kills', () => {
      const killed = host([DIED_MS + 1_000], [DIED_MS + 6_000, { oomKills: 4 }]);
      const full = host([DIED_MS + 1_000], [DIED_MS + 6_000, { disks: [{ path: '/', usedRatio: 0.95 }] }]);
      const mute = host([DIED_MS + 1_000], [DIED_MS + 6_000, { oomKills: undefined }]);
      expect([killed, full, mute].map((facts) => isProven(facts, 29_999))).toEqual([false, false, false]);
      const almost = host([DIED_MS + 1_000], [DIED_MS + 6_000, { disks: [{ path: '/', usedRatio: 0.94 }] }]);
      expect(isProven(almost, 10_000)).toBe(true);
    });

    it('is not the machine of those that ended by themselves or by their own fault', () => {
      expect(isProven(well, 29_999, { exitCode: 1 })).toBe(false);
      expect(isProven(well, 29_999, { exitSignal: 11 })).toBe(false);
      expect(isProven(well, 10_000, { exitCode: -1 })).toBe(true);
    });
  });
});

describe('what is known of a cause', () => {
  const inGroups: Readonly<Record<string, readonly string[]>> = { g: ['a', 'b', 'c'], h: ['d'] };
  const store = {
    view: (id: string) => channel(id, id === 'c' ? DIED_MS + 5_000 : undefined, []),
    inGroup: (id: string) => (inGroups[id] ?? []).map((one) => store.view(one)),
    hostFacts: () => undefined,
  };
  const knownOf = (scope: SharedCause['scope'], channels: readonly string[]) => {
    const input = proofInputOf({ ...cause, scope, channels }, store as unknown as FactStore, () => false);
    return { ids: input.known.map(({ setup }) => setup.id), atMs: proofOf(cause, input, DIED_MS + 6_000).atMs };
  };

  it('is that of all channels of the group', () => {
    expect(knownOf({ kind: 'group', id: 'g' }, ['b']).ids).toEqual(['b', 'a', 'c']);
  });

  it('is that of all channels of the groups that the cause of an engine has touched, so that none of them may die', () => {
    const { ids, atMs } = knownOf({ kind: 'engine', id: 'e' }, ['a', 'b']);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(atMs).toBe(DIED_MS + 5_000 + 30_000);
  });

  it('is nothing where the cause of an engine has touched nobody', () => {
    expect(knownOf({ kind: 'engine', id: 'e' }, []).ids).toEqual([]);
  });
});
