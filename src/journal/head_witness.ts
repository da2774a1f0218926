// Sends the head of the journal out on a schedule, so that who rewrites the journal is found out.
import { appendFile } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { GENESIS } from './chain.ts';
import { answeredInTime } from './elsewhere.ts';
import { type HeadStatement, headKeyFrom } from './heads.ts';
import type { Ledger } from './ledger.ts';
import { boundedFetch } from '../resilience/http.ts';

export interface HeadWitness extends AsyncDisposable {
  /** Sends the head now. Resolves when every way took it or failed. */
  tell(): Promise<void>;
  /** Since a file or a webhook last took a head, or since the start; undefined where none is configured. */
  secondsSinceSent(): number | undefined;
}

/** Where the head is sent, and how often. */
export interface HeadWitnessSettings {
  readonly everyMs: number;
  /** A file that gets one line a time. */
  readonly file: string | undefined;
  /** An address that gets each head as a POST. */
  readonly url: string | undefined;
  /** Signs each head. */
  readonly key: { reveal(): string } | undefined;
}

interface WitnessDeps {
  readonly ledger: Pick<Ledger, 'head'>;
  readonly clock: Clock;
  readonly log: Log;
}

const WEBHOOK_TIMEOUT_MS = 10_000;
/** So much of an answer is read: its status is all that counts. */
const ANSWER_BYTES_MAX = 64 * 1024;
const FILE_MODE = 0o640;

/**
 * Adds lines to a file elsewhere, by a thread and one at a time: a file server that is away holds that one, and neither
 * the daemon nor the other threads.
 */
function lineWriter(clock: Clock): (file: string, line: string) => Promise<void> {
  let isWriting = false;
  return async (file, line) => {
    if (isWriting) throw new Error('the head before it is still being written: its file system does not answer');
    isWriting = true;
    const written = appendFile(file, line, { mode: FILE_MODE }).finally(() => {
      isWriting = false;
    });
    await answeredInTime(written, clock);
  };
}

/** Sends at once and then on the schedule. A way that fails is logged and tried again the next time. */
export function createHeadWitness(witness: HeadWitnessSettings, { ledger, clock, log }: WitnessDeps): HeadWitness {
  const key = witness.key === undefined ? undefined : headKeyFrom(witness.key.reveal());
  const ask = boundedFetch(clock);
  const append = lineWriter(clock);
  let sentMs = clock.monotonicMs();
  const isAnywhere = witness.file !== undefined || witness.url !== undefined;
  const trying = async (way: string, send: () => unknown): Promise<void> => {
    try {
      await send();
      sentMs = clock.monotonicMs();
    } catch (thrown) {
      log.error({ way }, `the journal's head was not taken: ${messageOf(thrown)}`);
    }
  };
  const tell = async (): Promise<void> => {
    const { seq, hash } = ledger.head;
    if (hash === GENESIS) return;
    const plain: HeadStatement = { at: new Date(clock.now()).toISOString(), seq, hash };
    const statement = key?.sign === undefined ? plain : { ...plain, signature: key.sign(plain) };
    const body = JSON.stringify(statement);
    log.info(statement, 'journal head');
    const { file, url } = witness;
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const bounds = { timeoutMs: WEBHOOK_TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, cut: true };
    await Promise.all([
      file && trying(file, () => append(file, `${body}\n`)),
      url && trying(new URL(url).host, () => ask({ url, ...request, ...bounds })),
    ]);
  };
  const schedule = clock.every(witness.everyMs, () => void tell());
  return {
    tell,
    secondsSinceSent: () => (isAnywhere ? (clock.monotonicMs() - sentMs) / 1_000 : undefined),
    async [Symbol.asyncDispose]() {
      schedule[Symbol.dispose]();
      await tell();
      ask[Symbol.dispose]();
    },
  };
}
