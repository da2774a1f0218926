import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

describe('warnings before the work is done', () => {
  const warned = 'WARN frob: no widget yet';

  it.each([
    'INFO frob is ready',
    'INFO frob: found 3 widgets',
    'INFO frob completed after 12 s',
    'INFO frob: back to normal',
    'INFO frob: state=running',
  ])('are no trouble: %s', (done) => {
    expect(symptomOf(warned, warned, done)).toBe('benign_noise');
  });

  it.each([
    ['that come after it', ['INFO frob is ready', warned]],
    ['where it is only promised', [warned, 'INFO waiting until frob is ready']],
    ['where it is denied', [warned, 'INFO frob is not ready']],
    ['where nothing was found', [warned, 'INFO frob: found 0 widgets']],
    ['beside an error', ['ERROR frob: widget broke', warned, 'INFO frob is ready']],
  ])('stay unknown %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('unknown');
  });

  it('do not excuse a trouble that is known', () => {
    expect(symptomOf('WARN frob: No space left on device', warned, 'INFO frob is ready')).toBe('disk_full');
  });
});

describe('a job that counts its tries', () => {
  it('is done when it says so, whatever its tries reported', () => {
    const tries = ['WARN copy: operation failed, retry 1', 'WARN copy: operation failed, retry 2'];
    expect(symptomOf(...tries, 'INFO copy: 12 files transferred')).toBe('benign_noise');
    expect(symptomOf(...tries)).toBe('unknown');
  });

  it('is not done when it went past its last try', () => {
    const lost = 'WARN push: Connection refused, attempt #3';
    const ended = 'INFO push: endpoint finished';
    expect(symptomOf(lost, ended)).toBe('benign_noise');
    for (const over of ['WARN push: exceeded its retry limit', "WARN push: target can't be reached"]) {
      expect(symptomOf(lost, over, ended)).toBe('upstream_unreachable');
    }
  });
});

describe("curl's own count of its tries", () => {
  const tried = [
    'curl: (22) The requested URL returned error: 503',
    'Warning: Problem : HTTP error. Will retry in 1 seconds. 4 retries left.',
  ];
  const full = '100   358  100   358    0     0   162k      0 --:--:-- --:--:-- --:--:--  174k';
  const cut = ' 41   358   41   147    0     0   162k      0 --:--:-- --:--:-- --:--:--  174k';

  it('is over where its meter is full', () => {
    expect(symptomOf(...tried, full)).toBe('benign_noise');
  });

  it('is not over where it is not, or where another try follows', () => {
    expect(symptomOf(...tried, cut)).toBe('upstream_unreachable');
    expect(symptomOf(full, ...tried)).toBe('upstream_unreachable');
  });

  it('says nothing where curl was not told to call such an answer an error: the meter counts its text', () => {
    expect(symptomOf(tried[1]!, full)).toBe('unknown');
  });
});

describe('a session without a user', () => {
  it('ends its encoder, which is no failure', () => {
    const ended = 'INFO transcoder-7 exited with code 255';
    expect(symptomOf('INFO session 7 is idle, stopping', ended)).toBe('benign_noise');
    expect(symptomOf('INFO session 7 timed out, stopping', ended)).not.toBe('benign_noise');
  });
});

describe('the spelling of headings', () => {
  it.each([
    ['ERROR write: No Space Left On Device', 'disk_full'],
    ['ERROR Connection Refused by 192.0.2.4:1935', 'upstream_unreachable'],
    ['ERROR Login Failed for user admin', 'auth_denied'],
    ['ERROR Too Many Open Files', 'fd_exhaustion'],
  ])('says the same: %s', (line, symptom) => {
    expect(symptomOf(line)).toBe(symptom);
  });
});

describe('an encoder that goes on', () => {
  const report = (frame: number, time: string) =>
    `frame=${frame} fps= 25 q=24.0 size=  9kB time=${time} bitrate=1kbits/s speed=1x`;
  const odd = '[frob @ 0x55] Unable to read the widget';

  it('has recovered from a complaint that no pattern knows', () => {
    expect(symptomOf(odd, report(500, '00:00:20.00'), report(525, '00:00:21.00'))).toBe('benign_noise');
    expect(symptomOf(report(500, '00:00:20.00'), report(525, '00:00:21.00'), odd)).toBe('unknown');
    expect(symptomOf(odd, report(500, '00:00:20.00'), report(500, '00:00:20.00'))).toBe('unknown');
  });
});

