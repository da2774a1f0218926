// Keeps the last symptom of each kind and origin of a channel, bounded in number and age.
import type { EpochMs, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Origin, Symptom, SymptomKind } from '../../core/symptom.ts';

/**
 * The last of one kind of symptom from one origin; what is pushed and what is on trial are kept apart. Of readings of
 * the log as a whole the newest is kept.
 */
export interface SymptomFacts {
  readonly kind: SymptomKind;
  readonly origin: Origin;
  /** As in `Symptom`. */
  readonly pushed?: boolean;
  /** As in `Symptom`. */
  readonly onTrial?: true;
  /** As in `Symptom`. */
  readonly whole?: true;
  readonly at: EpochMs;
  readonly firstMs: MonoMs;
  readonly lastMs: MonoMs;
  readonly count: number;
  readonly windowMs: number;
  readonly confidence: number;
  readonly pattern: string | undefined;
  readonly evidence: Symptom['evidence'];
}

/** What a channel's log can say of its source. */
export const UPSTREAM_SYMPTOMS: readonly SymptomKind[] = [
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_not_found',
  'auth_expired',
  'auth_denied',
  'rate_limited',
  'dns_failure',
  'tls_failure',
];

/** A pause this long makes the next one a new occurrence. */
const APART_MS = MINUTE_MS;
const KEPT_MS = 600_000;
const KEPT = 24;

/** What speaks without patterns in staging; the same list where none of them does. */
export const withoutTrial = (symptoms: readonly SymptomFacts[]): readonly SymptomFacts[] =>
  symptoms.some(({ onTrial }) => onTrial === true) ? symptoms.filter(({ onTrial }) => onTrial !== true) : symptoms;

const isSame = (one: SymptomFacts, symptom: Symptom): boolean =>
  one.whole !== true &&
  one.kind === symptom.kind &&
  one.origin === symptom.origin &&
  (one.pushed === true) === (symptom.pushed === true) &&
  one.onTrial === symptom.onTrial;

/** Keeps one record per kind and origin; forgets what is long past, and the oldest when there are too many. */
export function nextSymptoms(before: readonly SymptomFacts[], symptom: Symptom): readonly SymptomFacts[] {
  const { monoMs } = symptom;
  const held = before.find((one) => (symptom.whole === true ? one.whole === true : isSame(one, symptom)));
  const goesOn = held?.kind === symptom.kind && monoMs - held.lastMs <= APART_MS;
  const fresh: SymptomFacts = {
    kind: symptom.kind,
    origin: symptom.origin,
    ...(symptom.pushed === true ? { pushed: true } : {}),
    ...(symptom.onTrial === true ? { onTrial: true } : {}),
    ...(symptom.whole === true ? { whole: true } : {}),
    at: symptom.at,
    firstMs: goesOn ? held.firstMs : monoMs,
    lastMs: symptom.whole === true ? monoMs : Math.max(monoMs, held?.lastMs ?? monoMs),
    count: symptom.countInWindow,
    windowMs: symptom.windowMs,
    confidence: symptom.confidence,
    pattern: symptom.pattern,
    evidence: symptom.evidence.slice(-3),
  };
  return [...before.filter((one) => one !== held && monoMs - one.lastMs <= KEPT_MS), fresh].slice(-KEPT);
}

/** By their id; source clients, which only send; and servers that say whom they turn away. */
const OF_PUBLISHER =
  /publish|ingest|stream_key|^(?:darkice_denied|obs_key|shout_login|(?:nginx_rtmp|nms)_denied|(?:owncast|peertube)_key|srs_hook)$/;

/** A refusal of who sends to a server: no new address helps, and no credentials for what the channel reads. */
export const isOfPublisher = ({ pattern }: Pick<SymptomFacts, 'pattern'>): boolean => OF_PUBLISHER.test(pattern ?? '');

/** Of a line that is written when a trouble begins and not while it lasts: a second one shows that it was over. */
export const isSaidOnce = ({ pattern }: Pick<SymptomFacts, 'pattern'>): boolean => pattern === 'liq_blank';
