import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { reachReceiver } from '../../../src/escalate/receivers/reach.ts';
import type { BoundedFetch } from '../../../src/resilience/http.ts';

describe('the answer of a receiver', () => {
  const answered = async (body: string) => {
    const answer = { status: 200, headers: {}, body: Buffer.from(body), wasCut: false };
    const ask: BoundedFetch = Object.assign(async () => answer, { [Symbol.dispose]: () => undefined });
    using reach = reachReceiver('r', { ask, clock: systemClock });
    return reach.post('http://h/', { body: '{}', headers: {}, signal: new AbortController().signal });
  };

  it.each(['{"ok":false,"error":"not_authed"}', '{"success":false}', '{"status":"error","message":"invalid"}'])(
    'is a no: %s',
    async (body) => {
      expect(await answered(body)).toMatchObject({ status: 200, saysNo: true, isWebPage: false });
    },
  );

  it.each(['ok', '', '{"status":"success"}', '{"id":"1"}', '{"ok":true}', '[]', 'null', '{"ok":', '"false"'])(
    'is none: %s',
    async (body) => {
      expect(await answered(body)).toMatchObject({ status: 200, saysNo: false, isWebPage: false });
    },
  );

  it('is a web page by what it begins with', async () => {
    expect(await answered(' <!DOCTYPE html><title>Sign in</title>')).toMatchObject({ isWebPage: true, saysNo: false });
  });
});
