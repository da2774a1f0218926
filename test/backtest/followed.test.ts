import { describe, expect, it } from 'vitest';
import { followedAs } from '../../src/backtest/followed.ts';

const followed = [
  { id: 'engine:local', path: '/var/log/supervisord.log', channel: undefined },
  { id: 'news', path: '/srv/news/ffmpeg.log', channel: 'news' },
  { id: 'sport', path: '/srv/sport/ffmpeg.log', channel: 'sport' },
  { id: 'sport#2', path: '/srv/old/sport/ffmpeg.log', channel: 'sport' },
  { id: 'source:web', path: '/var/log/nginx/*.log', channel: undefined },
];
const idOf = (path: string) => followedAs(path, followed)?.id;

describe('which configured log a recorded file is', () => {
  it('is said by its very path, which may be one of a pattern', () => {
    expect(idOf('/srv/sport/ffmpeg.log')).toBe('sport');
    expect(idOf('/var/log/supervisord.log')).toBe('engine:local');
    expect(idOf('/var/log/nginx/error.log')).toBe('source:web');
  });

  it('is said by how a copy’s path ends, for as long as it ends alike', () => {
    expect(idOf('/tmp/rec/sport/ffmpeg.log')).toBe('sport');
    expect(idOf('/tmp/rec/news/ffmpeg.log.1')).toBe('news');
    expect(idOf('/tmp/rec/old/sport/ffmpeg.log')).toBe('sport#2');
    expect(idOf('/tmp/supervisord.log')).toBe('engine:local');
  });

  it('is not guessed where several channels have a log of this name, or none has', () => {
    expect(idOf('/tmp/ffmpeg.log')).toBeUndefined();
    expect(idOf('/tmp/other.log')).toBeUndefined();
  });
});
