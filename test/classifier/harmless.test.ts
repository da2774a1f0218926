import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

describe('what robots ask for', () => {
  it.each([
    ['2026-06-01 10:00:01 WARN HTTP/1.1 404 Not Found for /wp-login.php'],
    ['2026-06-01 10:00:01 ERROR request for /.env refused: 403 Forbidden'],
    ['WARN open /srv/www/favicon.ico: no such file or directory'],
  ])('%s', (line) => {
    expect(symptomOf(line)).toBe('benign_noise');
  });

  it('does not excuse the same answer for a stream, nor a lost origin', () => {
    expect(symptomOf('ERROR HTTP/1.1 404 Not Found for /live/ch1/index.m3u8')).toBe('upstream_not_found');
    expect(symptomOf('ERROR connect to origin failed: Connection refused, for /wp-login.php')).toBe(
      'upstream_unreachable',
    );
  });
});

describe('a connection of a viewer', () => {
  it.each([
    'Jun 01 10:00:01 edge hub[9]: client 192.0.2.4:5012 disconnected: connection reset by peer',
    'WARN viewer 99: socket error ECONNRESET, removing',
    '2026-11-24T21:39:01.665Z [warn] viewer  left: ECONNRESET',
    'WARN request timeout from client 10.0.0.5 after 30s, closing the connection',
    'INFO listener 12 timed out, closing connection (listeners: 44)',
    'INFO sync: 44 listeners, 2 timed out',
    'INFO removed 3 timed out viewers',
    'INFO ssl: client 203.0.113.9 handshake failed: unknown protocol',
  ])('%s', (line) => {
    expect(symptomOf(line)).toBe('client_disconnect_benign');
  });

  it.each([
    ['WARN client 192.0.2.4:5012: upstream connection refused', 'upstream_unreachable'],
    ['ERROR http client: Connection refused', 'upstream_unreachable'],
    ['ERROR client 7: TLS handshake with upstream failed: certificate has expired', 'tls_failure'],
    ['ERROR client 7 lost its source: Connection reset by peer', 'upstream_unreachable'],
    ['ERROR publisher client 7: Connection reset by peer', 'upstream_unreachable'],
    ['[error] [client 192.0.2.4:5012] Request timed out reading from remote server', 'upstream_timeout'],
  ])('is not meant by %s', (line, symptom) => {
    expect(symptomOf(line)).toBe(symptom);
  });
});

describe('old files and sessions that were cleaned up', () => {
  it('are routine, while one that is in use is not', () => {
    expect(symptomOf('INFO cleanup: removed 12 expired tokens and 3 expired sessions')).toBe('benign_noise');
    expect(symptomOf('ERROR the token has expired')).toBe('auth_expired');
    expect(symptomOf('DEBUG cache miss, not found in memory, reading from disk')).toBe('benign_noise');
    expect(symptomOf('ERROR item 412 not found')).toBe('upstream_not_found');
  });
});

describe('an ffmpeg that listens', () => {
  const ends = (url: string) => [
    'av_interleaved_write_frame(): Connection reset by peer',
    `Error writing trailer of ${url}: Connection reset by peer`,
    `Error closing file ${url}: Connection reset by peer`,
    'Conversion failed!',
  ];

  it.each([
    'tcp://127.0.0.1:8949?listen=1',
    'tcp://127.0.0.1:8949?listen',
    'http://0.0.0.0:8080',
    'srt://:9000?mode=listener',
  ])('loses its viewer: %s', (url) => {
    expect(symptomOf(...ends(url))).toBe('client_disconnect_benign');
  });

  it('is not one that pushes, nor one that also lost its input or its disk', () => {
    expect(symptomOf(...ends('tcp://192.0.2.9:8949'))).toBe('upstream_unreachable');
    expect(symptomOf(...ends('tcp://192.0.2.9:8949?listener=no'))).toBe('upstream_unreachable');
    const listening = ends('tcp://0.0.0.0:8949?listen=1');
    expect(symptomOf('[tcp @ 0x1] Connection to tcp://192.0.2.1:80 failed: Connection refused', ...listening)).toBe(
      'upstream_unreachable',
    );
    expect(symptomOf("Output #1, flv, to 'rtmp://192.0.2.9/live/x':", ...listening)).toBe('upstream_unreachable');
    expect(symptomOf('av_interleaved_write_frame(): No space left on device', ...listening)).toBe('disk_full');
  });
});

