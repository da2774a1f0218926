import { describe, expect, it } from 'vitest';
import { MountWait } from '../../../src/collect/tail/mount_wait.ts';

/** A file system that has owed an answer for so long; undefined: it has answered. */
function waiting() {
  const said: string[] = [];
  let owedMs: number | undefined = 0;
  const wait = new MountWait(
    {
      isClear: () => owedMs === undefined,
      ask: () => void said.push('asks'),
      silent: () => (owedMs === undefined ? undefined : { point: '/srv', ms: owedMs }),
    },
    { wake: () => undefined, silent: (because) => said.push(because), back: () => said.push('back') },
  );
  const at = (ms: number | undefined): string[] => {
    owedMs = ms;
    said.length = 0;
    return [String(wait.mayRead()), ...said];
  };
  return { at, wait };
}

describe('a log whose file system owes an answer', () => {
  it('is not read, and asks each time', () => {
    const { at } = waiting();
    expect(at(0)).toEqual(['false', 'asks']);
    expect(at(4_999)).toEqual(['false', 'asks']);
  });

  it('is said to be unreadable once, from five seconds on', () => {
    const { at } = waiting();
    expect(at(5_000)).toEqual(['false', 'asks', 'the file system at /srv does not answer']);
    expect(at(60_000)).toEqual(['false', 'asks']);
  });

  it('is said to be back with the first answer, if it was said to be away', () => {
    const { at } = waiting();
    expect(at(1_000)).toEqual(['false', 'asks']);
    expect(at(undefined)).toEqual(['true']);
    at(5_000);
    expect(at(undefined)).toEqual(['true', 'back']);
    expect(at(undefined)).toEqual(['true']);
    expect(at(5_000)).toEqual(['false', 'asks', 'the file system at /srv does not answer']);
  });

  it('can be seen to be clear without a question', () => {
    const { at, wait } = waiting();
    at(1);
    expect(wait.isClear).toBe(false);
    at(undefined);
    expect(wait.isClear).toBe(true);
  });
});
