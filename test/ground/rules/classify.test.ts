import { describe, expect, it } from 'vitest';
import type { Signal } from '../../../src/core/envelope.ts';
import type { Origin, SymptomKind } from '../../../src/core/symptom.ts';
import { classify, confidenceOf, errorFrequencyOf } from '../../../src/ground/rules/classify.ts';
import { type ChannelFacts, noFacts } from '../../../src/ground/facts/facts.ts';
import type { SymptomFacts } from '../../../src/ground/facts/symptom_facts.ts';
import { pulling, Scene, setupOf } from '../scene.ts';

const NOW = 1_000_000;

const symptomOf = (
  kind: SymptomKind,
  extra: Partial<SymptomFacts> & { agoMs?: number; nowMs?: number } = {},
): SymptomFacts => {
  const { agoMs = 0, nowMs = NOW, ...rest } = extra;
  const lastMs = nowMs - agoMs;
  const base = { origin: 'log', at: 0, firstMs: lastMs, count: 1, windowMs: 60_000, confidence: 0.9 } as const;
  return { ...base, kind, lastMs, pattern: undefined, evidence: [], ...rest };
};

const found = (scene: Scene, change: Partial<ChannelFacts>) =>
  classify({ ...scene.facts(), ...change }, scene.context(), scene.nowMs);

describe('how sure a finding is', () => {
  const signal = (origin: Origin, symptom?: SymptomKind): Signal => ({ origin, symptom, says: '', monoMs: 0 });
  const log = signal('log', 'upstream_timeout');

  it.each<[string, readonly Signal[], readonly SymptomFacts[], number]>([
    ['a report without a pattern counts in full', [log], [], 0.5],
    ['a line counts as its pattern', [log], [symptomOf('upstream_timeout', { confidence: 0.4 })], 0.2],
    [
      'of several patterns the surest counts',
      [log, signal('log', 'rate_limited')],
      [symptomOf('upstream_timeout', { confidence: 0.4 }), symptomOf('rate_limited', { confidence: 0.8 })],
      0.4,
    ],
    [
      'the patterns of lines that are no witness do not count',
      [log],
      [symptomOf('upstream_timeout', { confidence: 0.4 }), symptomOf('rate_limited', { confidence: 0.8 })],
      0.2,
    ],
    [
      'nor do those of what a probe says of the same, or of what only a probe says',
      [log, signal('probe', 'rate_limited')],
      [
        symptomOf('upstream_timeout', { confidence: 0.4 }),
        symptomOf('upstream_timeout', { confidence: 1, origin: 'probe' }),
        symptomOf('rate_limited', { confidence: 0.8 }),
      ],
      0.76,
    ],
  ])('%s', (_, signals, symptoms, expected) => {
    expect(confidenceOf({ because: '', signals }, symptoms)).toBe(expected);
  });
});

describe('how often something failed', () => {
  it.each<[string, readonly SymptomFacts[], number]>([
    ['counts what was last seen less than a minute ago', [symptomOf('rate_limited', { count: 3, agoMs: 59_999 })], 3],
    ['and nothing older', [symptomOf('rate_limited', { count: 3, agoMs: 60_000 })], 0],
    [
      'counts nothing harmless',
      [symptomOf('benign_noise'), symptomOf('client_disconnect_benign'), symptomOf('unknown')],
      0,
    ],
    [
      'counts every kind, and each as for a whole minute',
      [symptomOf('rate_limited'), symptomOf('tls_failure', { windowMs: 30_000 })],
      3,
    ],
    ['takes no window for shorter than a second', [symptomOf('rate_limited', { count: 2, windowMs: 10 })], 120],
  ])('%s', (_, symptoms, expected) => {
    expect(errorFrequencyOf({ ...noFacts(setupOf('news')), symptoms }, NOW)).toBe(expected);
  });
});

describe('the last error of a channel whose trouble has no name', () => {
  const scene = new Scene().die({ code: 0 }).look();
  const { nowMs } = scene;
  const underrun = (confidence: number, agoMs = 0) => symptomOf('buffer_underrun', { confidence, agoMs, nowMs });
  const skew = (confidence: number) => symptomOf('clock_skew_or_dts', { confidence, nowMs });

  it.each<[string, readonly SymptomFacts[], SymptomKind | undefined]>([
    ['is none where nothing was reported', [], undefined],
    ['is what was reported up to a minute ago', [underrun(0.5, 60_000)], 'buffer_underrun'],
    ['and nothing older', [underrun(0.5, 60_001)], undefined],
    ['is the surest, be it the last', [underrun(0.5), skew(0.6)], 'clock_skew_or_dts'],
    ['or the first', [skew(0.6), underrun(0.5)], 'clock_skew_or_dts'],
    ['and the first of two that are as sure', [underrun(0.6), skew(0.6)], 'buffer_underrun'],
  ])('%s', (_, symptoms, expected) => {
    expect(found(scene, { symptoms })).toMatchObject({ classification: 'unknown', lastErrorType: expected });
  });
});

