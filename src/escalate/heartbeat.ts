// Says to a service elsewhere that Reeve lives and can call a person; that service pages when it no longer hears it.
import type { Clock, MonoMs } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { boundedFetch } from '../resilience/http.ts';

/** Where, and how often. */
export interface HeartbeatSettings {
  readonly everyMs: number;
  /** Asked with GET; any answer of 2xx has taken it. */
  readonly url: { reveal(): string };
}

interface HeartbeatDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Why Reeve cannot do its work, so that somebody else has to page; undefined while it can. */
  readonly unfit: () => string | undefined;
}

export interface Heartbeat extends Disposable {
  /** Since the service last took one; where it never did in this life, since it was first asked. */
  secondsSinceTaken(): number;
  /** Why the last one did not leave or was not taken; undefined when it was. */
  trouble(): string | undefined;
}

const TIMEOUT_MS = 10 * SECOND_MS;
/** So much of an answer is read: its status is all that counts. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** One that was not taken is tried again so often and so far apart: one lost packet must not wake a person. */
const TRIES = 3;
const AGAIN_MS = 3 * SECOND_MS;

/**
 * Sends at once and then on the schedule, until it is disposed of: a Reeve that was stopped is silent like one that
 * hangs. While `unfit` says why, nothing is sent. What changes is logged once.
 */
export function startHeartbeat({ everyMs, url }: HeartbeatSettings, { clock, log, unfit }: HeartbeatDeps): Heartbeat {
  const ask = boundedFetch(clock);
  const stopped = new AbortController();
  let takenMs = clock.monotonicMs();
  let trouble: string | undefined;
  let isSending = false;
  const settled = (now: string | undefined): void => {
    if (stopped.signal.aborted || now === trouble) return;
    if (now === undefined) log.info({}, 'the heartbeat is taken again');
    else log.error({}, now);
    trouble = now;
  };
  const bounds = { timeoutMs: TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, cut: true, signal: stopped.signal };
  const sent = async (): Promise<string | undefined> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const because = unfit();
        if (because !== undefined) return `the heartbeat is withheld, so that somebody else pages: ${because}`;
        await ask({ url: url.reveal(), ...bounds });
        takenMs = clock.monotonicMs();
        return undefined;
      } catch (thrown) {
        if (stopped.signal.aborted || tries === TRIES) return `the heartbeat is not taken: ${messageOf(thrown)}`;
        await clock.sleep(AGAIN_MS, stopped.signal).catch(() => undefined);
      }
    }
  };
  const beat = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    try {
      settled(await sent());
    } finally {
      isSending = false;
    }
  };
  const schedule = clock.every(everyMs, () => void beat());
  void beat();
  return {
    secondsSinceTaken: () => (clock.monotonicMs() - takenMs) / SECOND_MS,
    trouble: () => trouble,
    [Symbol.dispose]() {
      stopped.abort();
      schedule[Symbol.dispose]();
      ask[Symbol.dispose]();
    },
  };
}

/** What of Reeve says whether it can see and call. */
interface Fitness {
  /** When the decision loop finished its last round; undefined before its first. */
  readonly keptUpMs: MonoMs | undefined;
  readonly nowMs: MonoMs;
  readonly receivers: readonly ReceiverFitness[];
  /** Of each critical page that is open and that nobody has: the receivers to which it leads by now. */
  readonly unheard: readonly (readonly string[])[];
}

interface ReceiverFitness {
  readonly receiver: string;
  /** How long it has taken nothing of what was sent to it. */
  readonly failingForMs: number | undefined;
  /** Something waits for it. */
  readonly isOwed: boolean;
}

/** The loop goes round each second. */
const IDLE_MS_MAX = 30 * SECOND_MS;
/** Longer than a receiver that is started anew. */
const FAILING_MS_MAX = 120 * SECOND_MS;

/** Why somebody else has to page: nothing is decided, or no receiver takes what is sent. */
export function unfitness({ keptUpMs, nowMs, receivers, unheard }: Fitness): string | undefined {
  const idleMs = nowMs - (keptUpMs ?? nowMs);
  if (idleMs > IDLE_MS_MAX) return `nothing has been decided for ${Math.round(idleMs / SECOND_MS)} s`;
  // One that failed at the last message of all, as at a repeat of what somebody has now, is asked again with the next.
  const isAnyOwed = receivers.some(({ isOwed }) => isOwed);
  if (isAnyOwed && receivers.every(fails)) return 'no receiver takes pages';
  // Routes may lead a page to some receivers alone: that the others take theirs does not bring it to anybody.
  const failing = new Set(receivers.filter(fails).map(({ receiver }) => receiver));
  const isLost = unheard.some((names) => names.length > 0 && names.every((name) => failing.has(name)));
  return isLost ? NOBODY_HAS : undefined;
}

const NOBODY_HAS = 'a critical page waits that nobody has, and no receiver that is to have it takes it';

const fails = ({ failingForMs = 0 }: ReceiverFitness): boolean => failingForMs > FAILING_MS_MAX;
