import { describe, expect, it } from 'vitest';
import { filesOf, followed, poolReadingsOf } from '../../src/app/log_sources.ts';
import type { Config } from '../../src/config/config.ts';

const config = (parts: object) =>
  ({ channels: [], engines: [], sources: [], collectors: { prometheus: [] }, ...parts }) as unknown as Config;

describe('the files that are followed', () => {
  it('bear the name of their engine or channel, further ones with their number; those of engines come first', () => {
    const files = filesOf(
      config({
        channels: [{ id: 'news', logs: ['/a', '/b', '/c'] }],
        engines: [{ id: 'local', logs: [{ path: '/d' }, { path: '/e' }] }],
      }),
    );
    expect(files).toEqual([
      { id: 'engine:local', path: '/d', channel: undefined },
      { id: 'engine:local#2', path: '/e', channel: undefined },
      { id: 'news', path: '/a', channel: 'news' },
      { id: 'news#2', path: '/b', channel: 'news' },
      { id: 'news#3', path: '/c', channel: 'news' },
    ]);
  });
});

describe('further sources', () => {
  it('are sorted by what follows them, and named by whether they belong to a channel', () => {
    const sources = [
      { id: 'web', from: { kind: 'file', path: '/w' } },
      { id: 'own', from: { kind: 'file', path: '/o' }, channel: 'news' },
      { id: 'run', from: { kind: 'command', argv: ['tail'] }, channel: 'news' },
      { id: 'in', from: { kind: 'stdin' } },
    ];
    expect(followed(config({ sources }))).toEqual({
      files: [
        { id: 'source:web', path: '/w', channel: undefined },
        { id: 'log:own', path: '/o', channel: 'news' },
      ],
      commands: [{ id: 'log:run', argv: ['tail'], channel: 'news' }],
      inputs: [{ id: 'source:in', channel: undefined }],
    });
  });
});

describe('the age at which a pool is unknown', () => {
  it('is two rounds of each query that asks about it, and none where nothing asks', () => {
    const prometheus = [
      { id: 'near', everyMs: 15_000, queries: [{ engine: 'local', query: 'q' }, { query: 'q' }] },
      { id: 'far', everyMs: 60_000, queries: [{ engine: 'local', query: 'q' }] },
    ];
    const expected = poolReadingsOf(config({ collectors: { prometheus } }));
    expect([...(expected('local') ?? [])]).toEqual([
      ['near: q', 30_000],
      ['far: q', 120_000],
    ]);
    expect(expected('other')).toBeUndefined();
  });
});
