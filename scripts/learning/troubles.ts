/** Twelve kinds of trouble: three whose log lines no shipped pattern matches, three without a rule, six that are known. */
import { MINUTE_MS } from '../../src/core/duration.ts';
import type { SymptomKind } from '../../src/core/symptom.ts';
import type { ToolName } from '../../src/core/tool.ts';
import type { ServiceModel } from '../../src/simulation/service_model.ts';
import { refuseCredentials } from '../../src/simulation/treatments.ts';

export const FAMILIES = ['unknown_words', 'no_rule', 'known'] as const;

/** One kind of trouble, as it really is. */
export interface Trouble {
  readonly id: string;
  readonly family: (typeof FAMILIES)[number] | 'planted';
  /** The channels that it may come to. */
  readonly channels: readonly string[];
  begin(service: ServiceModel, channel: string): void;
  /** What the log says again and again while it lasts. */
  readonly line?: (lot: number) => string;
  /** The classification of the line; undefined: nothing that names it. */
  readonly means?: SymptomKind;
  /** What cures it; undefined: it goes by itself, or a person must come. */
  readonly cure?: ToolName;
  /** Where the picture stays fine: for how long the line is repeated. */
  readonly talksMs?: number;
  /** The day on which its cause is gone for good; undefined: never. */
  readonly untilDay?: number;
  /** Mean hours between two. */
  readonly everyHours: number;
}

export const CHANNELS = ['ch0', 'ch1', 'ch2', 'ch3', 'ch4', 'ch5', 'ch6', 'ch7'] as const;
/** Their source is probed. */
export const SOURCED: readonly string[] = ['ch6', 'ch7'];
const PLAIN = ['ch0', 'ch1', 'ch2', 'ch4'];

const ailing = (cure: ToolName | 'person') => (service: ServiceModel, channel: string) => service.ail(channel, cure);

/** Rules of the shipped set that the operator of this run does not have. */
export const WITHOUT_RULES: ReadonlySet<string> = new Set([
  'output_stalled',
  'publisher_lost',
  'upstream_url_expired',
  'guide_stale',
]);

export const TROUBLES: readonly Trouble[] = [
  {
    id: 'slate_held',
    family: 'unknown_words',
    channels: PLAIN,
    begin: ailing('rebuild_playout'),
    line: (lot) => `[error] splice ledger barren past cue ${lot}; holding slate`,
    means: 'playout_gap',
    cure: 'rebuild_playout',
    everyHours: 14,
  },
  {
    id: 'reader_adrift',
    family: 'unknown_words',
    channels: PLAIN,
    begin: ailing('restart_channel'),
    line: (lot) => `[error] reader adrift: wanted part ${lot}, oldest kept lies beyond`,
    means: 'segment_missing',
    cure: 'restart_channel',
    everyHours: 14,
  },
  {
    id: 'entitlement_lapsed',
    family: 'unknown_words',
    channels: PLAIN,
    begin: ailing('refresh_credentials'),
    line: (lot) => `[error] entitlement voucher ${lot} lapsed; origin grants nothing more`,
    means: 'auth_expired',
    cure: 'refresh_credentials',
    everyHours: 14,
  },
  {
    id: 'publisher_gone',
    family: 'no_rule',
    channels: PLAIN,
    begin: ailing('restart_channel'),
    line: () => 'INF [path news] source is not ready: publisher disconnected',
    means: 'publisher_lost',
    cure: 'restart_channel',
    everyHours: 12,
  },
  {
    id: 'address_stale',
    family: 'no_rule',
    channels: PLAIN,
    begin: ailing('invalidate_cache'),
    line: () => '[https @ 0x55] HTTP error 403 Forbidden',
    means: 'auth_denied',
    cure: 'invalidate_cache',
    everyHours: 12,
  },
  {
    id: 'freeze',
    family: 'no_rule',
    channels: PLAIN,
    begin: (service, channel) => service.freeze(channel),
    cure: 'restart_channel',
    everyHours: 12,
  },
  {
    id: 'crash',
    family: 'known',
    channels: PLAIN,
    begin: (service, channel) => service.crash(channel, { exitSignal: 11 }),
    cure: 'restart_channel',
    everyHours: 12,
  },
  {
    id: 'segments_skipped',
    family: 'known',
    channels: PLAIN,
    begin: ailing('restart_channel'),
    line: (lot) => `[hls @ 0x55] skipping ${lot % 90} segments ahead, expired from playlists`,
    means: 'segment_missing',
    cure: 'restart_channel',
    everyHours: 12,
  },
  {
    id: 'nothing_to_play',
    family: 'known',
    channels: PLAIN,
    begin: ailing('rebuild_playout'),
    line: () => 'Channel news has no playout items',
    means: 'playout_gap',
    cure: 'rebuild_playout',
    everyHours: 12,
  },
  {
    id: 'hiccup',
    family: 'known',
    channels: PLAIN,
    begin: (service, channel) => service.hiccup(channel, 2_500),
    everyHours: 16,
  },
  {
    id: 'source_out',
    family: 'known',
    channels: SOURCED,
    begin: (service, channel) => service.outage(service.at(channel).plan.group, 3 * MINUTE_MS),
    everyHours: 24,
  },
  {
    id: 'access_refused',
    family: 'known',
    channels: SOURCED,
    begin: (service, channel) => refuseCredentials(service, service.at(channel).plan.group, 60 * MINUTE_MS),
    cure: 'refresh_credentials',
    everyHours: 24,
  },
];

/** What the planted rules and patterns stumble over. */
export const PLANTED_TROUBLES: readonly Trouble[] = [
  {
    id: 'library_gone',
    family: 'planted',
    channels: ['ch5'],
    begin: ailing('person'),
    line: (lot) => `[hls @ 0x55] skipping ${lot % 90} segments ahead, expired from playlists`,
    means: 'segment_missing',
    everyHours: 20,
    untilDay: 12,
  },
  {
    id: 'old_guide',
    family: 'planted',
    channels: ['ch3'],
    begin: () => undefined,
    line: () => 'XMLTV guide data is stale',
    means: 'guide_stale',
    talksMs: 2 * MINUTE_MS,
    everyHours: 48,
  },
  {
    id: 'chatter',
    family: 'planted',
    channels: PLAIN,
    begin: () => undefined,
    line: (lot) => `[warn] gossip round ${lot} finished with a failed peer; retrying`,
    talksMs: MINUTE_MS,
    everyHours: 10,
  },
];
