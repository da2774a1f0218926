/** What became of proposed patterns: a fold over journal facts, with how it went with each and without it. */
import type { MonoMs } from '../../core/clock.ts';
import type { JournalEntry, JournalFact, PatternState, Projection } from '../../core/journal.ts';

/** Cures and failures. */
interface Outcomes {
  readonly successes: number;
  readonly failures: number;
}

/** Where a pattern stands; `promoted` of earlier versions is `production`. */
export type PatternStage = Exclude<PatternState, 'promoted'>;

export interface PatternRecord {
  readonly pattern: string;
  readonly sha256: string;
  readonly state: PatternStage;
  readonly who: string;
  readonly because: string;
  /** Lines that it fitted while it was only tried. */
  readonly shadowed: number;
  /** Calls that were judged in incidents in which it spoke, in force. */
  readonly treated: Outcomes;
  /** Those of them that were judged before a person put it back; undefined where nobody did. */
  readonly before?: Outcomes;
  /**
   * Incidents that it fitted on trial or in staging and in which nothing was changed: the trouble went by itself,
   * or stayed.
   */
  readonly control: Outcomes;
  /**
   * Times that it fitted while its channel had no trouble within five minutes, or that it made a trouble of a channel
   * that nothing but the log reported, and that went with nothing done.
   */
  readonly aimless: number;
  /** Incidents in which it fitted. */
  readonly incidents: number;
  /** Who named it: a person, or `model …`. */
  readonly namedBy: string;
  /** Incidents in a row, in force and borne out, in which nothing was changed. */
  readonly idle: number;
  /** Whether the last calls cured, oldest first; at most 10. */
  readonly recent: readonly boolean[];
  /** Calls after which a channel that had output had none. */
  readonly harms: number;
}

/** A fit that is not accounted for yet. */
interface Heard {
  readonly pattern: string;
  readonly channel: string;
  readonly sinceMs: MonoMs;
  /** The incident that it belongs to, once there is one. */
  readonly incident: string | undefined;
}

interface Open {
  readonly incident: string;
  readonly channels: readonly string[];
  /** Somebody has changed or started something. */
  readonly changed: boolean;
  /** Something besides the log bore it out. */
  readonly confirmed: boolean;
  /** Patterns in staging alone gave it its name. Undefined in a state that was kept before there was staging. */
  readonly onTrial?: boolean;
}

export interface PatternRecords {
  /** Oldest first; bounded. */
  readonly records: readonly PatternRecord[];
  readonly heard: readonly Heard[];
  readonly open: readonly Open[];
}

const RECORDS_MAX = 1_000;
const KEPT_MAX = 500;
const RECENT_MAX = 10;
/** A line and the trouble that it speaks of lie no further apart. */
export const AIMLESS_MS = 300_000;
const NONE: Outcomes = { successes: 0, failures: 0 };

/** To be registered with the ledger. */
export const patternRecordsProjection: Projection<PatternRecords> = {
  name: 'pattern_records',
  initial: { records: [], heard: [], open: [] },
  apply: (before, entry) => fold(settled(whole(before), entry.monoMs), entry),
};

/** A state that was kept before fits were followed has none of them. */
function whole(state: PatternRecords): PatternRecords {
  const { records, heard, open } = state as Partial<PatternRecords>;
  const isOld = (records ?? []).some((record) => (record.state as PatternState) === 'promoted');
  if (heard !== undefined && open !== undefined && !isOld) return state;
  return {
    records: (records ?? []).map((record) => ({
      ...{ ...EMPTY, ...record },
      ...{ state: stageOf(record.state), namedBy: record.namedBy ?? record.who },
    })),
    heard: heard ?? [],
    open: open ?? [],
  };
}

const stageOf = (state: PatternState): PatternStage => (state === 'promoted' ? 'production' : state);

/** It is heard. */
export const isInUse = (state: PatternStage): boolean => state === 'staging' || state === 'production';
/** It is tried without effect. */
export const isTried = (state: PatternStage): boolean => state === 'proposed' || state === 'shadow';
const isFallen = (state: PatternStage): boolean => !isInUse(state) && !isTried(state);

const EMPTY = {
  shadowed: 0,
  treated: NONE,
  control: NONE,
  aimless: 0,
  incidents: 0,
  idle: 0,
  recent: [],
  harms: 0,
} as const;

