import { describe, expect, it } from 'vitest';
import { sceneOf } from '../../src/backtest/scene.ts';
import { recorded } from './support.ts';

const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, offsetMinutes });

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

  it('is reported when its lines have no times', () => {
    const [raw, dated] = recorded({ 'news.err': 'a\nb\n', 'sport.err': '2026-07-28T12:00:00Z a\n' });
    expect(scene([raw!, dated!])).toMatchObject({ undated: ['news'], from: Date.UTC(2026, 6, 28, 12) });
  });
});
