import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { ProcessState } from '../../src/core/sample.ts';
import { nextHost } from '../../src/ground/facts/engine_facts.ts';
import type { GenerationEnd } from '../../src/ground/facts/process_facts.ts';
import { processCrashed } from '../../src/ground/rules/process.ts';
import {
  died,
  endOf,
  failed,
  type Given,
  gist,
  lookOf,
  NOW,
  playlist,
  reports,
  runs,
  symptomOf,
  source,
  unread,
} from './given.ts';

const crashed = (given: Given) => processCrashed(lookOf(given));
const isCrash = (given: Given): boolean => crashed(given) !== undefined;
/** It died while its source failed, and the source is back. */
const afterOutage = (state: ProcessState) => ({
  setup: { hasSource: true },
  process: died(40_000, { exitCode: 0 }, { state }),
  source: failed(50_000, 20_000, 5_000),
});

describe('a death is a crash', () => {
  it('only of a process that is gone, and that no one stopped', () => {
    const end = { lastEnd: endOf(5_000) };
    expect(isCrash({ process: died(5_000) })).toBe(true);
    expect(isCrash({ process: undefined })).toBe(false);
    expect(isCrash({ process: runs(end) })).toBe(false);
    expect(isCrash({ process: died(5_000, { exitCode: 1 }, { stoppedOnPurpose: true }) })).toBe(false);
    expect(isCrash({ process: died(5_000, { exitCode: 1 }, { stoppedOnPurpose: true, stoppedByUs: true }) })).toBe(
      false,
    );
    for (const state of ['starting', 'stopping', 'stopped', 'backoff', 'fatal'] as const) {
      expect([state, isCrash({ process: died(5_000, { exitCode: 1 }, { state }) })]).toEqual([state, false]);
    }
  });

  it.each<[string, GenerationEnd | undefined, boolean]>([
    ['was not seen to end', undefined, false],
    ['ended by order of the engine', endOf(5_000, { exitCode: 1, ordered: true }), false],
    ['ended with 0', endOf(5_000, { exitCode: 0 }), false],
    ['ended with 255', endOf(5_000, { exitCode: 255 }), false],
    ['ended with 254', endOf(5_000, { exitCode: 254 }), true],
    ['ended with a code that is not known', endOf(5_000, {}), true],
    ['was asked to end by SIGTERM', endOf(5_000, { exitSignal: 15 }), false],
    ['was asked to end by SIGHUP', endOf(5_000, { exitSignal: 1 }), false],
    ['was killed', endOf(5_000, { exitSignal: 9 }), true],
  ])('or not, where the process %s', (_, lastEnd, expected) => {
    expect(isCrash({ process: { ...died(5_000), lastEnd } })).toBe(expected);
  });

  it('by its source also while Reeve has begun to start it and the engine has not reported the result yet', () => {
    const given = { ...afterOutage('fatal'), source: failed(50_000, 30_000, 5_000) };
    expect(isCrash({ ...given, actedMs: NOW - 19_999 })).toBe(true);
    expect(isCrash({ ...given, actedMs: NOW - 20_000 })).toBe(false);
    const processSince = (stateSinceMs: number) => ({ ...given.process, stateSinceMs });
    expect(isCrash({ ...given, process: processSince(NOW - 501), actedMs: NOW - 500 })).toBe(true);
    expect(isCrash({ ...given, process: processSince(NOW - 500), actedMs: NOW - 500 })).toBe(false);
  });

  it('by the end of its own source only when that is back, whatever the exit, and given up or not', () => {
    expect(gist(crashed(afterOutage('exited')))[0]).toBe('it went down with its source, and the source is back');
    expect(isCrash(afterOutage('fatal'))).toBe(true);
    expect(isCrash(afterOutage('backoff'))).toBe(false);
    const outage = { process: died(5_000), symptoms: [symptomOf('upstream_unreachable', 6_000)] };
    expect(isCrash(outage)).toBe(false);
  });

  it('of a loop that nothing explains only when it has been dead for ten minutes, once the engine tries no more', () => {
    const rested = (agoMs: number, extra: object = {}, end: Partial<GenerationEnd> = { exitCode: 1 }): boolean =>
      isCrash({ process: died(agoMs, end, { state: 'fatal', failedProcesses: 2, ...extra }) });
    expect([rested(599_999), rested(600_000)]).toEqual([false, true]);
    expect(gist(crashed({ process: died(600_000, { exitCode: 1 }, { state: 'fatal', failedProcesses: 2 }) }))[0]).toBe(
      'its processes were short-lived, and it has been dead for ten minutes',
    );
    expect([rested(600_000, { failedProcesses: 1 }), rested(600_000, { state: 'backoff' })]).toEqual([false, false]);
    expect([rested(600_000, { stoppedOnPurpose: true }), rested(600_000, { lastEnd: undefined })]).toEqual([
      false,
      false,
    ]);
    expect([rested(600_000, {}, { exitCode: 0 }), rested(600_000, {}, { exitSignal: 15 })]).toEqual([false, false]);
  });

  it('of a loop that the engine left dead without giving it up, by the same rule', () => {
    const ends = [640_000, 620_000, 600_000].map((agoMs) => NOW - agoMs);
    const loop = { process: died(600_000, { exitCode: 1 }, { failedProcesses: 3, ends }) };
    expect(gist(crashed(loop))[0]).toBe('its processes were short-lived, and it has been dead for ten minutes');
  });

  it('of a loop not where Reeve has had its start in it within the memory of what was tried', () => {
    const process = died(600_000, { exitCode: 1 }, { state: 'fatal', failedProcesses: 2 });
    const memoryMs = DEFAULT_LIMITS.fingerprintMemoryMs;
    const acted = (agoMs: number): boolean => isCrash({ process, actedMs: NOW - agoMs });
    expect([acted(memoryMs - 1), acted(memoryMs)]).toEqual([false, true]);
  });

  it('of a loop not while its source fails, or has not been read since', () => {
    const process = died(600_000, { exitCode: 1 }, { state: 'fatal', failedProcesses: 2 });
    const probed = (of: Given['source']) => isCrash({ setup: { hasSource: true }, process, source: of });
    expect([probed(source(0)), probed(source(700_000)), probed(undefined)]).toEqual([true, false, false]);
    expect(probed(failed(4_000, 0))).toBe(false);
    expect(isCrash({ process, symptoms: [symptomOf('upstream_unreachable', 601_000)] })).toBe(false);
  });

  it('where a source is probed, by an exit only when it was read well after the end, by a kill when it does not fail', () => {
    const probed = (process: Given['process'], of: Given['source']) =>
      isCrash({ setup: { hasSource: true }, process, source: of });
    const exited = died(5_000);
    const killed = died(5_000, { exitSignal: 9 });
    expect([probed(exited, source(5_000)), probed(exited, source(5_001)), probed(exited, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([probed(killed, source(5_001)), probed(killed, failed(4_000, 0)), probed(killed, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('by a signal whatever its log reports of a source that is looked at, for anybody may write that', () => {
    const setup = { hasSource: true };
    const symptoms = [symptomOf('auth_expired', 35_000)];
    const isCrashBy = (end: Partial<GenerationEnd>, of: Given['source'], given: Given = {}): boolean =>
      isCrash({ setup, symptoms, process: died(40_000, end), source: of, ...given });
    expect(isCrashBy({ exitSignal: 11 }, source(0))).toBe(true);
    expect(isCrashBy({ exitCode: 1 }, source(0))).toBe(false);
    expect(isCrashBy({ exitSignal: 11 }, failed(50_000, 0))).toBe(false);
    expect(isCrashBy({ exitSignal: 11 }, undefined, { setup: { hasSource: false } })).toBe(false);
  });

  describe('by a signal, where the source is looked at each minute while nothing is in doubt', () => {
    const setup = { hasSource: true, sourceCalmEveryMs: 60_000 };
    const killed = died(5_000, { exitSignal: 9 });
    const wasRead = (agoMs: number, of = source(agoMs)) => ({ ...of, last: { ...of.last, monoMs: NOW - agoMs } });
    const bytes = (agoMs: number): Given => ({ process: { ...killed, bytes: { value: 1, movedMs: NOW - agoMs } } });
    it.each<[boolean, number, Given]>([
      [true, 30_000, {}],
      [false, 30_001, {}],
      [true, 30_001, { progress: reports(8_000) }],
      [false, 30_001, { progress: reports(8_001) }],
      [true, 30_001, bytes(8_000)],
      [false, 30_001, bytes(8_001)],
      [true, 70_000, { progress: reports(5_000) }],
      [false, 70_001, { progress: reports(5_000) }],
      [false, 30_001, { progress: reports(5_000), setup: { hasSource: true } }],
      [false, 30_001, { progress: reports(5_000), process: { ...killed, seenMs: NOW - 4_999 } }],
    ])('%s: a look %i ms ago counts for as long as its encoder went on until the end', (expected, agoMs, given) => {
      expect(isCrash({ setup, process: killed, source: wasRead(agoMs), ...given })).toBe(expected);
    });

    it('not where that look was a bad one', () => {
      const bad = wasRead(30_001, failed(40_000, 30_001));
      expect(isCrash({ setup, process: killed, source: bad, progress: reports(5_000) })).toBe(false);
    });
  });

  it('reported by the process table and by any other signal', () => {
    const process = died(5_000, { exitCode: 1 }, { stateSinceMs: NOW - 2_000 });
    expect(crashed({ process, symptoms: [symptomOf('fd_exhaustion', 4_000)] })).toEqual({
      because: 'its process died unexpectedly',
      signals: [
        { origin: 'process', says: 'the process is exited (exit 1)', monoMs: NOW, symptom: undefined },
        { origin: 'log', says: 'fd_exhaustion, 1 in 60 s', monoMs: NOW - 4_000, symptom: 'fd_exhaustion' },
      ],
      symptom: 'fd_exhaustion',
      sinceMs: NOW - 5_000,
      notBeforeMs: NOW - 5_000 + 1_500,
      wants: [],
    });
    expect(crashed({ process: { ...process, downSinceMs: undefined } })?.sinceMs).toBe(NOW - 2_000);
    expect(crashed({ process })?.symptom).toBe('process_exit_nonzero');
    expect(crashed({ process: died(5_000, { exitSignal: 11 }) })?.symptom).toBe('process_crash');
    for (const kind of ['process_crash', 'process_exit_nonzero', 'fd_exhaustion'] as const)
      expect(gist(crashed({ process, symptoms: [symptomOf(kind)] }))).toContain(`log: ${kind}, 1 in 60 s`);
    expect(gist(crashed({ process, symptoms: [symptomOf('buffer_underrun')] }))).toHaveLength(2);
  });
});

describe('a crash may be acted on', () => {
  const waits = (given: Given): number => crashed(given)!.notBeforeMs! - (NOW - 500);

  it('at once where it was killed by a signal and two signals of evidence agree', () => {
    const process = died(500, { exitSignal: 11 });
    expect(crashed({ process, symptoms: [symptomOf('process_crash')] })?.notBeforeMs).toBe(0);
    expect(crashed({ process: { ...process, downSinceMs: undefined } })?.notBeforeMs).toBe(0);
  });

  it('after the engine’s own time and the log’s, where it ended by itself', () => {
    const process = died(500);
    expect(waits({ process, symptoms: [symptomOf('process_crash')] })).toBe(1_500);
    expect(waits({ process, setup: { hasOutputProbe: false } })).toBe(1_500);
  });

  it('after the output had time to be the second signal, where it is probed', () => {
    const process = died(500, { exitSignal: 11 });
    expect(waits({ process })).toBe(6_000 + 2_000);
    expect(waits({ process, output: playlist(1_000, { targetDurationMs: 5_000 }) })).toBe(12_000 + 2_000);
    expect(waits({ process, output: undefined })).toBe(6_000 + 2_000);
    expect(waits({ process, output: unread(2, { failure: 'http_status', status: 404 }) })).toBe(-NOW + 500);
    expect(waits({ process: died(500), setup: { stallAfterMs: 0, outputEveryMs: 0 }, output: undefined })).toBe(1_500);
  });

  it('after the kernel was asked, where it may have done it, and the question is asked for', () => {
    const host = (agoMs: number, oomKills?: number) =>
      nextHost(undefined, {
        kind: 'host',
        engine: 'local',
        at: 0,
        monoMs: NOW - agoMs,
        source: 'host',
        disks: [],
        oomKills,
        cpuPressure: undefined,
      });
    const asked = (end: Partial<GenerationEnd>, of: ReturnType<typeof host> | undefined) => {
      const symptoms = [symptomOf('process_crash')];
      const match = processCrashed(lookOf({ process: died(500, end), symptoms }, { host: of }))!;
      return [match.notBeforeMs! - (NOW - 500), ...match.wants!];
    };
    const nothing = [-NOW + 500];
    expect(asked({ exitSignal: 9 }, host(501, 3))).toEqual([1_500, 'host']);
    expect(asked({ exitSignal: 0 }, host(501, 3))).toEqual([1_500, 'host']);
    expect(asked({ exitCode: -1 }, host(501, 3))).toEqual([1_500, 'host']);
    expect(asked({ exitSignal: 9 }, host(500, 3))).toEqual(nothing);
    expect(asked({ exitSignal: 9 }, host(501))).toEqual(nothing);
    expect(asked({ exitSignal: 9 }, undefined)).toEqual(nothing);
    expect(asked({ exitSignal: 11 }, host(501, 3))).toEqual(nothing);
    expect(asked({}, host(501, 3))).toEqual([1_500]);
  });
});
