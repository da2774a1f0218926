import { describe, expect, it } from 'vitest';
import type { Signal } from '../../../src/core/envelope.ts';
import type { ProbeFailure } from '../../../src/core/sample.ts';
import { nextEngine, nextHost, NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';
import type { ClassifyContext } from '../../../src/ground/rules/classify_input.ts';
import {
  churnSignal,
  deadSignal,
  diskSignal,
  emptySignal,
  engineSignal,
  idleSignal,
  isHalted,
  outputSignal,
  progressSignal,
  serverSignal,
  silentOutputSignal,
  sourceSignal,
  spoken,
  symptomSignal,
} from '../../../src/ground/rules/signals.ts';
import {
  died,
  failed,
  type Given,
  idleFor,
  lookOf,
  looked,
  NOW,
  playlist,
  reach,
  reports,
  runs,
  symptomOf,
  source,
  unread,
} from '../given.ts';

/** Who says what, how long before now, and as what; undefined: no signal. */
function textOf(witness: Signal | undefined): string | undefined {
  if (witness === undefined) return undefined;
  const { origin, says, symptom, monoMs } = witness;
  return `${origin} ${NOW - monoMs}: ${says}${symptom === undefined ? '' : ` (${symptom})`}`;
}
const asked = (of: typeof deadSignal, given: Given = {}, context: Partial<ClassifyContext> = {}) =>
  textOf(of(lookOf(given, context)));

describe('the process table is a signal of', () => {
  it('a death, with its exit', () => {
    const dead = (end?: Parameters<typeof died>[1], extra = {}) =>
      asked(deadSignal, { process: died(5_000, end, { lastMs: NOW - 700, ...extra }) });
    expect(dead()).toBe('process 700: the process is exited (exit 1)');
    expect(dead({ exitSignal: 9, exitCode: -9 })).toBe('process 700: the process is exited (signal 9)');
    expect(dead({ exitSignal: 0 })).toBe('process 700: the process is exited (killed by a signal)');
    expect(dead({ exitCode: -9 })).toBe('process 700: the process is exited (killed by a signal)');
    expect(dead({ exitCode: 0 })).toBe('process 700: the process is exited (exit 0)');
    expect(dead({})).toBe('process 700: the process is exited');
    expect(dead({}, { lastEnd: undefined, state: 'fatal' })).toBe('process 700: the process is fatal');
    expect(asked(deadSignal)).toBeUndefined();
    expect(asked(deadSignal, { process: undefined })).toBeUndefined();
    expect(dead({ exitCode: 0 }, { stoppedOnPurpose: true })).toBeUndefined();
  });

  it('processes that end one after another, from the second on', () => {
    const churn = (...agos: readonly number[]) =>
      asked(churnSignal, { process: runs({ ends: agos.map((ago) => NOW - ago), lastMs: NOW - 700 }) });
    expect(churn(50_000, 40_000)).toBe('process 700: 2 processes ended within 60 s');
    expect([churn(40_000), churn(), asked(churnSignal, { process: undefined })]).toEqual(Array(3).fill(undefined));
  });

  it('that nothing is done, from the time on after which output stands', () => {
    const idle = (ms: number, extra = {}, output: Given['output'] = playlist()) =>
      asked(idleSignal, { process: runs({ ...idleFor(ms), ...extra }), output });
    expect([idle(6_000), idle(5_999)]).toEqual(['process 0: no CPU time used for 6 s', undefined]);
    expect(idle(6_700, { lastMs: NOW - 700 })).toBe('process 700: no CPU time used for 6 s');
    expect(idle(6_600, { lastMs: NOW - 700 })).toBeUndefined();
    expect(idle(9_000, { haltedSinceMs: NOW })).toBe('process 0: halted, no CPU time used for 9 s');
    const slow = playlist(1_000, { targetDurationMs: 4_000 });
    expect([idle(10_000, {}, slow), idle(9_999, {}, slow)]).toEqual([
      'process 0: no CPU time used for 10 s',
      undefined,
    ]);
    expect(asked(idleSignal, { process: runs(idleFor(6_000)), output: undefined })).toContain('no CPU time');
    expect(idle(9_000, { state: 'exited' })).toBeUndefined();
    expect(asked(idleSignal, { process: undefined })).toBeUndefined();
    expect(asked(idleSignal)).toBeUndefined();
  });

  it('that nothing is written, where it uses CPU time', () => {
    const mute = (ms: number, extra = {}) =>
      asked(idleSignal, { process: runs({ bytes: { value: 1, movedMs: NOW - ms }, lastMs: NOW - 700, ...extra }) });
    expect([mute(6_000), mute(5_999)]).toEqual(['process 700: nothing written for 6 s', undefined]);
    expect(mute(6_000, idleFor(1_000))).toBe('process 700: nothing written for 6 s');
  });

  it('not that nothing is written, where nothing was while the output was well, as by one that sends to a server', () => {
    const mute = (ms: number, given: Given) =>
      asked(idleSignal, { process: runs({ bytes: { value: 1, movedMs: NOW - ms } }), ...given });
    const stands = { output: playlist(9_000) };
    const silent = { output: undefined, reach: { ...reach(2), lastOkMs: NOW - 9_000 } };
    for (const given of [stands, silent]) {
      expect([mute(25_000, given), mute(25_001, given)]).toEqual(['process 0: nothing written for 25 s', undefined]);
    }
    expect(mute(600_000, { output: undefined, reach: { ...reach(2), lastOkMs: undefined } })).toContain('for 600 s');
  });

  it('that it is halted, when it has used no CPU time since', () => {
    const halted = (extra: Parameters<typeof runs>[0]) => isHalted(lookOf({ process: runs(extra) }));
    const since = { haltedSinceMs: NOW - 9_000 };
    expect([halted({ ...since, ...idleFor(9_000) }), halted({ ...since, ...idleFor(8_999) })]).toEqual([true, false]);
    expect([halted(since), halted(idleFor(9_000)), halted({ ...since, ...idleFor(9_000), state: 'exited' })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(isHalted(lookOf({ process: undefined }))).toBe(false);
  });
});

describe('the probe of the output is a signal of', () => {
  const late = { last: looked({ monoMs: NOW - 700 }) };

  it('a playlist that stands', () => {
    const still = (ms: number) => asked(outputSignal, { output: playlist(ms, late) });
    expect([still(6_000), still(5_999)]).toEqual(['probe 700: playlist unchanged for 6 s', undefined]);
  });

  it('a playlist that is missing, at the second look', () => {
    const http = (failStreak: number, status?: number, failure: ProbeFailure = 'http_status') =>
      asked(outputSignal, {
        output: unread(failStreak, { failure, monoMs: NOW - 700, ...(status === undefined ? {} : { status }) }),
      });
    expect([http(2, 404), http(1, 404)]).toEqual(['probe 700: no playlist (status 404)', undefined]);
    expect([302, 408, 425, 429].map((status) => http(2, status))).toEqual([undefined, undefined, undefined, undefined]);
    const elsewhere = unread(2, { failure: 'http_status', status: 302, monoMs: NOW - 700 });
    const dead = died(5_000, { exitCode: 1 });
    expect(asked(outputSignal, { output: elsewhere, process: dead })).toBe('probe 700: no playlist (status 302)');
    expect([http(2), http(2, 404, 'timeout')]).toEqual(['probe 700: no playlist (status unknown)', undefined]);
  });

  it('segments that are not there, at the third, while the list moves', () => {
    const missing = (missingStreak: number, agoMs = 1_000) =>
      asked(outputSignal, { output: playlist(agoMs, { ...late, missingStreak }) });
    expect([missing(3), missing(2)]).toEqual(['probe 700: 3 new segments that are not there', undefined]);
    expect(missing(3, 6_000)).toContain('playlist unchanged for 6 s');
  });

  it('segments that are empty, at the second', () => {
    const empty = (of: typeof emptySignal, emptyStreak: number) =>
      asked(of, { output: playlist(1_000, { ...late, emptyStreak }) });
    for (const of of [emptySignal, outputSignal])
      expect([empty(of, 2), empty(of, 1)]).toEqual(['probe 700: 2 new segments of 0 bytes', undefined]);
    expect(asked(emptySignal, { output: undefined })).toBeUndefined();
  });

  it('an output that does not answer, where there is no playlist', () => {
    const silent = (failStreak: number, extra = {}) =>
      asked(outputSignal, { output: undefined, reach: reach(failStreak, 700, extra) });
    expect([silent(2), silent(1), silent(0)]).toEqual([
      'probe 700: the output does not answer (refused)',
      undefined,
      undefined,
    ]);
    expect(silent(2, { failure: 'http_status', status: 429 })).toBeUndefined();
    expect(silent(2, { failure: undefined })).toBe('probe 700: the output does not answer (unknown)');
    expect(asked(outputSignal, { output: undefined })).toBeUndefined();
    expect(asked(outputSignal, { reach: reach(2) })).toBeUndefined();
  });

  it('one missing segment of a process that is dead anyway', () => {
    const still = (ms: number, extra = {}) =>
      asked(silentOutputSignal, { output: playlist(ms + 700, { lastOkMs: NOW - 700, ...extra }) });
    expect([still(3_000), still(2_999)]).toEqual(['probe 700: playlist unchanged for 3 s', undefined]);
    const short = { targetDurationMs: 1_000 };
    expect([still(2_500, short), still(2_499, short)]).toEqual(['probe 700: playlist unchanged for 3 s', undefined]);
    const unknown = { targetDurationMs: undefined };
    expect([still(3_000, unknown), still(2_999, unknown)]).toEqual([
      'probe 700: playlist unchanged for 3 s',
      undefined,
    ]);
    expect(still(9_000, { last: looked() })).toBe('probe 0: playlist unchanged for 9 s');
    expect([still(9_000, { changedMs: undefined }), still(9_000, { lastOkMs: undefined })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(asked(silentOutputSignal, { output: undefined })).toBeUndefined();
    expect(asked(silentOutputSignal, { output: undefined, reach: reach(2) })).toContain('does not answer');
  });

  it('a server that fails, at the second look, other than by saying that there is nothing', () => {
    const server = (failStreak: number, failure: ProbeFailure | undefined, status?: number) =>
      asked(serverSignal, {
        output: unread(failStreak, {
          monoMs: NOW - 700,
          ...(failure === undefined ? {} : { failure }),
          ...(status === undefined ? {} : { status }),
        }),
      });
    expect([server(2, 'refused'), server(1, 'refused')]).toEqual([
      'probe 700: the playlist cannot be read (refused)',
      undefined,
    ]);
    expect(server(2, 'http_status', 301)).toBe(
      'probe 700: its address leads elsewhere (status 301), and is not followed',
    );
    const statuses = [401, 402, 403, 404, 408, 425, 429, 499, 500, undefined];
    expect(statuses.filter((status) => server(2, 'http_status', status) !== undefined)).toEqual([
      401, 403, 408, 425, 429, 500,
    ]);
    expect(server(2, 'http_status', 429)).toBe('probe 700: it puts looks off (status 429)');
    const plain = (status: number) =>
      asked(serverSignal, { output: undefined, reach: reach(2, 700, { failure: 'http_status', status }) });
    expect([plain(429), plain(404)]).toEqual(['probe 700: it puts looks off (status 429)', undefined]);
    expect(server(2, 'timeout', 404)).toBe('probe 700: the playlist cannot be read (timeout)');
    expect(server(2, undefined)).toBe('probe 700: the playlist cannot be read (unknown)');
    expect(asked(serverSignal, { output: undefined })).toBeUndefined();
  });
});

describe('other sources are a signal of', () => {
  it('the encoder, that its position stands', () => {
    const progress = reports(6_000, { lastMs: NOW - 700 });
    expect(asked(progressSignal, { progress })).toBe('log 700: no progress for 6 s (stalled_output)');
    expect([asked(progressSignal, { progress: reports(5_999) }), asked(progressSignal)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('the log, by its lines', () => {
    expect(textOf(symptomSignal(symptomOf('db_locked', 700, { count: 3, windowMs: 59_600, origin: 'metric' })))).toBe(
      'metric 700: db_locked, 3 in 60 s (db_locked)',
    );
  });

  it('the probe of the source, that it fails', () => {
    const fails = (how: Parameters<typeof failed>[3]) =>
      asked(sourceSignal, { source: failed(9_000, 700, undefined, how) });
    expect(fails({})).toBe('probe 700: source origin:80 fails (refused)');
    expect(fails({ failure: 'http_status', status: 503 })).toBe('probe 700: source origin:80 fails (http_status 503)');
    expect(fails({ failure: undefined as never })).toBe('probe 700: source origin:80 fails (unknown)');
    expect([asked(sourceSignal, { source: source() }), asked(sourceSignal)]).toEqual([undefined, undefined]);
  });

  it('the machine, that its fullest disk is 95 % full', () => {
    const full = (usedRatio: number | undefined) => {
      const base = { kind: 'host', engine: 'local', at: 0, monoMs: NOW - 700, source: 'host' } as const;
      const disks = [
        { path: '/', usedRatio: 0.2 },
        { path: '/hls', usedRatio },
      ];
      const host = nextHost(undefined, { ...base, disks, oomKills: undefined, cpuPressure: undefined });
      return asked(diskSignal, {}, { host });
    };
    expect([full(0.95), full(0.949), full(undefined)]).toEqual([
      'host 700: /hls is 95 % full (disk_full)',
      undefined,
      undefined,
    ]);
    expect(full(0.999)).toBe('host 700: /hls is 99 % full (disk_full)');
    expect(asked(diskSignal)).toBeUndefined();
  });

  it('the engine, that it fails', () => {
    const answer = (ok: boolean) =>
      nextEngine(NO_ENGINE_FACTS, {
        kind: 'engine',
        engine: 'local',
        at: 0,
        monoMs: NOW - 700,
        source: 'engine',
        ok,
        poolPressure: undefined,
        reportsPool: false,
      });
    const engine = answer(false);
    expect(asked(engineSignal, {}, { engine })).toBe('metric 700: the engine failed 1 times in a row');
    expect(asked(engineSignal, {}, { engine: answer(true) })).toBeUndefined();
    expect(asked(engineSignal, {}, { engine: { ...engine, last: undefined } })).toBeUndefined();
  });

  it('nothing, where no source of evidence saw anything', () => {
    const one = symptomSignal(symptomOf('db_locked'));
    expect(spoken(undefined, one, undefined)).toEqual([one]);
  });
});