describe('what a person ordered', () => {
  it('is no trouble, unless the line calls it an error', () => {
    expect(symptomOf('WARN pool: o1 marked down by operator for maintenance')).toBe('benign_noise');
    expect(symptomOf('ERROR pool: o1 marked down by operator for maintenance')).toBe('unknown');
    expect(symptomOf('INFO channel 7 stopped by operator', 'INFO ffmpeg-7 exited with code 255')).toBe('benign_noise');
    expect(symptomOf('INFO channel 7 stopped by itself', 'INFO ffmpeg-7 exited with code 1')).toBe(
      'process_exit_nonzero',
    );
  });
});

describe('a statement about a trouble that does not exist', () => {
  it.each([
    'INFO alert resolved: disk full on /srv',
    'DEBUG retry policy: at most 5 attempts on 429 Too Many Requests',
    'DEBUG ignoring a broken pipe',
    'INFO frob: disabled in the configuration',
  ])('is no trouble: %s', (line) => {
    expect(symptomOf(line)).toBe('benign_noise');
  });

  it('is a trouble where the line complains', () => {
    expect(symptomOf('ERROR alert: disk full on /srv')).toBe('disk_full');
    expect(symptomOf('ERROR the retry policy gave up: 429 Too Many Requests')).toBe('rate_limited');
  });
});

describe('a gateway', () => {
  it('says 502 also of what did not answer it in time', () => {
    const gateway = (why: string) => `{"level":"error","msg":"dial tcp 10.0.0.4:80: ${why}","status":502}`;
    expect(symptomOf(gateway('i/o timeout'))).toBe('upstream_timeout');
    expect(symptomOf(gateway('connect: connection refused'))).toBe('upstream_unreachable');
  });
});

describe('a server that is up again by its name', () => {
  it('was down for a moment; a server of another name is still down', () => {
    const down = 'WARN health: server o1 connection refused';
    expect(symptomOf(down, 'INFO health: server o1 is up')).toBe('benign_noise');
    expect(symptomOf(down, 'INFO health: server o2 is up')).toBe('upstream_unreachable');
  });
});

describe('a request that was retried', () => {
  const lost = 'ERROR upload of seg_12.ts failed: Connection reset by peer, retry 1/5';

  it.each([
    [lost, 'INFO upload of seg_12.ts ok'],
    ['WARN epg api answered 429, backing off 5 s', 'INFO epg api answered 200'],
    ['WARN fetch: no answer from origin-2 in 10 s, trying origin-3', 'INFO fetch: 12 kB loaded'],
  ])('succeeded if the last line about it says so: %s', (failed, well) => {
    expect(symptomOf(failed, well)).toBe('benign_noise');
  });

  it.each([
    ['when the word is about something else', [lost, 'INFO recorder: b.ts written']],
    ['when it fails again after that', [lost, 'INFO upload of seg_12.ts ok', lost]],
    ['when it was given up', [lost, 'WARN upload: giving up', 'INFO upload of seg_13.ts ok']],
    ['when a viewer is well', [lost, 'INFO viewer of seg_12.ts ok']],
    ['when nothing tried', ['ERROR relay ch4: Connection refused', 'INFO relay ch4: configuration loaded']],
  ])('did not succeed %s', (_, lines) => {
    expect(symptomOf(...lines)).toBe('upstream_unreachable');
  });

  it('does not clear a trouble that no retry repairs', () => {
    expect(symptomOf('ERROR a.ts: No space left on device, retry 1', 'INFO a.ts ok')).toBe('disk_full');
  });
});

describe('the vocabulary of a small service', () => {
  it.each([
    ['ERROR relay ch4: backend answered 503', 'upstream_unreachable'],
    ['WARNING watch ch4: encoder alive, output file has not grown for 90 s', 'stalled_output'],
    ['ERROR recorder: volume /srv/rec at 100 %, recording stopped', 'disk_full'],
  ])('is understood in a complaint: %s', (line, symptom) => {
    expect(symptomOf(line)).toBe(symptom);
  });

  it('is no trouble in a line at a low level', () => {
    expect(symptomOf('INFO volume /srv/rec at 100 % of its quota, as configured')).toBe('benign_noise');
  });
});
