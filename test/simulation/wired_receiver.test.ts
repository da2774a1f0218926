import { describe, expect, it } from 'vitest';
import { SERVER_KINDS, type ServerKind } from '../../src/simulation/receiver_servers.ts';
import type { ReceiverMode } from '../../src/simulation/receivers.ts';
import { simulate } from '../../src/simulation/simulate.ts';
import { noticeFor } from '../escalate/receivers/support.ts';
import { sendingTo } from './wired.ts';

const notice = noticeFor();

describe('a receiver behind the real adapter', () => {
  it.each(SERVER_KINDS)('takes a notice at once, or late: %s', async (kind) => {
    const { heard, state, send } = sendingTo(kind);
    expect(await send(notice)).toEqual(['taken', 120]);
    state.mode = 'slow';
    expect(await send({ ...notice, key: 'late' }, 6_999)).toBeUndefined();
    expect(heard).toHaveLength(1);
    expect(await send({ ...notice, key: 'later' }, 7_000)).toEqual(['taken', 7_000]);
    expect(state.stirred).toBe(3);
  });

  it('takes it, and its answer is lost', async () => {
    const { heard, state, send } = sendingTo('webhook');
    state.mode = 'lost';
    expect(await send(notice)).toMatchObject([{ code: 'RECEIVER_UNREACHABLE' }, 120]);
    expect(heard).toHaveLength(1);
  });

  it.each<[ServerKind, ReceiverMode, object]>([
    ['webhook', 'down', { code: 'RECEIVER_UNREACHABLE' }],
    ['pagerduty', 'busy', { code: 'RECEIVER_UNREACHABLE', message: 'answered 429', retryAfterMs: 2_000 }],
    ['webhook', 'refuse', { code: 'RECEIVER_REFUSED', message: 'answered 400' }],
  ])('takes nothing, and fails as the real one does: %s that is %s', async (kind, mode, failure) => {
    const { heard, state, send } = sendingTo(kind);
    state.mode = mode;
    expect(await send(notice)).toMatchObject([failure, 120]);
    expect(heard).toEqual([]);
  });

  it('is asked once more without the start of an alert when it refuses one', async () => {
    const { state, send } = sendingTo('alertmanager');
    state.mode = 'refuse';
    expect(await send(notice)).toMatchObject([{ code: 'RECEIVER_REFUSED' }, 240]);
  });

  it('is not asked for two seconds once its breaker is open', async () => {
    const { state, send } = sendingTo('webhook');
    state.mode = 'down';
    const codes: unknown[] = [];
    for (let tries = 0; tries < 6; tries += 1) codes.push((await send(notice, 120))?.[0]);
    expect(codes.at(-1)).toMatchObject({ code: 'BREAKER_OPEN' });
    state.mode = 'up';
    expect(await send(notice, 2_000)).toMatchObject([{ code: 'BREAKER_OPEN' }, 0]);
    expect(await send(notice)).toEqual(['taken', 120]);
  });

  it('answers nothing to a Reeve that has died', async () => {
    const { heard, send } = sendingTo('webhook', { alive: false });
    expect([await send(notice, 9_999), heard]).toEqual([undefined, []]);
  });
});

describe('a world whose receivers are behind real adapters', () => {
  it.each([1, 5, 9, 13])(
    'breaks no law while they fail and Reeve crashes: seed %i',
    { timeout: 60_000 },
    async (seed) => {
      const kinds = ['crash', 'outage', 'receiver', 'reeve_crash'] as const;
      const order = { seed, days: 0.2, channels: 6, cruel: true, wired: true, calm: 0.1, kinds };
      const { violations, escalations } = await simulate(order);
      expect(violations).toEqual([]);
      expect(escalations).toBeGreaterThan(0);
    },
  );
});
