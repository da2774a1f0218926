import { describe, expect, it } from 'vitest';
import type { ProcessSample } from '../../../src/core/sample.ts';
import type { ProcessFacts } from '../../../src/ground/facts/process_facts.ts';
import { isRelevant } from '../../../src/incident/pipeline/relevance.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/finding_tracker.ts';
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
  it('is no news of a healthy channel whose process is what it was', () => {
    expect(isRelevant(sample, before, watched({}))).toBe(false);
  });

  it.each([
    ['the state is another', { ...sample, state: 'exited' }, watched({})],
    ['a new life began', { ...sample, generation: '2:2' }, watched({})],
    ['the process is halted', { ...sample, halted: true }, watched({})],
    ['the channel is in trouble', sample, watched({ trouble: true } as never)],
    ['it is not healthy, though nothing names a trouble', sample, watched({ healthy: false })],
  ] as const)('changes the finding when %s', (_, seen, of) => {
    expect(isRelevant(seen, before, of)).toBe(true);
  });

  it.each([
    ['its life is 59.999 s old', { ...sample, monoMs: 59_999 }, before, true],
    ['its life is a minute old', { ...sample, monoMs: 60_000 }, before, false],
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
      expect(isRelevant(seen, process, watched(untold))).toBe(news);
    },
  );

  it('changes the finding when the channel was never looked at', () => {
    expect(isRelevant(sample, undefined, undefined)).toBe(true);
  });
});
