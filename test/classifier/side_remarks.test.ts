import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

describe('a failed part that the program goes on without, by its own line', () => {
  it.each([
    'WARN http: bind 0.0.0.0:8080 failed (continuing anyway): Address already in use',
    'ERROR cache: /var/cache/a: Permission denied (not fatal)',
    'WARN frob: widget failed, this can safely be ignored',
  ])('is no trouble: %s', (line) => {
    expect(symptomOf(line)).toBe('benign_noise');
  });

  it.each([
    ['ERROR rec: No space left on device, continuing anyway', 'disk_full'],
    ['ERROR http: bind 0.0.0.0:8080 failed: Address already in use', 'port_in_use'],
  ])('is a trouble where the program does not go on: %s', (line, symptom) => {
    expect(symptomOf(line)).toBe(symptom);
  });
});

describe('a request without a signature', () => {
  const asked = 'WARN rtsp: camera cam-12: 401 Unauthorized';

  it('is asked for one, and let in with it', () => {
    expect(symptomOf(asked, 'INFO rtsp: camera cam-12: digest accepted')).toBe('benign_noise');
    expect(symptomOf(asked)).toBe('auth_denied');
  });

  it.each([
    ['when somebody else is let in', [asked, 'INFO rtsp: camera cam-13: digest accepted']],
    ['when only the time is the same', [asked, 'INFO rtsp: camera north: digest accepted']],
    ['when it is asked again after that', [asked, 'INFO rtsp: camera cam-12: digest accepted', asked]],
    ['when it is not let in', [asked, 'INFO rtsp: camera cam-12: digest not accepted']],
    ['when it is forbidden', ['WARN rtsp: camera cam-12: 403 Forbidden', 'INFO rtsp: camera cam-12: accepted']],
  ])('is refused %s', (_, lines) => {
    const at = (line: string) => `Mar  2 10:00:07 edge relay[7]: ${line}`;
    expect(symptomOf(...lines.map(at))).toBe('auth_denied');
  });
});

describe('an encoder without viewers', () => {
  const ended = 'ERROR ch7: transcoder exited with code 1';

  it.each(['INFO ch7: last viewer left', 'INFO ch7: no clients left', 'INFO ch7: no player is using it any more'])(
    'was ended for want of a viewer: %s',
    (left) => {
      expect(symptomOf(left, ended)).toBe('client_disconnect_benign');
    },
  );

  it.each([
    ['when a counter only says so', ['INFO ch7: viewers=0 bitrate=4000', ended]],
    ['when it was wanted again', ['INFO ch7: no clients left', 'INFO ch7: transcoder started', ended]],
    ['when something was wrong before', ['ERROR ch7: widget broke', 'INFO ch7: no clients left', ended]],
  ])('has failed %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('process_exit_nonzero');
  });

  it('has crashed when it says so', () => {
    expect(symptomOf('INFO ch7: last viewer left', 'ERROR ch7: transcoder died: SIGSEGV')).toBe('process_crash');
  });
});

describe('the number of an error', () => {
  const watches = 'Error: ENOSPC: System limit for number of file watchers reached, watch /srv/clips';

  it('means what the text above it says', () => {
    expect(symptomOf(watches, '  errno: -28,', "  code: 'ENOSPC',")).toBe('fd_exhaustion');
    expect(symptomOf('Error: write failed', "  code: 'ENOSPC',")).toBe('disk_full');
  });

  it('does not change the meaning of another line', () => {
    expect(symptomOf(watches, 'ERROR rec: No space left on device')).toBe('disk_full');
  });
});

describe('a connection that is back', () => {
  const lost = 'ERR ship: connection to tcp://192.0.2.4:5044 refused';
  const back = 'INFO ship: connection to tcp://192.0.2.4:5044 established';

  it('explains the tries before it', () => {
    expect(symptomOf('WARN ship: attempt 1/4 did not get through', lost, 'INFO ship: retry', back)).toBe(
      'benign_noise',
    );
    expect(symptomOf('Traceback (most recent call last):', lost, 'INFO ship: retry', back)).toBe('benign_noise');
    expect(symptomOf(lost, 'INFO ship: retry', back, 'WARN ship: attempt 2/4 failed')).toBe('upstream_unreachable');
  });
});

describe('terms that mean something else in another place', () => {
  it.each([
    [
      'WARNING Connection pool is full, discarding connection: api.example.net. Connection pool size: 4',
      'benign_noise',
    ],
    ['ERROR sync: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none]', 'auth_denied'],
    ['ERROR sync: ssh: handshake failed: EOF', 'upstream_unreachable'],
    ['[video4linux2,v4l2 @ 0x55] ioctl(VIDIOC_STREAMON): No space left on device', 'unknown'],
    ['RangeError: Invalid time zone specified: Mars/Olympus', 'config_error'],
  ])('are read where they stand: %s', (line, symptom) => {
    expect(symptomOf(line)).toBe(symptom);
  });
});