describe('a connection that is back', () => {
  const lost = 'WARN ch3: connect failed: Connection refused, retrying in 1s';

  it.each([
    'INFO ch3: successfully connected on attempt 2',
    'INFO ch3: attempt 2 succeeded',
    'INFO ch3: attempt 2/5: 200 OK',
    'INFO Connection to rtmp://192.0.2.80/live (192.0.2.80) successful',
    'INFO source ch3: connected',
    'INFO ch3 status: Connected',
    'INFO segment upload ok after 1 retry',
    'INFO upload of seg12 completed (2 attempts)',
  ])('is over: %s', (back) => {
    expect(symptomOf(lost, back)).toBe('benign_noise');
  });

  it.each([
    ['before it was lost', ['INFO ch3: reconnected', lost]],
    ['by a promise', [lost, 'INFO ch3: will go on when reconnected']],
    ['by what is not', [lost, 'INFO ch3: not connected to origin-1']],
    ['by a failure', [lost, 'INFO ch3: could not be reconnected']],
    ['where the next one fails', [lost, 'INFO ch3: attempt 2 succeeded', 'ERROR ch3: Connection refused']],
    ['by a viewer', [lost, 'INFO client 192.0.2.7 connected']],
    ['by a viewer of the source', [lost, 'INFO viewer of source ch3 connected']],
  ])('is not over %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('upstream_unreachable');
  });

  it('is over for the one that was named, and for no other', () => {
    const waiting = 'WARN waiting for origin-1: Connection refused';
    for (const up of ['INFO connected to origin-1', 'origin-1 is up - executing command']) {
      expect(symptomOf(waiting, up)).toBe('benign_noise');
    }
    for (const other of ['INFO connected to redis', 'INFO a new version is available', 'INFO origin-1 is up to date']) {
      expect(symptomOf(waiting, other)).toBe('upstream_unreachable');
    }
  });

  it('does not clear a trouble that no connection repairs', () => {
    expect(symptomOf('ERROR write failed: No space left on device', lost, 'INFO ch3: attempt 2 succeeded')).toBe(
      'disk_full',
    );
  });
});

describe('an ordered stop', () => {
  it.each([
    [['INFO main: exiting on SIGINT', 'ERROR worker-2: Connection aborted', 'INFO main: bye']],
    [['INFO Received SIGTERM, stopping channels', 'WARN ffmpeg of channel 3 exited with code 255']],
    [['s6-rc: info: service encoder stopping', 'ERROR http: Server closed']],
    [['INFO received SIGTERM, stopping', 'ERROR http: Server closed', 'WARN child exited with code 1']],
  ])('explains what it tears down: %j', (lines) => {
    expect(symptomOf(...lines)).toBe('benign_noise');
  });

  it.each([
    ['what was there before', ['ERROR Connection refused', 'INFO exiting on SIGINT'], 'upstream_unreachable'],
    ['another cause', ['INFO exiting on SIGINT', 'ERROR No space left on device'], 'disk_full'],
    [
      'a start that fails',
      ['INFO received SIGTERM', 'INFO starting', 'ERROR Connection refused'],
      'upstream_unreachable',
    ],
    [
      'a kill',
      ['INFO received SIGTERM', 'WARN timed out, killing with SIGKILL', 'ERROR exited with code 137'],
      undefined,
    ],
    ['a crash', ['INFO received SIGTERM', 'Segmentation fault (core dumped)'], 'process_crash'],
  ])('does not explain %s', (_, lines, symptom) => {
    if (symptom === undefined) expect(symptomOf(...lines)).not.toBe('benign_noise');
    else expect(symptomOf(...lines)).toBe(symptom);
  });
});

describe('what did not happen', () => {
  it.each(['INFO skipped 0 missing segments', 'INFO watchdog: no stall detected in last 60s', 'INFO decode failed=0'])(
    '%s',
    (line) => {
      expect(symptomOf(line)).toBe('benign_noise');
    },
  );

  it('is distinguished from what did happen', () => {
    expect(symptomOf('WARN skipped 10 missing segments')).toBe('segment_missing');
    expect(symptomOf('WARN watchdog: no progress for 70s')).toBe('stalled_output');
  });
});

