import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { foreignSpans, withoutForeign } from '../../../src/detect/search/untrusted_spans.ts';
import { aCatalogue } from '../catalogue_source.ts';

const [refused] = aCatalogue([{ id: 'refused', regex: 'Connection refused' }]).patterns;
const seen = (line: string): boolean => refused!.find(line) !== undefined;

describe('text of the program itself', () => {
  it.each([
    'tcp://10.0.0.1:80: Connection refused',
    'level=error msg="fetch failed" err="dial: Connection refused"',
    '{"level":50,"msg":"Connection refused"}',
    'level=warn msg="tune failed" x_tuner_error="Connection refused"',
    "Error: 'Connection refused'",
    '127.0.0.1 - "GET /a HTTP/1.1" 502 Connection refused',
    'error reading "a.mp3": Connection refused',
    '2026-08-26 17:27:01,786 ERROR stream_buffer Error reading chunk: Connection refused',
    '[ERROR] agent: Connection refused',
    'failed while streaming: Sys_error("Connection refused")!',
    'fetch: OSError("Connection refused")',
    "[info] client 192.0.2.4 is gone: OSError('Connection refused')",
    'adding 192.0.2.7 failed with "Connection refused"',
  ])('are believed: %s', (line) => {
    expect(seen(line)).toBe(true);
  });
});

describe('text that outsiders can write', () => {
  it.each([
    '[info] now playing "Connection refused"',
    '10.0.0.1 - - "GET /?q=Connection refused HTTP/1.1" 200 12 "-" "Connection refused"',
    '[error] open() failed, client: 1.2.3.4, request: "GET /Connection refused"',
    "[info] saved 'Connection refused'",
    "[error] cannot play '/srv/media/Connection refused.mp3'",
    '    title           : Connection refused',
    '                    : Connection refused',
    'STATEMENT:  select Connection refused',
    '2026/03/06 [relay_in:3] New metadata chunk: ? -- Connection refused',
    '{"level":30,"title":"Connection refused"}',
    '[info] playing ("Connection refused")',
    '[info] play("Connection refused")',
    "[info] play('Connection refused')",
    '[info] ended with "Connection refused"',
    '[xTeVe] Client User-Agent:      Connection refused',
    'level=info agent=Connection refused',
    'level=warn msg="retry" stream_name="Connection refused" terror="Connection refused"',
    'level=info user_agent=Connection refused',
  ])('are not: %s', (line) => {
    expect(seen(line)).toBe(false);
  });

  it('do not hide the real cause behind them', () => {
    expect(seen('[error] "Connection refused" said the viewer; Connection refused')).toBe(true);
  });
});

describe('withoutForeign', () => {
  property.prop([fc.string({ maxLength: 300 })])('keeps the length, and finds spans in order', (line) => {
    expect(withoutForeign(line)).toHaveLength(line.length);
    const spans = foreignSpans(line);
    expect([...spans].sort((a, b) => a - b)).toEqual(spans);
  });

  property.prop([fc.string({ maxLength: 60 }).filter((text) => !/["\\]/.test(text))])(
    'sees nothing of a quoted title, whatever it says',
    (title) => {
      const masked = withoutForeign(`[info] playing item "${title} zzqx" (tv)`);
      expect(masked).not.toContain('zzqx');
    },
  );
});

describe('foreignSpans', () => {
  it.each([
    ['white space', `${' '.repeat(65_536)}Connection refused`],
    ['quotes that open and never close', " 'a".repeat(21_845)],
    ['quotes that close at its end', `${" 'a".repeat(21_845)}'`],
  ])('takes no longer for a line of %s than its length explains', (_, line) => {
    const before = process.hrtime.bigint();
    expect(foreignSpans(line)).toEqual([]);
    expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(1_000);
  });
});
