import { describe, expect, it } from 'vitest';
import type { SourceSample } from '../../../src/core/sample.ts';
import type { SymptomKind } from '../../../src/core/symptom.ts';
import { classify } from '../../../src/ground/rules/classify.ts';
import {
  backAfterCut,
  cutOffLines,
  isBack,
  nearbyIn,
  nearbyIsBack,
  nearbySources,
  PLAYS_AGAIN_MS,
  playingNearby,
  silentNearby,
} from '../../../src/ground/correlate/nearby.ts';
import { nextAnswer, type SourceFacts } from '../../../src/ground/facts/output_facts.ts';
import type { SymptomFacts } from '../../../src/ground/facts/symptom_facts.ts';
import { DEATHS_QUIET_MS, PROCESS_STALE_MS, SOURCE_BACK_MS } from '../../../src/ground/facts/setup.ts';
import { noFacts } from '../../../src/ground/facts/facts.ts';
import { Scene, setupOf } from '../scene.ts';

/** The looks at one source: `x` fails, `.` answers; one look each 2 s. */
function looks(pattern: string, fromMs = 0): SourceFacts {
  const sampleAt = (mark: string, at: number): SourceSample => {
    const monoMs = fromMs + at * 2_000;
    const base = { kind: 'source', channel: 'a', host: 'origin:80', source: 'probe', at: monoMs, monoMs } as const;
    return mark === 'x' ? { ...base, ok: false, failure: 'refused' } : { ...base, ok: true };
  };
  const samples = [...pattern].map(sampleAt);
  return samples.slice(1).reduce<SourceFacts>(nextAnswer, nextAnswer(undefined, samples[0]!));
}

describe('the sources of a group', () => {
  it('that failed together and answer again show from when to when they were gone', () => {
    const nearby = nearbySources([looks('.xxx...'), looks('..xx....')]);
    expect(nearby).toMatchObject({ failFromMs: 2_000, okSinceMs: 8_000 });
  });

  it('show nothing where one fails still, never failed, failed at another time, or none is probed', () => {
    expect(nearbySources([looks('.xxx...'), looks('..xxxxx')])).toBeUndefined();
    expect(nearbySources([looks('.xxx...'), looks('.......')])).toBeUndefined();
    expect(nearbySources([looks('.xxx...'), looks('.xxx...', 60_000)])).toBeUndefined();
    expect(nearbySources([])).toBeUndefined();
    expect(nearbySources([looks('.......'), looks('.xxx...')])).toBeUndefined();
    expect(nearbySources([looks('.xxxxxx'), looks('.xxx...'), looks('.xxx...')])).toBeUndefined();
    expect(nearbySources([{ ...looks('.xxx...'), lastFailMs: undefined }])).toBeUndefined();
    expect(nearbySources([{ ...looks('.xxx...'), lastFailFromMs: undefined }])).toBeUndefined();
  });

  it('failed together when no more than 30 s lie between them, and are back when the last of them is', () => {
    const early = { ...looks('.xxx...'), lastFailFromMs: 10_000, lastFailMs: 20_000, okSinceMs: 0 };
    const late = (fromMs: number) => ({ ...early, lastFailFromMs: fromMs, lastFailMs: 60_000, okSinceMs: 5_000 });
    for (const order of [(a: SourceFacts, b: SourceFacts) => [a, b], (a: SourceFacts, b: SourceFacts) => [b, a]]) {
      expect(nearbySources(order(early, late(50_000)))).toEqual({
        failFromMs: 10_000,
        lastFailMs: 60_000,
        okSinceMs: 5_000,
      });
      expect(nearbySources(order(early, late(50_001)))).toBeUndefined();
    }
    const later = { ...early, lastFailFromMs: 90_000, lastFailMs: 95_000 };
    expect(nearbySources([early, late(50_000), later])?.failFromMs).toBe(10_000);
  });

  it('are back after two good looks that are 3 s apart', () => {
    const good = (okStreak: number, okSinceMs: number | undefined) =>
      isBack({ ...looks('.xxx...'), okStreak, okSinceMs });
    const lastMs = looks('.xxx...').last.monoMs;
    expect([good(2, lastMs - 3_000), good(2, lastMs - 2_999), good(1, lastMs - 9_000)]).toEqual([true, false, false]);
    expect(good(2, undefined)).toBe(false);
  });

  it('are not back after one good look', () => {
    expect(nearbySources([looks('.xxx.')])).toBeUndefined();
    expect(nearbySources([looks('.xxx..')])).toBeUndefined();
    expect(nearbySources([looks('.xxx...')])).toBeDefined();
  });
});

