/** The schema of pattern files, and the severity of symptoms. */
import { z } from 'zod';
import { SYMPTOMS, type SymptomKind } from '../../core/symptom.ts';
import { CHANGING_TOOLS, type ChangingTool } from '../../core/tool.ts';

/**
 * What a pattern says would help, were its claim true. The guard decides; this is only a hint about the class of
 * cure.
 */
export type Remedy = ChangingTool | 'escalate' | 'none';
const REMEDIES: readonly Remedy[] = [...CHANGING_TOOLS, 'escalate', 'none'];

const example = z.string().min(1).max(2000);

const patternEntry = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .max(64)
    .describe('Unique over all files; appears in evidence and metrics.'),
  symptom: z.enum(SYMPTOMS),
  confidence: z.number().min(0).max(1).default(0.8).describe('How well the words fit the symptom, not how bad it is.'),
  severity: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('Rank as a cause: where several lines speak, the highest wins. Default by symptom.'),
  regex: z.string().min(1).max(2000).describe('RE2 syntax: no look-around, no back-references.'),
  any: z.array(z.string().min(3).max(120)).max(16).optional().describe('The line must hold one of these.'),
  all: z.array(z.string().min(1).max(120)).max(8).optional().describe('The line must hold every one of these.'),
  none: z.array(z.string().min(1).max(120)).max(16).optional().describe('The line must hold none of these.'),
  remedy: z.enum(REMEDIES).optional().describe('Default by symptom.'),
  ends: z
    .array(z.enum(SYMPTOMS))
    .min(1)
    .max(12)
    .optional()
    .describe(
      'The line says that these are over: what stands before it of them counts for nothing, nor does the line itself.',
    ),
  consequence: z
    .boolean()
    .optional()
    .describe('The line says what came of a trouble: where the lines around it name one cause, that is the finding.'),
  notice: z
    .enum(['started', 'exited'])
    .optional()
    .describe('The line reports a process: named groups "channel" and "pid" say which.'),
  match: z.array(example).min(1).max(12).describe('Lines that must match, checked when the file is loaded.'),
  not_match: z.array(example).max(12).default([]).describe('Lines that must not match.'),
});

/** A file under config/patterns. Strict: a misspelt key is an error. */
export const patternDocument = z.strictObject({
  software: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]*$/)
    .max(40),
  priority: z
    .int()
    .min(0)
    .max(100)
    .default(50)
    .describe('Files of a higher number are asked first: the words of one program before words that many use.'),
  anchor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("RE2 syntax: the mark of this program. Lines without it are none of this file's business."),
  patterns: z.array(patternEntry).max(500),
});

export type PatternEntry = z.infer<typeof patternEntry>;
export type PatternDocument = z.infer<typeof patternDocument>;

/** A parsed pattern file and where its values stand. Lines and columns count from 1. */
export interface PatternSource {
  readonly file: string;
  readonly value: unknown;
  position(path: readonly PropertyKey[]): { readonly line: number; readonly column: number };
}

/**
 * How near each symptom usually is to the root of the trouble: a full disk makes exits, a bad codec makes failed
 * writes.
 * The cause outranks its consequences wherever both are seen together.
 */
export const SEVERITY: Readonly<Record<SymptomKind, number>> = {
  disk_full: 92,
  process_killed_oom: 90,
  fd_exhaustion: 88,
  port_in_use: 86,
  permission_denied: 84,
  hw_accel_failure: 82,
  dns_failure: 80,
  tls_failure: 79,
  auth_expired: 78,
  rate_limited: 77,
  auth_denied: 76,
  db_pool_exhaustion: 76,
  db_locked: 75,
  codec_unsupported: 74,
  config_error: 73,
  ghost_publisher: 73,
  tuner_slots_exhausted: 72,
  playout_gap: 71,
  upstream_not_found: 70,
  process_crash: 68,
  upstream_unreachable: 65,
  upstream_timeout: 64,
  segment_missing: 62,
  buffer_underrun: 60,
  encoder_overload: 58,
  publisher_lost: 57,
  stalled_output: 56,
  guide_stale: 55,
  corrupt_input: 50,
  clock_skew_or_dts: 45,
  process_exit_nonzero: 30,
  client_disconnect_benign: 20,
  benign_noise: 10,
  unknown: 5,
};

/** The class of cure that a symptom alone may suggest. Restarting is never a default: a pattern must say so itself. */
export const REMEDY: Readonly<Record<SymptomKind, Remedy>> = {
  upstream_unreachable: 'escalate',
  upstream_timeout: 'none',
  upstream_not_found: 'escalate',
  auth_expired: 'refresh_credentials',
  auth_denied: 'escalate',
  rate_limited: 'none',
  dns_failure: 'escalate',
  tls_failure: 'escalate',
  corrupt_input: 'none',
  codec_unsupported: 'escalate',
  encoder_overload: 'escalate',
  hw_accel_failure: 'escalate',
  process_crash: 'escalate',
  process_killed_oom: 'escalate',
  process_exit_nonzero: 'escalate',
  stalled_output: 'escalate',
  buffer_underrun: 'none',
  disk_full: 'escalate',
  permission_denied: 'escalate',
  port_in_use: 'escalate',
  fd_exhaustion: 'escalate',
  db_pool_exhaustion: 'escalate',
  db_locked: 'none',
  playout_gap: 'rebuild_playout',
  segment_missing: 'none',
  clock_skew_or_dts: 'none',
  config_error: 'escalate',
  ghost_publisher: 'escalate',
  publisher_lost: 'none',
  tuner_slots_exhausted: 'escalate',
  guide_stale: 'invalidate_cache',
  client_disconnect_benign: 'none',
  benign_noise: 'none',
  unknown: 'escalate',
};