describe('advice', () => {
  it('about a deprecated option is no trouble, about a removed one it is', () => {
    const advice = '/app/config.py:29: DeprecationWarning: class-based `config` is deprecated, invalid config in v3';
    expect(symptomOf(advice, 'INFO: Application startup complete.')).toBe('benign_noise');
    expect(symptomOf('ERROR unknown option speed: deprecated and removed')).toBe('config_error');
    expect(symptomOf(advice, 'ERROR connect to origin failed: Connection refused')).toBe('upstream_unreachable');
  });
});

describe('a header that a player quotes of each answer', () => {
  it('is no trouble where it names a timeout, whoever quotes it', () => {
    const quoted = [
      'Keep-Alive: timeout=5',
      '< keep-alive: timeout=60, max=99',
      "[http @ 0x55] header='Keep-Alive: timeout=5'",
    ];
    for (const line of quoted) expect(symptomOf(line)).toBe('benign_noise');
    expect(symptomOf(...quoted, 'main stream error: connection failed: Connection refused')).toBe(
      'upstream_unreachable',
    );
    expect(symptomOf('ERROR keep-alive timeout on the connection to the origin')).not.toBe('benign_noise');
  });
});

describe('a decoder that joins a stream in its middle', () => {
  const corrupt = '[mpegts @ 0x55] Packet corrupt (stream = 0, dts = 812331900).';
  const input = "Input #0, mpegts, from 'udp://239.5.5.5:1234':";
  const at = (frame: number, time: string) =>
    `frame=${frame} fps= 25 q=-1.0 size=N/A time=${time} bitrate=N/A speed=1x`;
  const plays = [at(100, '00:00:04.44'), at(125, '00:00:05.44')];

  it('complains until there is a whole picture, and is well when it plays after that', () => {
    expect(symptomOf(corrupt, input, ...plays)).toBe('benign_noise');
  });

  it.each([
    ['it does not play', [corrupt, input]],
    ['it began before', [input, corrupt, ...plays]],
    ['it goes on', [corrupt, input, ...plays, corrupt]],
  ])('is not excused where %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('corrupt_input');
  });
});

describe('a trouble that a line reports as over', () => {
  const link = (state: string) => `Jun  1 10:00:01 e1 kernel: igb 0000:01:00.0 eth0: igb: eth0 NIC Link is ${state}`;
  const driver = '[AVHWDeviceContext @ 0x55] Failed to initialise VAAPI connection: -1 (unknown libva error).';
  const opened = 'libva info: va_openDriver() returns 0';

  it.each([
    ['a link that is back', [link('Down'), link('Up 1000 Mbps Full Duplex')]],
    ['a driver that did not fit, when the next one does', [driver, opened]],
  ])('is no trouble: %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('benign_noise');
  });

  it.each([
    ['began after that', [link('Up 1000 Mbps Full Duplex'), link('Down')], 'unknown'],
    ['began again', [driver, opened, driver], 'hw_accel_failure'],
    [
      'is something else',
      ['2026/06/01 10:00:00 DEBUG : pacer: Reducing sleep to 0s', 'ffmpeg: Segmentation fault (core dumped)'],
      'process_crash',
    ],
  ])('is trouble where it %s', (_, lines, symptom) => {
    expect(symptomOf(...lines)).toBe(symptom);
  });
});

describe('a job that counts its tries', () => {
  const tried = 'WARN News: connection timed out, retry 1';

  it('is well when it comes to its end', () => {
    expect(symptomOf(tried, 'INFO saved to guide.xml')).toBe('benign_noise');
    expect(
      symptomOf(
        'DEBUG low level retry 1/10 (error 403: User Rate Limit Exceeded)',
        'DEBUG Rate limited, sleeping for 2.6s',
        'INFO news.ts: Copied (new)',
      ),
    ).toBe('benign_noise');
  });

  it.each([
    ['gives up', [tried, 'ERROR giving up on News', 'INFO saved the rest']],
    ['fails after that', [tried, 'INFO saved to guide.xml', 'ERROR News: connection timed out']],
    ['does not say that it tries again', ['WARN News: connection timed out', 'INFO saved to guide.xml']],
    ['is not done', [tried, 'INFO not completed']],
  ])('is not well when it %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('upstream_timeout');
  });
});
