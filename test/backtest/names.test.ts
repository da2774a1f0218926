import { describe, expect, it } from 'vitest';
import { isServerLog, namesInFile, namesInLines, stemOf } from '../../src/backtest/names.ts';
import { recorded } from './support.ts';

const named = (...lines: readonly string[]) => {
  const { channels, marked } = namesInLines(lines.map((text) => ({ text })));
  return { channels, marked };
};
const inFile = (text: string) => {
  const { channels, marked } = namesInFile(recorded({ 'a.log': text })[0]!);
  return { channels, marked };
};

describe('the channels that a log names', () => {
  it.each([
    ['[channel=news] it broke', 'news', true],
    ['{"level":"error","channel": "news.hd"}', 'news.hd', true],
    ['level=error channel=news msg="x"', 'news', true],
    ['level=error channel="news" msg="x"', 'news', true],
    ['INFO exited: news (exit status 1; not expected)', 'news', false],
    ["INFO spawned: 'news' with pid 7", 'news', false],
  ])('are read where a line names one beyond doubt: %s', (line, name, marked) => {
    expect(named(line)).toEqual({ channels: [name], marked });
  });

  it.each(['GET /channel=news', '[channel=news', 'exited: news', '"channel": 7', 'channel news'])(
    'are not read from %s, which anybody can write or which is cut off',
    (line) => {
      expect(named(line)).toEqual({ channels: [], marked: false });
    },
  );

  it('stand once each, in order, and several of them in one line', () => {
    expect(named('[channel=news] [channel=kids] x', '[channel=news]').channels).toEqual(['kids', 'news']);
  });
});

describe('a file', () => {
  const BLOCK = 1 << 20;

  it('is read to its end, and names none where it is empty', () => {
    expect(inFile(`${'x'.repeat(3 * BLOCK)} channel=news`)).toEqual({ channels: ['news'], marked: true });
    expect(inFile('')).toEqual({ channels: [], marked: false });
  });

  it.each([' channel=news\n', '[channel=news]\n', '"channel": "news"\n'])(
    'names the whole channel in %j wherever a block that is read ends',
    (text) => {
      for (let cut = 1; cut < text.length; cut += 1)
        expect(inFile('x'.repeat(BLOCK - cut) + text).channels, `${cut} bytes before the end`).toEqual(['news']);
    },
  );
});

describe('the name of a file', () => {
  it('is that of its channel without what stands behind it', () => {
    expect(stemOf('/var/log/ch/news.err.1')).toBe('news');
    expect(stemOf('news.hd.log')).toBe('news.hd');
    expect(stemOf('news')).toBe('news');
    expect(stemOf('/var/log/.log')).toBe('.log');
  });

  it('may be that of a server, which speaks of many channels', () => {
    for (const stem of ['supervisord', 'error', 'icecast', 'Jellyfin', 'docker-1', 'syslog'])
      expect(isServerLog(stem), stem).toBe(true);
    for (const stem of ['news', 'errors', 'access2', 'syslog-news']) expect(isServerLog(stem), stem).toBe(false);
  });
});
