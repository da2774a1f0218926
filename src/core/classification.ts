/** What Reeve concludes about a trouble: the closed set of classifications and what each means for people. */

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

/** Classes that one cause can give to several channels at once. */
const FAMILIES = [
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

export interface Classification {
  /** Undefined: one cause never gives it to several channels. */
  readonly family: Family | undefined;
  /** Trouble that viewers see, or that only a person can end, is loud; the observer's own trouble is not. */
  readonly severity: Severity;
  /** What a person does about it, where Reeve may not; undefined where the signals say it all. */
  readonly nextStep: string | undefined;
}

/**
 * One row for each classification; a class without a row does not compile. What cures it stands in the tools' own
 * specs (`cures`), what recognises it in `ground/rules`, what is planned for it in `config/rules`.
 */
export const CLASSIFICATIONS: Readonly<Record<FailureClass, Classification>> = {
  telemetry_untrusted: {
    family: 'observer',
    severity: 'warning',
    nextStep: 'Check the probes and the server that serves the output; the channel itself may be fine.',
  },
  control_plane_down: {
    family: 'observer',
    severity: 'critical',
    nextStep: 'Check the streaming service itself: it does not answer.',
  },
  expected_quiet: {
    family: undefined,
    severity: 'info',
    nextStep: undefined,
  },
  host_exhausted: {
    family: 'host',
    severity: 'critical',
    nextStep: 'Free space, memory or descriptors on the host; a restart would not help.',
  },
  pool_exhausted: {
    family: 'host',
    severity: 'critical',
    nextStep: undefined,
  },
  datastore_contention: {
    family: 'host',
    severity: 'critical',
    nextStep: undefined,
  },
  upstream_auth_expired: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'Renew the credentials of the source.',
  },
  upstream_url_expired: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'The source refuses this address: have it resolved anew, or fail over.',
  },
  upstream_not_found: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'The source does not have this item: correct the address or the playout.',
  },
  upstream_rate_limited: {
    family: 'upstream',
    severity: 'warning',
    nextStep: undefined,
  },
  upstream_unavailable: {
    family: 'upstream',
    severity: 'critical',
    nextStep:
      'The source is down or unreachable: call its operator, or fail over. Reeve starts what stays down after it.',
  },
  hls_window_slip: {
    family: 'media',
    severity: 'critical',
    nextStep: undefined,
  },
  media_unplayable: {
    family: 'media',
    severity: 'critical',
    nextStep: 'The source delivers damaged media: fail over, or remove the item.',
  },
  item_churn: {
    family: 'churn',
    severity: 'critical',
    nextStep:
      'It dies again and again; find the cause in its log before anything is restarted. If its log says nothing and ' +
      'it is not mended, Reeve tries one start ten minutes after its last death.',
  },
  playout_empty: {
    family: 'playout',
    severity: 'critical',
    nextStep: undefined,
  },
  guide_stale: {
    family: 'playout',
    severity: 'info',
    nextStep: undefined,
  },
  encoder_session_limit: {
    family: 'encoder',
    severity: 'critical',
    nextStep: 'Free an encoder session.',
  },
  encoder_misconfigured: {
    family: 'encoder',
    severity: 'critical',
    nextStep: 'Roll back the last change of its settings, or repair the path, port or permission that its log names.',
  },
  encode_too_slow: {
    family: 'encoder',
    severity: 'warning',
    nextStep: 'Shed load or lower the profile; check whether the source delivers slowly.',
  },
  ghost_publisher: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
  },
  publish_rejected: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
  },
  tuner_slots_exhausted: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
  },
  publisher_lost: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
  },
  process_crashed: {
    family: 'dead',
    severity: 'critical',
    nextStep: undefined,
  },
  output_stalled: {
    family: 'stalled',
    severity: 'critical',
    nextStep: undefined,
  },
  unknown: {
    family: 'unknown',
    severity: 'critical',
    nextStep: undefined,
  },
};
