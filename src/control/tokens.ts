// Named tokens as a fold over the journal: who handed out which, what it may do, until when.
import { TOKEN_SCOPES, type TokenScope } from '../core/access.ts';
import type { Clock, EpochMs, MonoMs } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import type { JournalEntry, Projection } from '../core/journal.ts';
import { type CommandResult, checked, isDuration, no, type OperatorContext, yes } from './commands.ts';

/** Tokens that are kept, at most. The ones that ended longest ago go first. */
export const TOKENS_MAX = 200;
/** A token that is forgotten ends by itself: a minute at least, 400 days at most. */
export const TOKEN_MS_MIN = MINUTE_MS;
export const TOKEN_MS_MAX = 400 * DAY_MS;
const NAME = /^[a-z0-9][a-z0-9_.@-]{0,39}$/;

export interface NamedToken {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the token in hex. The token itself, 256 random bits, is kept nowhere. */
  readonly sha256: string;
  readonly addedAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** The same on the journal's own clock, so that a wall clock set back prolongs nothing. */
  readonly expiresMs: MonoMs;
  /** Who handed it out, and what for. */
  readonly who: string;
  readonly because: string;
}

export interface TokenState {
  readonly tokens: readonly NamedToken[];
}

function apply(state: TokenState, { at, monoMs, fact }: JournalEntry): TokenState {
  if (fact.type === 'token.added') {
    const { name, scopes, sha256, forMs, who, because } = fact;
    const others = withRoom(
      state.tokens.filter((token) => token.name !== name),
      { at, monoMs },
    );
    const times = { addedAt: at, expiresAt: at + forMs, expiresMs: monoMs + forMs };
    return { tokens: [...others, { name, scopes, sha256, ...times, who, because }] };
  }
  if (fact.type === 'token.revoked') return { tokens: state.tokens.filter(({ name }) => name !== fact.name) };
  return state;
}

/** Room for one more: while there are any that have ended, no other is forgotten. */
function withRoom(
  tokens: readonly NamedToken[],
  { at, monoMs }: Pick<JournalEntry, 'at' | 'monoMs'>,
): readonly NamedToken[] {
  const excess = tokens.length + 1 - TOKENS_MAX;
  if (excess <= 0) return tokens;
  const leftMs = ({ expiresAt, expiresMs }: NamedToken): number => Math.min(expiresAt - at, expiresMs - monoMs);
  const gone = new Set([...tokens].sort((a, b) => leftMs(a) - leftMs(b)).slice(0, excess));
  return tokens.filter((token) => !gone.has(token));
}

/** Tokens that were added and not revoked. Those that have expired stand there too: ask `liveTokens`. */
export const tokenProjection: Projection<TokenState> = { name: 'tokens', initial: { tokens: [] }, apply };

type Now = Pick<Clock, 'now' | 'monotonicMs'>;

const isLive = ({ expiresAt, expiresMs }: NamedToken, clock: Now): boolean =>
  clock.now() < expiresAt && clock.monotonicMs() < expiresMs;

/** Tokens that are good now. */
export const liveTokens = ({ tokens }: TokenState, clock: Now): readonly NamedToken[] =>
  tokens.filter((token) => isLive(token, clock));

export interface TokenOrder {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly forMs: number;
  readonly sha256: string;
}

/** Hands out a token under a name that no other live token has; `taken` are the names that the configuration gives. */
export const addToken = (
  state: TokenState,
  order: TokenOrder,
  context: OperatorContext,
  { clock, taken }: { readonly clock: Now; readonly taken: ReadonlySet<string> },
): CommandResult =>
  checked(context, (signed) => {
    const { name, forMs, sha256 } = order;
    if (!NAME.test(name)) {
      return no('token_invalid', 'a name is lower case letters, digits, "_", ".", "@" or "-", at most 40 characters');
    }
    const live = liveTokens(state, clock);
    if (taken.has(name) || live.some((token) => token.name === name)) {
      return no('token_invalid', `the name ${name} is in use: revoke that token first, or choose another name`);
    }
    if (live.length >= TOKENS_MAX) return no('token_invalid', `there are ${TOKENS_MAX} tokens already`);
    const scopes = TOKEN_SCOPES.filter((scope) => order.scopes.includes(scope));
    if (scopes.length === 0 || order.scopes.some((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope))) {
      return no('token_invalid', `a token needs one or more of the scopes ${TOKEN_SCOPES.join(', ')}`);
    }
    if (!isDuration(forMs, TOKEN_MS_MIN, TOKEN_MS_MAX)) {
      return no('duration_invalid', 'a token lasts between a minute and 400 days');
    }
    return yes({ fact: { type: 'token.added', name, scopes, sha256, forMs, ...signed } });
  });

/** Ends a token at once, with every stream and session that it opened. */
export const revokeToken = (state: TokenState, name: string, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    const known = state.tokens.some((token) => token.name === name);
    if (!known) return no('target_unknown', 'there is no token of this name (see: reeve tokens list)');
    return yes({ fact: { type: 'token.revoked', name, ...signed } });
  });
