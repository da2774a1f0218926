import { describe, expect, it } from 'vitest';
import {
  type Container,
  containerNameOf,
  exitOf,
  isMeant,
  isStoppedOnPurpose,
  stateOf,
  timeOf,
} from '../../../src/engine/docker/container.ts';

describe('the name of a container', () => {
  it.each(['news', 'playout_news-1', 'a'.repeat(64), '0123456789ab'])('%s is taken', (name) => {
    expect(containerNameOf(name)).toBe(name);
  });

  it.each(['', '/news', 'a/b', '../x', 'a b', 'news*', '-x', 'a?t=1', 'é'])('%j is refused', (name) => {
    expect(() => containerNameOf(name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

const container = (State: Partial<Container['State']>, policy?: string, retries?: [count: number, max: number]) =>
  ({
    ...{ Id: 'a'.repeat(64), Name: '/news', State: { Status: 'running', ...State }, RestartCount: retries?.[0] },
    HostConfig: { RestartPolicy: { Name: policy, MaximumRetryCount: retries?.[1] } },
  }) as Container;

describe('a container that Docker answers with', () => {
  it('is the one that was asked for by its name, or by an id as docker ps shows it', () => {
    const box = container({});
    expect(['news', 'a'.repeat(12), 'a'.repeat(11), 'sport'].map((name) => isMeant(name, box))).toEqual([
      ...[true, true, false, false],
    ]);
  });
});

describe('the state of a container', () => {
  it.each<[Partial<Container['State']>, string]>([
    [{ Running: true, Pid: 7 }, 'running'],
    [{ Running: false }, 'unknown'],
    [{ Pid: 0 }, 'unknown'],
    [{ Health: { Status: 'starting' } }, 'starting'],
    [{ Health: { Status: 'unhealthy' } }, 'running'],
    [{ Status: 'paused' }, 'running'],
    [{ Status: 'restarting' }, 'backoff'],
    [{ Status: 'restarting', Restarting: false }, 'unknown'],
    [{ Status: 'created' }, 'stopped'],
    [{ Status: 'created', ExitCode: 128, Error: 'port is already allocated' }, 'exited'],
    [{ Status: 'exited' }, 'exited'],
    [{ Status: 'exited', Running: true }, 'unknown'],
    [{ Status: 'dead' }, 'fatal'],
    [{ Status: 'dreaming' }, 'unknown'],
  ])('%j is %s', (with_, state) => expect(stateOf(container(with_))).toBe(state));

  it('is fatal when Docker has started it as often as its policy lets it, and not one start earlier', () => {
    const failed = { Status: 'exited', ExitCode: 1 };
    expect(stateOf(container(failed, 'on-failure', [2, 3]))).toBe('exited');
    expect(stateOf(container(failed, 'on-failure', [3, 3]))).toBe('fatal');
    expect(stateOf(container(failed, 'on-failure', [3, 0]))).toBe('exited');
  });

  it('is a stop by a person where Docker would have started it again, or where it ended as stopped', () => {
    const exited = (ExitCode: number, policy?: string, more: Partial<Container['State']> = {}) =>
      isStoppedOnPurpose(container({ Status: 'exited', ExitCode, ...more }, policy));
    expect([exited(1, 'always'), exited(1, 'no'), exited(0, 'no'), exited(143, 'no'), exited(139, 'no')]).toEqual([
      ...[true, false, true, true, false],
    ]);
    expect(exited(137, 'always', { OOMKilled: true })).toBe(false);
    expect(exited(127, 'always', { Error: 'no such file' })).toBe(false);
    expect(isStoppedOnPurpose(container({}))).toBe(false);
    expect(isStoppedOnPurpose(container({ Status: 'created', ExitCode: 0, Error: '' }))).toBe(true);
    expect(isStoppedOnPurpose(container({ Status: 'created', ExitCode: 127, Error: 'no such file' }))).toBe(false);
  });
});

describe('what Docker writes of an end', () => {
  it('is a signal from 129 to 192, and else a code', () => {
    const ends = [0, 128, 129, 192, 193].map((ExitCode) => exitOf(container({ ExitCode })));
    expect(ends).toEqual([{ code: 0 }, { code: 128 }, { signal: 1 }, { signal: 64 }, { code: 193 }]);
    expect(exitOf(container({}))).toEqual({});
  });

  it('is a time to the millisecond, and none for the year 1', () => {
    expect(timeOf('2026-11-23T12:00:00.123456789Z')).toBe(Date.UTC(2026, 10, 23, 12, 0, 0, 123));
    expect([timeOf('0001-01-01T00:00:00Z'), timeOf(undefined), timeOf('soon')]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});
