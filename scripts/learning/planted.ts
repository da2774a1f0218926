/** Rules and patterns that somebody puts into use and should not have: they must fall by themselves. */

const rule = (id: string, classification: string, channel: string, call: string) => ({
  id,
  text: `id: ${id}
description: planted
classification: ${classification}
priority: 300
when:
  - { fact: channel_id, equals: ${channel} }
then:
  - call: ${call}
  - escalate: true
`,
});

/** Useless: the library is empty. Harmful: the playout hangs on the cache. */
export const PLANTED_RULES = [
  rule('planted_useless', 'hls_window_slip', 'ch5', 'restart_channel'),
  rule('planted_harmful', 'guide_stale', 'ch3', 'invalidate_cache'),
  rule('planted_overreaching', 'media_unplayable', 'ch0', 'restart_channel'),
];

const pattern = (id: string, symptom: string, regex: string, match: string) => ({
  id,
  text: `software: taught
priority: 40
patterns:
  - id: ${id}
    symptom: ${symptom}
    confidence: 0.8
    regex: ${JSON.stringify(regex)}
    match:
      - ${JSON.stringify(match)}
    not_match:
      - "all is well"
`,
});

/** Over-general: it fits what channels say on good days, too. Useless: it names another trouble. */
export const PLANTED_PATTERNS = [
  pattern(
    'planted_over_general',
    'playout_gap',
    'finished with a failed peer',
    'round 7 finished with a failed peer; retrying',
  ),
  pattern(
    'planted_useless_words',
    'segment_missing',
    'splice ledger barren',
    'splice ledger barren past cue 12; holding slate',
  ),
];
