import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

const ABSENT = [
  "Nov 25 10:35 : decoder: Decoder plugin 'wildmidi' is unavailable: configuration file does not exist: /etc/timidity.cfg",
  "Nov 25 10:35 : exception: Failed to open '/srv/app/db': No such file or directory",
  "Nov 25 10:35 : exception: Failed to open '/srv/app/state': No such file or directory",
];

describe('files of its own that MPD does not find at its first start', () => {
  it('are ordinary', () => {
    expect(symptomOf(...ABSENT, 'Nov 25 10:35 : update: added /short.mp3')).toBe('benign_noise');
  });

  it.each([
    ['upstream_unreachable', 'exception: CURL failed: Recv failure: Connection reset by peer'],
    ['corrupt_input', 'exception: avformat_open_input() failed: Invalid data found when processing input'],
    ['upstream_not_found', "exception: Failed to open '/srv/media/0412.mp3': No such file or directory"],
    ['permission_denied', "exception: Failed to open '/srv/app/state': Permission denied"],
  ])('do not stand above %s', (symptom, line) => {
    expect(symptomOf(...ABSENT, `Nov 25 10:35 : ${line}`)).toBe(symptom);
  });
});
