import { describe, expect, it } from 'vitest';
import type { PlaylistSample, ProcessSample, ProgressSample } from '../../../src/core/sample.ts';
import type { ProcessFacts } from '../../../src/ground/facts/process_facts.ts';
import { isRelevant } from '../../../src/incident/pipeline/relevance.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/tracked_channel.ts';
import { folded } from '../../../src/ground/facts/facts.ts';
import { factsOf, NOW, playlist, reports, runs } from '../../ground/given.ts';
import { aChannel } from '../../support/a.ts';

const sample: ProcessSample = {
  kind: 'process',
  at: 0,
  monoMs: 1,
  source: 'test',
  channel: 'news',
  engine: 'local',
  state: 'running',
  pid: 1,
  generation: '1:1',
  uptimeMs: 1,
  exitCode: undefined,
  exitSignal: undefined,
  stoppedOnPurpose: false,
  cpuMs: undefined,
  halted: false,
  bytesWritten: undefined,
};
const before = { state: 'running', generation: '1:1', seenMs: 0, stateSinceMs: 0 } as ProcessFacts;
const isNews = (seen: ProcessSample, process: ProcessFacts, of: TrackedChannel): boolean => {
  const facts = factsOf({ process });
  return isRelevant(seen, facts, { ...facts }, of);
};
const untold = { healthy: undefined };
const watched = (finding: Partial<TrackedChannel['finding']>): TrackedChannel => ({
  ref: aChannel(),
  finding: { trouble: false, classification: undefined, healthy: true, quiet: false, because: '', ...finding } as never,
  troubledMs: 0,
  classifiedMs: 0,
  healthySinceMs: 0,
  clearSinceMs: 0,
});

describe('a process sample', () => {
  it('does not change the finding of a healthy channel whose process is the same', () => {
    expect(isNews(sample, before, watched({}))).toBe(false);
  });

  it.each([
    ['the state is another', { ...sample, state: 'exited' }, watched({})],
    ['a new process began', { ...sample, generation: '2:2' }, watched({})],
    ['the process is halted', { ...sample, halted: true }, watched({})],
    ['the channel is in trouble', sample, watched({ trouble: true } as never)],
    ['it is not healthy, though nothing names a trouble', sample, watched({ healthy: false })],
  ] as const)('changes the finding when %s', (_, seen, of) => {
    expect(isNews(seen, before, of)).toBe(true);
  });

  it.each([
    ['its process is 59.999 s old', { ...sample, monoMs: 59_999 }, before, true],
    ['its process is a minute old', { ...sample, monoMs: 60_000 }, before, false],
    ['its state is 59.999 s old', { ...sample, monoMs: 159_999 }, { ...before, stateSinceMs: 100_000 }, true],
    ['its state is a minute old', { ...sample, monoMs: 160_000 }, { ...before, stateSinceMs: 100_000 }, false],
    [
      'its state could not be read before',
      { ...sample, monoMs: 60_000 },
      { ...before, unreadableSinceMs: 59_000 },
      true,
    ],
  ] as const)(
    'of a channel whose health is not known is news only in the first minute: %s',
    (_, seen, process, news) => {
      expect(isNews(seen, process, watched(untold))).toBe(news);
    },
  );

  it('changes the finding when the channel was never looked at', () => {
    expect(isRelevant(sample, undefined, undefined, undefined)).toBe(true);
  });
});

describe('a look and a report', () => {
  const base = { channel: 'news', at: 0, monoMs: NOW + 500, source: 'test' } as const;
  const report: ProgressSample = { ...base, kind: 'progress', outTimeMs: 10_500, frame: undefined };
  const look: PlaylistSample = { ...base, kind: 'playlist', ok: true, revision: 'r3', targetDurationMs: 2_000 };
  const before = factsOf({
    process: runs(),
    output: playlist(1_000),
    progress: { ...reports(0), outTimeMs: 10_000 },
  });
  const news = (sample: ProgressSample | PlaylistSample, finding: Partial<TrackedChannel['finding']> = {}): boolean =>
    isRelevant(sample, before, folded(before, sample), watched(finding));

  it('do not change the finding of a healthy channel that goes on', () => {
    expect([news(report), news(look)]).toEqual([false, false]);
  });

  it.each<[string, ProgressSample | PlaylistSample]>([
    ['the encoder stands', { ...report, outTimeMs: 10_000 }],
    ['the encoder began again', { ...report, outTimeMs: 0 }],
    ['the playlist is closed', { ...look, ended: true }],
    ['the playlist cannot be read', { ...base, kind: 'playlist', ok: false, failure: 'timeout' }],
    ['the playlist stands', { ...look, revision: 'r2', monoMs: NOW + 6_000 }],
    ['segments are longer', { ...look, targetDurationMs: 4_000 }],
  ])('are news when %s', (_, sample) => {
    expect(news(sample)).toBe(true);
  });

  it.each<[string, Partial<TrackedChannel['finding']>]>([
    ['in trouble', { trouble: true } as never],
    ['not healthy', { healthy: false }],
    ['not known to be healthy', untold],
  ])('are news of a channel that is %s', (_, finding) => {
    expect([news(report, finding), news(look, finding)]).toEqual([true, true]);
  });
});
