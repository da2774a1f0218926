import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFeeds, type FeedLimits, type FeedNotice } from '../../../src/collect/feed/feed.ts';
import type { Chunk } from '../../../src/core/chunk.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { countChunk } from '../support/tailing.ts';

const setUp = (limits: Partial<FeedLimits> = {}) => {
  const time = fakeClock();
  const seen: { source: string; channel: string | undefined; text: string; backlog: boolean }[] = [];
  const notices: FeedNotice[] = [];
  const feeds = createFeeds({
    clock: time.clock,
    report: (notice) => notices.push(notice),
    sink: (chunk: Chunk) => {
      const { count, records } = countChunk(chunk);
      const { source, channel, backlog } = chunk;
      seen.push(...records.map((text) => ({ source, channel, text, backlog })));
      return count;
    },
  });
  onTestFinished(() => feeds[Symbol.dispose]());
  return { ...time, feeds, feed: feeds.open('push', limits), seen, notices };
};

const droppedOf = (stats: { dropped: readonly { reason: string; lines: number }[] }) =>
  stats.dropped.reduce((sum, { lines }) => sum + lines, 0);

describe('a feed of lines', () => {
  it('hands over whole lines with their channel, in order, and counts what the sink says', async () => {
    const { feeds, feed, seen } = setUp();
    feed.push({ text: 'one ERR', channel: 'news' });
    feed.push({ text: Buffer.from('two\nthree ERR\n'), channel: 'news' });
    feed.push({ text: 'four' });
    await feeds.idle();
    expect(seen.map(({ text, channel }) => [text, channel])).toEqual([
      ['one ERR\n', 'news'],
      ['two\n', 'news'],
      ['three ERR\n', 'news'],
      ['four\n', undefined],
    ]);
    expect(feed.stats()).toMatchObject({ lines: 4, matched: 2, unmatched: 2, dropped: [], waiting: 0 });
  });

  it('distinguishes lines without an owner from owned ones by their source', async () => {
    const { feeds, feed, seen } = setUp();
    feed.push({ text: 'a', channel: 'news' });
    feed.push({ text: 'b' });
    await feeds.idle();
    expect(seen.map(({ source }) => source)).toEqual(['push', 'source:push']);
  });

  it('knows what was written before it was opened by how long it has been open, whatever the wall clock says', async () => {
    const { feeds, feed, seen, clock, advance, jumpWall } = setUp();
    await advance(10_000);
    jumpWall(-86_400_000);
    feed.push({ text: 'after', channel: 'news', at: clock.now() - 1_000 });
    feed.push({ text: 'before', channel: 'news', at: clock.now() - 11_000 });
    await feeds.idle();
    expect(seen.map(({ text, backlog }) => [text, backlog])).toEqual([
      ['after\n', false],
      ['before\n', true],
    ]);
  });

  it('drops the oldest first when more waits than may, counts it, and says so once a minute', async () => {
    const { feeds, feed, seen, notices, advance } = setUp({ queueBytes: 100_000 });
    const line = 'x'.repeat(999);
    for (let at = 0; at < 400; at += 1) feed.push({ text: `${at} ${line}`, channel: 'news' });
    await feeds.idle();
    const stats = feed.stats();
    expect(stats.lines).toBe(400);
    expect(stats.unmatched).toBe(seen.length);
    expect(droppedOf(stats)).toBe(400 - seen.length);
    expect(stats.dropped.map(({ reason }) => reason)).toEqual(['flood']);
    expect(seen.at(-1)?.text.startsWith('399 ')).toBe(true);
    expect(seen[0]?.text.startsWith('0 ')).toBe(false);
    expect(notices.map(({ kind }) => kind)).toEqual(['flood']);
    await advance(60_000);
    for (let at = 0; at < 400; at += 1) feed.push({ text: line, channel: 'news' });
    expect(notices.length).toBe(2);
  });

  it('takes an offer whole or not at all, and any offer when nothing waits', async () => {
    const { feeds, feed } = setUp({ queueBytes: 1_000 });
    expect(feed.offer(new Map([[undefined, [{ text: 'x'.repeat(5_000) }]]]))).toBe(1);
    expect(feed.offer(new Map([[undefined, [{ text: 'y' }, { text: 'z' }]]]))).toBeUndefined();
    expect(feed.stats()).toMatchObject({ waiting: 1 });
    await feeds.idle();
    expect(feed.offer(new Map([[undefined, [{ text: 'y' }, { text: 'z\nz' }]]]))).toBe(3);
    await feeds.idle();
    expect(feed.stats()).toMatchObject({ lines: 4, unmatched: 4, dropped: [] });
  });

  it('a line that is too long is dropped and counted, the lines around it are not', async () => {
    const { feeds, feed, seen } = setUp({ lineBytesMax: 10 });
    feed.push({ text: `${'a'.repeat(9)}\n${'b'.repeat(10)}\nc\n` });
    await feeds.idle();
    expect(seen.map(({ text }) => text)).toEqual([`${'a'.repeat(9)}\n`, 'c\n']);
    expect(feed.stats()).toMatchObject({ lines: 3, dropped: [{ reason: 'line_too_long', lines: 1 }] });
  });

  it('takes lines from before its start, or older than two minutes, as evidence of nothing', async () => {
    const { feeds, feed, seen, clock, advance, notices } = setUp();
    const openedAt = clock.now();
    feed.push({ text: 'before', at: openedAt - 1 });
    feed.push({ text: 'at the start', at: openedAt });
    await advance(200_000);
    feed.push({ text: 'late', at: clock.now() - 120_001 });
    feed.push({ text: 'in time', at: clock.now() - 120_000 });
    feed.push({ text: 'ahead', at: clock.now() + 1_000_000 });
    await feeds.idle();
    expect(seen.map(({ text, backlog }) => [text.trim(), backlog])).toEqual([
      ['before', true],
      ['at the start', false],
      ['late', true],
      ['in time', false],
      ['ahead', false],
    ]);
    expect(feed.stats().late).toBe(2);
    expect(notices.map(({ kind }) => kind)).toEqual(['late', 'late']);
  });

  it('a flood in one feed does not starve the other', async () => {
    const { feeds, feed, seen } = setUp({ readBytes: 10_000 });
    const other = feeds.open('other');
    for (let at = 0; at < 2_000; at += 1) feed.push({ text: 'x'.repeat(1_000), channel: 'news' });
    other.push({ text: 'mine', channel: 'sport' });
    await feeds.idle();
    const place = seen.findIndex(({ text }) => text === 'mine\n');
    expect(place).toBeGreaterThan(0);
    expect(place).toBeLessThan(100);
  });

  it('a sink that throws ends this feed only, and what it lost is counted', async () => {
    const { clock } = fakeClock();
    const feeds = createFeeds({
      clock,
      sink: (chunk) => {
        if (chunk.source === 'bad') throw new Error('boom');
        return countChunk(chunk).count;
      },
    });
    onTestFinished(() => feeds[Symbol.dispose]());
    const [bad, good] = [feeds.open('bad'), feeds.open('good')];
    for (const feed of [bad, good]) feed.push({ text: 'a\nb', channel: 'news' });
    await feeds.idle();
    bad.push({ text: 'c', channel: 'news' });
    expect(bad.stats()).toMatchObject({ lines: 3, dropped: [{ reason: 'source_lost', lines: 3 }] });
    expect(good.stats()).toMatchObject({ lines: 2, unmatched: 2 });
  });

  it('hands over at its end what it took', () => {
    const { feeds, feed, seen } = setUp();
    feed.push({ text: 'last words', channel: 'news' });
    feeds[Symbol.dispose]();
    expect(seen.map(({ text }) => text)).toEqual(['last words\n']);
    expect(feed.stats()).toMatchObject({ lines: 1, waiting: 0 });
  });

  it('two feeds cannot share an id', () => {
    const { feeds } = setUp();
    expect(() => feeds.open('push')).toThrow(/two log sources are called push/);
  });

  it('law: every line that came is matched, unmatched, dropped or waiting', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'E', 'R', ' ', '\n', '\r', 'x'), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean(), fc.constantFrom('a', 'b', undefined))), (entries) => {
        const { feed, feeds } = setUp({ queueBytes: 200, lineBytesMax: 20 });
        let came = 0;
        for (const [each, offered, channel] of entries) {
          const lines = (each.match(/\n/g) ?? []).length + (/[\n\r]$/.test(each) ? 0 : 1);
          const taken = offered
            ? feed.offer(new Map([[channel, [{ text: each }]]]))
            : feed.push({ text: each, channel });
          if (!offered || taken !== undefined) came += lines;
        }
        const held = feed.stats();
        expect(held.lines + held.waiting).toBe(came);
        feeds[Symbol.dispose]();
        const { lines, matched, unmatched, waiting } = feed.stats();
        expect(waiting).toBe(0);
        expect(lines).toBe(came);
        expect(matched + unmatched + droppedOf(feed.stats())).toBe(came);
      }),
      { numRuns: 200 },
    );
  });
});