describe('channels that play again, where no source is probed', () => {
  const symptomOf = (kind: SymptomKind, firstMs: number, lastMs: number): SymptomFacts => ({
    kind,
    origin: 'log',
    at: 0,
    firstMs,
    lastMs,
    count: 1,
    windowMs: 60_000,
    confidence: 0.9,
    pattern: undefined,
    evidence: [],
  });
  const back = { symptoms: [symptomOf('upstream_unreachable', 10_000, 20_000)], healthySinceMs: 50_000 };

  it('show from when to when their source was gone', () => {
    const symptoms = [
      symptomOf('dns_failure', 8_000, 12_000),
      symptomOf('corrupt_input', 1_000, 90_000),
      ...back.symptoms,
    ];
    expect(playingNearby([{ ...back, symptoms }], 100_000)).toEqual({
      failFromMs: 8_000,
      lastFailMs: 20_000,
      okSinceMs: 50_000,
    });
  });

  it('show it when they have played for half a minute, and not before', () => {
    const at = (ms: number) => playingNearby([back], 50_000 + PLAYS_AGAIN_MS + ms)?.okSinceMs;
    expect([at(-1), at(0)]).toEqual([undefined, 50_000]);
  });

  it('show nothing when they played on through it, or never complained of their source', () => {
    expect(playingNearby([{ ...back, healthySinceMs: 19_999 }], 100_000)).toBeUndefined();
    expect(playingNearby([{ ...back, healthySinceMs: 20_000 }], 100_000)?.okSinceMs).toBe(20_000);
    expect(playingNearby([{ ...back, symptoms: [symptomOf('corrupt_input', 1, 2)] }], 100_000)).toBeUndefined();
    expect(playingNearby([], 100_000)).toBeUndefined();
  });

  it('show the last outage, in whatever order they are asked', () => {
    const later = { symptoms: [symptomOf('upstream_timeout', 60_000, 61_000)], healthySinceMs: 65_000 };
    for (const order of [
      [back, later],
      [later, back],
    ]) {
      expect(playingNearby(order, 100_000)?.failFromMs).toBe(60_000);
    }
  });

  it('show the first of two that failed to the same moment', () => {
    const twin = { ...back, healthySinceMs: 55_000 };
    expect(playingNearby([back, twin], 100_000)?.okSinceMs).toBe(50_000);
    expect(playingNearby([twin, back], 100_000)?.okSinceMs).toBe(55_000);
  });
});

describe('a group that cannot show whether its source is back', () => {
  /** It complained and ended after so long; it is still down at `ms`. */
  function dead(afterMs: number, ms: number) {
    const scene = new Scene();
    scene.advance(afterMs).log('upstream_unreachable');
    scene.die({ code: 1 }).look();
    return scene
      .advance(Math.max(0, ms - scene.nowMs))
      .look()
      .facts();
  }
  const diedMs = dead(2_000, 0).process!.downSinceMs!;
  const at = (ms: number, others: readonly ReturnType<typeof dead>[] = []) =>
    silentNearby([dead(1_000, ms), dead(2_000, ms), ...others], ms);

  it('may have it back half a minute after the last line and the last death, and not before', () => {
    expect(at(diedMs + DEATHS_QUIET_MS - 1)).toBeUndefined();
    expect(at(diedMs + DEATHS_QUIET_MS)).toMatchObject({ okSinceMs: diedMs });
  });

  it('can be proved by a channel of it that runs, unless that was started after the quiet time', () => {
    const nowMs = diedMs + 50_000;
    const running = new Scene()
      .advance(nowMs - 1_000_000)
      .look()
      .facts();
    const born = (bornMs: number) => ({ ...running, process: { ...running.process!, bornMs } });
    expect(at(nowMs, [born(diedMs + DEATHS_QUIET_MS - 1)])).toBeUndefined();
    expect(at(nowMs, [born(diedMs + DEATHS_QUIET_MS)])).toBeDefined();
  });

  it('is no group of one, and none in which no channel names a source or the engine reports nothing', () => {
    const nowMs = diedMs + 50_000;
    const one = dead(2_000, nowMs);
    expect(silentNearby([one], nowMs)).toBeUndefined();
    expect(silentNearby([one, one], nowMs)).toBeDefined();
    expect(silentNearby([one, one], one.process!.lastMs + PROCESS_STALE_MS + 1)).toBeUndefined();
    const mute = { ...one, symptoms: [] };
    expect(silentNearby([mute, mute], nowMs)).toBeUndefined();
  });
});

