/** Defines how a push is refused, and reads the fields that all kinds of pushes share. */

/** What was sent is not what the route takes. The message says what was expected and what came. */
export class IntakeRefused extends Error {
  override readonly name = 'IntakeRefused';
}

/** One line as a sender names it. */
export interface SentLine {
  /** The channel as the sender names it, not yet looked up. */
  readonly channel: string | undefined;
  readonly text: string;
  /** Milliseconds since the epoch, by the sender's clock. */
  readonly at: number | undefined;
}

/** Entries of one request: more would be parsed for too long at a stretch. */
export const ENTRIES_MAX = 20_000;

/** Nanoseconds since the epoch as decimal text or number; undefined for what is none, and for 0 (not set). */
export function fromNanoseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 && Number.isFinite(value) ? Math.floor(value / 1e6) : undefined;
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return undefined;
  // Up to 14 digits are left, which a number holds exactly.
  const ms = Number(value.slice(0, -6));
  return ms > 0 ? ms : undefined;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these labels that is set. */
export function labelled(
  labels: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const value =
      labels instanceof Map ? labels.get(name) : ownValue(labels as Readonly<Record<string, unknown>>, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

const ownValue = (labels: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(labels, name) ? labels[name] : undefined;
