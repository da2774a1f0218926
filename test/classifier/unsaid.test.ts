import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

const FAILED = 'Failed to open http://origin.example.net/live.ts.';
const LEFT = 'Exiting... (Errors when loading file)';

describe('a failure whose reason nobody says', () => {
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