const plus = (outcomes: Outcomes, success: boolean): Outcomes =>
  success ? { ...outcomes, successes: outcomes.successes + 1 } : { ...outcomes, failures: outcomes.failures + 1 };

function changed(
  state: PatternRecords,
  patterns: readonly string[],
  change: (record: PatternRecord) => PatternRecord,
): PatternRecords {
  if (patterns.length === 0) return state;
  const asked = new Set(patterns);
  return { ...state, records: state.records.map((one) => (asked.has(one.pattern) ? change(one) : one)) };
}

/** Fits that no trouble followed for five minutes. */
function settled(state: PatternRecords, nowMs: MonoMs): PatternRecords {
  const isOver = ({ incident, sinceMs }: Heard): boolean => incident === undefined && nowMs - sinceMs > AIMLESS_MS;
  if (!state.heard.some(isOver)) return state;
  const over = state.heard.filter(isOver).map(({ pattern }) => pattern);
  const rest = { ...state, heard: state.heard.filter((one) => !isOver(one)) };
  return over.reduce(
    (next: PatternRecords, id) => changed(next, [id], (one) => ({ ...one, aimless: one.aimless + 1 })),
    rest,
  );
}

type Of<T extends JournalFact['type']> = Extract<JournalFact, { type: T }>;

function fold(state: PatternRecords, entry: JournalEntry): PatternRecords {
  const { fact, incident } = entry;
  switch (fact.type) {
    case 'pattern.state_set':
      return stateSet(state, fact);
    case 'pattern.shadowed': {
      const { pattern, lines } = fact;
      const counted = changed(state, [pattern], (one) => ({ ...one, shadowed: one.shadowed + lines }));
      return heard(counted, pattern, entry);
    }
    case 'symptom.raised':
      return fact.symptom.pattern === undefined ? state : heard(state, fact.symptom.pattern, entry);
    case 'incident.opened':
      return opened(state, fact);
    case 'start.observed':
      return touched(state, ({ channels }) => entry.channel !== undefined && channels.includes(entry.channel));
    case 'envelope.taken':
      return looked(state, fact, incident);
    case 'attempt.scored':
      return fact.cured === undefined ? state : scored(state, fact, incident);
    case 'incident.closed':
      return closed(state, fact, incident);
    default:
      return state;
  }
}

/** A new file under a known name starts afresh; whoever sets one in use again does so knowing its record. */
function stateSet(state: PatternRecords, fact: Of<'pattern.state_set'>): PatternRecords {
  const { pattern, sha256, who, because } = fact;
  const to = stageOf(fact.to);
  const before = state.records.find((record) => record.pattern === pattern);
  const others = state.records.filter((record) => record.pattern !== pattern);
  const kept = before?.sha256 === sha256 ? before : undefined;
  const isBack = kept !== undefined && isFallen(kept.state) && !isFallen(to);
  const afresh = isInUse(to) || isBack ? { recent: [], harms: 0, aimless: 0, incidents: 0, idle: 0 } : {};
  // A trial begins by itself: who named it, and of what, stays known.
  const naming = to === 'shadow' && kept !== undefined && who === 'reeve' ? {} : { who, because };
  const record = {
    ...EMPTY,
    namedBy: who,
    ...{ who, because },
    ...kept,
    ...afresh,
    ...(isBack && { before: kept.treated }),
    ...naming,
    pattern,
    sha256,
    state: to,
  };
  return { ...state, records: [...others, record].slice(-RECORDS_MAX) };
}

/** Once for each pattern and channel, until it is accounted for. */
function heard(state: PatternRecords, pattern: string, entry: JournalEntry): PatternRecords {
  const channel = entry.channel ?? (entry.fact.type === 'symptom.raised' ? entry.fact.symptom.channel : undefined);
  if (channel === undefined || !state.records.some((one) => one.pattern === pattern)) return state;
  if (state.heard.some((one) => one.pattern === pattern && one.channel === channel)) return state;
  const incident = state.open.find(({ channels }) => channels.includes(channel))?.incident;
  const next = {
    ...state,
    heard: [...state.heard, { pattern, channel, sinceMs: entry.monoMs, incident }].slice(-KEPT_MAX),
  };
  return incident === undefined ? next : inIncident(next, pattern);
}

