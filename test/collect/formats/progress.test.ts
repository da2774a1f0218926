import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProgress } from '../../../src/collect/formats/progress.ts';

describe('parseProgress', () => {
  it.each([
    ['frame=  100 fps= 25 q=28.0 size=N/A time=00:00:04.00 bitrate=N/A speed=   1x    \r', 4_000, 100],
    [
      'frame=10 fps=5 q=-1.0 Lsize=     256kB time=00:00:12.34 bitrate= 524.3kbits/s dup=0 drop=3 speed=0.45x',
      12_340,
      10,
    ],
    ['size=      10kB time=01:02:03.04 bitrate= 128.0kbits/s speed=1.01x', 3_723_040, undefined],
    ['frame=    0 fps=0.0 q=0.0 size=       0KiB time=-00:00:00.02 bitrate=  -0.0kbits/s speed=N/A', -20, 0],
    ['frame=9 time=123:00:00.50 bitrate=N/A speed=1x elapsed=0:00:04.00', 442_800_500, 9],
    [
      'frame=250\nfps=25.0\nout_time_us=10000000\nout_time_ms=10000000\nout_time=00:00:10.000000\nspeed=1x\nprogress=continue\n',
      10_000,
      250,
    ],
    ['out_time_ms=12340000', 12_340, undefined],
    ['[info] frame=1 time=00:00:01.00 bitrate=1', 1_000, 1],
    ['2026-11-23T10:00:00.123Z [ffmpeg] [info] size=1kB time=00:00:01.00 bitrate=1', 1_000, undefined],
    ['out_time_us=12340999', 12_340, undefined],
    ['out_time=00:00:12.340000', 12_340, undefined],
  ])('reads %j', (record, outTimeMs, frame) => {
    expect(parseProgress(record)).toEqual({ outTimeMs, frame });
  });

  it.each([
    ['a position that is not known yet', 'frame=   12 fps=0.0 q=0.0 size=N/A time=N/A bitrate=N/A speed=N/A'],
    [
      'a position that is not known yet, as ffmpeg wrote it before version 7',
      'frame=    0 fps=0.0 q=0.0 size=       0kB time=-577014:32:22.77 bitrate=  -0.0kbits/s speed=N/A',
    ],
    [
      'the same in a block',
      'frame=0\nout_time_us=-9223372036854775807\nout_time=-577014:32:22.775808\nspeed=N/A\nprogress=continue\n',
    ],
    ['the same where only the number is', 'out_time_us=-9223372036854775807'],
    ['the time of day in a log', 'time=12:00:01 level=info msg="started"'],
    ['a date', 'time=2026-01-01T00:00:00Z speed=1x'],
    ['another duration', 'response_time=0.123 bitrate=5'],
    ['an input dump', 'Duration: 00:00:20.02, start: 0.000000, bitrate: 1903 kb/s'],
    ['nothing', ''],
    [
      "a visitor's request in a server's log",
      '2026/11/23 10:00:00 [error] 7#7: *1 open() "/live/x.ts" failed, request: "GET /x.ts?a_time=00:00:01.00&bitrate=1 HTTP/1.1"',
    ],
    ['a request that begins with its query', 'GET /?frame=1 time=00:00:01.00 bitrate=1'],
    ['a quotation', 'the encoder said: frame=1 time=00:00:01.00 bitrate=1'],
  ])('takes %s for no progress', (_what, record) => {
    expect(parseProgress(record)).toBeUndefined();
  });

  it('reads any time to the millisecond, and any frame', () => {
    const two = (value: number): string => String(value).padStart(2, '0');
    const below = (limit: number) => fc.integer({ min: 0, max: limit - 1 });
    const times = fc.tuple(below(1_000), below(60), below(60), below(1_000), below(1e9), fc.constantFrom('', '-'));
    fc.assert(
      fc.property(times, ([h, m, s, ms, frame, sign]) => {
        const time = `${sign}${two(h)}:${two(m)}:${two(s)}.${String(ms).padStart(3, '0')}`;
        const wholeMs = ((h * 60 + m) * 60 + s) * 1_000 + ms;
        const expected = { outTimeMs: sign === '' ? wholeMs : -wholeMs, frame };
        expect(parseProgress(`frame= ${frame} fps=1 time=${time} bitrate=1`)).toEqual(expected);
        expect(parseProgress(`frame=${frame}\nout_time=${time}000\nbitrate=1`)).toEqual(expected);
      }),
    );
  });

  it('takes no longer than its length', () => {
    const started = process.hrtime.bigint();
    for (const unit of ['time=', 'time=00:', 'frame=', ' out_time_ms=', 'speed=']) parseProgress(unit.repeat(200_000));
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });

  it.skipIf(!existsSync('/usr/bin/ffmpeg'))('reads what the real ffmpeg writes (needs ffmpeg)', () => {
    const input = ['-hide_banner', '-f', 'lavfi', '-i', 'testsrc=s=64x48:r=5:d=2', '-f', 'null'];
    const run = (args: string[]) =>
      execFileSync('sh', ['-c', 'exec ffmpeg "$@" 2>&1', 'ffmpeg', ...args], { encoding: 'utf8' });
    const status = run([...input, '-stats_period', '0.1', '-'])
      .split(/[\r\n]/)
      .flatMap((record) => parseProgress(record) ?? []);
    expect(status.at(-1)).toEqual({ outTimeMs: 2_000, frame: 10 });
    const blocks = run(['-v', 'error', ...input, '-progress', 'pipe:2', '-']).split(/(?<=progress=\w+\n)/);
    expect(blocks.flatMap((block) => parseProgress(block) ?? []).at(-1)).toEqual({ outTimeMs: 2_000, frame: 10 });
  });
});
