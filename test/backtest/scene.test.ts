import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sceneOf } from '../../src/backtest/scene.ts';
import { filesOf, formatsOf } from '../../src/app/log_sources.ts';
import { loadText } from '../config/support.ts';
import { recorded } from './support.ts';

const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, followed: [], offsetMinutes });

describe('whose a log is', () => {
  it('follows its file name, a label before it, and the names in its lines', () => {
    const [news, other, sup, mixed] = recorded({
      'news.err': '2026-07-28T12:00:00Z a\n',
      'x.err': '2026-07-28T12:00:00Z a\n',
      'supervisord.log': "2026-07-28 12:00:00,000 INFO spawned: 'sport' with pid 7\n",
      'all.log': '2026-07-28T12:00:00Z [channel=kids] a\n',
    });
    const found = scene([news!, `films=${other}`, sup!, mixed!]);
    expect(found.channels).toEqual(['films', 'kids', 'news', 'sport']);
    const owners = new Map(found.logs.map(({ source, channel }) => [source, channel]));
    expect([...owners.keys()].sort()).toEqual(['engine:all', 'films', 'news', 'source:supervisord']);
    expect(owners.get('engine:all')).toBeUndefined();
  });

  it('is not asked of what is no log: a folder, or a file that is compressed', () => {
    const [log, packed] = recorded({ 'logs/news.err': 'a\n', 'news.err.1.gz': '' });
    writeFileSync(packed!, gzipSync('2026-07-28T12:00:00Z a\n'));
    expect(() => scene([dirname(log!)])).toThrow(/^a readable log was expected: .*logs is a folder$/);
    expect(() => scene([packed!])).toThrow(/^a log was expected, and .*news\.err\.1\.gz is compressed$/);
  });

  it('is reported when its lines have no times', () => {
    const [raw, dated] = recorded({ 'news.err': 'a\nb\n', 'sport.err': '2026-07-28T12:00:00Z a\n' });
    expect(scene([raw!, dated!])).toMatchObject({ undated: ['news'], from: Date.UTC(2026, 6, 28, 12) });
  });
});

describe('whose a log is by a configuration', () => {
  const { config } = loadText(`version: 1
engines: [{ id: local, kind: supervisor, url: "http://127.0.0.1:9001/RPC2", logs: [{ path: /var/log/all.log }] }]
channels: [{ ids: [news, sport], engine: local, logs: ["/srv/{id}/ffmpeg.log"] }]
sources:
  - { id: web, path: /var/log/web.log }
  - { id: box, path: /var/log/docker.log, format: docker_json }
  - { id: pushed, path: /var/log/pushed.log, channel: sport }
`);
  const configuration = { config: config! } as Parameters<typeof sceneOf>[0]['configuration'];
  const owners = (...logs: readonly string[]) => {
    return logsOf(logs).map(({ source, channel }) => [source, channel]);
  };
  const logsOf = (logs: readonly string[]) => {
    const formats = formatsOf(config!);
    const followed = filesOf(config!).map((file) => ({ ...file, format: formats.get(file.id) }));
    return sceneOf({ logs, samples: [], configuration, followed, offsetMinutes: 0 }).logs;
  };

  it('goes with the form in which its lines are written', () => {
    const [packed, pushed, own] = recorded({ 'docker.log': 'a\n', 'pushed.log': 'a\n', 'news/ffmpeg.log': 'a\n' });
    const written = logsOf([packed!, pushed!, own!]).map(({ source, written: form = 'text' }) => [source, form]);
    expect(written.sort()).toEqual([
      ['news', 'text'],
      ['source:box', 'docker_json'],
      ['sport', 'text'],
    ]);
  });

  it('is not taken for that of the first channel whose log has the same name', () => {
    const [news, sport, none] = recorded({ 'news/ffmpeg.log': 'a\n', 'sport/ffmpeg.log': 'a\n', 'ffmpeg.log': 'a\n' });
    expect(owners(news!)).toEqual([['news', 'news']]);
    expect(owners(sport!)).toEqual([['sport', 'sport']]);
    expect(owners(none!)).toEqual([['source:ffmpeg', undefined]]);
  });

  it('is said by `sources:`, too; what names channels in the log of a server is still what visitors ask for', () => {
    const [pushed, web, all] = recorded({ 'pushed.log': 'a\n', 'web.log': '[channel=news] a\n', 'all.log': 'a\n' });
    expect(owners(pushed!)).toEqual([['sport', 'sport']]);
    expect(owners(web!)).toEqual([['source:web', undefined]]);
    expect(owners(all!)).toEqual([['engine:local', undefined]]);
  });

  it('is refused where it is said to be that of a channel that is not there', () => {
    const [log] = recorded({ 'x.log': 'a\n' });
    expect(owners(`news=${log}`)).toEqual([['news', 'news']]);
    expect(() => owners(`mews=${log}`)).toThrow('the configuration has no channel mews');
  });
});
