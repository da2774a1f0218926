import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  addToken,
  liveTokens,
  revokeToken,
  TOKEN_MS_MAX,
  TOKEN_MS_MIN,
  TOKENS_MAX,
  type TokenOrder,
  type TokenState,
  tokenProjection,
} from '../../src/control/tokens.ts';
import type { CommandResult } from '../../src/control/commands.ts';
import { allows, TOKEN_SCOPES } from '../../src/core/access.ts';
import { DAY_MS } from '../../src/core/duration.ts';

const ANN = { who: 'ann', because: 'on call' };
const ORDER: TokenOrder = { name: 'bob', scopes: ['operate'], forMs: DAY_MS, sha256: 'ab'.repeat(32) };
const at = (wall: number, mono: number) => ({ now: () => wall, monotonicMs: () => mono });
const START = at(1_000, 0);
const NONE = tokenProjection.initial;

const add = (state: TokenState, order: Partial<TokenOrder> = {}, clock = START) =>
  addToken(state, { ...ORDER, ...order }, ANN, { clock, taken: new Set(['operator']) });

function applied(state: TokenState, command: CommandResult, clock = START): TokenState {
  if (!command.ok) throw new Error(command.because);
  const when = { seq: 1, at: clock.now(), monoMs: clock.monotonicMs(), boot: 'b' };
  return command.drafts.reduce((next, { fact }) => tokenProjection.apply(next, { ...when, fact }), state);
}

describe('a named token', () => {
  it('is written down with who handed it out, for whom, for what and for how long', () => {
    const command = add(NONE);
    expect(command).toMatchObject({
      ok: true,
      drafts: [{ fact: { type: 'token.added', name: 'bob', scopes: ['operate'], forMs: DAY_MS, ...ANN } }],
    });
  });

  it('is good up to its end, by the wall clock and by the other, whichever comes first', () => {
    const state = applied(NONE, add(NONE));
    expect(liveTokens(state, at(1_000 + DAY_MS - 1, DAY_MS - 1))).toHaveLength(1);
    expect(liveTokens(state, at(1_000 + DAY_MS, 5))).toEqual([]);
    // A wall clock that was set back prolongs nothing.
    expect(liveTokens(state, at(0, DAY_MS))).toEqual([]);
  });

  it('is gone once it is revoked, and its name is free again', () => {
    const state = applied(NONE, add(NONE));
    const gone = applied(state, revokeToken(state, 'bob', ANN));
    expect(liveTokens(gone, START)).toEqual([]);
    expect(add(gone).ok).toBe(true);
    expect(revokeToken(gone, 'bob', ANN)).toMatchObject({ ok: false, code: 'target_unknown' });
  });

  it('takes no name that is in use, and one that has expired', () => {
    const state = applied(NONE, add(NONE));
    expect(add(state)).toMatchObject({ ok: false, code: 'token_invalid' });
    expect(add(NONE, { name: 'operator' })).toMatchObject({ ok: false, code: 'token_invalid' });
    const later = at(1_000 + DAY_MS, DAY_MS);
    expect(applied(state, add(state, {}, later), later).tokens).toHaveLength(1);
  });

  it.each(['', 'Ann', 'ann\u001b[31m', 'a'.repeat(41), 'an n', '-ann'])('takes no name such as %j', (name) => {
    expect(add(NONE, { name })).toMatchObject({ ok: false, code: 'token_invalid' });
  });

  it.each([[[]], [['everything']], [['read', 'root']]])('takes no scopes such as %j', (scopes) => {
    expect(add(NONE, { scopes })).toMatchObject({ ok: false, code: 'token_invalid' });
  });

  it.each([0, TOKEN_MS_MIN - 1, TOKEN_MS_MAX + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'takes no end of %s',
    (forMs) => {
      expect(add(NONE, { forMs })).toMatchObject({ ok: false, code: 'duration_invalid' });
    },
  );

  it('needs a reason', () => {
    const first = { clock: START, taken: new Set<string>() };
    expect(addToken(NONE, ORDER, { who: 'ann', because: ' ' }, first)).toMatchObject({ code: 'reason_missing' });
  });

  it('is one of a bounded number', () => {
    let state = NONE;
    for (let index = 0; index < TOKENS_MAX; index += 1) state = applied(state, add(state, { name: `n${index}` }));
    expect(add(state)).toMatchObject({ ok: false, code: 'token_invalid' });
    expect(state.tokens).toHaveLength(TOKENS_MAX);
  });

  it('is not forgotten for as long as it is good, however many came and ended since', () => {
    let state = applied(NONE, add(NONE, { name: 'oncall', forMs: TOKEN_MS_MAX }));
    for (let index = 0; index < 2 * TOKENS_MAX; index += 1) {
      const now = at(1_000 + index * TOKEN_MS_MIN, index * TOKEN_MS_MIN);
      state = applied(state, add(state, { name: `job-${index}`, forMs: TOKEN_MS_MIN }, now), now);
    }
    expect(state.tokens).toHaveLength(TOKENS_MAX);
    const end = 2 * TOKENS_MAX * TOKEN_MS_MIN;
    expect(liveTokens(state, at(end, end)).map(({ name }) => name)).toEqual(['oncall']);
    expect(state.tokens.at(-1)?.name).toBe(`job-${2 * TOKENS_MAX - 1}`);
  });
});

describe('scopes', () => {
  it('separate operating from approving: neither scope allows the other', () => {
    expect(allows(['operate'], 'approve')).toBe(false);
    expect(allows(['approve'], 'operate')).toBe(false);
    expect(allows(['approve'], 'ack')).toBe(false);
    expect(allows(['operate', 'approve'], 'approve')).toBe(true);
  });

  it('let senders see nothing, and scrapers nothing but metrics', () => {
    for (const scope of TOKEN_SCOPES) {
      expect(allows(['ingest'], scope)).toBe(scope === 'ingest');
      expect(allows(['metrics'], scope)).toBe(scope === 'metrics');
      expect(allows(['admin'], scope)).toBe(true);
      expect(allows([scope], 'admin')).toBe(scope === 'admin');
    }
  });

  const some = fc.subarray([...TOKEN_SCOPES]);
  test.prop([some, some, fc.constantFrom(...TOKEN_SCOPES)])(
    'only add up: more held never allows less',
    (a, b, needed) => {
      if (allows(a, needed)) expect(allows([...a, ...b], needed)).toBe(true);
      expect(allows([...a, ...b], needed)).toBe(allows(a, needed) || allows(b, needed));
    },
  );
});
