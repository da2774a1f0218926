/** Simulated receivers of pages. */
import type { Clock } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import { keyOfScope } from '../core/scope.ts';
import type { Notice, Receiver } from '../escalate/receiver.ts';
import { RequestFailed } from '../resilience/failure.ts';
import type { Delivery } from './effect_log.ts';
import type { Surroundings } from './invariants/unwritten.ts';

/** `lost`: it takes the message, and its answer never arrives. */
export const RECEIVER_MODES = ['down', 'slow', 'lost', 'busy', 'refuse'] as const;
export type ReceiverMode = (typeof RECEIVER_MODES)[number] | 'up';

export const RECEIVERS = ['pager', 'chat'] as const;
const TAKING: ReadonlySet<ReceiverMode> = new Set(['up', 'slow', 'lost']);

/** Which receivers hear what is sent to them. */
export const reception = (modeOf: (name: string) => ReceiverMode): Pick<Surroundings, 'reachable' | 'takesAny'> => ({
  reachable: () => RECEIVERS.filter((name) => modeOf(name) === 'up'),
  takesAny: () => RECEIVERS.some((name) => TAKING.has(modeOf(name))),
});

export interface ReceiverDeps {
  readonly clock: Clock;
  readonly worldMs: () => number;
  readonly alive: () => boolean;
  readonly mode: () => ReceiverMode;
  readonly onDelivery: (delivery: Delivery) => void;
}

export const ANSWER_MS = 120;
export const SLOW_MS = 7_000;

/** Somewhere that a person hears of it, on days on which that works and on others. */
export function simReceiver(name: string, deps: ReceiverDeps): Receiver {
  const { clock, worldMs, alive, mode, onDelivery } = deps;
  const hear = ({ what, key, id, scope }: Notice, taken: boolean): void =>
    onDelivery({ receiver: name, what, key, id, scope: keyOfScope(scope), atMs: worldMs(), taken });
  return {
    name,
    async deliver(notice, signal) {
      if (!alive()) return new Promise<never>(() => undefined);
      const now = mode();
      await clock.sleep(now === 'slow' ? SLOW_MS : ANSWER_MS, signal);
      if (now === 'down') throw new ReeveError('RECEIVER_UNREACHABLE', 'nobody answers');
      if (now === 'busy' || now === 'refuse') {
        const status = now === 'busy' ? 429 : 400;
        const code = now === 'busy' ? 'RECEIVER_UNREACHABLE' : 'RECEIVER_REFUSED';
        throw new RequestFailed(code, `answered ${status}`, { failure: 'http_status', status, retryAfterMs: 2_000 });
      }
      hear(notice, true);
      if (now === 'lost') throw new ReeveError('RECEIVER_UNREACHABLE', 'the answer was lost');
    },
  };
}
