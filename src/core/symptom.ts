/** The vocabulary of symptoms. */
import type { EpochMs, MonoMs } from './clock.ts';
import type { ChannelId } from './scope.ts';

/** What a line, a probe or a metric says. Never acted on by itself. Meanings: docs/classification.md. */
export const SYMPTOMS = [
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_not_found',
  'auth_expired',
  'auth_denied',
  'rate_limited',
  'dns_failure',
  'tls_failure',
  'corrupt_input',
  'codec_unsupported',
  'encoder_overload',
  'hw_accel_failure',
  'process_crash',
  'process_killed_oom',
  'process_exit_nonzero',
  'stalled_output',
  'buffer_underrun',
  'disk_full',
  'permission_denied',
  'port_in_use',
  'fd_exhaustion',
  'db_pool_exhaustion',
  'db_locked',
  'playout_gap',
  'segment_missing',
  'clock_skew_or_dts',
  'config_error',
  'ghost_publisher',
  'publisher_lost',
  'tuner_slots_exhausted',
  'guide_stale',
  'client_disconnect_benign',
  'benign_noise',
  'unknown',
] as const;
export type SymptomKind = (typeof SYMPTOMS)[number];

/** Recognised as needing nothing, or not recognised at all: these never open an incident. */
export const HARMLESS_SYMPTOMS: ReadonlySet<SymptomKind> = new Set([
  'client_disconnect_benign',
  'benign_noise',
  'unknown',
]);

/** Where evidence comes from. Text can be forged by an outsider; a probe, a metric or the process table cannot. */
export const ORIGINS = ['log', 'probe', 'metric', 'process', 'host'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Who can have written a piece of evidence: all that others say is one witness, however many say it. */
export type EvidenceKind = Exclude<Origin, 'log'> | 'forgeable';

/**
 * Law S10: log text, and what was pushed through the intake (alerts too, which may be made of log text), can be written
 * by one sender. So they are one witness, and never the one that an outsider cannot write.
 */
export const evidenceKindOf = ({
  origin,
  pushed,
}: {
  readonly origin: Origin;
  readonly pushed?: boolean;
}): EvidenceKind => (origin === 'log' || pushed === true ? 'forgeable' : origin);

/** A bounded, redacted piece of what was seen, kept so that an operator can check the claim. */
export interface Excerpt {
  /** Stable within one envelope, for example `e1`. */
  readonly id: string;
  readonly at: EpochMs;
  readonly origin: Origin;
  readonly source: string;
  /** At most 400 characters. */
  readonly text: string;
}

/** Evidence of one kind about one channel, counted in a window. */
export interface Symptom {
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
  readonly channel: ChannelId;
  readonly kind: SymptomKind;
  readonly origin: Origin;
  /** A sender pushed it, through the intake: as a witness it is worth what a log line is. */
  readonly pushed?: boolean;
  readonly countInWindow: number;
  readonly windowMs: number;
  /** 0 to 1: how well the pattern fits, not how bad the trouble is. */
  readonly confidence: number;
  /** The catalogue pattern that matched, when the origin is a log. */
  readonly pattern: string | undefined;
  /** The pattern is in staging: what rests on it alone is asked about before it is done. */
  readonly onTrial?: true;
  /** It is what the last lines of the log say as a whole, not what one of them says. */
  readonly whole?: true;
  /** The last lines behind it, newest last, at most 3; of a whole reading the line that decided is the last. */
  readonly evidence: readonly { readonly source: string; readonly text: string }[];
}

/** What a log says as a whole, if it names a cause. `waits`: it was not read, for too much was read just now. */
export type LogReading = Symptom | 'waits' | undefined;
