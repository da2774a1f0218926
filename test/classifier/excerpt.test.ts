import { describe, expect, it } from 'vitest';
import { classifyExcerpt, classifyLine } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const classify = (...lines: string[]) => classifyExcerpt(lines, catalogue);

describe('the cause beats its consequences', () => {
  it('wherever it stands', () => {
    const cause = 'av_interleaved_write_frame(): No space left on device';
    const rest = ['Error writing trailer of /srv/a.ts: Broken pipe', 'Conversion failed!', 'ffmpeg exited with code 1'];
    expect(classify(cause, ...rest).symptom).toBe('disk_full');
    expect(classify(...rest, cause).symptom).toBe('disk_full');
  });

  it('and not the other way round: an exit with nothing before it is only an exit', () => {
    expect(classify('process ended', 'ffmpeg exited with code 3').symptom).toBe('process_exit_nonzero');
  });
});

describe('numbers are not status codes by chance', () => {
  it.each([
    'frame= 4290 fps= 25 q=28.0',
    'frame= 4031 fps= 25 q=28.0',
    'frame= 5030 size= 502kB',
    'segment 404 written',
  ])('%s', (line) => {
    expect(['benign_noise', 'unknown']).toContain(
      classify(`${line} time=00:02:51.24 bitrate=1kbits/s speed=1x`).symptom,
    );
  });
});

describe('near misses', () => {
  it.each([
    ['[h264_nvenc @ 0x55] OpenEncodeSessionEx failed: out of memory (10)', 'hw_accel_failure'],
    ['kernel: Out of memory: Killed process 20914 (ffmpeg) total-vm:6512016kB', 'process_killed_oom'],
    ['sqlite3.OperationalError: database is locked', 'db_locked'],
    ['x509: certificate has expired or is not yet valid', 'tls_failure'],
    ['OAuth token is expired', 'auth_expired'],
    ['http: TLS handshake error from 192.0.2.1:4411: EOF', 'benign_noise'],
    ['Permission denied (publickey).', 'auth_denied'],
    ['spawn ffmpeg ENOENT', 'config_error'],
    ["[Errno 2] No such file or directory: '/srv/media/a.mp4'", 'upstream_not_found'],
    ['status="404 Not Found" url=http://o/live/seg1.ts', 'segment_missing'],
  ])('%s is %s', (line, symptom) => {
    expect(classifyLine(line, catalogue).symptom).toBe(symptom);
  });
});

