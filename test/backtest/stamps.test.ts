import { describe, expect, it } from 'vitest';
import { sceneOf } from '../../src/backtest/scene.ts';
import { formatOf } from '../../src/backtest/stamps.ts';
import { recorded } from './support.ts';

const NOON = Date.UTC(2026, 6, 28, 12, 0, 1, 250);

const setting = { offsetMinutes: 0, year: 2026 };

const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, followed: [], offsetMinutes });

describe('times of log lines', () => {
  it.each([
    ['RFC 3339', '2026-07-28T12:00:01.250Z hello', NOON],
    ['an offset', '2026-07-28 14:00:01.250 +02:00 [ERR] hello', NOON],
    ['supervisord', '2026-07-28 12:00:01,250 INFO spawned', NOON],
    ['brackets', '[2026-07-28 12:00:01.250][ERROR][1] hello', NOON],
    ['icecast, two blanks', '[2026-07-28  12:00:01] WARN hello', NOON - 250],
    ['nginx errors', '2026/07/28 12:00:01 [error] 7#7: hello', NOON - 250],
    ['nginx access', '10.0.0.1 - - [28/Jul/2026:14:00:01 +0200] "GET / HTTP/1.1" 200 1', NOON - 250],
    ['syslog without a year', 'Jul 28 12:00:01 host kernel: hello', NOON - 250],
    ['syslog of RFC 5424', '<34>1 2026-07-28T12:00:01.250Z host app - - hello', NOON],
    ['apache', '[Tue Jul 28 12:00:01.250000 2026] [core:error] hello', NOON],
    ['JSON with seconds', '{"level":30,"time":1785240001250,"msg":"hello"}', NOON],
    ['JSON with text', '{"timestamp":"2026-07-28T12:00:01.250Z","level":"INF","message":"hello"}', NOON],
    ['seconds since 1970', '1785240001.250 hello', NOON],
  ])('are read: %s', (_, line, expected) => {
    const read = formatOf([line])?.create(setting);
    expect(read?.(line)).toBe(expected);
  });

  it('of syslog go on into the next year', () => {
    const read = formatOf(['Dec 31 23:59:59 host a: b'])!.create(setting);
    expect(read('Dec 31 23:59:59 host a: b')).toBe(Date.UTC(2026, 11, 31, 23, 59, 59));
    expect(read('Jan  1 00:00:01 host a: b')).toBe(Date.UTC(2027, 0, 1, 0, 0, 1));
  });

  it('that are none are no times', () => {
    expect(formatOf(['hello', 'frame= 1 fps=25'])).toBeUndefined();
    expect(formatOf(['2026-13-41 99:99:99 hello'])).toBeUndefined();
  });

  it('without a zone are those of --zone', () => {
    const [log] = recorded({ 'news.err': '2026-07-28 14:00:01 hello\n' });
    expect(scene([log!], 120).from).toBe(NOON - 250);
  });
});

describe('times with two blanks before the hour', () => {
  it('are distinguished to the second', () => {
    const lines = ['2026-07-28  12:00:01 a', '2026-07-28  12:00:05 b'];
    const read = formatOf(lines)!.create(setting);
    expect(lines.map(read)).toEqual([1, 5].map((second) => Date.UTC(2026, 6, 28, 12, 0, second)));
  });
});
