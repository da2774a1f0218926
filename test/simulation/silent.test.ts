import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/simulate.ts';

describe('worlds in which a channel was down in silence, or a refusal was forgotten', () => {
  it.each([
    ['after a thaw', { seed: 203, days: 1, storm: true }],
    ['while the place of a run that was cut off was taken', { seed: 20, days: 0.5, calm: 1 }],
    ['while the place of another run that was cut off was taken', { seed: 29, days: 0.5, calm: 1 }],
    ['during the spacing', { seed: 17, days: 0.5, calm: 1 }],
    ['while a containment outlived Reeve, and then its group’s incident', { seed: 15, days: 25, calm: 12 }],
    ['in the queue', { seed: 19, days: 25, calm: 12 }],
    ['as the third of its group', { seed: 108, days: 0.6, calm: 1, cruel: true, channels: 5 }],
    ['where a look at one of its group was cut off', { seed: 139, days: 0.6, calm: 1, cruel: true, channels: 8 }],
    [
      'while a containment is not paged yet',
      { seed: 5004, days: 0.125, calm: 1, storm: true, cruel: true, channels: 8 },
    ],
    [
      'after the release of a group of which one channel may not be restarted',
      { seed: 8247, days: 0.125, calm: 1, storm: true, cruel: true, channels: 3 },
    ],
    ['after a shared cause', { seed: 126, days: 0.6, calm: 1, cruel: true, channels: 2 }],
  ])('break no law any more: %s', { timeout: 60_000 }, async (_, order) => {
    expect((await simulate(order)).violations).toEqual([]);
  });
});
