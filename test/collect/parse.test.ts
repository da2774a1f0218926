import { describe, expect, it } from 'vitest';
import { parseLine, toLogEvent } from '../../src/collect/parse.ts';

describe('parseLine', () => {
  it.each([
    [
      '2026-11-21 22:42:10,123 INFO exited: gen1 (terminated by SIGKILL; not expected)',
      'info',
      'INFO exited: gen1 (terminated by SIGKILL; not expected)',
    ],
    [
      '2026/11/21 17:01:25 [error] 8899#0: *7 live: already publishing',
      'error',
      '[error] 8899#0: *7 live: already publishing',
    ],
    ['2026-05-20 12:51:53.123 -05:00 [ERR] HLS process has terminated', 'error', '[ERR] HLS process has terminated'],
    [
      '[2025-02-28 09:47:57.841][ERROR][5969][406y4882][11] serve error',
      'error',
      '[2025-02-28 09:47:57.841][ERROR][5969][406y4882][11] serve error',
    ],
    [
      '[2019-03-18  15:25:34] WARN source/source_startup Mountpoint in use',
      'warn',
      'WARN source/source_startup Mountpoint in use',
    ],
    ['[2019-03-18  15:25:34] EROR connection/ no', 'error', 'EROR connection/ no'],
    ['2026-01-01 10:00:00 - exstreamtv.x - WARNING - slow', 'warn', 'exstreamtv.x - WARNING - slow'],
    ['2024/01/01 10:00:00 INF [RTMP] [conn 1] closed', 'info', 'INF [RTMP] [conn 1] closed'],
    [
      '2023/09/24 02:21:29 [dwmp3:2] We must catchup 16.03 seconds!',
      'error',
      '[dwmp3:2] We must catchup 16.03 seconds!',
    ],
    [
      'Nov 21 22:42:10 host kernel: Out of memory: Killed process 1',
      'info',
      'host kernel: Out of memory: Killed process 1',
    ],
    ['<3>something', 'error', 'something'],
    ['<30>Nov 21 22:42:10 host x: fine', 'info', 'host x: fine'],
    ['[12345.678901] Memory cgroup out of memory', 'info', 'Memory cgroup out of memory'],
    ['E0102 15:04:05.000000 1 main.go:1] no', 'error', 'E0102 15:04:05.000000 1 main.go:1] no'],
    ['{"level":50,"time":1,"msg":"x"}', 'error', '{"level":50,"time":1,"msg":"x"}'],
    ['{"timestamp":"2026","level":"WAR","message":"x"}', 'warn', '{"timestamp":"2026","level":"WAR","message":"x"}'],
    ['time="2026-01-01T00:00:00Z" level=fatal msg="x"', 'fatal', 'time="2026-01-01T00:00:00Z" level=fatal msg="x"'],
    ['2026-01-01T00:00:00.000Z plain', 'info', 'plain'],
    ['[https @ 0x55] HTTP error 403 Forbidden', 'error', '[https @ 0x55] HTTP error 403 Forbidden'],
    ['av_interleaved_write_frame(): Permission denied', 'error', 'av_interleaved_write_frame(): Permission denied'],
    ['Will reconnect at 0 in 3 second(s)', 'warn', 'Will reconnect at 0 in 3 second(s)'],
    ['skipping 3 segments ahead', 'warn', 'skipping 3 segments ahead'],
    ['frame=  100 fps= 25', 'info', 'frame=  100 fps= 25'],
    ['', 'info', ''],
  ])('reads %j', (line, level, message) => {
    expect(parseLine(line)).toEqual({ level, message });
  });

  it('takes the first level, and one near the beginning only', () => {
    expect(parseLine(`${'x'.repeat(200)} [FATAL] y`).level).toBe('info');
    expect(parseLine('INFO title: [panic] at the disco').level).toBe('info');
    expect(parseLine('an informal note on debugging').level).toBe('info');
  });

  it('takes no longer than its length', () => {
    const started = process.hrtime.bigint();
    for (const unit of ['[', '2026-', '[a:', '"level" ', '<', ' 1.']) parseLine(unit.repeat(100_000));
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });
});

it('a log event is redacted, harmless and bounded', () => {
  const origin = { source: 's', channel: 'news', at: 1, monoMs: 2, backlog: false };
  const event = toLogEvent(
    Buffer.from(`2026-01-01T00:00:00Z [error] \x1b[31mtoken=abc123\x1b[0m ${'x'.repeat(20_000)}`),
    origin,
  );
  expect(event).toMatchObject({ ...origin, level: 'error' });
  expect(event.message.startsWith('[error] token=[redacted] xxx')).toBe(true);
  expect(Buffer.byteLength(event.message)).toBeLessThanOrEqual(8_192);
});
