import { describe, expect, it } from 'vitest';
import { hintsDocument, hintsOf } from '../../../src/config/document/hints.ts';

const places = { file: '/etc/reeve/reeve.yaml', state: '/var/lib/reeve' };

describe('the hints of a configuration', () => {
  it('have every default where nothing is configured', () => {
    expect(hintsOf(undefined, places)).toEqual({
      folder: '/var/lib/reeve/hints',
      files: '/etc/reeve/hints',
      router: 'auto',
      similarityFloor: 0.3,
      blindSpotWindowMs: 3_600_000,
      blindSpotThreshold: 3,
    });
  });

  it('lie in folders beside the file where their paths are relative', () => {
    const written = hintsDocument.parse({ folder: 'bundle', files: '/srv/hints' });
    expect(hintsOf(written, places)).toMatchObject({ folder: '/etc/reeve/bundle', files: '/srv/hints' });
  });

  it.each([
    [{ similarity_floor: 0.04 }, false],
    [{ similarity_floor: 0.05 }, true],
    [{ similarity_floor: 1 }, true],
    [{ blind_spot_threshold: 0 }, false],
    [{ blind_spot_threshold: 1_000 }, true],
    [{ blind_spot_threshold: 1_001 }, false],
    [{ blind_spot_window: '59s' }, false],
    [{ blind_spot_window: '7d' }, true],
    [{ router: 'disk' }, false],
  ])('with %j are sound: %s', (written, isSound) => {
    expect(hintsDocument.safeParse(written).success).toBe(isSound);
  });
});