describe('the course of several lines', () => {
  const report = (frame: number, time: string, speed: string) =>
    `frame=${frame} fps= 25 q=24.0 size=  9kB time=${time} bitrate=1kbits/s speed=${speed}x`;

  it('sees a standstill from four equal reports, not from three', () => {
    const still = report(51211, '00:34:08.44', '0.99');
    expect(classify(still, still, still).symptom).toBe('benign_noise');
    expect(classify(still, still, still, still)).toMatchObject({
      symptom: 'stalled_output',
      remedy: 'restart_channel',
    });
  });

  it('sees a standstill in three equal reports whose speeds show that it lasted ten seconds', () => {
    // 1,000 s at 1.0 took 1,000 s; at 0.99 it has been 1,010.1 s, and at 0.9901 it has been 1,009.99 s.
    const stands = (speed: string) => ['1.0', '0.995', speed].map((shown) => report(25_000, '00:16:40.00', shown));
    expect(classify(...stands('0.99'))).toMatchObject({ symptom: 'stalled_output', remedy: 'restart_channel' });
    expect(classify(...stands('0.9901')).symptom).toBe('benign_noise');
    expect(classify(...stands('0.99').slice(1)).symptom).toBe('benign_noise');
  });

  it('sees an encoder that crawls faster and faster, until it is at half of real time', () => {
    const faster = (last: string) =>
      ['0.10', '0.20', last].map((speed, at) => report(40 + at, `00:00:0${3 + at}.00`, speed));
    expect(classify(...faster('0.49')).symptom).toBe('encoder_overload');
    expect(classify(...faster('0.50')).symptom).toBe('benign_noise');
  });

  it('sees an encoder that stays below real time, and forgives a slow start', () => {
    const slow = ['00:10:00.00', '00:10:01.00', '00:10:02.00'].map((time, at) => report(100 + at, time, '0.81'));
    const start = ['00:00:00.40', '00:00:01.00', '00:00:02.00'].map((time, at) => report(10 + at, time, '0.81'));
    expect(classify(...slow).symptom).toBe('encoder_overload');
    expect(classify(...start).symptom).toBe('benign_noise');
  });

  it('sees an encoder that crawls after five seconds of its time, and waits for those', () => {
    const crawl = (from: number) =>
      [from, from + 0.05, from + 0.1].map((s, at) => report(40 + at, `00:00:0${s}`, '0.2'));
    expect(classify(...crawl(1.0)).symptom).toBe('encoder_overload');
    expect(classify(...crawl(0.9)).symptom).toBe('benign_noise');
    const half = ['00:00:09.0', '00:00:09.4', '00:00:09.9'].map((time, at) => report(40 + at, time, '0.5'));
    expect(classify(...half).symptom).toBe('benign_noise');
  });

  it('sees segments that the origin has no more in 404 and 410 for them, one right after the other', () => {
    const failed = '[hls @ 0x5] Failed to open segment 897676059 of playlist 0';
    const verdictOf = (line: string) => classify(line, failed);
    for (const line of ['[http @ 0x5] HTTP error 404 Not Found', '[http @ 0x5] HTTP error 410 Gone']) {
      expect(verdictOf(line)).toMatchObject({ symptom: 'segment_missing', remedy: 'invalidate_cache' });
    }
    expect(verdictOf('[http @ 0x5] HTTP error 403 Forbidden').symptom).toBe('auth_denied');
    expect(classify('[http @ 0x5] HTTP error 404 Not Found').symptom).toBe('upstream_not_found');
  });

  it('sees a playlist that is read again and again for nothing', () => {
    const reload = "[http @ 0x5] Opening 'http://o/live/index.m3u8' for reading";
    const segment = "[http @ 0x5] Opening 'http://o/live/seg7.ts' for reading";
    expect(classify(reload, reload, reload, reload).symptom).toBe('stalled_output');
    expect(classify(reload, segment, reload, segment, reload, reload).symptom).toBe('benign_noise');
  });
});

describe('restarting', () => {
  const crash = 'WARN exited: gen1 (terminated by SIGSEGV; not expected)';

  it('is suggested for one crash without a cause', () => {
    expect(classify(crash).remedy).toBe('restart_channel');
  });

  it('is not suggested when the supervisor has done it, when it loops, or when the cause would kill it again', () => {
    expect(classify(crash, "INFO spawned: 'gen1' with pid 4127").remedy).toBe('none');
    expect(classify(crash, crash, crash).remedy).toBe('escalate');
    expect(classify('write failed: No space left on device', crash).remedy).toBe('escalate');
    expect(classify(crash, 'INFO gave up: gen1 entered FATAL state, too many start retries too quickly').remedy).toBe(
      'escalate',
    );
  });

  it.each([
    'INFO gen1 restarted, pid 4127',
    'watchdog: gen1 is running again',
    'Nov 12 03:31:12 enc1 systemd[1]: Started gen1.service - Generator.',
  ])('is not suggested when a line reports that it was done: %s', (line) => {
    expect(classify(crash, line)).toMatchObject({ symptom: 'process_crash', remedy: 'none' });
  });

  it.each([
    'INFO gen1 will be restarted in 30 s',
    'INFO gen1 not restarted: disabled by an operator',
    'WARN gen1 could not be respawned',
    'INFO viewer 12 is running again',
  ])('is suggested as long as no line reports a restart: %s', (line) => {
    expect(classify(crash, line).remedy).toBe('restart_channel');
  });

  it('is suggested for one that died again after it was restarted', () => {
    expect(classify(crash, 'INFO gen1 restarted', crash).remedy).toBe('restart_channel');
  });

  it.each(['SIGILL', 'SIGTRAP'])('is not suggested for %s: the same program would do the same again', (signal) => {
    expect(classify(`WARN exited: gen1 (terminated by ${signal}; not expected)`).remedy).toBe('escalate');
  });
});

