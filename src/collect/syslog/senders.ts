// Who may hold a TCP connection, and who has to go so that others may come.
import type { Clock, MonoMs } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';

/** Why a connection was closed from this end. A closed set: it is a label of a metric. */
const CLOSED_FOR = ['idle', 'address_full', 'full', 'not_allowed'] as const;
export type ClosedFor = (typeof CLOSED_FOR)[number];

/** As many connections as there may be, all together and of one address: no sender can have them all. */
export const CONNECTIONS_MAX = 256;
export const CONNECTIONS_PER_ADDRESS_MAX = 128;
/** A sender connects to say something: without a byte it is none. One that has spoken may have a quiet hour. */
const SILENT_MS_MAX = MINUTE_MS;
const IDLE_MS_MAX = HOUR_MS;
const SWEEP_MS = 10_000;
const REPORT_EVERY_MS = MINUTE_MS;

/** One open connection. */
export interface Sender {
  readonly address: string;
  close(): void;
}

interface Seat {
  heardMs: MonoMs;
  hasSpoken: boolean;
}

/**
 * Seats for senders. When there is none left the connection that was silent for longest goes, among those of the
 * address that holds the most: senders come back by themselves, and a machine that opens many closes its own.
 */
export class Senders implements Disposable {
  readonly #clock: Clock;
  readonly #report: (because: string) => void;
  readonly #seats = new Map<Sender, Seat>();
  readonly #closed = new Map<ClosedFor, number>();
  readonly #sweeping: Disposable;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, report: (because: string) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#sweeping = clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** How many connections were closed from this end since the start. */
  closed(): readonly { readonly reason: ClosedFor; readonly count: number }[] {
    return CLOSED_FOR.map((reason) => ({ reason, count: this.#closed.get(reason) ?? 0 }));
  }

  /** Gives the sender a seat, at another's cost where there is none left. */
  add(sender: Sender): void {
    const own = this.#of(sender.address);
    if (own.length >= CONNECTIONS_PER_ADDRESS_MAX) this.#closeOldest(own, 'address_full');
    else if (this.#seats.size >= CONNECTIONS_MAX) this.#closeOldest(this.#ofTheMost(), 'full');
    this.#seats.set(sender, { heardMs: this.#clock.monotonicMs(), hasSpoken: false });
  }

  /** The sender has sent something. */
  heard(sender: Sender): void {
    const seat = this.#seats.get(sender);
    if (seat === undefined) return;
    // Senders stand in the order of their last message: the first is the one that was silent for longest.
    this.#seats.delete(sender);
    this.#seats.set(sender, { heardMs: this.#clock.monotonicMs(), hasSpoken: true });
  }

  /** The connection is over. */
  remove(sender: Sender): void {
    this.#seats.delete(sender);
  }

  /** A connection that was not let in. */
  refused(): void {
    this.#count('not_allowed');
  }

  [Symbol.dispose](): void {
    this.#sweeping[Symbol.dispose]();
    for (const sender of this.#seats.keys()) sender.close();
    this.#seats.clear();
  }

  #of(address: string): readonly Sender[] {
    return [...this.#seats.keys()].filter((sender) => sender.address === address);
  }

  #ofTheMost(): readonly Sender[] {
    const groups = [...Map.groupBy(this.#seats.keys(), ({ address }) => address).values()];
    return groups.reduce((most, group) => (group.length > most.length ? group : most), []);
  }

  #closeOldest([oldest]: readonly Sender[], reason: ClosedFor): void {
    if (oldest === undefined) return;
    this.#close(oldest, reason);
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#reportedMs < REPORT_EVERY_MS) return;
    this.#reportedMs = nowMs;
    const whose =
      reason === 'full' ? 'all connections are taken' : `${oldest.address} has all that one address may have`;
    this.#report(`tcp: ${whose}: the one of ${oldest.address} that was silent for longest was closed`);
  }

  #sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [sender, { heardMs, hasSpoken }] of [...this.#seats]) {
      if (nowMs - heardMs >= (hasSpoken ? IDLE_MS_MAX : SILENT_MS_MAX)) this.#close(sender, 'idle');
    }
  }

  #close(sender: Sender, reason: ClosedFor): void {
    this.#seats.delete(sender);
    this.#count(reason);
    sender.close();
  }

  #count(reason: ClosedFor): void {
    this.#closed.set(reason, (this.#closed.get(reason) ?? 0) + 1);
  }
}
