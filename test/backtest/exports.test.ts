import { describe, expect, it } from 'vitest';
import { sceneOf } from '../../src/backtest/scene.ts';
import { recorded } from './support.ts';

const NOON = Date.UTC(2026, 6, 28, 12, 0, 1, 250);

const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, followed: [], offsetMinutes });

describe('exports', () => {
  it('of journald are lines with times, by their unit', () => {
    const entry = (message: unknown, unit: string) =>
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1785240001250000',
        MESSAGE: message,
        _SYSTEMD_UNIT: unit,
        SYSLOG_IDENTIFIER: 'ffmpeg',
        _PID: '7',
      });
    const [path] = recorded({
      'j.json': `${entry('hello', 'news.service')}\n${entry([104, 105], 'news.service')}\nnonsense\n`,
    });
    const [log] = scene([path!]).logs;
    expect(log?.channel).toBe('news');
    expect(log?.lines).toEqual([
      { at: NOON, text: 'ffmpeg[7]: hello' },
      { at: NOON, text: 'ffmpeg[7]: hi' },
    ]);
  });

  it('of Loki are lines with times, by their labels, oldest first whatever the direction of the query', () => {
    const result = [
      {
        stream: { channel: 'news', job: 'x' },
        values: [
          ['1785240002000000000', 'b'],
          ['1785240001250000000', 'a'],
        ],
      },
    ];
    const [path] = recorded({
      'l.json': JSON.stringify({ status: 'success', data: { resultType: 'streams', result } }),
    });
    const found = scene([path!]);
    expect(found).toMatchObject({ channels: ['news'], from: NOON });
    expect(found.logs[0]?.lines).toHaveLength(2);
  });

  it('of logcli too', () => {
    const row = (line: string) =>
      JSON.stringify({ labels: { channel: 'news' }, line, timestamp: '2026-07-28T12:00:01.25Z' });
    const [path] = recorded({ 'l.jsonl': `${row('a')}\n${row('b')}\n` });
    expect(scene([path!]).logs).toMatchObject([{ channel: 'news', lines: [{ at: NOON, text: 'a' }, { text: 'b' }] }]);
  });
});