describe('a channel that the server hung up on to which it published', () => {
  /** Dead for `sinceMs` after a last line of this pattern. */
  function cut(sinceMs: number, pattern = 'ffmpeg_publish_cut') {
    const scene = new Scene();
    scene.advance(1_000).log('upstream_unreachable', { pattern }).die({ code: 1 }).look();
    const diedMs = scene.facts().process!.downSinceMs!;
    scene.advance(sinceMs - (scene.nowMs - diedMs)).look();
    return { facts: scene.facts(), diedMs, nowMs: scene.nowMs };
  }
  const backOf = ({ facts, nowMs }: ReturnType<typeof cut>, server?: SourceFacts) =>
    backAfterCut({ ...facts, server }, cutOffLines(facts, nowMs), nowMs);

  it('may be tried half a minute after its end where nobody looks at that server, and not before', () => {
    expect(backOf(cut(DEATHS_QUIET_MS - 1_000))).toBeUndefined();
    const one = cut(DEATHS_QUIET_MS);
    expect(backOf(one)).toMatchObject({ okSinceMs: one.diedMs, isPresumed: true });
  });

  it('has it back once it has answered two looks, the last of them 3 s after the end', () => {
    const one = cut(10_000);
    const answered = (afterMs: number, okStreak: number) =>
      ({ last: { ok: true, monoMs: one.diedMs + afterMs }, okStreak, okSinceMs: 0 }) as SourceFacts;
    expect(backOf(one, answered(SOURCE_BACK_MS, 2))).toEqual(expect.not.objectContaining({ isPresumed: true }));
    expect(backOf(one, answered(SOURCE_BACK_MS - 1, 2))).toBeUndefined();
    expect(backOf(one, answered(SOURCE_BACK_MS, 1))).toBeUndefined();
    expect(backOf(one, { ...answered(SOURCE_BACK_MS, 0), okSinceMs: undefined })).toBeUndefined();
  });

  it('is none that runs, that says nothing, or whose lines are about what it reads', () => {
    const { facts, nowMs } = cut(40_000);
    expect(cutOffLines(facts, nowMs)).toHaveLength(1);
    expect(cutOffLines({ ...facts, symptoms: [] }, nowMs)).toEqual([]);
    expect(cutOffLines(new Scene().log('upstream_unreachable').look().facts(), nowMs)).toEqual([]);
    const other = cut(40_000, 'ffmpeg_push_cut');
    expect(cutOffLines(other.facts, other.nowMs)).toEqual([]);
  });
});

describe('what a group shows of its sources', () => {
  const nowMs = 100_000;
  const bare = (id: string, hasSource: boolean) => noFacts(setupOf(id, { group: 'g', engine: 'e', hasSource }));
  const counted = { at: 0, firstMs: 10_000, lastMs: 20_000, count: 1, windowMs: 60_000, confidence: 0.9 };
  const line = { kind: 'upstream_unreachable', origin: 'log', pattern: undefined, evidence: [] } as const;
  const complained: SymptomFacts[] = [{ ...counted, ...line }];

  it('is by its probes where one of its channels has any, and by those that play where none has', () => {
    const probed = { ...bare('a', true), source: looks('.xxx...') };
    const played = { ...bare('b', false), symptoms: complained };
    const since = (id: string) => (id === 'b' ? 30_000 : undefined);
    expect(nearbyIn([probed, played], since, nowMs)).toMatchObject({ failFromMs: 2_000, okSinceMs: 8_000 });
    expect(nearbyIn([bare('a', false), played], since, nowMs)).toMatchObject({ okSinceMs: 30_000 });
    expect(nearbyIn([bare('a', true), played], since, nowMs)).toBeUndefined();
  });
});

describe('a channel whose own source has no probe', () => {
  /** It ended by itself, and its final output was about its source. */
  function dead(extra = {}): { readonly scene: Scene; readonly lastLineMs: number } {
    const scene = new Scene(extra);
    scene.log('upstream_unreachable');
    const lastLineMs = scene.nowMs;
    scene.die({ code: 1 }).look().advance(40_000);
    return { scene, lastLineMs };
  }
  const named = (scene: Scene, nearby: { failFromMs: number; okSinceMs: number } | undefined): string => {
    const finding = classify(scene.facts(), scene.context({ nearby }), scene.nowMs);
    return finding.trouble ? finding.classification : 'fine';
  };

  it('died of what is over when the sources around it failed then and are back', () => {
    const { scene, lastLineMs } = dead();
    expect(named(scene, undefined)).toBe('upstream_unavailable');
    expect(named(scene, { failFromMs: lastLineMs - 1_000, okSinceMs: lastLineMs + 20_000 })).toBe('process_crashed');
  });

  it('is still without its source when it complained after the others were back, or long before they were gone', () => {
    const { scene, lastLineMs } = dead();
    expect(named(scene, { failFromMs: lastLineMs - 9_000, okSinceMs: lastLineMs - 1 })).toBe('upstream_unavailable');
    expect(named(scene, { failFromMs: lastLineMs + 31_000, okSinceMs: lastLineMs + 39_000 })).toBe(
      'upstream_unavailable',
    );
  });

  it('complained in that outage when it did so from 30 s before it to its end', () => {
    const nearby = { failFromMs: 100_000, okSinceMs: 200_000 };
    const isOver = (lastLineMs: number) => nearbyIsBack(setupOf('news'), nearby, lastLineMs);
    expect([69_999, 70_000, 200_000, 200_001].map(isOver)).toEqual([false, true, true, false]);
    expect(nearbyIsBack(setupOf('news', { hasSource: true }), nearby, 150_000)).toBe(false);
    expect(nearbyIsBack(setupOf('news'), undefined, 150_000)).toBe(false);
  });

  it('takes no other channel’s evidence where its own source has a probe', () => {
    const { scene, lastLineMs } = dead({ hasSource: true, sourceEveryMs: 10_000 });
    scene.set({ source: 'refused' }).advance(20_000);
    expect(named(scene, { failFromMs: lastLineMs - 1_000, okSinceMs: lastLineMs + 20_000 })).toBe(
      'upstream_unavailable',
    );
  });
});
