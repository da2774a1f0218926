import { describe, expect, it } from 'vitest';
import { outputStalled } from '../../src/ground/rules/process.ts';
import {
  born,
  failed,
  type Given,
  gist,
  idleFor,
  lookOf,
  NOW,
  playlist,
  reach,
  reports,
  runs,
  symptomOf,
  source,
  unread,
} from './given.ts';

const stalled = (given: Given) => outputStalled(lookOf(given));
const isStall = (given: Given): boolean => stalled(given) !== undefined;

/** Its playlist has stood for 10 s, and so has its process. */
const stuck = { process: runs(idleFor(10_000)), output: playlist(10_000) };
const revision = (firstAgoMs: number, ended = false) => ({
  revision: `r${firstAgoMs}`,
  firstMs: NOW - firstAgoMs,
  lastMs: NOW,
  bytes: 9,
  ended,
});

describe('output that stands is a stall', () => {
  it('by the report of all that see it', () => {
    expect(stalled({ ...stuck, progress: reports(9_000), symptoms: [symptomOf('stalled_output', 3_000)] })).toEqual({
      because:
        'it runs and its output stands: playlist unchanged for 10 s; no CPU time used for 10 s; ' +
        'no progress for 9 s; stalled_output, 1 in 60 s',
      signals: [
        { origin: 'probe', says: 'playlist unchanged for 10 s', monoMs: NOW, symptom: undefined },
        { origin: 'process', says: 'no CPU time used for 10 s', monoMs: NOW, symptom: undefined },
        { origin: 'log', says: 'no progress for 9 s', monoMs: NOW, symptom: 'stalled_output' },
        { origin: 'log', says: 'stalled_output, 1 in 60 s', monoMs: NOW - 3_000, symptom: 'stalled_output' },
      ],
      symptom: 'stalled_output',
      sinceMs: NOW - 10_000,
    });
    expect(stalled({ output: undefined, reach: reach(3), progress: reports(9_000) })?.sinceMs).toBe(NOW - 9_000);
    expect(stalled({ output: undefined, reach: reach(3), process: stuck.process })).toMatchObject({
      sinceMs: undefined,
    });
  });

  it('only of a process that runs', () => {
    const reported = { ...stuck, progress: reports(9_000) };
    expect(isStall(reported)).toBe(true);
    expect(isStall({ ...reported, process: undefined })).toBe(false);
    expect(isStall({ ...reported, process: runs({ state: 'backoff', downSinceMs: NOW - 9_000 }) })).toBe(false);
  });

  it('only where the channel is surely not healthy', () => {
    expect(isStall({ process: stuck.process, output: playlist(1_000), progress: reports(9_000) })).toBe(false);
    expect(isStall({ ...stuck, output: unread(1, { failure: 'timeout' }), progress: reports(9_000) })).toBe(false);
  });

  it('not of a young process, although its encoder stands', () => {
    const standing = { output: undefined, reach: reach(0), progress: reports(6_500) };
    expect(isStall({ ...standing, process: runs({ ...idleFor(6_500), bornMs: NOW - 8_000 }) })).toBe(true);
    expect(isStall({ ...standing, process: runs({ ...idleFor(6_500), bornMs: NOW - 7_999 }) })).toBe(false);
  });

  it('not where frames are dropped: the encoder reports and works, and its position stands', () => {
    const dropping = { output: playlist(10_000), progress: reports(9_000), symptoms: [symptomOf('stalled_output')] };
    expect(isStall({ ...dropping, process: runs(idleFor(4_000)) })).toBe(true);
    expect(isStall({ ...dropping, process: runs(idleFor(3_999)) })).toBe(false);
  });

  it('only by two kinds of evidence', () => {
    expect(isStall({ output: playlist(10_000) })).toBe(false);
    expect(isStall({ output: playlist(10_000), process: stuck.process })).toBe(true);
    expect(isStall({ output: playlist(10_000), symptoms: [symptomOf('stalled_output')] })).toBe(true);
    expect(isStall({ output: playlist(10_000), symptoms: [symptomOf('buffer_underrun')] })).toBe(false);
    expect(isStall({ output: playlist(10_000), progress: reports(9_000) })).toBe(true);
  });

  it('not by missing segments while the list of them moves', () => {
    const missing = (changedAgoMs: number) =>
      gist(stalled({ ...stuck, output: playlist(changedAgoMs, { missingStreak: 3 }) }));
    expect(missing(1_000)).toEqual([]);
    expect(missing(10_000)).toHaveLength(3);
  });

  it('not by empty segments, which are another trouble', () => {
    const empty = (emptyStreak: number, symptoms: Given['symptoms'] = []) =>
      gist(stalled({ ...stuck, output: playlist(10_000, { emptyStreak }), symptoms }));
    expect(empty(1)).toHaveLength(3);
    expect(empty(2)).toEqual([]);
    expect(empty(2, [symptomOf('stalled_output')]).slice(1)).toEqual([
      'process: no CPU time used for 10 s',
      'log: stalled_output, 1 in 60 s',
    ]);
  });
});

