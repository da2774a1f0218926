/** Records what reached engines, receivers and the disk. */
import { createHash } from 'node:crypto';
import type { JournalEntry } from '../core/journal.ts';
import { canonicalJson } from '../core/wire.ts';
import type { NoticeKind } from '../escalate/receiver.ts';
import type { ToolName } from '../core/tool.ts';
import type { Generation } from './service_model.ts';

/** One call that reached an engine, as the engine saw it. Times are the world's own. */
export interface Invocation {
  readonly tool: ToolName;
  /** Undefined for calls on a whole engine. */
  readonly channel: string | undefined;
  readonly engine: string;
  readonly permit: string;
  readonly fence: number;
  readonly atMs: number;
  /** When Reeve heard its end, gave it up or died. */
  endMs: number | undefined;
  /** The process that it led to. */
  effect: Generation | undefined;
  /** Which process of Reeve made it. */
  readonly daemonRun: number;
  /** How the channel really stood. */
  readonly status: string;
}

/** One message that a receiver was sent. `taken`: a person has it, whatever the sender got as an answer. */
export interface Delivery {
  readonly receiver: string;
  readonly what: NoticeKind;
  readonly key: string;
  readonly id: string;
  readonly scope: string;
  readonly atMs: number;
  readonly taken: boolean;
  /**
   * A receiver that forgets what is not sent again has ended the page by itself: after silence, or by neglect, because
   * it was sent others and not this one.
   */
  readonly lapsed?: 'silence' | 'neglect';
}

/** One append that was acknowledged: its entries became durable together. */
export interface Batch {
  readonly entries: readonly JournalEntry[];
  readonly atMs: number;
  readonly daemonRun: number;
}

/** What really happened, recorded by the service model and not by what is judged. */
export class EffectLog {
  readonly invocations: Invocation[] = [];
  readonly deliveries: Delivery[] = [];
  readonly failures: { readonly atMs: number; readonly text: string; readonly expected: boolean }[] = [];
  #batches = 0;
  readonly #trace = createHash('sha256');

  get batches(): number {
    return this.#batches;
  }

  batch(batch: Batch): void {
    this.#batches += 1;
    for (const { seq, monoMs, fact, channel, incident, run } of batch.entries) {
      this.#trace.update(canonicalJson([batch.atMs, seq, monoMs, channel, incident, run, fact]));
    }
  }

  invoked(invocation: Invocation): void {
    this.invocations.push(invocation);
    const { tool, channel, permit, atMs } = invocation;
    this.#trace.update(`${atMs}:${tool}:${channel}:${permit}`);
  }

  delivered(delivery: Delivery): void {
    this.deliveries.push(delivery);
    this.#trace.update(canonicalJson(delivery));
  }

  /** Hex SHA-256 over everything that was written, called and sent, in order. Call once, at the end. */
  traceSha256(): string {
    return this.#trace.digest('hex');
  }
}
