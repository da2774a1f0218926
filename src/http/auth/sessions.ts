// Sessions of the console: the token is exchanged once and then kept nowhere in the browser.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';
import type { TokenGrant } from './grants.ts';

/** A session lasts a shift, and ends when its page has not asked for half an hour. */
export const SESSION_MS = 12 * HOUR_MS;
const IDLE_MS = 30 * MINUTE_MS;
/** At the same time; of more, the oldest ends. */
const SESSIONS_MAX = 64;
export const CSRF_HEADER = 'x-reeve-csrf';

interface Session {
  /** SHA-256 of the token that opened it: it ends with that token. */
  readonly token: string;
  readonly csrf: string;
  readonly endsMs: MonoMs;
  usedMs: MonoMs;
}

/** Two halves, both needed. The cookie no script can read; the other half no other origin can, nor another port. */
export interface SessionKeys {
  readonly cookie: string;
  readonly csrf: string;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const secret = (): string => randomBytes(32).toString('base64url');

/** In memory: a restart of Reeve ends all of them. */
export class Sessions {
  readonly #clock: Clock;
  readonly #byCookie = new Map<string, Session>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(grant: TokenGrant): SessionKeys {
    const keys = { cookie: secret(), csrf: secret() };
    const nowMs = this.#clock.monotonicMs();
    const session = { token: grant.sha256, csrf: digest(keys.csrf), endsMs: nowMs + SESSION_MS, usedMs: nowMs };
    this.#byCookie.set(digest(keys.cookie), session);
    const [oldest] = this.#byCookie.keys();
    if (this.#byCookie.size > SESSIONS_MAX && oldest !== undefined) this.#byCookie.delete(oldest);
    return keys;
  }

  /** The grant behind both halves, as long as its token is still good. */
  grantOf(keys: Partial<SessionKeys>, grants: readonly TokenGrant[]): TokenGrant | undefined {
    const session = this.#find(keys);
    if (session === undefined) return undefined;
    session.usedMs = this.#clock.monotonicMs();
    return grants.find(({ sha256 }) => sha256 === session.token);
  }

  end(keys: Partial<SessionKeys>): void {
    if (this.#find(keys) !== undefined) this.#byCookie.delete(digest(keys.cookie ?? ''));
  }

  #find({ cookie, csrf }: Partial<SessionKeys>): Session | undefined {
    if (cookie === undefined || csrf === undefined) return undefined;
    const id = digest(cookie);
    const session = this.#byCookie.get(id);
    if (session === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= session.endsMs || nowMs - session.usedMs >= IDLE_MS) {
      this.#byCookie.delete(id);
      return undefined;
    }
    return timingSafeEqual(Buffer.from(session.csrf, 'hex'), Buffer.from(digest(csrf), 'hex')) ? session : undefined;
  }
}
