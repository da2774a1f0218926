import { describe, expect, it } from 'vitest';
import type { Notice } from '../../src/escalate/receiver.ts';
import type { Delivery } from '../../src/simulation/effect_log.ts';
import { type ReceiverMode, simReceiver } from '../../src/simulation/receivers.ts';
import { fakeClock } from '../support/fake_clock.ts';

const notice = { what: 'trigger', key: 'k', id: 'n1', scope: { kind: 'channel', id: 'news' } } as unknown as Notice;

/** What one notice came to, and when its sender had an answer, in milliseconds. */
async function sent(mode: ReceiverMode, { alive = true, tillMs = 60_000 } = {}) {
  const { clock, advance } = fakeClock();
  const heard: Delivery[] = [];
  const receiver = simReceiver('pager', {
    ...{
      clock,
      worldMs: () => 7,
      alive: () => alive,
      mode: () => mode,
      onDelivery: (one: Delivery) => heard.push(one),
    },
  });
  const fromMs = clock.monotonicMs();
  let answer: unknown = 'none';
  const settle = (what: unknown) => {
    answer = [what, clock.monotonicMs() - fromMs];
  };
  void receiver.deliver(notice, new AbortController().signal).then(() => settle('taken'), settle);
  await advance(tillMs);
  return { answer, heard };
}

describe('a simulated receiver', () => {
  it('takes a notice and says so at once, or late', async () => {
    const { answer, heard } = await sent('up');
    expect(answer).toEqual(['taken', 120]);
    const delivery = {
      receiver: 'pager',
      what: 'trigger',
      key: 'k',
      id: 'n1',
      scope: 'channel:news',
      atMs: 7,
      taken: true,
    };
    expect(heard).toEqual([delivery]);
    expect((await sent('slow')).answer).toEqual(['taken', 7_000]);
    expect((await sent('slow', { tillMs: 6_999 })).heard).toEqual([]);
  });

  it('takes it, and its answer is lost', async () => {
    const { answer, heard } = await sent('lost');
    expect(answer).toMatchObject([{ code: 'RECEIVER_UNREACHABLE' }, 120]);
    expect(heard).toHaveLength(1);
  });

  it.each<[ReceiverMode, object]>([
    ['down', { code: 'RECEIVER_UNREACHABLE' }],
    ['busy', { code: 'RECEIVER_UNREACHABLE', message: 'answered 429' }],
    ['refuse', { code: 'RECEIVER_REFUSED', message: 'answered 400' }],
  ])('that is %s takes nothing, and fails as a real one does', async (mode, failure) => {
    const { answer, heard } = await sent(mode);
    expect([answer, heard]).toMatchObject([[failure, 120], []]);
  });

  it('answers nothing to a Reeve that has died', async () => {
    expect(await sent('up', { alive: false })).toEqual({ answer: 'none', heard: [] });
  });
});
