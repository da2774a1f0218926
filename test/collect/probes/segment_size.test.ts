import { describe, expect, it, onTestFinished } from 'vitest';
import type { MediaPlaylist } from '../../../src/collect/probes/playlist.ts';
import { createSizer, newestSize, type SegmentSize } from '../../../src/collect/probes/segment_size.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { serve } from '../support/serving.ts';

const forever = new AbortController().signal;

/** A server that answers with these statuses by method, and knows a first byte of 9,000. */
async function sizing(statuses: Readonly<Record<string, number>>, byHead = 4_711) {
  const { url, asked } = await serve((request, response) => {
    const headers = request.method === 'GET' ? { 'content-range': 'bytes 0-0/9000' } : { 'content-length': byHead };
    return response.writeHead(statuses[request.method ?? '']!, headers).end(request.method === 'GET' ? 'x' : '');
  });
  const ask = boundedFetch(systemClock);
  onTestFinished(() => ask[Symbol.dispose]());
  const sizeOf = createSizer(ask, 1_000);
  return { asked, size: (name = 'a.ts') => sizeOf(`${url}/${name}`, forever) };
}

describe('the size of a segment', () => {
  it.each([
    ['is what HEAD says', { HEAD: 200, GET: 500 }, 4_711, ['HEAD']],
    ['is asked for by its first byte where HEAD finds none', { HEAD: 404, GET: 206 }, 9_000, ['HEAD', 'GET']],
    ['is asked for by its first byte where HEAD is refused', { HEAD: 405, GET: 206 }, 9_000, ['HEAD', 'GET']],
    ['is missing where neither finds one', { HEAD: 404, GET: 404 }, 'missing', ['HEAD', 'GET']],
    ['is missing where it is gone', { HEAD: 410, GET: 410 }, 'missing', ['HEAD', 'GET']],
    ['is missing where HEAD is refused and it is not found', { HEAD: 501, GET: 404 }, 'missing', ['HEAD', 'GET']],
    ['is not known where HEAD finds none and the server fails', { HEAD: 404, GET: 503 }, undefined, ['HEAD', 'GET']],
    ['is not known where it may not be read', { HEAD: 403, GET: 403 }, undefined, ['HEAD', 'GET']],
    ['is not known where the server fails', { HEAD: 500, GET: 206 }, undefined, ['HEAD']],
  ])('%s', async (_, statuses, says, methods) => {
    const { asked, size } = await sizing(statuses);
    expect(await size()).toBe(says);
    expect(asked).toEqual(methods.map((method) => `${method} /a.ts`));
  });

  it.each([
    ['not known where its first byte is sent without a length', 200, undefined],
    ['what its first byte says', 206, 9_000],
    ['nothing where there is no first byte', 416, 0],
  ])('is, where HEAD says that it is empty, %s', async (_, GET, says) => {
    const { asked, size } = await sizing({ HEAD: 200, GET }, 0);
    expect(await size()).toBe(says);
    expect(asked).toEqual(['HEAD /a.ts', 'GET /a.ts']);
  });

  it('is asked for by HEAD no more once that was refused, and still where it found none', async () => {
    const refused = await sizing({ HEAD: 405, GET: 206 });
    const unfound = await sizing({ HEAD: 404, GET: 404 });
    for (const { size } of [refused, unfound]) await size('a.ts');
    for (const { size } of [refused, unfound]) await size('b.ts');
    expect(refused.asked.slice(2)).toEqual(['GET /b.ts']);
    expect(unfound.asked.slice(2)).toEqual(['HEAD /b.ts', 'GET /b.ts']);
  });
});

describe('the newest segment of a list', () => {
  const list = (change: Partial<MediaPlaylist>): MediaPlaylist => ({
    ...{ kind: 'media', revision: 'r', mediaSequence: 1, targetDurationMs: 2_000, ended: false },
    ...{ newest: ['b.ts', 'a.ts'], newestBytes: undefined, isEmpty: false, position: '', ...change },
  });

  it.each<[string, Partial<MediaPlaylist>, Readonly<Record<string, SegmentSize>>, SegmentSize]>([
    ['has the length that the list states', { newestBytes: 7 }, {}, 7],
    ['has the length that is found', {}, { 'b.ts': 0, 'a.ts': 9 }, 0],
    [
      'is missing where neither it nor the one before it is there',
      {},
      { 'b.ts': 'missing', 'a.ts': 'missing' },
      'missing',
    ],
    ['is not known while only the one before it is there', {}, { 'b.ts': 'missing', 'a.ts': 9 }, undefined],
    ['is not known where nothing is known of the one before it', {}, { 'b.ts': 'missing' }, undefined],
    ['is missing where it is the only one', { newest: ['b.ts'] }, { 'b.ts': 'missing' }, 'missing'],
    ['is missing where none is listed although more are to come', { newest: [], isEmpty: true }, {}, 'missing'],
    ['is not known where all are gaps', { newest: [] }, {}, undefined],
  ])('%s', async (_, change, sizes, size) => {
    expect(await newestSize(list(change), async (segment) => sizes[segment])).toBe(size);
  });
});
