/** Defines the errors that people see, with code, hint and exit code. */

/** `retryable`: asking again later may work. `exitCode`: what the command ends with (sysexits). */
const CODES = {
  USAGE: { retryable: false, exitCode: 64 },
  /** There is nothing of the name that was typed. */
  NOT_FOUND: { retryable: false, exitCode: 64 },
  CONFIG_INVALID: { retryable: false, exitCode: 78 },
  JOURNAL_UNWRITABLE: { retryable: false, exitCode: 74 },
  JOURNAL_BROKEN: { retryable: false, exitCode: 74 },
  DERIVED_BROKEN: { retryable: false, exitCode: 74 },
  /** The disk has no room for what a command was to write. */
  OUTPUT_UNWRITABLE: { retryable: false, exitCode: 74 },
  ENGINE_UNREACHABLE: { retryable: true, exitCode: 69 },
  ENGINE_REFUSED: { retryable: false, exitCode: 69 },
  ENGINE_ANSWER_INVALID: { retryable: false, exitCode: 69 },
  MODEL_UNREACHABLE: { retryable: true, exitCode: 69 },
  MODEL_REFUSED: { retryable: false, exitCode: 69 },
  MODEL_ANSWER_INVALID: { retryable: false, exitCode: 69 },
  ANSWER_TOO_LARGE: { retryable: false, exitCode: 69 },
  BREAKER_OPEN: { retryable: true, exitCode: 75 },
  RECEIVER_UNREACHABLE: { retryable: true, exitCode: 69 },
  RECEIVER_REFUSED: { retryable: false, exitCode: 69 },
  DAEMON_UNREACHABLE: { retryable: true, exitCode: 69 },
  DAEMON_FAILED: { retryable: true, exitCode: 70 },
  PORT_UNAVAILABLE: { retryable: true, exitCode: 69 },
  TIMED_OUT: { retryable: true, exitCode: 75 },
  QUEUE_FULL: { retryable: true, exitCode: 75 },
} as const;

export type ErrorCode = keyof typeof CODES;

/** Something outside Reeve went wrong. The code is stable; the message is for people; the hint says what to do. */
export class ReeveError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; hint?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReeveError';
    this.code = code;
    this.hint = options.hint;
  }

  get retryable(): boolean {
    return CODES[this.code].retryable;
  }

  get exitCode(): number {
    return CODES[this.code].exitCode;
  }
}

/** Reeve itself is wrong. Never caught to carry on: the lane fails closed and a person is notified. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Makes the compiler object when a new case appears. */
export function unreachable(value: never): never {
  throw new InvariantError(`unhandled case: ${JSON.stringify(value)}`);
}

/** One sentence about anything that was thrown, for a log line or a journal fact. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof ReeveError) return `${thrown.code}: ${thrown.message}`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Work of a timer: no caller could receive its error, and one that is thrown ends Reeve, which is for bugs alone. */
export function safely(what: string, work: () => void, fail: (text: string) => void): void {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof InvariantError) throw thrown;
    fail(`${what}: ${messageOf(thrown)}`);
  }
}

/** A problem in a file that an operator edits. Lines and columns count from 1. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path of the value, for example `limits.window_starts_max`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}
