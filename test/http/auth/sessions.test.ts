import { describe, expect, it } from 'vitest';
import type { TokenGrant } from '../../../src/http/auth/grants.ts';
import { SESSION_MS, Sessions } from '../../../src/http/auth/sessions.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const ANN: TokenGrant = { name: 'ann', scopes: ['read'], sha256: 'aa'.repeat(32) };
const HALF_HOUR_MS = 30 * 60_000;

function aDesk() {
  const hand = fakeClock();
  return { ...hand, sessions: new Sessions(hand.clock) };
}

describe('a session of the console', () => {
  it('needs both of its halves, of the same session', () => {
    const { sessions } = aDesk();
    const [one, other] = [sessions.open(ANN), sessions.open(ANN)];
    expect(sessions.grantOf(one, [ANN])).toBe(ANN);
    expect(sessions.grantOf({ cookie: one.cookie }, [ANN])).toBeUndefined();
    expect(sessions.grantOf({ csrf: one.csrf }, [ANN])).toBeUndefined();
    expect(sessions.grantOf({ cookie: one.cookie, csrf: other.csrf }, [ANN])).toBeUndefined();
    expect(sessions.grantOf({ cookie: '', csrf: '' }, [ANN])).toBeUndefined();
  });

  it('ends with the token that opened it, and does not pass to another of the same name', () => {
    const { sessions } = aDesk();
    const keys = sessions.open(ANN);
    expect(sessions.grantOf(keys, [])).toBeUndefined();
    expect(sessions.grantOf(keys, [{ ...ANN, sha256: 'bb'.repeat(32) }])).toBeUndefined();
  });

  it('ends after half an hour without a request, and after a shift in any case', async () => {
    const { sessions, advance } = aDesk();
    const idle = sessions.open(ANN);
    await advance(HALF_HOUR_MS - 1);
    expect(sessions.grantOf(idle, [ANN])).toBe(ANN);
    await advance(HALF_HOUR_MS);
    expect(sessions.grantOf(idle, [ANN])).toBeUndefined();

    const used = sessions.open(ANN);
    for (let ms = 0; ms + 60_000 < SESSION_MS; ms += 60_000) {
      await advance(60_000);
      expect(sessions.grantOf(used, [ANN])).toBe(ANN);
    }
    await advance(60_000);
    expect(sessions.grantOf(used, [ANN])).toBeUndefined();
  });

  it('ends when it is ended, by who holds both halves alone', () => {
    const { sessions } = aDesk();
    const keys = sessions.open(ANN);
    sessions.end({ cookie: keys.cookie, csrf: 'guess' });
    expect(sessions.grantOf(keys, [ANN])).toBe(ANN);
    sessions.end(keys);
    expect(sessions.grantOf(keys, [ANN])).toBeUndefined();
  });

  it('is one of a bounded number: the oldest ends', () => {
    const { sessions } = aDesk();
    const all = Array.from({ length: 65 }, () => sessions.open(ANN));
    expect(sessions.grantOf(all[0]!, [ANN])).toBeUndefined();
    expect(sessions.grantOf(all[1]!, [ANN])).toBe(ANN);
    expect(sessions.grantOf(all[64]!, [ANN])).toBe(ANN);
  });
});
