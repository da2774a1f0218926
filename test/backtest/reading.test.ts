import { describe, expect, it } from 'vitest';
import { batchesOf, newTally } from '../../src/backtest/batches.ts';
import { readSamples } from '../../src/backtest/samples.ts';
import { sceneOf } from '../../src/backtest/scene.ts';
import { formatOf } from '../../src/backtest/stamps.ts';
import { recorded } from './support.ts';

const NOON = Date.UTC(2026, 6, 28, 12, 0, 1, 250);
const setting = { offsetMinutes: 0, year: 2026 };
const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, offsetMinutes });

describe('times of log lines', () => {
  it.each([
    ['RFC 3339', '2026-07-28T12:00:01.250Z hello', NOON],
    ['an offset', '2026-07-28 14:00:01.250 +02:00 [ERR] hello', NOON],
    ['supervisord', '2026-07-28 12:00:01,250 INFO spawned', NOON],
    ['brackets', '[2026-07-28 12:00:01.250][ERROR][1] hello', NOON],
    ['icecast, two blanks', '[2026-07-28  12:00:01] WARN hello', NOON - 250],
    ['nginx errors', '2026/07/28 12:00:01 [error] 7#7: hello', NOON - 250],
    ['nginx access', '10.0.0.1 - - [28/Jul/2026:14:00:01 +0200] "GET / HTTP/1.1" 200 1', NOON - 250],
    ['syslog without a year', 'Jul 28 12:00:01 host kernel: hello', NOON - 250],
    ['syslog of RFC 5424', '<34>1 2026-07-28T12:00:01.250Z host app - - hello', NOON],
    ['apache', '[Tue Jul 28 12:00:01.250000 2026] [core:error] hello', NOON],
    ['JSON with seconds', '{"level":30,"time":1785240001250,"msg":"hello"}', NOON],
    ['JSON with text', '{"timestamp":"2026-07-28T12:00:01.250Z","level":"INF","message":"hello"}', NOON],
    ['seconds since 1970', '1785240001.250 hello', NOON],
  ])('are read: %s', (_, line, expected) => {
    const read = formatOf([line])?.create(setting);
    expect(read?.(line)).toBe(expected);
  });

  it('of syslog go on into the next year', () => {
    const read = formatOf(['Dec 31 23:59:59 host a: b'])!.create(setting);
    expect(read('Dec 31 23:59:59 host a: b')).toBe(Date.UTC(2026, 11, 31, 23, 59, 59));
    expect(read('Jan  1 00:00:01 host a: b')).toBe(Date.UTC(2027, 0, 1, 0, 0, 1));
  });

  it('that are none are no times', () => {
    expect(formatOf(['hello', 'frame= 1 fps=25'])).toBeUndefined();
    expect(formatOf(['2026-13-41 99:99:99 hello'])).toBeUndefined();
  });

  it('without a zone are those of --zone', () => {
    const [log] = recorded({ 'news.err': '2026-07-28 14:00:01 hello\n' });
    expect(scene([log!], 120).from).toBe(NOON - 250);
  });
});

describe('batches of lines', () => {
  const read = (text: string) => {
    const [path] = recorded({ 'news.err': text });
    const { logs, from } = scene([path!]);
    const tally = newTally('news');
    const batches: { at: number; text: string }[] = [];
    for (const { at, bytes, start, end } of batchesOf(logs[0]!, { at: from, setting }, tally)) {
      batches.push({ at, text: bytes.toString('utf8', start, end) });
    }
    return { batches, tally };
  };

  it('hold every line exactly once, the last one with or without an end', () => {
    const { batches, tally } = read('2026-07-28T12:00:00Z a\n2026-07-28T12:00:00.1Z b\n2026-07-28T12:00:01Z c');
    expect(batches.map(({ text }) => text.split('\n').length - 1)).toEqual([2, 1]);
    expect(tally).toMatchObject({ lines: 3, undated: 0 });
  });

  it('keep what has no time with the line before, and never go back', () => {
    const { batches, tally } = read(
      '2026-07-28T12:00:05Z a\n  at trace\n2026-07-28T12:00:01Z b\n2026-07-28T12:00:06Z c\n',
    );
    expect(batches.map(({ at }) => at - Date.UTC(2026, 6, 28, 12))).toEqual([5_000, 6_000]);
    expect(tally).toMatchObject({ lines: 4, undated: 1, backwards: 1 });
  });

  it('leave out a line that is longer than a block, and count it', () => {
    const { tally } = read(
      `2026-07-28T12:00:00Z a\n2026-07-28T12:00:01Z ${'x'.repeat(3 << 20)}\n2026-07-28T12:00:02Z b\n`,
    );
    expect(tally).toMatchObject({ lines: 2, tooLong: 1 });
  });

  it('cross the borders of blocks unharmed', () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => `2026-07-28T12:00:00.000Z line ${n} ${'y'.repeat(60)}`);
    const { batches, tally } = read(`${lines.join('\n')}\n`);
    expect(tally.lines).toBe(30_000);
    expect(batches.map(({ text }) => text).join('') === `${lines.join('\n')}\n`).toBe(true);
  });
});

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

