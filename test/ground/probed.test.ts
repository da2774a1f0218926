import { describe, expect, it } from 'vitest';
import { sourceFailure, sourceFails, sourceIsBack, sourceReadSince } from '../../src/ground/rules/classify_input.ts';
import { failed, type Given, lookOf, NOW, playlist, source, speeds } from './given.ts';

/** Looked at every 10 s: what is older than 30 s is no look. */
const look = (of: Given['source'], given: Given = {}) => lookOf({ setup: { hasSource: true }, ...given, source: of });

describe('a source that is probed', () => {
  it('fails or not by its last look, for three looks’ time', () => {
    const fails = (of: Given['source']) => sourceFails(look(of));
    expect([fails(source(0)), fails(failed(5_000, 0)), fails(undefined)]).toEqual([false, true, undefined]);
    expect([fails(source(30_000)), fails(source(30_001))]).toEqual([false, undefined]);
  });

  it('was read well since a moment when its last look was good and no earlier', () => {
    const read = (of: Given['source']) => sourceReadSince(look(of), NOW - 5_000);
    expect([read(source(5_000)), read(source(5_001)), read(failed(4_000, 1_000)), read(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(sourceReadSince(look(source(30_001)), NOW - 40_000)).toBe(false);
  });

  it('that fell silent in the middle of a good look was alive only until then', () => {
    const seen = source(0);
    const silent = (silentMs: number) => ({ ...seen, last: { ...seen.last, silentMs } });
    const read = (silentMs: number) => sourceReadSince(look(silent(silentMs)), NOW - 2_000);
    expect([read(0), read(2_000), read(2_001)]).toEqual([true, true, false]);
  });

  it('whose counter had moved between two looks was surely alive only at the first of them', () => {
    const seen = source(0);
    const moved = (silentMs: number, spanMs: number) => ({ ...seen, last: { ...seen.last, silentMs, spanMs } });
    const read = (...at: [number, number]) => sourceReadSince(look(moved(...at)), NOW - 2_000);
    expect([read(0, 2_000), read(1_000, 1_000), read(1_000, 1_001)]).toEqual([true, true, false]);
  });

  it('is back when it has answered well, often and long enough, since that moment', () => {
    const back = (of: Given['source'], sinceMs: number) => sourceIsBack(look(of), sinceMs);
    expect(back(failed(60_000, 20_000, 10_000), NOW - 10_000)).toBe(true);
    expect(back(failed(60_000, 20_000, 10_000), NOW - 9_999)).toBe(false);
    expect(back(failed(60_000, 20_000, 2_999), NOW - 20_000)).toBe(false);
    expect(back({ ...failed(60_000, 20_000, 10_000), okStreak: 1 }, NOW - 20_000)).toBe(false);
    expect(back({ ...failed(60_000, 20_000, 40_000), last: source(30_001).last }, NOW - 50_000)).toBe(false);
    expect(back(failed(60_000, 1_000), NOW - 90_000)).toBe(false);
  });

  it('is back by its neighbours’ evidence only where it has no probe', () => {
    const nearby = { failFromMs: NOW - 50_000, okSinceMs: NOW - 10_000 };
    const back = (given: Given, sinceMs: number) => sourceIsBack(lookOf(given, { nearby }), sinceMs);
    expect([back({}, NOW - 20_000), back({}, NOW - 9_999)]).toEqual([true, false]);
    expect(back({ setup: { hasSource: true } }, NOW - 20_000)).toBe(false);
    expect(sourceIsBack(lookOf({}), NOW - 20_000)).toBe(false);
  });
});

describe('the failure of a source counts', () => {
  const speaks = (of: Given['source'], given: Given = {}) => sourceFailure(look(of, given))?.failure;
  const suffering = { output: playlist(10_000) };

  it('while it fails', () => {
    expect([speaks(failed(9_000, 1_000)), speaks(source()), speaks(undefined)]).toEqual([
      'refused',
      undefined,
      undefined,
    ]);
    expect([speaks(failed(90_000, 30_000)), speaks(failed(90_000, 30_001))]).toEqual(['refused', undefined]);
  });

  it('until it is back, of a channel that still suffers or falls behind', () => {
    const once = failed(60_000, 9_000, 1_000);
    expect([speaks(once), speaks(once, suffering)]).toEqual([undefined, 'refused']);
    expect(speaks(once, { progress: speeds([0.5, 0.5, 0.5]) })).toBe('refused');
    expect(speaks(once, { output: undefined })).toBeUndefined();
    expect(speaks(failed(60_000, 9_000, 5_000), suffering)).toBeUndefined();
  });

  it('for twice as long as a sample holds, and not once it is probed no more', () => {
    const once = (agoMs: number) => ({ ...failed(90_000, agoMs, 1_000), okStreak: 1 });
    expect([speaks(once(60_000), suffering), speaks(once(60_001), suffering)]).toEqual(['refused', undefined]);
    expect(speaks({ ...once(40_000), last: source(30_000).last }, suffering)).toBe('refused');
    expect(speaks({ ...once(40_000), last: source(30_001).last }, suffering)).toBeUndefined();
  });
});
