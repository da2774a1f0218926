import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const verdictOf = (...lines: string[]) => classifyExcerpt(lines, catalogue);
const symptomOf = (...lines: string[]) => verdictOf(...lines).symptom;

describe('an encoder that its service ended on purpose', () => {
  const stopped = '[INF] transcoding of session 7: Stopping transcoder, nobody watches';
  const killed = '[ERR] transcoder-7 exited with code 137';

  it.each([
    ['is stopped', [stopped, killed]],
    ['is killed', ['[INF] job 7: Killing ffmpeg process for /tmp/transcodes/7.m3u8', killed]],
    ['is sent a signal', ['INFO sending SIGTERM to ffmpeg of channel 4', 'INFO ffmpeg-4 exited with code 255']],
  ])('has not failed when it %s', (_, lines) => {
    expect(verdictOf(...lines)).toMatchObject({ symptom: 'benign_noise', remedy: 'none' });
  });

  it.each([
    ['it ends before', [killed, stopped]],
    ['it ends by itself', [stopped, 'transcoder-7 exited with code 1']],
    ['it stood still', ['WARN transcoder-7 does not respond', stopped, killed]],
    ['the reason is logged', ['WARN killing ffmpeg of channel 4: no frames for 30 s', 'ffmpeg-4 exited with code 137']],
  ])('has failed when %s', (_, lines) => {
    expect(symptomOf(...lines)).not.toBe('benign_noise');
  });

  it('excuses nothing that came before', () => {
    expect(symptomOf('ERROR origin: Connection refused', stopped, killed)).toBe('upstream_unreachable');
  });
});

describe('a part that a program goes on without', () => {
  it.each([
    ['WARN capture library not found, capture disabled'],
    ['[warning] vaapi: not supported by this driver, skipped'],
    ['[warning] Unknown option "fast_start" - ignored'],
    ['WARN Failed to get the version, driver not installed?'],
  ])('is no trouble: %s', (line) => {
    expect(symptomOf(line, 'INFO all channels play')).toBe('benign_noise');
  });

  it('is trouble where the line says that it is an error', () => {
    expect(symptomOf('ERROR vaapi: not supported by this driver, skipped')).toBe('hw_accel_failure');
  });

  it('is no trouble before the program says that it is up', () => {
    const missing = 'WARN VAAPI encoding not supported';
    expect(symptomOf(missing, '==== Startup complete ====')).toBe('benign_noise');
    expect(symptomOf('==== Startup complete ====', missing)).toBe('hw_accel_failure');
    expect(symptomOf(missing, '==== Startup complete ====', 'WARN VAAPI encoding failed')).toBe('hw_accel_failure');
  });
});

describe('a listener of SRT', () => {
  const path = (to: string) => `Media path: 'udp://239.0.0.4:5000' --> '${to}'`;
  const left = ['18:02:11.204817/SRT:RcvQ:w1*E:SRT.cc: @183: connection closed by peer', 'SRT target disconnected'];

  it('loses its viewer', () => {
    expect(symptomOf(path('srt://:4200?mode=listener'), ...left)).toBe('client_disconnect_benign');
  });

  it('is not one that calls', () => {
    expect(symptomOf(path('srt://192.0.2.4:4200'), ...left)).toBe('upstream_unreachable');
  });
});
