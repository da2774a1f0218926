import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../../src/collect/probes/manifest.ts';

const mpd = (inner: string, type = 'dynamic', more = '') =>
  `<?xml version="1.0"?><MPD type="${type}" ${more}><Period start="PT0S"><AdaptationSet>${inner}</AdaptationSet></Period></MPD>`;

const timeline = (runs: string, number = 1) =>
  mpd(
    `<Representation id="v0" bandwidth="9"><SegmentTemplate timescale="1000" media="c-$RepresentationID$-$Number%05d$-$Time$.m4s" startNumber="${number}"><SegmentTimeline>${runs}</SegmentTimeline></SegmentTemplate></Representation>`,
  );

describe('a DASH manifest', () => {
  it('reads its newest segment from a timeline with runs', () => {
    const read = parseManifest(timeline('<S t="0" d="2000" r="2"/><S d="1500"/>', 7), undefined);
    expect(read).toMatchObject({
      ended: false,
      targetDurationMs: 1_500,
      newestNumber: 10,
      newest: ['c-v0-00010-6000.m4s', 'c-v0-00009-4000.m4s'],
    });
  });

  it('goes by the clock where the last run has no end: nothing in it changes while segments are added', () => {
    const began = Date.parse('2026-07-28T12:00:00Z');
    const runs = '<S t="90000" d="2000" r="1"/><S d="2000" r="-1"/>';
    const live = timeline(runs, 7)
      .replace('type="dynamic"', 'type="dynamic" availabilityStartTime="2026-07-28T12:00:00Z"')
      .replace('timescale="1000"', 'timescale="1000" presentationTimeOffset="90000"');
    const read = (second: number) => parseManifest(live, began + second * 1_000);
    expect(read(9)).toMatchObject({
      ...{ revision: undefined, ended: false, targetDurationMs: 2_000, newestNumber: 10 },
      newest: ['c-v0-00010-96000.m4s', 'c-v0-00009-94000.m4s'],
    });
    expect(read(11)?.newest).toEqual(['c-v0-00011-98000.m4s', 'c-v0-00010-96000.m4s', 'c-v0-00009-94000.m4s']);
    expect(read(5)).toMatchObject({ revision: undefined, newest: [] });
    expect(parseManifest(live, undefined)).toMatchObject({ revision: undefined, newest: [] });
  });

  it('counts a run that goes on to the next one', () => {
    const read = parseManifest(timeline('<S t="0" d="2000" r="-1"/><S t="8000" d="1000"/>'), undefined);
    expect(read).toMatchObject({ newestNumber: 5, newest: ['c-v0-00005-8000.m4s', 'c-v0-00004-6000.m4s'] });
  });

  it('names the segment before the newest one, where there is one', () => {
    const newest = (runs: string) => parseManifest(timeline(runs), undefined)?.newest;
    expect(newest('<S t="0" d="2000"/>')).toEqual(['c-v0-00001-0.m4s']);
    expect(newest('<S t="0" d="2000" r="3"/>')).toEqual(['c-v0-00004-6000.m4s', 'c-v0-00003-4000.m4s']);
    expect(newest('<S t="0" d="2000"/><S t="9000" d="2000"/>')).toEqual(['c-v0-00002-9000.m4s', 'c-v0-00001-0.m4s']);
  });

  it('changes its revision exactly when a segment is added, though the window slides', () => {
    const revision = (runs: string, number: number) => parseManifest(timeline(runs, number), undefined)?.revision;
    const before = revision('<S t="0" d="2000" r="4"/>', 1);
    expect(revision('<S t="0" d="2000" r="4"/>', 1)).toBe(before);
    expect(revision('<S t="0" d="2000" r="5"/>', 1)).not.toBe(before);
    expect(revision('<S t="2000" d="2000" r="4"/>', 2)).not.toBe(before);
    expect(revision('<S t="2000" d="2000" r="3"/>', 2)).toBe(before);
  });

  it('takes the newest number from the clock of the server where it lists none', () => {
    const text = mpd(
      '<SegmentTemplate duration="2" timescale="1" media="$Number$.m4s" startNumber="5"/><Representation id="a"/>',
      'dynamic',
      'availabilityStartTime="2026-01-01T00:00:00Z"',
    );
    expect(parseManifest(text, Date.UTC(2026, 0, 1, 0, 0, 11))).toMatchObject({
      revision: undefined,
      targetDurationMs: 2_000,
      newest: ['9.m4s', '8.m4s', '7.m4s'],
      earlier: ['5.m4s'],
    });
    expect(parseManifest(text, undefined)).toMatchObject({ revision: undefined, newest: [] });
  });

  it('of a list of segments the last one counts, and a recording has ended', () => {
    const text = mpd(
      '<Representation><BaseURL>x/</BaseURL><SegmentList duration="2"><SegmentURL media="1.m4s"/><SegmentURL media="2.m4s"/></SegmentList></Representation>',
      'static',
    );
    expect(parseManifest(text, undefined)).toMatchObject({
      ended: true,
      newest: ['x/2.m4s', 'x/1.m4s'],
      targetDurationMs: 2_000,
    });
  });

  it('reads the last period that has anything in it: one that is announced only has not begun', () => {
    const text = timeline('<S t="0" d="2000"/>', 7);
    for (const announced of ['<Period start="PT1H"/>', '<Period start="PT1H"><AdaptationSet/></Period>'])
      expect(parseManifest(text.replace('</MPD>', `${announced}</MPD>`), undefined)).toMatchObject({ newestNumber: 7 });
  });

  it.each([
    ['the kind of its content', 'contentType="text"', 'contentType="video"'],
    ['its type', 'mimeType="image/jpeg"', 'mimeType="audio/mp4"'],
  ])('reads sound or picture where %s says which is which: subtitles may be silent for minutes', (_, other, own) => {
    const set = (about: string, number: number) =>
      `<AdaptationSet ${about}><SegmentTemplate media="$Number$" startNumber="${number}"><SegmentTimeline><S d="2"/>` +
      '</SegmentTimeline></SegmentTemplate><Representation id="a"/></AdaptationSet>';
    const read = (...sets: string[]) =>
      parseManifest(`<MPD type="dynamic"><Period>${sets.join('')}</Period></MPD>`, undefined)?.newestNumber;
    expect(read(set(other, 1), set(own, 50))).toBe(50);
    expect(read(set(other, 1), set(other, 2))).toBe(1);
    const ofRepresentation = set('', 60).replace('id="a"', `id="a" ${own}`);
    expect(read(set(other, 1), ofRepresentation)).toBe(own.startsWith('mime') ? 60 : 1);
  });

  it.each(['', '#EXTM3U', '<html></html>', '<MPD/>', mpd('')])('%j is none', (text) => {
    expect(parseManifest(text, undefined)).toBeUndefined();
  });
});

