/** What Reeve concludes about a trouble: the closed set of classifications and what each means for people. */

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

/**
 * `unexplained`: says what was seen and not why, so unrecognised lines may show the cause. `leftover`: no cause of its
 * own where an earlier cause left it behind. `spared`: looking more often would add to it. `beside_output`: a doubt
 * about the observation, or wrong beside the picture: it leaves health as it is; every other trouble denies it.
 */
export type Trait = 'unexplained' | 'leftover' | 'spared' | 'beside_output';

export interface Classification {
  /** Undefined: one cause never gives it to several channels. */
  readonly family: Family | undefined;
  /** Trouble that viewers see, or that only a person can end, is loud; the observer's own trouble is not. */
  readonly severity: Severity;
  /** What a person does about it, where Reeve may not; undefined where the signals say it all. */
  readonly nextStep: string | undefined;
  /**
   * An incident is opened when it has lasted this long. Troubles of a source often come to several channels within
   * seconds, and some pass; after a busy moment an encoder catches up, and nothing is lost by looking again.
   */
  readonly openHoldMs: number;
  readonly traits: readonly Trait[];
}

/**
 * What Reeve concludes from symptoms of more than one kind, in order of precedence: the first that holds wins. This is
 * the only list: types, schemas and pages follow from it, docs/classification.md is held against it, and a row that
 * nothing in `ground/rules` recognises does not compile. What is planned for it stands in `config/rules`.
 */
const ROWS = {
  telemetry_untrusted: {
    family: 'observer',
    severity: 'warning',
    nextStep: 'Check the probes and the server that serves the output; the channel itself may be fine.',
    openHoldMs: 5_000,
    traits: ['beside_output'],
  },
  control_plane_down: {
    family: 'observer',
    severity: 'critical',
    nextStep: 'Check the streaming service: it does not answer, or not to the credentials that Reeve has for it.',
    openHoldMs: 5_000,
    traits: ['spared', 'beside_output'],
  },
  expected_quiet: {
    family: undefined,
    severity: 'info',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  host_exhausted: {
    family: 'host',
    severity: 'critical',
    nextStep: 'Free space, memory or descriptors on the host; a restart would not help.',
    openHoldMs: 1_000,
    traits: ['spared'],
  },
  pool_exhausted: {
    family: 'host',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  datastore_contention: {
    family: 'host',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  upstream_auth_expired: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'Renew the credentials of the source.',
    openHoldMs: 3_000,
    traits: [],
  },
  upstream_url_expired: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'The source refuses this address: have it resolved anew, or fail over.',
    openHoldMs: 3_000,
    traits: [],
  },
  upstream_not_found: {
    family: 'upstream',
    severity: 'critical',
    nextStep: 'The source does not have this item: correct the address or the playout.',
    openHoldMs: 3_000,
    traits: [],
  },
  upstream_rate_limited: {
    family: 'upstream',
    severity: 'warning',
    nextStep: undefined,
    openHoldMs: 3_000,
    traits: ['spared'],
  },
  upstream_unavailable: {
    family: 'upstream',
    severity: 'critical',
    nextStep:
      'The source is down or unreachable: call its operator, or fail over. Reeve starts what stays down after it.',
    openHoldMs: 3_000,
    traits: [],
  },
  hls_window_slip: {
    family: 'media',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  media_unplayable: {
    family: 'media',
    severity: 'critical',
    nextStep: 'The source delivers damaged media: fail over, or remove the item.',
    openHoldMs: 3_000,
    traits: [],
  },
  item_churn: {
    family: 'churn',
    severity: 'critical',
    nextStep:
      'It dies again and again; find the cause in its log before anything is restarted. If its log says nothing and ' +
      'it is not mended, Reeve tries one start ten minutes after its last death.',
    openHoldMs: 0,
    traits: [],
  },
  playout_empty: {
    family: 'playout',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  guide_stale: {
    family: 'playout',
    severity: 'info',
    nextStep: undefined,
    openHoldMs: 0,
    traits: ['beside_output'],
  },
  encoder_session_limit: {
    family: 'encoder',
    severity: 'critical',
    nextStep: 'Free an encoder session.',
    openHoldMs: 0,
    traits: [],
  },
  encoder_misconfigured: {
    family: 'encoder',
    severity: 'critical',
    nextStep: 'Roll back the last change of its settings, or repair the path, port or permission that its log names.',
    openHoldMs: 0,
    traits: [],
  },
  encode_too_slow: {
    family: 'encoder',
    severity: 'warning',
    nextStep: 'Shed load or lower the profile; check whether the source delivers slowly.',
    openHoldMs: 10_000,
    traits: [],
  },
  ghost_publisher: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  publish_rejected: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  tuner_slots_exhausted: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: [],
  },
  publisher_lost: {
    family: 'ingest',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: ['unexplained'],
  },
  process_crashed: {
    family: 'dead',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: ['unexplained', 'leftover'],
  },
  output_stalled: {
    family: 'stalled',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 0,
    traits: ['unexplained', 'leftover'],
  },
  unknown: {
    family: 'unknown',
    severity: 'critical',
    nextStep: undefined,
    openHoldMs: 5_000,
    traits: ['unexplained'],
  },
} as const satisfies Readonly<Record<string, Classification>>;

export type FailureClass = keyof typeof ROWS;
export const CLASSIFICATIONS: Readonly<Record<FailureClass, Classification>> = ROWS;
export const FAILURE_CLASSES = Object.keys(ROWS) as readonly FailureClass[];

/**
 * What Reeve's tools can bring about, and which troubles that can cure: a new process (law S10: no reading of a whole
 * log may put one of these in the place of something else), renewed credentials, a rebuilt playout, an emptied cache.
 * In the order in which a refusal names them.
 */
export const CURABLE_BY: Readonly<Record<'start' | 'credentials' | 'playout' | 'cache', readonly FailureClass[]>> = {
  start: ['process_crashed', 'output_stalled', 'hls_window_slip', 'publisher_lost'],
  credentials: ['upstream_auth_expired', 'upstream_url_expired'],
  playout: ['playout_empty', 'media_unplayable'],
  cache: ['upstream_url_expired', 'guide_stale'],
};

export const hasTrait = (classification: FailureClass, trait: Trait): boolean =>
  CLASSIFICATIONS[classification].traits.includes(trait);
