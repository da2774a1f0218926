import { z } from 'zod';
import { ENTRIES_MAX, IntakeRefused, type SentLine } from './refused.ts';

const entry = z.strictObject({
  line: z.string().max(1_048_576),
  channel: z.string().max(200).optional(),
  /** Where it comes from by the sender's word: stands before the line. */
  source: z
    .string()
    .regex(/^[\w./:@-]{1,100}$/, 'expected letters, digits and . / : @ _ -, at most 100')
    .optional(),
  at: z.union([z.number().int().positive(), z.iso.datetime({ offset: true })]).optional(),
});

const PROBLEMS_MAX = 5;

/**
 * `POST /api/v1/logs`: one `{"line", "channel"?, "source"?, "at"?}` to a line; `at` is milliseconds since the epoch or
 * ISO 8601 with a zone. Refused whole, with the first problems, when one of them is not that.
 */
export function ndjson(body: Buffer): readonly SentLine[] {
  const lines: SentLine[] = [];
  const problems: string[] = [];
  for (const [index, text] of body.toString('utf8').split('\n').entries()) {
    if (text.trim() === '') continue;
    if (lines.length >= ENTRIES_MAX) throw new IntakeRefused(`expected at most ${ENTRIES_MAX} lines in one push`);
    const read = readOne(text);
    if (typeof read !== 'string') lines.push(read);
    else problems.push(`line ${index + 1}: ${read}`);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  if (problems.length > 0) throw new IntakeRefused(problems.join('; '));
  return lines;
}

function readOne(text: string): SentLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'expected a JSON object';
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
