import { describe, expect, it } from 'vitest';
import { parseSyslog } from '../../../src/collect/syslog/message.ts';

describe('a syslog message of RFC 5424', () => {
  it('gives time, host, program and a line as a file shows it', () => {
    expect(parseSyslog('<34>1 2026-01-02T03:04:05.006Z box ffmpeg 71 - - it broke')).toEqual({
      at: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
      host: 'box',
      app: 'ffmpeg',
      line: '2026-01-02T03:04:05.006Z box ffmpeg[71]: it broke',
    });
  });

  it('leaves out what its sender did not fill in', () => {
    expect(parseSyslog('<34>1 - - - - - - it broke')).toEqual({
      at: undefined,
      host: undefined,
      app: undefined,
      line: ' it broke',
    });
  });

  it('passes over structured data, in which a quoted or escaped bracket ends nothing', () => {
    const line = (data: string) => parseSyslog(`<34>1 - box app - - ${data} it broke`)!.line;
    expect(line('[a x="1"][b y="2"]')).toBe('box app: it broke');
    expect(line('[a x="]"]')).toBe('box app: it broke');
    expect(line('[a x="\\"]"]')).toBe('box app: it broke');
  });

  it('knows no time that has no zone', () => {
    expect(parseSyslog('<34>1 2026-01-02T03:04:05 box app - - - x')!.at).toBeUndefined();
    expect(parseSyslog('<34>1 2026-01-02T03:04:05+01:00 box app - - - x')!.at).toBe(Date.UTC(2026, 0, 2, 2, 4, 5));
  });
});

describe('a syslog message of the old form', () => {
  it('gives host and program, and no time: it has no year', () => {
    const line = 'Jan  2 03:04:05 box ffmpeg[71]: it broke';
    expect(parseSyslog(`<34>${line}`)).toEqual({ at: undefined, host: 'box', app: 'ffmpeg', line });
  });

  it('may leave out its host, and may have an ISO time', () => {
    expect(parseSyslog('<34>Jan  2 03:04:05 ffmpeg: x')).toMatchObject({ host: undefined, app: 'ffmpeg' });
    expect(parseSyslog('<34>2026-01-02T03:04:05Z box ffmpeg: x')!.at).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  });

  it('has neither host nor program where it has no header', () => {
    expect(parseSyslog('<34>it broke')).toEqual({ at: undefined, host: undefined, app: undefined, line: 'it broke' });
  });
});

describe('what is no syslog message', () => {
  it('has no priority, or one above 191', () => {
    expect(parseSyslog('<191>x')?.line).toBe('x');
    expect(parseSyslog('<192>x')).toBeUndefined();
    expect(parseSyslog('x')).toBeUndefined();
    expect(parseSyslog('<>x')).toBeUndefined();
  });
});