describe('a new process generation is not stuck', () => {
  const idle = idleFor(10_000);
  const firstOf = (bornAgoMs: number, revisions: ReturnType<typeof revision>[]): boolean =>
    isStall({ process: born(bornAgoMs, idle), output: playlist(10_000, { revisions }) });

  it('before 20 s, when it has written nothing', () => {
    expect(firstOf(19_999, [])).toBe(false);
    expect(firstOf(20_000, [])).toBe(true);
  });

  it('for longer than that when its start was not seen: it may have stood before', () => {
    const process = runs({ ...idle, bornMs: NOW - 10_000, seenMs: NOW - 9_000 });
    expect(isStall({ process, output: playlist(10_000) })).toBe(true);
    expect(isStall({ process: { ...process, starts: born(9_000).starts }, output: playlist(10_000) })).toBe(false);
  });

  it('unless it has written a playlist of its own, and that is not closed', () => {
    expect(firstOf(15_000, [revision(15_000)])).toBe(false);
    expect(firstOf(15_000, [revision(14_999)])).toBe(true);
    expect(firstOf(15_000, [revision(14_999, true)])).toBe(false);
    expect(firstOf(15_000, [revision(30_000), revision(29_000), revision(10_000)])).toBe(true);
    expect(firstOf(15_000, [revision(10_000), revision(10_000), revision(30_000)])).toBe(false);
  });

  it('unless its encoder has moved, where no playlist is probed', () => {
    const silent = (progress: Given['progress']) =>
      isStall({ process: born(15_000, idle), output: undefined, reach: reach(3), progress });
    expect(silent(undefined)).toBe(false);
    expect(silent(reports(15_000))).toBe(false);
    expect(silent(reports(14_999))).toBe(true);
    expect(
      isStall({ process: born(15_000, idle), output: playlist(10_000, { revisions: [] }), progress: reports(9_000) }),
    ).toBe(false);
  });
});

describe('an encoder whose reports move on does not stand', () => {
  const with_ = (progress: Given['progress'], process = runs(idleFor(10_000))) =>
    isStall({ ...stuck, process, progress });

  it('since its process began, from the second report on', () => {
    expect(with_(reports(1_000))).toBe(false);
    expect(with_(reports(1_000, { reports: 2 }))).toBe(false);
    expect(with_(reports(1_000, { reports: 1 }))).toBe(true);
    expect(with_(reports(9_000))).toBe(true);
    expect(with_(undefined)).toBe(true);
  });

  it('by reports of this generation only', () => {
    const ofLife = (lastAgoMs: number) =>
      with_(reports(lastAgoMs, { lastMs: NOW - lastAgoMs }), runs({ ...idleFor(10_000), seenMs: NOW - 3_000 }));
    expect(ofLife(3_000)).toBe(false);
    expect(ofLife(3_001)).toBe(true);
  });
});

describe('a stall of a channel whose source is probed', () => {
  const probed = (of: Given['source'], given: Given = stuck) =>
    isStall({ ...given, setup: { hasSource: true }, source: of });

  it('needs a good read a segment and a second after the output stopped', () => {
    expect([probed(source(7_000)), probed(source(7_001)), probed(undefined)]).toEqual([true, false, false]);
    expect(probed(failed(9_000, 1_000))).toBe(false);
    const longer = { process: runs(idleFor(20_000)), output: playlist(20_000, { targetDurationMs: 6_000 }) };
    expect([probed(source(13_000), longer), probed(source(13_001), longer)]).toEqual([true, false]);
    const unknown = { ...stuck, output: playlist(10_000, { targetDurationMs: undefined }) };
    expect([probed(source(7_000), unknown), probed(source(7_001), unknown)]).toEqual([true, false]);
  });

  it('takes the encoder’s last move for the stop where there is no playlist, or else needs a look still to come', () => {
    const silent = { output: undefined, reach: reach(3), process: runs(idleFor(9_000)) };
    const standing = { ...silent, progress: reports(9_000, { lastMs: NOW - 9_000 }) };
    expect([probed(source(6_000), standing), probed(source(6_001), standing)]).toEqual([true, false]);
    expect(probed(source(0), silent)).toBe(false);
  });

  it('needs no read after the stop where the process is halted: that is not the doing of its source', () => {
    const halted = { ...stuck, process: runs({ ...idleFor(10_000), haltedSinceMs: NOW - 10_000 }) };
    expect(probed(source(15_000), halted)).toBe(true);
    expect(probed(source(15_000), { ...halted, process: runs({ ...idleFor(10_000) }) })).toBe(false);
    expect(probed(failed(9_000, 1_000), halted)).toBe(false);
    expect(probed(undefined, halted)).toBe(false);
  });

  it('is one without any read where no source is probed', () => {
    expect(isStall({ ...stuck, setup: { hasSource: false }, source: undefined })).toBe(true);
  });
});
