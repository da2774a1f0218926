/** Remembers the tries of messages that one receiver has not taken yet. */
import type { MonoMs } from '../core/clock.ts';

/** Messages whose tries are remembered, beyond those that are due. */
const REMEMBERED_MAX = 1_000;

interface Tries {
  readonly attempts: number;
  /** Its last try, counted over all messages. */
  readonly last: number;
  /** Answers of the receiver before the last try, and before the one before that. */
  readonly answersBefore: number;
  readonly answersBeforeThat: number;
  /** Tries that failed although the receiver had answered to other messages since the try before. */
  readonly alone: number;
  /** It is not offered before then. */
  readonly waitsUntilMs: MonoMs;
  /** Where its last answer was a no: the tries begun until then, and whether it waits only for the receiver. */
  readonly refused?: { readonly tries: number; readonly endsByTaking: boolean } | undefined;
  /** The failure of this message that is written down already. */
  readonly noted: string | undefined;
}

const NOT_TRIED: Tries = {
  ...{ attempts: 0, last: 0, answersBefore: Number.POSITIVE_INFINITY, answersBeforeThat: Number.POSITIVE_INFINITY },
  ...{ alone: 0, waitsUntilMs: Number.NEGATIVE_INFINITY, noted: undefined },
};

/** By the id of the message. What is forgotten is only offered sooner and written down once more. */
export class MessageTries {
  readonly #all = new Map<string, Tries>();
  #tries = 0;
  #answers = 0;
  /** The newest try that the receiver took. */
  #takenTry = 0;

  /** One more try. Gives how many that makes. */
  begin(id: string): number {
    const before = this.#of(id);
    const attempts = before.attempts + 1;
    this.#tries += 1;
    const answers = { answersBefore: this.#answers, answersBeforeThat: before.answersBefore };
    this.#all.set(id, { ...before, ...answers, attempts, last: this.#tries, waitsUntilMs: Number.NEGATIVE_INFINITY });
    return attempts;
  }

  /** The receiver took this message, or something that has no try here: it is there, and takes what it is sent. */
  noteTaken(id?: string): void {
    this.#answers += 1;
    if (id === undefined) this.#tries += 1;
    this.#takenTry = Math.max(this.#takenTry, id === undefined ? this.#tries : this.#of(id).last);
  }

  /** The receiver said no to a message: it is there. */
  noteRefusal(id: string): void {
    this.#answers += 1;
    const tries = this.#of(id);
    const isAlone = tries.refused !== undefined && this.#takenTry > tries.refused.tries;
    this.#all.set(id, { ...tries, refused: { tries: this.#tries, endsByTaking: !isAlone } });
  }

  /** A try failed as in an outage. Gives how often it did so while the receiver answered to others. */
  failed(id: string): number {
    const tries = this.#of(id);
    const alone = tries.alone + (this.#answers > tries.answersBeforeThat ? 1 : 0);
    this.#all.set(id, { ...tries, alone, refused: undefined });
    return alone;
  }

  /** From now on it waits. True when this failure of it was not written down yet. */
  wait(id: string, untilMs: MonoMs, error: string): boolean {
    const tries = this.#of(id);
    this.#all.set(id, { ...tries, waitsUntilMs: untilMs, noted: error });
    return tries.noted !== error;
  }

  /**
   * A receiver that said no to everything, as one with a wrong password, has been mended once it takes what it is sent
   * after that: what it refused goes at once. What it refuses once more all the same is refused for its content.
   */
  waitsUntilMs(id: string): MonoMs {
    const { waitsUntilMs, refused } = this.#of(id);
    const isMended = refused?.endsByTaking === true && this.#takenTry > refused.tries;
    return isMended ? Number.NEGATIVE_INFINITY : waitsUntilMs;
  }

  /** Since the receiver answered last, what was not tried comes first, then what was tried longest ago. */
  turnOf(id: string): number {
    const { last, answersBefore } = this.#of(id);
    return answersBefore === this.#answers ? last : 0;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  forget(id: string): void {
    this.#all.delete(id);
  }

  /** Keeps those that are due, where too many have piled up. */
  prune(due: () => ReadonlySet<string>): void {
    if (this.#all.size <= REMEMBERED_MAX) return;
    const wanted = due();
    for (const id of this.#all.keys()) if (!wanted.has(id)) this.#all.delete(id);
  }

  #of(id: string): Tries {
    return this.#all.get(id) ?? NOT_TRIED;
  }
}