describe('a manifest that grows when it is read', () => {
  const named = (id: string, media: string, base = '') =>
    parseManifest(
      `<MPD type="dynamic"><BaseURL>${base}</BaseURL><Period><AdaptationSet><Representation id="${id}" bandwidth="9">` +
        `<SegmentTemplate timescale="1000" media="${media}"><SegmentTimeline><S t="0" d="2000"/></SegmentTimeline>` +
        '</SegmentTemplate></Representation></AdaptationSet></Period></MPD>',
      undefined,
    );

  it('keeps its address within 2,048 characters, and still reports that segments are added', () => {
    const long = named('i'.repeat(20_000), '$RepresentationID$'.repeat(50_000));
    expect(long).toMatchObject({ newest: [], newestNumber: 1 });
    expect(long?.revision).toBeDefined();
    expect(named('i'.repeat(256), `${'$RepresentationID$'.repeat(8)}`)?.newest[0]).toHaveLength(2_048);
    expect(named('i'.repeat(256), `${'$RepresentationID$'.repeat(8)}x`)?.newest).toEqual([]);
    expect(named('v0', 'x.m4s', 'b'.repeat(2_044))?.newest).toEqual([]);
    expect(named('v0', 'x.m4s', 'b'.repeat(2_043))?.newest[0]).toHaveLength(2_048);
  });

  it('of a megabyte, read five times, leaves no sixty megabytes behind', () => {
    const media = '$RepresentationID$'.repeat(50_000);
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 5; round += 1) named('i'.repeat(100_000), media);
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1_048_576);
  });
});
