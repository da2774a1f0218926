import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

const FAILED = 'Failed to open http://origin.example.net/live.ts.';
const LEFT = 'Exiting... (Errors when loading file)';

describe('a failure without a stated reason', () => {
  it('is unknown, and not harmless', () => {
    expect(symptomOf(FAILED, LEFT)).toBe('unknown');
    expect(symptomOf('AO: [null] 44100Hz mono 1ch floatp', FAILED, LEFT)).toBe('unknown');
  });

  it('has the reason that another line says', () => {
    expect(symptomOf('[ffmpeg] http: HTTP error 403 Forbidden', FAILED, LEFT)).toBe('auth_denied');
  });

  it('is not what plays to its end, or is ended by its user', () => {
    expect(symptomOf('AO: [null] 44100Hz mono 1ch floatp', 'Exiting... (End of file)')).toBe('benign_noise');
    expect(symptomOf('Exiting... (Quit)')).toBe('benign_noise');
  });
});

describe('a complaint that no pattern knows, among lines that their program calls ordinary', () => {
  it.each([
    [
      'nginx',
      '2026/11/25 10:24:12 [notice] 7#7: start worker process 9',
      '2026/11/25 10:24:13 [crit] 9#9: *1 cannot frobnicate the upstream, client: 192.0.2.7',
    ],
    [
      'Icecast',
      '[2026-11-24  21:29:28] INFO source/source_main listener count on /sport.mp3 now 0',
      '[2026-11-24  21:29:29] EROR format/frobnicate failed to frobnicate /sport.mp3',
    ],
    [
      'liquidsoap',
      '2026/11/24 21:44:46 [clock.main:3] Streaming loop starts in auto-sync mode',
      '2026/11/24 21:44:48 [clock.main:2] Error while frobnicating: cannot go on!',
    ],
  ])('makes the whole unknown, not harmless: %s', (_, ordinary, complaint) => {
    expect(symptomOf(ordinary)).toBe('benign_noise');
    expect(symptomOf(ordinary, complaint, ordinary)).toBe('unknown');
  });
});

describe('a feeder of a harbor', () => {
  it('is the publisher of the channel, though it is called a client', () => {
    const line = '[input.harbor_0:2] Error while reading from client: Timed out after waiting for 3.00 sec.';
    expect(symptomOf(`2026/11/24 21:45:01 ${line}`)).toBe('publisher_lost');
  });
});
