import { describe, expect, it } from 'vitest';
import { createChannelTable } from '../../src/detect/channel_table.ts';

const table = createChannelTable(
  ['news', 'sport.hd'],
  [
    { name: 'stream-7', channel: 'news' },
    { name: 'sport.hd', channel: 'news' },
    { name: 'lost', channel: 'unknown' },
  ],
);
const found = (text: string) => {
  const number = table.find(text);
  return number === undefined ? undefined : table.nameOf(number);
};

describe('the table of channels', () => {
  it('numbers the configured channels alone', () => {
    expect([table.size, table.numberOf('news'), table.numberOf('sport.hd')]).toEqual([2, 0, 1]);
    expect(table.numberOf('weather')).toBeUndefined();
  });

  it('knows other names of a channel, though never one that is a channel of its own', () => {
    expect([table.numberOf('stream-7'), table.numberOf('sport.hd'), table.numberOf('lost')]).toEqual([0, 1, undefined]);
  });

  it('knows in the log of an engine what that engine calls its channels, and elsewhere what only one does', () => {
    const ids = ['one-news', 'two-news', 'news'];
    const own = [
      { name: 'news', channel: 'one-news', engine: 'one' },
      { name: 'news', channel: 'two-news', engine: 'two' },
      { name: 'hd', channel: 'one-news', engine: 'one' },
      { name: 'sd', channel: 'one-news', engine: 'one' },
      { name: 'sd', channel: 'two-news', engine: 'two' },
    ];
    const of = createChannelTable(ids, own, new Map([['engine:two#2', 'two']]));
    const named = (name: string, engine?: string) => ids[of.numberOf(name, engine) ?? -1];
    expect(['one', 'two', 'three', undefined].map((engine) => named('news', engine))).toEqual([
      ...['one-news', 'two-news', 'news', 'news'],
    ]);
    expect(['one', 'two', undefined].map((engine) => named('sd', engine))).toEqual(['one-news', 'two-news', undefined]);
    expect([named('hd', 'two'), named('hd')]).toEqual(['one-news', 'one-news']);
    expect(ids[of.find('[channel=sd] frozen', 'two')!]).toBe('two-news');
    expect(of.find('[channel=sd] frozen')).toBeUndefined();
    expect([of.engineOf('engine:two#2'), of.engineOf('engine:two')]).toEqual(['two', undefined]);
  });

  it.each([
    ['GET /live/news/seg_1.ts', 'news'],
    ['GET /hls/news.m3u8', 'news'],
    ['[channel=news] frozen', 'news'],
    ['{"channel": "sport.hd"}', 'sport.hd'],
    ['[path stream-7] closed', 'news'],
    ['/live/weather/1.ts', undefined],
    ['no channel at all: news', undefined],
  ])('finds in %s the channel %s', (text, channel) => {
    expect(found(text)).toBe(channel);
  });

  it('takes the first that is configured, among the first eight names of a line', () => {
    expect(found('/live/other/ then /live/news/')).toBe('news');
    expect(found(`${'/live/other/ '.repeat(7)}/live/news/`)).toBe('news');
    expect(found(`${'/live/other/ '.repeat(8)}/live/news/`)).toBeUndefined();
  });
});
