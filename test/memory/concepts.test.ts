import { describe, expect, it } from 'vitest';
import { conceptsOf, isClosed, softwareOfPattern } from '../../src/memory/concepts.ts';

describe('what a text is about', () => {
  it.each<[string, readonly string[]]>([
    ['FFmpeg: H264 decoder', ['codec:h264', 'software:ffmpeg']],
    ['Connection refused by peer', ['error:econnrefused']],
    ['ECONNREFUSED', ['error:econnrefused']],
    ['HTTP error 403 Forbidden', ['error:http_403']],
    ['status code: 503', ['error:http_503']],
    ['port 403 is free', []],
    ['HTTP error 302', []],
    ['killed by signal 9', ['error:sigkill']],
    ['killed by signal 90', []],
    ['opens rtmp://User:pw@Origin.Example:1935/live', ['host:origin.example']],
    ['origin.example is away', []],
    ['ffmpegs and nginxes', []],
  ])('%j is %j', (text, concepts) => expect(conceptsOf(text)).toEqual(concepts));

  it('is at most sixteen concepts, of the first four thousand characters', () => {
    const many = Array.from({ length: 30 }, (_, n) => `http://host${n}/`).join(' ');
    expect(conceptsOf(many)).toHaveLength(16);
    expect(conceptsOf(`${'x '.repeat(1_996)}ffmpeg`)).toEqual(['software:ffmpeg']);
    expect(conceptsOf(`${'x '.repeat(2_000)}ffmpeg`)).toEqual([]);
  });
});

describe('the software of a pattern', () => {
  it('is the one that its id begins with, where that is software', () => {
    expect(softwareOfPattern('ffmpeg_moov')).toBe('software:ffmpeg');
    expect(softwareOfPattern('nginx-rtmp_gone')).toBe('software:nginx');
    expect(softwareOfPattern('h264_errors')).toBeUndefined();
    expect(softwareOfPattern('disk_full')).toBeUndefined();
  });
});

describe('a concept', () => {
  it('may be shown to a model unless it is the name of a host', () => {
    expect([isClosed('error:http_403'), isClosed('host:ignore.all.rules')]).toEqual([true, false]);
  });
});
