import { describe, expect, it } from 'vitest';
import { nextEngine, NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';
import { controlPlaneDown, expectedQuiet, telemetryUntrusted } from '../../../src/ground/rules/observer.ts';
import {
  died,
  failed,
  type Given,
  gist,
  idleFor,
  lookOf,
  looked,
  NOW,
  playlist,
  reach,
  runs,
  symptomOf,
  source,
  unread,
  viewers,
} from '../given.ts';

const failures = (count: number) => {
  let facts = NO_ENGINE_FACTS;
  for (let at = count; at > 0; at -= 1)
    facts = nextEngine(facts, {
      kind: 'engine',
      engine: 'local',
      at: 0,
      monoMs: NOW - at * 1_000,
      source: 'engine',
      ok: false,
      poolPressure: undefined,
      reportsPool: false,
    });
  return facts;
};
const loop = runs({ ends: [50_000, 40_000, 20_000].map((ago) => NOW - ago), failedProcesses: 3 });

describe('what is looked through is not trusted', () => {
  const found = (given: Given, failed = 0) => telemetryUntrusted(lookOf(given, { engine: failures(failed) }));
  const gone = { output: unread(2, { failure: 'refused' }) };

  it('when the server of the output fails and the process does not', () => {
    expect(found(gone)).toEqual({
      because: 'the server of the output fails, the process does not: the playlist cannot be read (refused)',
      signals: [{ origin: 'probe', says: 'the playlist cannot be read (refused)', monoMs: NOW, symptom: undefined }],
      sinceMs: NOW - 4_000,
    });
    expect(gist(found({ ...gone, process: undefined }))).toHaveLength(2);
    expect(gist(found({}))).toEqual([]);
  });

  it('unless the process is dead, dying again and again, or stopped', () => {
    expect(found({ ...gone, process: died(5_000) })).toBeUndefined();
    expect(found({ ...gone, process: loop })).toBeUndefined();
    expect(found({ ...gone, process: died(5_000, {}, { stoppedOnPurpose: true }) })).toBeUndefined();
  });

  it('when the streaming server that it publishes to does not answer, unless its process is halted', () => {
    const server = (extra: Given = {}, failed = 2, serverFailed: { serverFailed?: true } = { serverFailed: true }) =>
      found({ output: undefined, reach: reach(failed, 0, { failure: 'timeout', ...serverFailed }), ...extra });
    expect(server()).toMatchObject({
      because: 'the server of the output fails, the process does not: its server does not answer (timeout)',
      sinceMs: reach(2).failSinceMs,
    });
    expect([server({}, 1), server({}, 2, {})]).toEqual([undefined, undefined]);
    const halted = { haltedSinceMs: NOW - 9_000, ...idleFor(9_000) };
    expect([server({ process: runs(halted) }), server({ process: died(5_000) })]).toEqual([undefined, undefined]);
  });

  it('when a running process’s output was not looked at for 60 s, by playlist, by answer or since it is watched', () => {
    const lost = (given: Given) => gist(found({ output: undefined, ...given }));
    const says = 'the output was not looked at for 60 s';
    expect(lost({ watchedMs: NOW - 60_000 })).toEqual([says, `metric: ${says}`]);
    expect(lost({ watchedMs: NOW - 59_999 })).toEqual([]);
    expect(lost({ watchedMs: undefined })).toEqual([]);
    expect(lost({ output: playlist(1_000, { last: looked({ monoMs: NOW - 60_000 }) }) })).toHaveLength(2);
    expect(lost({ output: playlist(1_000, { last: looked({ monoMs: NOW - 59_999 }) }) })).toEqual([]);
    expect([lost({ reach: reach(0, 60_000) }).length, lost({ reach: reach(0, 59_999) })]).toEqual([2, []]);
    expect(lost({ process: undefined })).toEqual([]);
    expect(lost({ setup: { hasOutputProbe: false } })).toEqual([]);
    expect(found({ output: undefined })).toMatchObject({ sinceMs: NOW - 600_000, signals: [{ monoMs: NOW }] });
  });

  it('when looks at the output succeed, and none has told of a content in 60 s', () => {
    const mute = playlist(1_000, { changedMs: undefined, revisions: [], everChanged: false });
    const untold = (given: Given) => gist(found({ output: mute, ...given }));
    const says = 'its output can be read, and does not show whether it moves';
    expect(untold({ watchedMs: NOW - 60_000 })).toEqual([says, `probe: ${says}`]);
    expect(untold({ watchedMs: NOW - 59_999 })).toEqual([]);
    expect(untold({ watchedMs: undefined })).toEqual([]);
    expect(untold({ process: undefined })).toHaveLength(2);
    expect(untold({ process: died(5_000) })).toEqual([]);
    expect(untold({ output: { ...mute, failStreak: 1 } })).toEqual([]);
    expect(untold({ output: { ...mute, lastOkMs: undefined } })).toEqual([]);
  });

  it('when the engine answers and has not reported this channel for 60 s', () => {
    const untold = (agoMs: number, failed = 0) =>
      gist(found({ process: runs({ unreadableSinceMs: NOW - agoMs }) }, failed));
    const says = 'the engine answers, but does not report the state of this channel';
    expect(untold(60_000)).toEqual([says, `metric: ${says}`]);
    expect([untold(59_999), untold(60_000, 1)]).toEqual([[], []]);
    expect(found({ process: runs({ unreadableSinceMs: NOW - 70_000 }) })).toMatchObject({
      sinceMs: NOW - 70_000,
      signals: [{ monoMs: NOW }],
    });
    expect(found({ process: undefined })).toBeUndefined();
  });
});

describe('the control plane is down', () => {
  const down = (count: number, given: Given = {}) =>
    controlPlaneDown(lookOf({ process: undefined, output: undefined, ...given }, { engine: failures(count) }));

  it('at the third failure, where the process is not known', () => {
    expect(down(3)).toEqual({
      because: 'the engine failed 3 times in a row',
      signals: [
        { origin: 'metric', says: 'the engine failed 3 times in a row', monoMs: NOW - 1_000, symptom: undefined },
      ],
      sinceMs: NOW - 3_000,
    });
    expect([down(2), down(3, { process: runs() })]).toEqual([undefined, undefined]);
    expect(gist(down(3, { process: runs({ lastMs: NOW - 10_001 }) }))).toHaveLength(2);
  });

  it('not for a channel that is seen to play', () => {
    expect(down(3, { output: playlist() })).toBeUndefined();
    expect(gist(down(3, { output: playlist(6_000) }))).toHaveLength(3);
    expect(gist(down(3, { output: playlist(1_000, { everChanged: false }) }))).toHaveLength(2);
    expect(gist(down(3, { output: unread(1, {}) }))).toHaveLength(2);
  });
});

describe('no output is expected', () => {
  const quiet = (given: Given) => gist(expectedQuiet(lookOf(given)));
  const demand = { setup: { expected: 'on_demand' } } as const;

  it('of a channel that a person stopped, unless it was Reeve', () => {
    const stopped = died(5_000, {}, { stoppedOnPurpose: true, stateSinceMs: NOW - 3_000 });
    expect(expectedQuiet(lookOf({ process: stopped }))).toEqual({
      because: 'stopped on purpose',
      signals: [],
      sinceMs: NOW - 3_000,
    });
    expect(quiet({ process: { ...stopped, stoppedByUs: true } })).toEqual([]);
    expect([quiet({}), quiet({ process: undefined })]).toEqual([[], []]);
  });

  it('of one on demand without viewers, reported within 60 s', () => {
    expect(quiet({ ...demand, viewers: viewers(0, 60_000) })).toEqual(['there is no viewer']);
    const standing = { ...demand, output: playlist(10_000) };
    expect([quiet({ ...standing, viewers: viewers(0, 60_001) }), quiet({ ...standing, viewers: viewers(1) })]).toEqual([
      [],
      [],
    ]);
    expect(quiet({ ...standing, setup: {}, viewers: viewers(0) })).toEqual([]);
    expect(quiet(standing)).toEqual([]);
  });

  it('of one on demand without a publisher, while it runs', () => {
    const lookOfLog = { ...demand, output: playlist(10_000), symptoms: [symptomOf('publisher_lost')] };
    const lost = { ...lookOfLog, source: failed(20_000, 1_000) };
    expect(quiet(lost)).toEqual(['there is no publisher', 'log: publisher_lost, 1 in 60 s']);
    expect(quiet({ ...lost, process: died(5_000) })).toEqual([]);
    expect(quiet({ ...lost, setup: {} })).toEqual([]);
    expect(quiet({ ...lost, symptoms: [symptomOf('ghost_publisher')] })).toEqual([]);
  });

  it('not by the reports of others alone: a measure of its own, or a probe of the source, must agree', () => {
    const standing = { ...demand, output: playlist(10_000) };
    const measured = { ...symptomOf('publisher_lost'), origin: 'metric' as const };
    expect(quiet({ ...standing, symptoms: [symptomOf('publisher_lost')] })).toEqual([]);
    expect(quiet({ ...standing, symptoms: [symptomOf('publisher_lost')], source: source() })).toEqual([]);
    expect(quiet({ ...standing, symptoms: [{ ...measured, pushed: true }] })).toEqual([]);
    expect(quiet({ ...standing, symptoms: [measured] })).toHaveLength(2);
  });

  it('of one on demand that is well', () => {
    expect(quiet(demand)).toEqual(['it runs and its playlist moves']);
    expect(quiet({ ...demand, process: died(5_000, { exitCode: 0 }) })).toEqual([
      'there is no viewer, and it is made on demand',
    ]);
  });
});