const inIncident = (state: PatternRecords, pattern: string): PatternRecords =>
  changed(state, [pattern], (one) => ({ ...one, incidents: one.incidents + 1 }));

function opened(state: PatternRecords, { incident: { id, scope, channels } }: Of<'incident.opened'>): PatternRecords {
  const about = scope.kind === 'channel' ? [scope.id] : channels;
  const isAbout = (one: Heard): boolean => one.incident === undefined && about.includes(one.channel);
  const found = state.heard.filter(isAbout).map(({ pattern }) => pattern);
  const next: PatternRecords = {
    ...state,
    heard: state.heard.map((one) => (isAbout(one) ? { ...one, incident: id } : one)),
    open: [...state.open, { incident: id, channels: about, changed: false, confirmed: false }].slice(-KEPT_MAX),
  };
  return found.reduce((sum: PatternRecords, pattern) => inIncident(sum, pattern), next);
}

function touched(state: PatternRecords, which: (open: Open) => boolean): PatternRecords {
  if (!state.open.some((one) => which(one) && !one.changed)) return state;
  return { ...state, open: state.open.map((one) => (which(one) ? { ...one, changed: true } : one)) };
}

function confirmed(state: PatternRecords, incident: string | undefined): PatternRecords {
  if (!state.open.some((one) => one.incident === incident && !one.confirmed)) return state;
  return { ...state, open: state.open.map((one) => (one.incident === incident ? { ...one, confirmed: true } : one)) };
}

function looked(state: PatternRecords, { envelope }: Of<'envelope.taken'>, incident?: string): PatternRecords {
  const next = envelope.signals.some(({ origin }) => origin !== 'log') ? confirmed(state, incident) : state;
  if (envelope.onTrial !== true) return next;
  return { ...next, open: next.open.map((one) => (one.incident === incident ? { ...one, onTrial: true } : one)) };
}

const patternsIn = ({ heard }: PatternRecords, incident: string | undefined): readonly string[] => [
  ...new Set(heard.filter((one) => one.incident === incident).map(({ pattern }) => pattern)),
];

function scored(
  state: PatternRecords,
  { cured, harmed }: Of<'attempt.scored'>,
  incident: string | undefined,
): PatternRecords {
  if (incident === undefined || cured === undefined) return state;
  const isOnTrial = state.open.some((one) => one.incident === incident && one.onTrial === true);
  const next = changed(state, patternsIn(state, incident), (one) =>
    // What had a name without it says nothing about a pattern in staging.
    !isInUse(one.state) || (one.state === 'staging' && !isOnTrial)
      ? one
      : {
          ...one,
          treated: plus(one.treated, cured),
          recent: [...one.recent, cured].slice(-RECENT_MAX),
          harms: one.harms + (harmed === true ? 1 : 0),
          idle: 0,
        },
  );
  return touched(next, (open) => open.incident === incident);
}

/** It went by itself, or nothing was done; what was changed says nothing about doing nothing. */
function closed(
  state: PatternRecords,
  { ending }: Of<'incident.closed'>,
  incident: string | undefined,
): PatternRecords {
  if (incident === undefined) return state;
  const known = state.open.find((one) => one.incident === incident);
  const rest = {
    ...state,
    heard: state.heard.filter((one) => one.incident !== incident),
    open: state.open.filter((one) => one !== known),
  };
  if (known === undefined || known.changed) return rest;
  return changed(rest, patternsIn(state, incident), (one) => untreated(one, known, ending === 'self_healed'));
}

/** An incident in which nothing was changed. */
function untreated(one: PatternRecord, { confirmed: isReal }: Open, byItself: boolean): PatternRecord {
  if (isTried(one.state)) return { ...one, control: plus(one.control, byItself) };
  if (!isInUse(one.state)) return one;
  // In staging there may have been no yes: that is how it goes without it.
  if (isReal && one.state === 'staging') return { ...one, control: plus(one.control, byItself) };
  if (isReal) return { ...one, idle: one.idle + 1 };
  return byItself ? { ...one, aimless: one.aimless + 1, incidents: Math.max(0, one.incidents - 1) } : one;
}
