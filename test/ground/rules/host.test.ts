import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { nextEngine, nextHost, NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';
import type { GenerationEnd } from '../../../src/ground/facts/process_facts.ts';
import { datastoreContention, diedOfItsOwnLeak, hostExhausted, poolExhausted } from '../../../src/ground/rules/host.ts';
import { died, endOf, type Given, gist, lookOf, NOW, playlist, runs, symptomOf } from '../given.ts';

const machine = (usedRatio: number | undefined, oomRoseAgoMs?: number) => ({
  ...nextHost(undefined, {
    kind: 'host',
    engine: 'local',
    at: 0,
    monoMs: NOW - 700,
    source: 'host',
    disks: [{ path: '/hls', usedRatio }],
    oomKills: 1,
    cpuPressure: undefined,
  }),
  oomRoseMs: oomRoseAgoMs === undefined ? undefined : NOW - oomRoseAgoMs,
});
const full = machine(0.96);
const standing = { output: playlist(10_000) };
const empty = { output: playlist(1_000, { emptyStreak: 2 }) };
const found = (given: Given, host?: ReturnType<typeof machine>) => hostExhausted(lookOf(given, { host }));

describe('a full disk', () => {
  it('is a trouble of a channel that suffers or whose segments are empty', () => {
    expect(found({ ...standing, symptoms: [symptomOf('disk_full', 4_000)] }, full)).toEqual({
      because: '/hls is 96 % full',
      signals: [
        { origin: 'host', says: '/hls is 96 % full', monoMs: NOW - 700, symptom: 'disk_full' },
        { origin: 'log', says: 'disk_full, 1 in 60 s', monoMs: NOW - 4_000, symptom: 'disk_full' },
      ],
      symptom: 'disk_full',
      sinceMs: NOW - 4_000,
    });
    expect(found(standing, full)).toMatchObject({ sinceMs: NOW - 10_000 });
    expect(found({ output: undefined }, full)).toMatchObject({ sinceMs: undefined });
    expect(gist(found({ process: died(5_000) }, full))).toEqual([
      '/hls is 96 % full',
      'host: /hls is 96 % full',
      'process: the process is exited (exit 1)',
    ]);
    const resting = { ...empty, setup: { expected: 'on_demand' }, process: died(5_000, { exitCode: 0 }) } as const;
    expect(gist(found(resting, full))[0]).toBe('/hls is 96 % full');
    expect(gist(found({ ...resting, symptoms: [symptomOf('disk_full')] }))[0]).toBe('no space left on a disk');
    expect(gist(found(empty, full))).toContain('probe: 2 new segments of 0 bytes');
    expect([found({}, full), found(standing, machine(0.94)), found(standing)]).toEqual(Array(3).fill(undefined));
  });

  it('is one by the log alone, where the channel suffers', () => {
    const symptoms = [symptomOf('disk_full')];
    expect(gist(found({ ...standing, symptoms }))[0]).toBe('no space left on a disk');
    expect(found({ ...standing, symptoms })?.symptom).toBe('disk_full');
    expect([found({ symptoms }), found({ ...standing, symptoms: [symptomOf('db_locked')] })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(gist(found({ ...empty, symptoms }, machine(0.5)))[0]).toBe('no space left on a disk');
  });

  it('is suspected where segments are empty and no disk is looked at', () => {
    expect(found(empty)).toMatchObject({
      because: '2 new segments of 0 bytes; no disk is looked at',
      symptom: 'disk_full',
      against: 1,
    });
    expect(gist(found(empty, machine(undefined)))).toHaveLength(2);
    expect(found(empty, machine(0.5))).toBeUndefined();
  });
});

describe('a machine without memory', () => {
  const shot = (end: Partial<GenerationEnd>, roseAgoMs: number | undefined, given: Given = {}) =>
    gist(found({ process: died(20_000, end), ...given }, machine(0.5, roseAgoMs)));
  const because = 'the kernel ended a process for want of memory';
  const kernel = 'host: the kernel killed for want of memory';

  it('explains a SIGKILL within 10 s of a kill by its kernel', () => {
    expect(shot({ exitSignal: 9 }, 10_000)).toEqual([because, kernel, 'process: the process is exited (signal 9)']);
    const near = [30_000, 10_000].map((ago) => shot({ exitSignal: 9 }, ago).length);
    const far = [30_001, 9_999, undefined].map((ago) => shot({ exitSignal: 9 }, ago).length);
    expect([near, far]).toEqual([
      [3, 3],
      [0, 0, 0],
    ]);
    expect([shot({ exitCode: 137 }, 20_000).length, shot({ exitCode: 136 }, 20_000).length]).toEqual([3, 0]);
    expect([shot({ exitSignal: 11 }, 20_000), shot({ exitSignal: 9, seen: false }, 20_000)]).toEqual([[], []]);
    expect(shot({}, 20_000, { process: runs({ downSinceMs: NOW, state: 'backoff' }) })).toEqual([]);
    expect(gist(found({ process: died(20_000, { exitSignal: 9 }) }))).toEqual([]);
    expect(shot({}, 20_000, { process: undefined, output: undefined })).toEqual([]);
  });

  it('is reported by the log, too', () => {
    const symptoms = [symptomOf('process_killed_oom', 4_000)];
    expect(found({ ...standing, symptoms })).toMatchObject({
      because,
      signals: [{ says: 'process_killed_oom, 1 in 60 s' }],
      symptom: 'process_killed_oom',
      sinceMs: NOW - 4_000,
    });
    expect(found({ process: died(20_000, { exitSignal: 9 }), symptoms })?.sinceMs).toBe(NOW - 20_000);
    expect(found({ symptoms })).toBeUndefined();
    expect(found({ process: undefined, ...standing, symptoms })?.sinceMs).toBe(NOW - 4_000);
  });

  it('is no trouble of a channel that plays again', () => {
    const process = runs({ lastEnd: endOf(20_000, { exitSignal: 9 }) });
    expect(found({ process }, machine(0.5, 20_000))).toBeUndefined();
    expect(found({ process, ...standing }, machine(0.5, 20_000))).toMatchObject({
      sinceMs: NOW - 20_000,
      signals: [{ monoMs: NOW - 20_000, symptom: 'process_killed_oom' }],
    });
  });
});

describe('used up descriptors', () => {
  const symptoms = [symptomOf('fd_exhaustion', 4_000, { firstMs: NOW - 9_000 })];

  it('are a trouble of a channel that suffers', () => {
    expect(found({ ...standing, symptoms })).toMatchObject({
      because: 'descriptors, connections or threads are used up',
      signals: [{ says: 'playlist unchanged for 10 s' }, { says: 'fd_exhaustion, 1 in 60 s' }],
      symptom: 'fd_exhaustion',
      sinceMs: NOW - 9_000,
    });
    expect([found({ symptoms }), found(standing)]).toEqual([undefined, undefined]);
  });

  it('are free again after the first end of a process that used them up', () => {
    const leak = (process: Given['process']) => diedOfItsOwnLeak(lookOf({ process, symptoms }));
    const ends = [NOW - 30_000, NOW - 5_000];
    expect(leak(died(5_000))).toBe(true);
    expect(leak(died(5_000, {}, { ends: [] }))).toBe(true);
    expect(leak(died(5_000, {}, { ends }))).toBe(false);
    expect(leak(died(5_000, {}, { failedProcesses: 2 }))).toBe(false);
    expect(leak(died(5_000, {}, { state: 'backoff' }))).toBe(false);
    expect(leak(died(5_000, {}, { stoppedOnPurpose: true }))).toBe(false);
    expect([leak(runs()), leak(undefined)]).toEqual([false, false]);
    expect(found({ process: died(5_000), symptoms })).toBeUndefined();
    expect(gist(found({ process: died(5_000, {}, { failedProcesses: 2 }), symptoms }))).toEqual([
      'descriptors, connections or threads are used up',
      'process: the process is exited',
      'log: fd_exhaustion, 1 in 60 s',
    ]);
  });
});

describe('an engine without room', () => {
  const pool = (poolPressure: number | undefined, given: Given = standing) => {
    const engine = nextEngine(NO_ENGINE_FACTS, {
      kind: 'engine',
      engine: 'local',
      at: 0,
      monoMs: NOW - 700,
      source: 'engine',
      ok: true,
      poolPressure,
      reportsPool: true,
    });
    return poolExhausted(lookOf(given, { engine, limits: { ...DEFAULT_LIMITS, poolPressureMax: 0.8 } }));
  };

  it('is a trouble of a channel that suffers, from the limit on', () => {
    expect(pool(0.8)).toEqual({
      because: 'the pool is 80 % used',
      signals: [
        { origin: 'metric', says: 'the pool is 80 % used', symptom: undefined, monoMs: NOW - 700 },
        { origin: 'probe', says: 'playlist unchanged for 10 s', symptom: undefined, monoMs: NOW },
      ],
    });
    expect(gist(pool(0.996, { process: died(5_000) }))[2]).toBe('process: the process is exited (exit 1)');
    expect([pool(0.799), pool(undefined), pool(0.9, {})]).toEqual(Array(3).fill(undefined));
    expect(poolExhausted(lookOf(standing))).toBeUndefined();
  });
});

describe('a database that does not answer', () => {
  const db = (given: Given) => datastoreContention(lookOf(given));

  it('is a trouble of a channel that suffers', () => {
    const symptoms = [symptomOf('db_pool_exhaustion', 4_000, { firstMs: NOW - 9_000 })];
    expect(db({ ...standing, symptoms })).toMatchObject({
      because: 'the database is locked or out of connections',
      signals: [{ says: 'playlist unchanged for 10 s' }, { says: 'db_pool_exhaustion, 1 in 60 s' }],
      symptom: 'db_pool_exhaustion',
      sinceMs: NOW - 9_000,
    });
    expect(gist(db({ process: died(5_000), symptoms: [symptomOf('db_locked')] }))).toHaveLength(3);
    expect([db({ symptoms }), db(standing)]).toEqual([undefined, undefined]);
  });
});