describe('exports', () => {
  it('of journald are lines with times, by their unit', () => {
    const entry = (message: unknown, unit: string) =>
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1785240001250000',
        MESSAGE: message,
        _SYSTEMD_UNIT: unit,
        SYSLOG_IDENTIFIER: 'ffmpeg',
        _PID: '7',
      });
    const [path] = recorded({
      'j.json': `${entry('hello', 'news.service')}\n${entry([104, 105], 'news.service')}\nnonsense\n`,
    });
    const [log] = scene([path!]).logs;
    expect(log?.channel).toBe('news');
    expect(log?.lines).toEqual([
      { at: NOON, text: 'ffmpeg[7]: hello' },
      { at: NOON, text: 'ffmpeg[7]: hi' },
    ]);
  });

  it('of Loki are lines with times, by their labels, oldest first whatever the direction of the query', () => {
    const result = [
      {
        stream: { channel: 'news', job: 'x' },
        values: [
          ['1785240002000000000', 'b'],
          ['1785240001250000000', 'a'],
        ],
      },
    ];
    const [path] = recorded({
      'l.json': JSON.stringify({ status: 'success', data: { resultType: 'streams', result } }),
    });
    const found = scene([path!]);
    expect(found).toMatchObject({ channels: ['news'], from: NOON });
    expect(found.logs[0]?.lines).toHaveLength(2);
  });

  it('of logcli too', () => {
    const row = (line: string) =>
      JSON.stringify({ labels: { channel: 'news' }, line, timestamp: '2026-07-28T12:00:01.25Z' });
    const [path] = recorded({ 'l.jsonl': `${row('a')}\n${row('b')}\n` });
    expect(scene([path!]).logs).toMatchObject([{ channel: 'news', lines: [{ at: NOON, text: 'a' }, { text: 'b' }] }]);
  });
});

describe('samples', () => {
  it('are read in wire form, sorted by time, with null for what is not known', () => {
    const [path] = recorded({
      's.ndjson':
        '{"kind":"viewers","at":"2026-07-28T12:00:02Z","channel":"news","viewers":3}\n' +
        '{"kind":"engine","at":1785240001250,"engine":"e","ok":true,"pool_pressure":null,"reports_pool":true}\n',
    });
    expect(readSamples(path!)).toMatchObject([
      { kind: 'engine', at: NOON, reportsPool: true },
      { kind: 'viewers', viewers: 3 },
    ]);
    expect(Object.keys(readSamples(path!)[0]!)).not.toContain('poolPressure');
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['an unknown kind', '{"kind":"weather","at":1}'],
    ['no time', '{"kind":"viewers","channel":"a","viewers":1}'],
    ['a time that is none', '{"kind":"viewers","at":"yesterday","channel":"a","viewers":1}'],
    ['an unknown state', '{"kind":"process","at":1,"channel":"a","state":"fine"}'],
  ])('are refused with file and line: %s', (_, line) => {
    const [path] = recorded({ 's.ndjson': `\n${line}\n` });
    expect(() => readSamples(path!)).toThrow(/s\.ndjson:2: /);
  });
});
