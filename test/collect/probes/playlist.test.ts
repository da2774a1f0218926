import { describe, expect, it } from 'vitest';
import { type MediaPlaylist, parsePlaylist, readPlaylist, stands } from '../../../src/collect/probes/playlist.ts';

const mediaPlaylist = (first: number, more = '') =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${first}\n` +
  [0, 1, 2].map((at) => `#EXTINF:2.0,\nseg${first + at}.ts${more}\n`).join('');

describe('parsePlaylist', () => {
  const revisionOf = (text: string) => {
    const playlist = parsePlaylist(text);
    return playlist?.kind === 'media' ? playlist.revision : undefined;
  };

  it('changes its revision with the segments, and with nothing else', () => {
    expect(revisionOf(mediaPlaylist(1))).toBe(revisionOf(mediaPlaylist(1)));
    expect(revisionOf(mediaPlaylist(2))).not.toBe(revisionOf(mediaPlaylist(1)));
    expect(revisionOf(mediaPlaylist(1, '?token=a'))).toBe(revisionOf(mediaPlaylist(1, '?token=b')));
    expect(revisionOf(mediaPlaylist(1).replace(/\n/g, '\r\n'))).toBe(revisionOf(mediaPlaylist(1)));
    expect(revisionOf(`${mediaPlaylist(1)}#EXT-X-ENDLIST\n`)).not.toBe(revisionOf(mediaPlaylist(1)));
    expect(revisionOf(`${mediaPlaylist(1)}#EXT-X-PART:DURATION=0.3,URI="p1.ts"\n`)).not.toBe(
      revisionOf(mediaPlaylist(1)),
    );
  });

  it('reads sequence, target duration, end, newest segment and byte ranges', () => {
    expect(parsePlaylist(`${mediaPlaylist(7)}#EXT-X-ENDLIST\n`)).toMatchObject({
      kind: 'media',
      mediaSequence: 7,
      targetDurationMs: 2_000,
      ended: true,
      newest: ['seg9.ts', 'seg8.ts'],
      isEmpty: false,
      newestBytes: undefined,
    });
    expect(parsePlaylist('#EXTM3U\n#EXTINF:2,\n#EXT-X-BYTERANGE:123@456\nall.ts\n')).toMatchObject({
      newestBytes: 123,
    });
    expect(parsePlaylist('#EXTM3U\n#EXT-X-TARGETDURATION:abc\n')).toMatchObject({
      newest: [],
      isEmpty: true,
      targetDurationMs: undefined,
    });
  });

  it('takes what it calls a gap for no segment', () => {
    const gap = '#EXTINF:2,\n#EXT-X-GAP\ngone.ts\n';
    expect(parsePlaylist(mediaPlaylist(1) + gap)).toMatchObject({ newest: ['seg3.ts', 'seg2.ts'] });
    expect(parsePlaylist(`${mediaPlaylist(1)}${gap}#EXTINF:2,\nseg4.ts\n`)).toMatchObject({
      newest: ['seg4.ts', 'seg3.ts'],
    });
  });

  it('has nothing to be had where it ends with more gaps than an input that falters leaves', () => {
    const gap = '#EXTINF:2,\n#EXT-X-GAP\ngone.ts\n';
    const part = '#EXT-X-PART:DURATION=0.3,URI="p1.mp4"';
    const ofHours = mediaPlaylist(1);
    expect(parsePlaylist(ofHours + gap.repeat(2))).toMatchObject({ newest: ['seg3.ts', 'seg2.ts'], isEmpty: false });
    expect(parsePlaylist(ofHours + gap.repeat(3))).toMatchObject({ newest: [], isEmpty: true });
    expect(parsePlaylist(`${ofHours}${gap.repeat(3)}#EXTINF:2,\nseg7.ts\n`)).toMatchObject({ isEmpty: false });
    expect(parsePlaylist(`#EXTM3U\n${gap}`)).toMatchObject({ newest: [], isEmpty: true });
    expect(parsePlaylist(`#EXTM3U\n${gap.repeat(5)}${part}\n`)).toMatchObject({ isEmpty: false });
    expect(parsePlaylist(`#EXTM3U\n${gap.repeat(5)}${part},GAP=YES\n`)).toMatchObject({ isEmpty: true });
  });

  it.each([
    ['more are to come', '', true],
    ['it has ended', '#EXT-X-ENDLIST\n', false],
    ['a part of one is there', '#EXT-X-PART:DURATION=0.3,URI="p1.ts"\n', false],
  ])('tells whether it lists none although more are to come: %s', (_, more, isEmpty) => {
    expect(parsePlaylist(`#EXTM3U\n${more}`)).toMatchObject({ newest: [], isEmpty });
  });

  it.each(['', '<html></html>', 'seg1.ts\n', '\n#EXTM3U\n'])('takes %j for no playlist', (text) => {
    expect(parsePlaylist(text)).toBeUndefined();
  });
});

describe('a playlist of hours', () => {
  const long = (first: number, count: number, name = (at: number) => `seg${at}.ts`) =>
    `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${first}\n` +
    Array.from({ length: count }, (_, at) => `#EXTINF:2.0,\n${name(first + at)}\n`).join('');
  const read = (text: string) => readPlaylist(Buffer.from(text));

  it('is read at its beginning and its end, and comes to the same', () => {
    const whole = parsePlaylist(long(7, 5_000));
    const { revision, position, ...same } = read(long(7, 5_000)) as Extract<typeof whole, { kind: 'media' }>;
    expect(whole).toMatchObject(same);
    expect(same).toMatchObject({
      mediaSequence: 7,
      targetDurationMs: 2_000,
      newest: ['seg5006.ts', 'seg5005.ts'],
      ended: false,
    });
    expect(read(long(7, 5_001))).not.toMatchObject({ revision });
    expect(read(long(8, 5_000))).not.toMatchObject({ revision });
    expect(read(`${long(7, 5_000)}#EXT-X-ENDLIST\n`)).toMatchObject({ ended: true });
  });

  it('is read whole where its lines are so long that its end holds no address, and where it is a master', () => {
    const endless = long(1, 2, (at) => `seg${at}.ts?${'x'.repeat(9_000)}`);
    expect(read(endless)).toEqual(parsePlaylist(endless));
    const master = `#EXTM3U\n${'#EXT-X-STREAM-INF:BANDWIDTH=1\nvariant.m3u8\n'.repeat(500)}`;
    expect(read(master)).toEqual(parsePlaylist(master));
    expect(read('<html>'.repeat(5_000))).toBeUndefined();
  });
});

describe('a list that has not changed', () => {
  const list = (text: string) => parsePlaylist(`#EXTM3U\n${text}`) as MediaPlaylist;

  it.each([
    ['two target durations', '#EXT-X-TARGETDURATION:4', 8_000],
    ['12 s, where it states none', '#EXTINF:4,\na.ts', 12_000],
  ])('stands after %s', (_, text, ms) => {
    expect([stands(list(text), ms), stands(list(text), ms + 1)]).toEqual([false, true]);
  });

  it('is what a recording is, for ever', () => {
    expect(stands(list('#EXT-X-TARGETDURATION:4\n#EXT-X-ENDLIST'), 1e9)).toBe(false);
  });
});