describe('a finding is bounded', () => {
  it('in its text', () => {
    const scene = pulling().set({ source: 'refused', producing: false, speed: undefined, cpu: 0 }).advance(20_000);
    const { source } = scene.facts();
    const host = 'h'.repeat(400);
    const finding = found(scene, { source: { ...source!, last: { ...source!.last, host } } });
    expect(finding).toMatchObject({ classification: 'upstream_unavailable' });
    expect(finding.because).toHaveLength(300);
  });

  it('in its signals', () => {
    const scene = new Scene().die({ code: 0 }).look();
    const kinds = ['process_crash', 'process_exit_nonzero', 'stalled_output'] as const;
    const symptoms = kinds.flatMap((kind) =>
      (['log', 'probe', 'metric', 'host'] as const).map((origin) => symptomOf(kind, { origin, nowMs: scene.nowMs })),
    );
    const finding = found(scene, { symptoms });
    expect(finding).toMatchObject({ classification: 'unknown' });
    expect(finding.trouble && finding.signals).toHaveLength(8);
  });
});

describe('a channel without trouble', () => {
  it.each([
    [10_000, 'upstream_unavailable'],
    [10_001, undefined],
  ])('that complained of its source %i ms ago has the omen %s', (agoMs, omen) => {
    const scene = new Scene();
    const symptoms = [symptomOf('upstream_unreachable', { agoMs, nowMs: scene.nowMs })];
    expect(found(scene, { symptoms })).toMatchObject({ trouble: false, omen });
  });

  it('that was stopped on purpose is quiet, and that is what it is called', () => {
    expect(new Scene().set({ state: 'stopped', onPurpose: true, producing: false }).look().find()).toEqual({
      trouble: false,
      classification: 'expected_quiet',
      healthy: undefined,
      quiet: true,
      because: 'stopped on purpose',
      omen: undefined,
    });
  });
});

describe('the engine’s own tries are waited for', () => {
  it.each<[string, readonly number[], number, number]>([
    ['30 s from the first end that is younger than a minute', [-20_000], -1_000, 10_000],
    ['which may be over already', [-59_999], -1_000, -29_999],
    ['and an end a minute ago is no part of the series', [-60_000], -1_000, 29_000],
    ['nor is an older one before it', [-70_000, -10_000], -5_000, 20_000],
    ['30 s from its last change of state where no end was seen', [], -1_000, 29_000],
    ['or where that change came before the end', [-500], -1_000, 29_000],
  ])('%s', (_, ends, stateSince, waits) => {
    const scene = new Scene().die({ code: 1 }, 'backoff').look();
    const { nowMs } = scene;
    const process = {
      ...scene.facts().process!,
      ends: ends.map((agoMs) => nowMs + agoMs),
      stateSinceMs: nowMs + stateSince,
    };
    const symptoms = [symptomOf('config_error', { nowMs })];
    expect(found(scene, { process, symptoms })).toMatchObject({
      classification: 'encoder_misconfigured',
      actNotBeforeMs: nowMs + waits,
      settling: waits > 0,
    });
  });

  it('not of a process that runs, however young it is', () => {
    const scene = new Scene().start().look().advance(1_000).log('guide_stale');
    expect(scene.find()).toMatchObject({ classification: 'guide_stale', actNotBeforeMs: 0, settling: false });
  });

  it('also where generations ended one after another in an outage that is over, and the last one was killed', () => {
    const scene = pulling({ hasOutputProbe: false }).set({ source: 'refused' }).advance(10_000);
    for (let round = 0; round < 2; round += 1) scene.die({ signal: 11 }).look().start(false).look().advance(1_000);
    scene.set({ source: 'ok' }).advance(24_000).die({ signal: 11 }).look();
    expect(scene.find()).toMatchObject({
      classification: 'process_crashed',
      settling: true,
      actNotBeforeMs: scene.nowMs + 1_000,
    });
  });
});
