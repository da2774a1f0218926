import { describe, expect, it } from 'vitest';
import { Downtime } from '../../src/simulation/downtime.ts';

describe('the downtime of channels', () => {
  it('is one episode from the first trouble to the output, whatever it was called meanwhile', () => {
    const downtime = new Downtime([{ id: 'news', viewers: 10 }]);
    downtime.note('news', 'incurable', 1_000);
    downtime.note('news', 'curable', 4_000);
    downtime.note('news', 'young', 6_000);
    expect(downtime.episodeOf('news')).toMatchObject({ fromMs: 1_000, curableMs: 4_000, incurableForMs: 3_000 });
    downtime.note('news', 'playing', 9_000);
    expect(downtime.episodeOf('news')).toBeUndefined();
    expect(downtime.episodes).toMatchObject([{ fromMs: 1_000, toMs: 9_000 }]);
    expect(downtime.viewerSeconds(20_000)).toBe(80);
  });

  it('is none for a channel that a person has stopped, and none for one that it does not know', () => {
    const downtime = new Downtime([{ id: 'news', viewers: 10 }]);
    downtime.note('news', 'stopped', 1_000);
    downtime.note('other', 'curable', 1_000);
    expect(downtime.viewerSeconds(60_000)).toBe(0);
    expect(downtime.episodes).toEqual([]);
  });

  it('counts an episode that goes on up to now', () => {
    const downtime = new Downtime([
      { id: 'news', viewers: 2 },
      { id: 'film', viewers: 0 },
    ]);
    downtime.note('news', 'curable', 0);
    downtime.note('film', 'curable', 0);
    expect([downtime.viewerSeconds(1_000), downtime.viewerSeconds(3_000)]).toEqual([2, 6]);
  });
});
