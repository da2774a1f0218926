/** Reads log lines as newline-delimited JSON. */
import { z } from 'zod';
import { parseJson } from './json.ts';
import { ENTRIES_MAX, IntakeRefused, type SentLine } from './refused.ts';

const entry = z.strictObject({
  line: z.string().max(1_048_576),
  channel: z.string().max(200).optional(),
  /** Where it comes from, as the sender claims: stands before the line. */
  source: z
    .string()
    .regex(/^[\w./:@-]{1,100}$/, 'expected letters, digits and . / : @ _ -, at most 100')
    .optional(),
  at: z.union([z.number().int().positive(), z.iso.datetime({ offset: true })]).optional(),
});

const PROBLEMS_MAX = 5;

/** One line holds one flat object of four members. */
const LINE_LIMITS = { depth: 4, containers: 8, names: 16, values: 16 };

/**
 * `POST /api/v1/logs`: one `{"line", "channel"?, "source"?, "at"?}` to a line; `at` is milliseconds since the epoch or
 * ISO 8601 with a zone. Refused whole, with the first problems, when one of them is not that.
 */
export function ndjson(body: Buffer): readonly SentLine[] {
  const lines: SentLine[] = [];
  const problems: string[] = [];
  let number = 1;
  for (let from = 0; from < body.length && problems.length < PROBLEMS_MAX; from += 1) {
    const byte = body[from]!;
    if (byte === NEWLINE) number += 1;
    if (byte <= BLANK) continue;
    const newline = body.indexOf(NEWLINE, from);
    const record = body.subarray(from, newline < 0 ? body.length : newline);
    if (lines.length >= ENTRIES_MAX) throw new IntakeRefused(`expected at most ${ENTRIES_MAX} lines in one push`);
    const read = readOne(record);
    if (typeof read !== 'string') lines.push(read);
    else problems.push(`line ${number}: ${read}`);
    from += record.length;
    number += 1;
  }
  if (problems.length > 0) throw new IntakeRefused(problems.join('; '));
  return lines;
}

const NEWLINE = 10;
const BLANK = 32;

function readOne(record: Buffer): SentLine | string {
  let value: unknown;
  try {
    value = parseJson(record, 'a JSON object', LINE_LIMITS);
  } catch (thrown) {
    if (thrown instanceof IntakeRefused) return thrown.message;
    throw thrown;
  }
  const parsed = entry.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`;
  }
  const { line, channel, source, at } = parsed.data;
  const written = typeof at === 'string' ? Date.parse(at) : at;
  return { channel, text: source === undefined ? line : `${source}: ${line}`, at: written };
}
