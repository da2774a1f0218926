// Named tokens as the running daemon keeps them: who is known now, and when each was last used.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { liveTokens, tokenProjection, type TokenState } from '../../control/tokens.ts';
import type { Clock, EpochMs } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Read } from '../../core/journal.ts';
import { sha256Of, type TokenGrant } from './grants.ts';
import { ensureToken } from './own_token.ts';
import type { Ledger } from '../../journal/ledger.ts';

/** The name under which the token of the state directory is written down. */
const OWN_NAME = 'operator';

export interface Access {
  readonly state: Read<TokenState>;
  /** Tokens that hold as long as Reeve runs: its own, and those of the configuration. */
  fixed(): readonly TokenGrant[];
  /** Named tokens that are good at this moment. */
  named(): readonly TokenGrant[];
  /** Names that no named token may have. */
  readonly taken: ReadonlySet<string>;
  noteUse(grant: TokenGrant): void;
  /** For people: no hash, and what has expired too. */
  list(): readonly unknown[];
}

/** Before the journal is opened. */
export function createAccess(config: Config, { ledger, clock, state, log }: AccessDeps): Access {
  const onReplaced = (because: string): void => log.warn({}, because);
  const tokens = ledger.register(tokenProjection);
  const lastUsed = new Map<string, EpochMs>();
  const pushed = config.collectors.intake.tokens;
  const scraper = config.http.metricsToken === undefined ? [] : [config.http.metricsToken];
  return {
    state: tokens,
    taken: new Set([OWN_NAME, 'metrics', ...pushed.map(({ name }) => name)]),
    fixed: () => [
      { name: OWN_NAME, scopes: ['admin'], sha256: sha256Of(ensureToken(join(state, 'token'), modeOf, onReplaced)) },
      ...scraper.map((token) => ({ name: 'metrics', scopes: ['metrics' as const], sha256: sha256Of(token.reveal()) })),
      ...pushed.map(({ name, token }) => ({ name, scopes: ['ingest' as const], sha256: sha256Of(token.reveal()) })),
    ],
    named: () => liveTokens(tokens(), clock).map(({ name, scopes, sha256 }) => ({ name, scopes, sha256 })),
    noteUse: ({ sha256 }) => lastUsed.set(sha256, clock.now()),
    list() {
      const live = new Set(liveTokens(tokens(), clock));
      return tokens().tokens.map((token) => {
        const { name, scopes, addedAt, expiresAt, who, because, sha256 } = token;
        const used = lastUsed.get(sha256);
        const when = {
          ...{ addedAt: iso(addedAt), expiresAt: iso(expiresAt) },
          lastUsedAt: used === undefined ? null : iso(used),
        };
        return { name, scopes, expired: !live.has(token), ...when, who, because };
      });
    },
  };
}

interface AccessDeps {
  readonly ledger: Pick<Ledger, 'register'>;
  readonly clock: Clock;
  /** The state directory. */
  readonly state: string;
  readonly log: Pick<Log, 'warn'>;
}

const iso = (at: EpochMs): string => new Date(at).toISOString();
const modeOf = (path: string): number => statSync(path).mode;
