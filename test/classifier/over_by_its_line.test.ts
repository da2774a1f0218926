import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

const liquidsoap = (at: number, text: string) => `2026/11/24 21:45:${10 + at} ${text}`;
const icecast = (at: number, text: string) => `[2026-11-24  21:29:${10 + at}] ${text}`;

describe('an output of liquidsoap that was refused', () => {
  const REFUSED = '[cast:2] Connection failed: 401, Authentication Required (HTTP/1.0)';
  const UP = '[cast:3] Connection setup was successful.';

  it('is well where it was let in since', () => {
    expect(symptomOf(liquidsoap(0, REFUSED), liquidsoap(4, UP))).toBe('benign_noise');
  });

  it('is not where it is refused again', () => {
    expect(symptomOf(liquidsoap(0, UP), liquidsoap(4, REFUSED))).toBe('auth_denied');
  });
});

describe('who feeds a harbor', () => {
  const DENIED = '[harbor:4] Returned 401: wrong auth.';

  it.each([
    ['auth_denied', DENIED],
    ['ghost_publisher', '[harbor:4] Returned 403: Mount taken'],
    ['config_error', "[harbor:4] Request failed: no mountpoint '/late'!"],
    ['codec_unsupported', '[harbor:4] Returned 501: unknown audio codec'],
  ])('was turned away for %s', (symptom, line) => {
    expect(symptomOf(liquidsoap(0, line))).toBe(symptom);
  });

  it('was let in where what it sends is decoded since', () => {
    expect(symptomOf(liquidsoap(0, DENIED), liquidsoap(3, '[live:3] Decoding...'))).toBe('benign_noise');
  });
});

describe('a source of Icecast that ends', () => {
  const END = 'INFO source/get_next_buffer End of Stream /sport.mp3';
  const HALT = 'INFO main/_server_proc Caught halt request, shutting down...';

  it('is lost, unless the server itself is told to stop after that', () => {
    expect(symptomOf(icecast(0, END))).toBe('publisher_lost');
    expect(symptomOf(icecast(0, END), icecast(0, HALT))).toBe('benign_noise');
  });
});

describe('a file that MPD enters into its database', () => {
  const REMARKS = [
    'ffmpeg/mp3float: Header missing',
    'ffmpeg/mp3: Could not find codec parameters for stream 0 (Audio: mp3 (mp3float), 0 channels): unspecified frame size',
  ];

  it('may be remarked on by libav: that is no damage of what is played', () => {
    expect(symptomOf(...REMARKS, 'update: added /late.mp3')).toBe('benign_noise');
  });

  it('is damaged where MPD itself cannot play it', () => {
    const failed =
      'exception: Failed to decode /late.mp3; avformat_open_input() failed: Invalid data found when processing';
    expect(symptomOf(...REMARKS, failed)).toBe('corrupt_input');
    expect(symptomOf(...REMARKS, 'ffmpeg: No audio stream inside')).toBe('corrupt_input');
  });

  it('may not be read, which explains that it is not found', () => {
    const lines = ['update: no read permissions on /late.mp3', 'exception: No such directory'];
    expect(symptomOf(...lines)).toBe('permission_denied');
    expect(symptomOf(lines[1]!)).toBe('upstream_not_found');
  });

  it('leaves a source that is refused what it is', () => {
    expect(symptomOf('ffmpeg/tcp: Connection to tcp://192.0.2.7:80 failed: Connection refused')).toBe(
      'upstream_unreachable',
    );
  });
});

describe('what DarkIce and SoX say as they end', () => {
  it.each([
    ['config_error', 'DarkIce: DarkIce.cpp:283: bitrate not specified for CBR encoding [0]'],
    ['codec_unsupported', 'DarkIce: DarkIce.cpp:340: unsupported stream format: aac [0]'],
    ['auth_denied', 'DarkIce: IceCast2.cpp:249: Icecast2 - wrong password [0]'],
    ['upstream_unreachable', 'DarkIce: TcpSocket.cpp:251: connect error [111]'],
    ['unknown', 'DarkIce: LameLibEncoder.cpp:120: lame lib init error [0]'],
    ['permission_denied', 'DarkIce: OssDspSource.cpp:88: open error /dev/dsp: Permission denied [13]'],
    ['codec_unsupported', "sox FAIL formats: no handler for detected file type `wv'"],
    ['corrupt_input', "sox FAIL formats: can't determine type of file `take'"],
  ])('is %s', (symptom, line) => {
    expect(symptomOf('DarkIce 1.3 live audio streamer, http://code.google.com/p/darkice/', line)).toBe(symptom);
  });
});