describe('a source that was away for a moment', () => {
  const gone = '[https @ 0x55] Will reconnect at 1024 in 0 second(s), error=Connection timed out.';
  const report = (frame: number, time: string, speed = '1') =>
    `frame=${frame} fps= 25 q=24.0 size=  9kB time=${time} bitrate=1kbits/s speed=${speed}x`;
  const goesOn = [report(500, '00:00:20.00'), report(525, '00:00:21.00')];

  it('is no trouble when the output went on growing after the last complaint', () => {
    expect(classify(gone, ...goesOn)).toMatchObject({ symptom: 'benign_noise', remedy: 'none' });
    expect(
      classify('[stream.hls][error] Connection refused by origin', 'Segment 7 complete', 'Segment 8 complete').symptom,
    ).toBe('benign_noise');
  });

  it('is no trouble when what goes on growing is only sound, or the next line says that it tries again', () => {
    const sound = (time: string) => `size=    4352kB time=${time} bitrate= 128.0kbits/s speed=   1x`;
    const early = '[http @ 0x55] Stream ends prematurely at 511023, should be 1048576';
    const again = '[http @ 0x55] Will reconnect at 511023 in 0 second(s), error=End of file.';
    expect(classify(gone, sound('00:04:38.52'), sound('00:04:39.02')).symptom).toBe('benign_noise');
    expect(classify(gone, sound('00:04:39.02'), sound('00:04:39.02')).symptom).toBe('upstream_timeout');
    expect(classify(early, again, ...goesOn).symptom).toBe('benign_noise');
    expect(classify(early, ...goesOn).symptom).toBe('upstream_unreachable');
  });

  it('is trouble when the output grew only before, does not grow, or is too slow', () => {
    const still = [report(500, '00:00:20.00'), report(500, '00:00:20.00')];
    const slow = [report(500, '00:00:20.00', '0.5'), report(525, '00:00:21.00', '0.5')];
    for (const lines of [[...goesOn, gone], [gone, ...still], [gone, ...slow], [gone, goesOn[0]!], [gone]]) {
      expect(classify(...lines).symptom).toBe('upstream_timeout');
    }
    expect(classify(gone, 'Segment 7 complete').symptom).toBe('upstream_timeout');
  });

  it('is not one of several targets that the output goes to: the others go on growing without it', () => {
    const lost = '[tee @ 0x55] Slave muxer #1 failed: Connection refused, continuing with 1/2 slaves.';
    const push = '[rtmp @ 0x55] Cannot open connection tcp://203.0.113.9:1935: Connection refused';
    const other = "[tee @ 0x55] Slave '[f=flv:onfail=ignore]rtmp://203.0.113.9/a': error opening: Connection refused";
    expect(classify(lost, ...goesOn).symptom).toBe('upstream_unreachable');
    expect(classify(push, other, ...goesOn).symptom).toBe('upstream_unreachable');
    expect(classify(gone, push, ...goesOn).symptom).not.toBe('benign_noise');
  });

  it('is no trouble when a reader of segments queues and writes the next one', () => {
    const lost =
      '[stream.hls][warning] Failed to reload playlist: Unable to open URL: http://o/a.m3u8 (Read timed out.)';
    const next = ['[stream.hls][debug] Adding segment 9 to queue', '[stream.hls][debug] Writing segment 9 to output'];
    expect(classify(lost, ...next).symptom).toBe('benign_noise');
    expect(classify(...next, lost).symptom).toBe('upstream_timeout');
  });

  it('does not hide another trouble that stands before it', () => {
    const full = 'av_interleaved_write_frame(): No space left on device';
    expect(classify(full, gone, ...goesOn).symptom).toBe('disk_full');
  });
});

