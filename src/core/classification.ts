/**
 * What Reeve concludes from symptoms of more than one kind, in order of precedence: the first that holds wins.
 * A closed set; each has a row in docs/classification.md.
 */
export const FAILURE_CLASSES = [
  'telemetry_untrusted',
  'control_plane_down',
  'expected_quiet',
  'host_exhausted',
  'pool_exhausted',
  'datastore_contention',
  'upstream_auth_expired',
  'upstream_url_expired',
  'upstream_not_found',
  'upstream_rate_limited',
  'upstream_unavailable',
  'hls_window_slip',
  'media_unplayable',
  'item_churn',
  'playout_empty',
  'guide_stale',
  'encoder_session_limit',
  'encoder_misconfigured',
  'encode_too_slow',
  'ghost_publisher',
  'publish_rejected',
  'tuner_slots_exhausted',
  'publisher_lost',
  'process_crashed',
  'output_stalled',
  'unknown',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** A symptom's severity for people: how loud the page is. */
export type Severity = 'info' | 'warning' | 'critical';
