// Reads JSON that strangers send, after a look at how much it would grow: a parser makes 120 bytes of each `{}`.
import { IntakeRefused } from './refused.ts';

/** What one JSON text may hold. Each is a count of the whole text, not of one object. */
export interface JsonLimits {
  /** Objects and arrays inside each other. */
  readonly depth: number;
  /** Objects and arrays. */
  readonly containers: number;
  /** Names of members, repeated ones as well. */
  readonly names: number;
  /** Commas, of which each stands before one more value. */
  readonly values: number;
}

/**
 * For one pushed body. Measured with the daemon's own V8 options at the limit of each: at most 20 MB. An export of
 * logs with twelve attributes to a record reaches them with 550 records.
 */
const BODY_LIMITS: JsonLimits = { depth: 32, containers: 15_000, names: 24_000, values: 45_000 };

/** Parses JSON, or refuses it with the reason. What is over a limit is refused before anything is made of it. */
export function parseJson(body: Buffer, what: string, limits: JsonLimits = BODY_LIMITS): unknown {
  const over = excessOf(body, limits);
  if (over !== undefined) throw new IntakeRefused(`expected ${what} with at most ${over}: send smaller batches`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (thrown) {
    throw new IntakeRefused(`expected ${what} as JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Which limit the text breaks; undefined when none. One pass over the bytes, nothing allocated. Of text that is no JSON
 * it may say either: then the parser finds out, and stops where the text stops being JSON.
 */
function excessOf(body: Buffer, limits: JsonLimits): string | undefined {
  let [depth, containers, names, values] = [0, 0, 0, 0];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]!;
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) names += 1;
    else if (isOpening(byte)) {
      depth += 1;
      containers += 1;
      if (depth > limits.depth) return `${limits.depth} objects and arrays inside each other`;
    } else if (isClosing(byte)) depth -= 1;
  }
  if (containers > limits.containers) return `${limits.containers} objects and arrays`;
  if (names > limits.names) return `${limits.names} names of members`;
  return values > limits.values ? `${limits.values} values` : undefined;
}

/** `[` and `{`, `]` and `}`: each pair differs in one bit. */
const isOpening = (byte: number): boolean => (byte | 0x20) === 0x7b;
const isClosing = (byte: number): boolean => (byte | 0x20) === 0x7d;

/** Where its closing quote stands, or the end of the text. */
function endOfString(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}
