// The real adapter of a receiver, which posts to a server of the simulation in virtual time.
import type { Notice } from '../../src/escalate/receiver.ts';
import type { Delivery } from '../../src/simulation/effect_log.ts';
import { serverOf, type ServerKind } from '../../src/simulation/receiver_servers.ts';
import type { ReceiverMode } from '../../src/simulation/receivers.ts';
import { wiredReceiver } from '../../src/simulation/wired_receiver.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { plansOf } from './plant.ts';

export function sendingTo(kind: ServerKind, { alive = true } = {}) {
  const { clock, advance } = fakeClock();
  const heard: Delivery[] = [];
  const state: { mode: ReceiverMode; stirred: number } = { mode: 'up', stirred: 0 };
  const server = serverOf(kind);
  const receiver = wiredReceiver('pager', {
    ...{ clock, alive: () => alive, mode: () => state.mode, worldMs: () => clock.monotonicMs(), channels: plansOf(2) },
    server,
    onDelivery: (one) => heard.push(one),
    stir: () => {
      state.stirred += 1;
    },
  });
  const { signal } = new AbortController();
  /** What it came to, and after how many milliseconds its sender knew. */
  const within = async (sent: Promise<void>, forMs: number): Promise<readonly [unknown, number] | undefined> => {
    const fromMs = clock.monotonicMs();
    let end: readonly [unknown, number] | undefined;
    const settle = (what: unknown) => {
      end = [what, clock.monotonicMs() - fromMs];
    };
    void sent.then(() => settle('taken'), settle);
    await advance(forMs);
    return end;
  };
  return {
    ...{ heard, state, receiver },
    send: (notice: Notice, forMs = 1_000) => within(receiver.deliver(notice, signal), forMs),
    lapsed: () => server.lapse(clock.monotonicMs()).map(({ what, key, lapsed }) => [what, key, lapsed]),
    pass: advance,
    refresh: (notices: readonly Notice[]) => within(receiver.refresh!.send(notices, signal), 1_000),
  };
}
