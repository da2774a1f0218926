import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ALWAYS_CLEAR } from '../../../src/collect/mounts/mount_checks.ts';
import { Source } from '../../../src/collect/tail/source.ts';
import { DEFAULT_TAIL_LIMITS } from '../../../src/collect/tail/types.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { countChunk } from '../support/counting.ts';
import { aDirectory } from '../support/tailing.ts';

/** One source without its tail: the test says when it looks and what it hears. */
function aSource(watch = (): void => undefined) {
  const directory = aDirectory();
  const path = join(directory, 'app.log');
  writeFileSync(path, '');
  const asked: string[] = [];
  const source = new Source(
    { id: 's', path },
    {
      clock: fakeClock().clock,
      limits: DEFAULT_TAIL_LIMITS,
      sink: (chunk) => countChunk(chunk).count,
      checkpoints: memoryCheckpoints(),
      shared: Buffer.alloc(DEFAULT_TAIL_LIMITS.lineBytesMax + 32),
      openFiles: { count: 0 },
      isLog: () => false,
      check: () => ALWAYS_CLEAR,
      report: () => undefined,
      wake: () => undefined,
      wakeLater: () => asked.push('asked'),
      changed: () => undefined,
      watch,
      tells: () => true,
    },
  );
  onTestFinished(() => source.close());
  source.start();
  source.work();
  const lookFinds = (time: 'before' | 'after' | 'never'): void => {
    appendFileSync(path, 'line\n');
    source.lookLater(true);
    if (time === 'before') source.heard(directory, 'app.log', false);
    source.work();
    if (time === 'after') source.heard(directory, 'app.log', false);
    source.work();
    asked.length = 0;
  };
  const isPassedBy = (): boolean => {
    source.lookLater(false);
    return asked.length === 0;
  };
  return { lookFinds, isPassedBy, source, path };
}

describe('a poll that finds what no event announced', () => {
  it.each(['before', 'after'] as const)('proves nothing when the event comes %s it', (time) => {
    const { lookFinds, isPassedBy } = aSource();
    expect(isPassedBy()).toBe(true);
    lookFinds(time);
    expect([isPassedBy(), isPassedBy()]).toEqual([true, true]);
  });

  it('proves that the directory reports no events when none comes until the next', () => {
    const { lookFinds, isPassedBy } = aSource();
    lookFinds('never');
    expect(isPassedBy()).toBe(false);
    lookFinds('before');
    expect(isPassedBy()).toBe(false);
  });
});

describe('a look that fails', () => {
  it('is no end of its source: the next one opens its files anew', () => {
    let isBad = false;
    const { source, path } = aSource(() => {
      if (isBad) throw new Error('EIO: i/o error, read');
    });
    const looked = (): string => {
      source.lookSoon();
      while (source.work());
      return source.stats().state;
    };
    isBad = true;
    appendFileSync(path, 'one\n');
    expect(looked()).toBe('unreadable');
    isBad = false;
    expect([looked(), source.stats().lines]).toEqual(['following', 1]);
  });
});
