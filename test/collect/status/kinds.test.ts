import { describe, expect, it } from 'vitest';
import { listOf, numberOf, STATUS_MAPPINGS } from '../../../src/collect/status/kinds.ts';
import type { StatusKind } from '../../../src/collect/status/schema.ts';

const read = (kind: StatusKind, page: unknown, target = 'news') => STATUS_MAPPINGS[kind].read(page, target);

describe('a status page that is another one than expected', () => {
  it.each(Object.keys(STATUS_MAPPINGS) as StatusKind[])('says nothing of any stream: %s', (kind) => {
    for (const page of [undefined, null, 7, 'text']) expect(read(kind, page)).toBeUndefined();
  });

  it.each([
    ['icecast', {}],
    ['icecast', { icestats: [] }],
    ['nginx_rtmp', { rtmp: 'x' }],
    ['mediamtx', { items: {} }],
    ['srs', { code: 1, streams: [] }],
    ['srs', { code: 0 }],
    ['owncast', { online: 'yes' }],
    ['ersatztv', {}],
    ['jellyfin', 'Healthy.'],
  ] as const)('says nothing where its form is not known: %s %j', (kind, page) => {
    expect(read(kind, page)).toBeUndefined();
  });
});

describe('icecast', () => {
  const page = (source: unknown) => ({ icestats: { source } });
  const mount = { listenurl: 'http://h:8000/news', listeners: '3' };

  it('has a mount by its path, whether one or several are listed', () => {
    for (const source of [mount, [{ listenurl: 'http://h/other' }, mount]])
      expect(read('icecast', page(source), '/news')).toEqual({ present: true, viewers: 3 });
  });

  it.each([
    ['http://h:8000/jazz live.mp3', '/jazz live.mp3'],
    ['http://h:8000/jazz%20live.mp3', '/jazz live.mp3'],
    ['http://h:8000/käse.ogg', '/käse.ogg'],
    ['http://:8000/news', '/news'],
    ['http://::1:8000/news', '/news'],
    ['http://our radio:8000/news', '/news'],
  ])('has the mount %j whatever its host and its letters are', (listenurl, name) => {
    expect(read('icecast', page({ listenurl }), name)).toMatchObject({ present: true });
    expect(read('icecast', page({ listenurl }), '/new')).toEqual({ present: false });
  });

  it('has a mount that is written without its first slash', () => {
    expect(read('icecast', page(mount), 'news')).toMatchObject({ present: true });
  });

  it('has none where it is not listed or its address cannot be read', () => {
    for (const source of [undefined, { listenurl: 'news' }])
      expect(read('icecast', page(source), '/news')).toEqual({ present: false });
  });
});

describe('nginx-rtmp', () => {
  const page = (stream: unknown) => ({ rtmp: { server: { application: { name: 'live', live: { stream } } } } });

  it('has a stream while a publisher is there, and counts the others', () => {
    const stream = { name: 'news/hd', bytes_in: '99', client: [{ publishing: '' }, {}, {}] };
    expect(read('nginx_rtmp', page(stream), 'live/news/hd')).toEqual({ present: true, position: 99, viewers: 2 });
    expect(read('nginx_rtmp', page({ ...stream, client: {} }), 'live/news/hd')).toMatchObject({ present: false });
  });

  it('has none of another application or another name', () => {
    const stream = { name: 'news', publishing: '' };
    expect(read('nginx_rtmp', page(stream), 'live/news')).toMatchObject({ present: true });
    for (const target of ['app/news', 'live/sport', 'news'])
      expect(read('nginx_rtmp', page(stream), target)).toEqual({ present: false });
  });
});

describe('MediaMTX', () => {
  it('is read under the names of its newer and older versions', () => {
    const newer = { name: 'news', available: true, inboundBytes: 5, readers: [{}] };
    const older = { name: 'news', ready: true, bytesReceived: 5, readers: [{}] };
    for (const item of [newer, older])
      expect(read('mediamtx', { items: [item] })).toEqual({ present: true, position: 5, viewers: 1 });
    expect(read('mediamtx', { items: [{ ...older, available: false }] })).toMatchObject({ present: false });
  });
});

