import { describe, expect, it } from 'vitest';
import { belowCause } from '../../src/classifier/consequences.ts';
import type { Evidence } from '../../src/classifier/course.ts';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import type { SymptomKind } from '../../src/core/symptom.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

const evidence = (symptom: SymptomKind, severity: number, rest: Partial<Evidence> = {}): Evidence => ({
  ...{ at: 0, symptom, severity, confidence: 0.8, remedy: 'escalate', pattern: symptom, ...rest },
});
const silence = evidence('playout_gap', 73, { consequence: true });
const severityOf = (...rest: Evidence[]) => belowCause([silence, ...rest])[0]!.severity;

describe('a consequence of a trouble', () => {
  it('ranks below the one cause that the lines name', () => {
    expect(severityOf(evidence('upstream_unreachable', 65), evidence('upstream_unreachable', 55))).toBe(46);
  });

  it.each([
    ['no other trouble is named', []],
    [
      'two causes are named: neither explains all of it',
      [evidence('upstream_unreachable', 65), evidence('auth_denied', 76)],
    ],
    ['the other is what came of it, too', [evidence('process_crash', 68, { consequence: true })]],
    ['the other is an end that nothing explains', [evidence('process_crash', 68)]],
    ['the other is a jump of a clock', [evidence('clock_skew_or_dts', 45)]],
    ['the other is ordinary', [evidence('benign_noise', 58)]],
  ])('keeps its rank where %s', (_, rest) => {
    expect(severityOf(...rest)).toBe(73);
  });

  it('keeps its rank where it had been said three times before the cause is named', () => {
    const lag = (at: number) => evidence('encoder_overload', 60, { at, consequence: true });
    const cut = evidence('upstream_unreachable', 55, { at: 3 });
    const ranks = (...said: Evidence[]) => belowCause([...said, cut]).map(({ severity }) => severity);
    expect(ranks(lag(0), lag(1), lag(2))).toEqual([60, 60, 60, 55]);
    expect(ranks(lag(0), lag(1), lag(4))).toEqual([46, 46, 46, 55]);
  });

  it.each([
    [
      'a clock that stood while a server had stopped reading',
      'upstream_unreachable',
      '2026/03/02 09:11:00 [clock.main:2] We must catchup 11.20 seconds!',
      '2026/03/02 09:11:00 [out:2] Error while sending data: could not write data to host: Broken pipe in write()!',
    ],
    [
      'a silence after a source that was cut off',
      'upstream_unreachable',
      '2026/11/24 21:54:57 [input.http_0:2] Feeding failed: Avutil.Error(Connection reset by peer)',
      '2026/11/24 21:54:57 [dummy:3] Source failed (no more tracks) stopping output...',
    ],
    [
      'an output that ended because its file cannot be made',
      'config_error',
      '2026/11/25 10:36:28 [clock.main:2] Source /srv/x.mp3 failed while streaming: Not a directory in Utils.mkdir(/srv)!',
      '2026/11/25 10:36:28 [clock.main:3] Streaming loop stopped.',
    ],
    [
      'a module that could not be used as its server is down',
      'upstream_unreachable',
      '[00007fd008004040] main access out error: connection failed: Connection refused',
      '[00007fd008000cf0] stream_out_standard stream out error: no suitable sout access module for `rtmp/flv://o/x`',
    ],
    [
      'a stream that is none, of a server that went away',
      'upstream_unreachable',
      '[ffmpeg] tcp: Connection to tcp://127.0.0.1:8099 failed: Connection refused',
      'Failed to recognize file format.',
    ],
    [
      'an answer that a proxy gave because nobody answered it',
      'upstream_timeout',
      '[proxy_http:error] (70007)The timeout specified has expired: AH01102: error reading status line from remote server o',
      '192.0.2.7 - - [27/Nov/2026:11:36:05 +0000] "GET /live/a.m3u8 HTTP/1.1" 502 381',
    ],
  ])('is not the finding: %s', (_, symptom, ...lines) => {
    expect(symptomOf(...lines)).toBe(symptom);
  });

  it.each([
    ['playout_gap', '2026/04/27 04:00:00 [radio1:3] Source failed (no more tracks) stopping output...'],
    ['process_crash', '2023/04/27 09:21:30 [clock.main:2] Source dummy failed while streaming: Assertion failed!'],
    [
      'codec_unsupported',
      '[00007fd0] stream_out_standard stream out error: no suitable sout access module for `x/y://z`',
    ],
    ['corrupt_input', 'Failed to recognize file format.'],
    ['upstream_unreachable', '192.0.2.7 - - [27/Nov/2026:11:36:05 +0000] "GET /live/a.m3u8 HTTP/1.1" 502 381'],
    ['encoder_overload', '2026/03/02 09:11:00 [clock.main:2] We must catchup 11.20 seconds!'],
  ])('is the finding where no line names another trouble: %s', (symptom, line) => {
    expect(symptomOf(line)).toBe(symptom);
  });

  it('is the finding where it was said again and again before the server went away', () => {
    const lag = [1, 2, 3].map((n) => `2026/03/02 09:11:0${n} [clock.main:2] We must catchup ${n * 4}.20 seconds!`);
    const cut = '2026/03/02 09:11:04 [out:2] Error while sending data: could not write data to host: Broken pipe!';
    expect(symptomOf(...lag, cut)).toBe('encoder_overload');
  });
});