describe('the tone of a line', () => {
  it('is calm where it counts what did not happen', () => {
    expect(classify('backup: 0 errors, 12 tables, finished').symptom).toBe('benign_noise');
    expect(classify('relay: sent=120 failed=0 timeouts: 0').symptom).toBe('benign_noise');
    expect(classify('tsp: skipped packets 4, error 0, sync ok').symptom).toBe('benign_noise');
    expect(classify('tsp: skipped packets 4, error 7, no sync').symptom).toBe('unknown');
    expect(classify('backup: 10 errors, 12 tables, finished').symptom).toBe('unknown');
    expect(classify('relay: error=0.5').symptom).toBe('unknown');
  });

  it('is read off the levels of klog and of plain text', () => {
    expect(classify('I0301 10:00:00.000001 1 frob.go:7] failed to frob').symptom).toBe('benign_noise');
    expect(classify('E0301 10:00:00.000001 1 frob.go:7] it did not frob').symptom).toBe('unknown');
    expect(classify('debug: - frob error rate').symptom).toBe('benign_noise');
    const letter = (level: string) => `[2026-03-01 10:00:00.101] ${level} [Frob:12] frob.cpp:7 | it did not frob`;
    expect(classify(letter('E')).symptom).toBe('unknown');
    expect(classify(letter('I')).symptom).toBe('benign_noise');
  });
});

describe('a warning that nothing knows', () => {
  it('is noise, unless it reports something bad', () => {
    expect(classify('WARN frob: getting on with it').symptom).toBe('benign_noise');
    for (const bad of ['lost its widget', 'widget 7 was dropped', 'widget is not there', 'widget is unusable']) {
      expect(classify(`WARN frob: ${bad}`).symptom).toBe('unknown');
    }
    expect(classify('ERROR frob: getting on with it').symptom).toBe('unknown');
  });
});

describe('what a line says at a low level', () => {
  it('ranks below what a complaint says, and stands where there is none', () => {
    const eased = 'INFO player: the stream stalled';
    expect(classify(eased).symptom).toBe('stalled_output');
    expect(classify('ERROR demuxer: the file ended prematurely', eased).symptom).toBe('corrupt_input');
  });
});

describe('lines that no pattern knows', () => {
  it('calls a complaint that it does not know unknown', () => {
    expect(classify('ERROR frobnicator: widget failed to frob').symptom).toBe('unknown');
  });

  it('calls ordinary lines ordinary', () => {
    expect(classify('INFO widget frobbed', 'INFO all is well').symptom).toBe('benign_noise');
  });

  it('gives a result for an empty excerpt and for enormous ones', () => {
    expect(classify().symptom).toBe('benign_noise');
    expect(classify('\x00'.repeat(100_000), 'x'.repeat(100_000)).symptom).toBe('benign_noise');
  });
});

describe('text from outside', () => {
  it('on lines of its own is still text from outside', () => {
    const forged = [
      "2026-03-08T10:00:00,000 WARNING [epg] bad programme id 'x",
      'kernel: Out of memory: Killed process 20914 (ffmpeg)',
      "ffmpeg: terminated by SIGSEGV'",
      '2026-03-08T10:00:00,100 INFO [epg] skipped 1 programme',
    ];
    expect(['benign_noise', 'unknown']).toContain(classify(...forged).symptom);
  });

  it('cannot break a token with control characters', () => {
    expect(classify('tcp: Connection \x1b[31mrefused').symptom).toBe('upstream_unreachable');
  });
});