describe('SRS', () => {
  it('does not count the publisher as a viewer', () => {
    const page = (clients: number | undefined) => ({
      code: 0,
      streams: [{ app: 'live', name: 'news', clients, publish: { active: true } }],
    });
    expect(read('srs', page(3), 'live/news')).toMatchObject({ present: true, viewers: 2 });
    for (const none of [0, 1, undefined]) expect(read('srs', page(none), 'live/news')).toMatchObject({ viewers: 0 });
  });
});

it('a stream may be written with a slash before it', () => {
  const stream = { app: 'live', name: 'news', publish: { active: true } };
  expect(read('srs', { code: 0, streams: [stream] }, '/live/news')).toMatchObject({ present: true });
  expect(read('mediamtx', { items: [{ name: 'news', ready: true }] }, '/news')).toMatchObject({ present: true });
});

describe('a page that lists a part of the streams', () => {
  it('says nothing of one that is not on it, and the same of one that is', () => {
    const item = { name: 'news', ready: true, bytesReceived: 5, readers: [] };
    const page = { itemCount: 1_500, pageCount: 2, items: [item] };
    expect(read('mediamtx', page, 'sport')).toBeUndefined();
    expect(read('mediamtx', page)).toMatchObject({ present: true });
    expect(read('mediamtx', { ...page, pageCount: 1 }, 'sport')).toEqual({ present: false });
    const streams = Array.from({ length: 1_000 }, (_, at) => ({
      app: 'live',
      name: `${at}`,
      publish: { active: true },
    }));
    expect(read('srs', { code: 0, streams }, 'live/news')).toBeUndefined();
    expect(read('srs', { code: 0, streams }, 'live/999')).toMatchObject({ present: true });
    expect(read('srs', { code: 0, streams: streams.slice(1) }, 'live/news')).toEqual({ present: false });
  });
});

describe('ErsatzTV and Tunarr', () => {
  it('have a stream while there is a session of the channel', () => {
    const session = { channelNumber: 7, transcodedUntil: '2026-01-01T00:00:00Z' };
    expect(read('ersatztv', [session], '7')).toEqual({ present: true, position: Date.UTC(2026, 0, 1), viewers: 1 });
    expect(read('ersatztv', [{ ...session, transcodedUntil: 'x' }], '7')?.position).toBeUndefined();
    expect(read('ersatztv', [session], '8')).toEqual({ present: false, viewers: 0 });
    expect(read('tunarr', { a: [{ numConnections: 2 }, {}] }, 'a')).toEqual({ present: true, viewers: 2 });
    expect(read('tunarr', {}, 'toString')).toEqual({ present: false, viewers: 0 });
  });
});

describe('Jellyfin and Owncast', () => {
  it('are read by the state that is the whole page', () => {
    expect(read('jellyfin', ' Degraded\n')).toEqual({ present: true });
    expect(read('jellyfin', 'Unhealthy')).toEqual({ present: false });
    expect(read('owncast', { online: false, viewerCount: 0 })).toEqual({ present: false, viewers: 0 });
  });
});

describe('a value of a page', () => {
  it('is a number where it is one or is text that is one', () => {
    expect([7, '7', ' 7 '].map(numberOf)).toEqual([7, 7, 7]);
    expect(
      ['', ' ', 'x', Number.NaN, Number.POSITIVE_INFINITY, null, true].map(numberOf).every((x) => x === undefined),
    ).toBe(true);
  });

  it('is a list of what is listed, where a single one is no list', () => {
    expect([{ a: 1 }, [{ a: 1 }, 7], undefined].map((value) => listOf(value).length)).toEqual([1, 1, 0]);
  });
});
