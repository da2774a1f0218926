import { describe, expect, it } from 'vitest';
import type { ProcessSample } from '../../src/core/sample.ts';
import type { ProcessFacts } from '../../src/ground/process_facts.ts';
import { isNews } from '../../src/incident/news.ts';
import type { Watched } from '../../src/incident/watch.ts';
import { aChannel } from '../support/a.ts';

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
const before = { state: 'running', generation: '1:1' } as ProcessFacts;
const watched = (finding: Partial<Watched['finding']>): Watched => ({
  ref: aChannel(),
  finding: { trouble: false, classification: undefined, healthy: true, quiet: false, because: '', ...finding } as never,
  troubledMs: 0,
  classifiedMs: 0,
  healthySinceMs: 0,
  clearSinceMs: 0,
});

describe('a process sample', () => {
  it('is no news of a healthy channel whose process is what it was', () => {
    expect(isNews(sample, before, watched({}))).toBe(false);
  });

  it.each([
    ['the state is another', { ...sample, state: 'exited' }, watched({})],
    ['a new life began', { ...sample, generation: '2:2' }, watched({})],
    ['the process is halted', { ...sample, halted: true }, watched({})],
    ['the channel is in trouble', sample, watched({ trouble: true } as never)],
    ['its health is not known', sample, watched({ healthy: undefined })],
  ] as const)('is news when %s', (_, seen, of) => {
    expect(isNews(seen, before, of)).toBe(true);
  });

  it('is news when the channel was never looked at', () => {
    expect(isNews(sample, undefined, undefined)).toBe(true);
  });
});
