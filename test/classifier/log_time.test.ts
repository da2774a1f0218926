import { describe, expect, it } from 'vitest';
import { logTimeOf, SURE_MS } from '../../src/classifier/log_time.ts';

const AT_MS = Date.UTC(2026, 10, 24, 21, 38, 10);

describe('when a line was written', () => {
  it.each([
    ['an access log', '192.0.2.1 - - [24/Nov/2026:22:38:10 +0100] "GET /a.ts HTTP/1.1" 403 9'],
    ['UTC by its letter', '2026-11-24T21:38:10.114Z ERROR refused'],
    ['UTC by its name', '2026-11-24 21:38:10.310 UTC [29153] LOG: refused'],
    ['an offset', '[2026-11-24 16:08:10.114 -05:30] [ERR] refused'],
    ['an offset without a colon', '2026-11-24T22:38:10+0100 refused'],
    ['a first value', 'time="2026-11-24T21:38:10Z" level=error msg=refused'],
    ['a first value of JSON', '{"ts":"2026-11-24T21:38:10Z","msg":"refused"}'],
  ])('is sure to a minute with %s', (_, line) => {
    expect(logTimeOf(line)).toEqual({ atMs: AT_MS, unsureMs: SURE_MS });
  });

  it.each(['2026-11-24 21:38:10 refused', '2026/11/24 21:38:10 [error] 7#7: refused', '[2026-11-24  21:38:10] WARN x'])(
    'may be local time: %s',
    (line) => {
      const time = logTimeOf(line)!;
      expect(time.atMs).toBe(AT_MS);
      expect(time.unsureMs).toBeGreaterThan(12 * 3_600_000);
    },
  );

  it.each(['Nov 24 21:38:10 host refused', 'refused https://o/a?ts=2026-11-24T21:38:10Z', ''])(
    'is not known: %s',
    (line) => {
      expect(logTimeOf(line)).toBeUndefined();
    },
  );
});
