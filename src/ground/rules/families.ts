import { FAILURE_CLASSES, type FailureClass } from '../../core/classification.ts';

/** Classes that one cause can give to several channels at once. */
export const FAMILIES = [
  'observer',
  'host',
  'upstream',
  'media',
  'encoder',
  'ingest',
  'playout',
  'churn',
  'dead',
  'stalled',
  'unknown',
] as const;
export type Family = (typeof FAMILIES)[number];

const FAMILY_OF: Readonly<Record<FailureClass, Family | undefined>> = {
  telemetry_untrusted: 'observer',
  control_plane_down: 'observer',
  expected_quiet: undefined,
  host_exhausted: 'host',
  pool_exhausted: 'host',
  datastore_contention: 'host',
  upstream_auth_expired: 'upstream',
  upstream_url_expired: 'upstream',
  upstream_not_found: 'upstream',
  upstream_rate_limited: 'upstream',
  upstream_unavailable: 'upstream',
  hls_window_slip: 'media',
  media_unplayable: 'media',
  item_churn: 'churn',
  playout_empty: 'playout',
  guide_stale: 'playout',
  encoder_session_limit: 'encoder',
  encoder_misconfigured: 'encoder',
  encode_too_slow: 'encoder',
  ghost_publisher: 'ingest',
  publish_rejected: 'ingest',
  tuner_slots_exhausted: 'ingest',
  publisher_lost: 'ingest',
  process_crashed: 'dead',
  output_stalled: 'stalled',
  unknown: 'unknown',
};

export const familyOf = (classification: FailureClass): Family | undefined => FAMILY_OF[classification];

/** Families whose cause lies with the engine or its machine, not with a group of channels. */
export const OF_ENGINE: ReadonlySet<Family> = new Set<Family>(['observer', 'host']);
/** Families for which the whole of a small group is as telling as three of a large one. */
export const OF_WHOLE_GROUP: ReadonlySet<Family> = new Set<Family>(['observer', 'host', 'upstream']);
/** What the engine or a moment's patience may still mend. */
export const MENDS_ITSELF: ReadonlySet<Family> = new Set<Family>(['dead', 'stalled', 'unknown']);
/** Not a cause of their own where an earlier cause left them behind. */
export const LEFTOVERS: ReadonlySet<FailureClass> = new Set<FailureClass>(['process_crashed', 'output_stalled']);

/** The most frequent; between equals the one that comes first in precedence. */
export function dominating(classes: readonly FailureClass[]): FailureClass {
  const count = (one: FailureClass): number => classes.filter((other) => other === one).length;
  const ranked = FAILURE_CLASSES.filter((one) => classes.includes(one));
  return ranked.reduce((best, one) => (count(one) > count(best) ? one : best), ranked[0] ?? 'unknown');
}
