import { describe, expect, it } from 'vitest';
import { redactUrls } from '../../src/collect/secret_urls.ts';

describe('what stands before the host', () => {
  it.each([
    ['rtsp://admin:hunter42@cam:554/s', 'rtsp://admin:[redacted]@cam:554/s'],
    ['http://p/http://u:hunter42@h/x', 'http://p/http://u:[redacted]@h/x'],
    ['rtsp://admin:pa/ss@cam/s', 'rtsp://admin:[redacted]@cam/s'],
    ['rtsp://admin:hunter42', 'rtsp://admin:[redacted]'],
    ['https://a1b2c3d4e5f6@h/x', 'https://[redacted]@h/x'],
  ])('is cut where it is a password or a token: %s', (text, safe) => {
    expect(redactUrls(text)).toBe(safe);
  });

  it.each(['rtsp://admin@cam/s', 'http://host:8080/x', 'http://host:8080: refused', 'http://[::1]:80/x'])(
    'is left where it is a name, and so is a port: %s',
    (text) => {
      expect(redactUrls(text)).toBe(text);
    },
  );

  it('is a token from twenty letters on', () => {
    const user = 'a'.repeat(19);
    expect(redactUrls(`http://${user}@h/`)).toBe(`http://${user}@h/`);
    expect(redactUrls(`http://${user}a@h/`)).toBe('http://[redacted]@h/');
  });
});

describe('the path of a provider', () => {
  it('loses the password between the user and the number', () => {
    expect(redactUrls('http://h/live/ann/hunter42/4711.ts')).toBe('http://h/live/ann/[redacted]/4711.ts');
    expect(redactUrls('http://h/ann/hunter42/4711')).toBe('http://h/ann/[redacted]/4711');
  });

  it('is none where folders or renditions stand there', () => {
    for (const url of ['http://h/hls/720p/4711.ts', 'http://h/ann/video/4711.ts', 'http://h/ann/hunter42/index.ts'])
      expect(redactUrls(url)).toBe(url);
  });
});

describe('the key of a stream', () => {
  it('is the last segment at a public ingest, whatever it looks like', () => {
    expect(redactUrls('rtmp://live.twitch.tv/app/word: failed')).toBe('rtmp://live.twitch.tv/app/[redacted]: failed');
    expect(redactUrls('rtmp://nottwitch.tv/app/word')).toBe('rtmp://nottwitch.tv/app/word');
  });

  it('is a segment elsewhere that no name looks like', () => {
    for (const key of ['a1b2c3', 'abcdefgh12345678', 'abcd-ef12-3456-7890'])
      expect(redactUrls(`rtmp://h/live/${key}`)).toBe('rtmp://h/live/[redacted]');
    for (const name of ['news', 'cam1', 'news24hd', 'abcdefgh1234567'])
      expect(redactUrls(`rtmp://h/live/${name}`)).toBe(`rtmp://h/live/${name}`);
  });

  it('needs an application before it, and a push by RTMP', () => {
    for (const url of ['rtmp://h/a1b2c3', 'http://h/live/a1b2c3', 'rtmp://h/live/[redacted]'])
      expect(redactUrls(url)).toBe(url);
  });
});
